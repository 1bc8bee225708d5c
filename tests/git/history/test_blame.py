from __future__ import annotations

import pytest

from handoff_tui.git.history.last_changes import blame_lines
from handoff_tui.git.repository import open_repository
from tests.support.repositories import RepositoryBuilder


def blame(builder: RepositoryBuilder, path: str) -> list[tuple[str, str]]:
    """The origin of every line."""
    lines = blame_lines(open_repository(builder.folder).git, builder.head(), path)
    return [(line.commit, line.path) for line in lines]


def test_every_line_has_its_commit(builder: RepositoryBuilder) -> None:
    """Lines that a later commit left alone stay with the one before."""
    builder.write("a", "one\ntwo\nthree\n").commit()
    first = builder.head()
    builder.write("a", "one\n2\nthree\n").commit()
    assert blame(builder, "a") == [(first, "a"), (builder.head(), "a"), (first, "a")]


def test_white_space_counts_and_no_commit_is_passed_over(builder: RepositoryBuilder) -> None:
    """Whatever the repository's configuration says: an approval is about exact lines."""
    builder.write("a", "one\n").commit()
    builder.write("a", "  one\n").commit()
    builder.write("passed-over", f"{builder.head()}\n").config("blame.ignoreRevsFile", "passed-over")
    assert blame(builder, "a") == [(builder.head(), "a")]


@pytest.mark.parametrize("name", ["old", 'with "quotes" and \\', "line\nend", "grün\ttab"])
def test_line_keeps_the_name_that_its_file_had(builder: RepositoryBuilder, name: str) -> None:
    """Also a name that git writes in quotes."""
    text = "".join(f"line {number}\n" for number in range(20))
    builder.write(name, text).commit()
    first = builder.head()
    builder.step("mv", name, "new").commit()
    assert blame(builder, "new") == [(first, name)] * 20
