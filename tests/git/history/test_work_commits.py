"""Which commits are work, and who made them."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.git.command import Git
from handoff_tui.git.history.work_commits import (
    find_ancestors,
    find_work_commit,
    is_ancestor,
    list_work_commits,
    list_work_times,
    read_contributors,
)
from tests.support.repositories import EMAIL, RepositoryBuilder


@pytest.fixture
def builder(tmp_path: Path) -> RepositoryBuilder:
    """A repository with one commit of work."""
    return RepositoryBuilder.init(tmp_path / "repo").write("a.txt", "one\n").commit("work")


def test_log_commits_are_no_work(builder: RepositoryBuilder) -> None:
    """A commit that only adds entries is passed over; one that also touches a file is not."""
    git = Git(builder.folder)
    base = builder.head()
    builder.write(".handoff-tui/log/aa/entry", "x")
    builder.commit("approval")
    assert list_work_commits(git, base) == []
    assert find_work_commit(git) == base
    builder.write(".handoff-tui/log/bb/entry", "x")
    builder.write(".handoff-tui-not/ours", "x")
    builder.commit("both")
    mixed = builder.head()
    assert list_work_commits(git, base) == [mixed]
    assert find_work_commit(git) == mixed


def test_contributors_are_authors_committers_and_co_authors(builder: RepositoryBuilder) -> None:
    """Everybody who had a hand in it is named, in small letters."""
    base = builder.head()
    builder.write("b.txt", "two\n")
    builder.git("add", "-A")
    builder.git(
        "commit", "-q", "-m",
        "more\n\nCo-authored-by: Claude <noreply@agents.example>\nCo-Authored-By: Bo <bo@example.com>",
        "--author=Cy <Cy@Example.com>",
    )  # fmt: skip
    git = Git(builder.folder)
    found = read_contributors(git, list_work_commits(git, base))
    assert found == {EMAIL, "cy@example.com", "noreply@agents.example", "bo@example.com"}
    assert read_contributors(git, []) == frozenset()


@pytest.mark.parametrize(
    "trailer",
    [
        "Co-authored-by: Bo <bo@example.com>",
        "Co-authored-by: Al <al@example.com>, Bo <bo@example.com>",
        "Co-authored-by: Bo bo@example.com",
        "co-authored-by: Bo\n <bo@example.com>",
        "Co-authored-by: Bo <bo@example.com>\n\nA paragraph after it.",
    ],
)
def test_co_author_is_found_however_it_is_written(builder: RepositoryBuilder, trailer: str) -> None:
    """Neither an unusual form nor what the repository's configuration says of trailers hides who had a hand in it."""
    builder.config("core.commentChar", "C")
    builder.config("trailer.separators", "%")
    base = builder.head()
    builder.write("b.txt", "two\n")
    builder.git("add", "-A")
    builder.git("commit", "-q", "--cleanup=verbatim", "-m", f"more\n\n{trailer}\n")
    git = Git(builder.folder)
    assert {EMAIL, "bo@example.com"} <= read_contributors(git, list_work_commits(git, base))


def test_address_in_the_text_makes_no_co_author(builder: RepositoryBuilder) -> None:
    """Who is only mentioned, or quoted with an indent, had no hand in it."""
    builder.git(
        "commit", "-q", "--allow-empty", "-m", "ask bo@example.com\n\n    Co-authored-by: Bo <bo@example.com>\n"
    )
    assert read_contributors(Git(builder.folder), [builder.head()]) == {EMAIL}


def test_ancestors_are_told_from_strangers(builder: RepositoryBuilder) -> None:
    """A commit is its own ancestor; one that is not here is nobody's."""
    git = Git(builder.folder)
    head = builder.head()
    assert is_ancestor(git, head, "HEAD")
    assert not is_ancestor(git, "1" * 40, "HEAD")


def test_many_are_asked_about_at_once(builder: RepositoryBuilder) -> None:
    """Itself and what lies before; neither a side branch nor what is not here. Nobody asks about nothing."""
    git = Git(builder.folder)
    first = builder.head()
    builder.step("switch", "--quiet", "--create", "side").write("b.txt").commit("side")
    side = builder.head()
    builder.step("switch", "--quiet", "main").write("c.txt").commit("more")
    head = builder.head()
    assert find_ancestors(git, [first, side, head, "1" * 40, first]) == {first, head}
    assert find_ancestors(git, [first, side], side) == {first, side}
    assert find_ancestors(git, []) == find_ancestors(git, ["1" * 40]) == frozenset()


def test_merge_that_took_a_side_as_it_was_is_no_work(builder: RepositoryBuilder) -> None:
    """Whoever merged has made nothing; a merge of two lines is somebody's work."""
    git = Git(builder.folder)
    base = builder.head()
    builder.step("switch", "--quiet", "--create", "side").write("b.txt").commit("side")
    side = builder.head()
    builder.step("switch", "--quiet", "main").step("merge", "--quiet", "--no-ff", "-m", "merge", "side")
    assert list_work_commits(git, base) == [side]
    builder.step("reset", "--quiet", "--hard", base).write("c.txt").commit("more")
    builder.step("merge", "--quiet", "--no-ff", "-m", "both", "side")
    assert len(list_work_commits(git, base)) == 3


def test_times_of_work_are_told_and_commits_of_the_log_are_not_among_them(builder: RepositoryBuilder) -> None:
    """By the committer's clock, sorted, from a moment on."""
    first = builder.moment
    builder.write(".handoff-tui/log/aa/entry", "x").commit("approval")
    builder.write("a.txt", "two\n").commit("more work")
    git = Git(builder.folder)
    assert list_work_times(git, 0) == list_work_times(git, -62_135_596_800) == [first, builder.moment]
    assert list_work_times(git, first + 1) == [builder.moment]
