"""Pipes in the place of files that git reads: refused by name, long before git's own time is up."""

from __future__ import annotations

import os

import pytest

from tests.support.command_line import say
from tests.support.repositories import RepositoryBuilder


@pytest.mark.parametrize("verb", ["status", "check"])
@pytest.mark.parametrize(
    "name", [".gitattributes", ".gitignore", ".git/info/exclude", ".git/index", "deep/.gitattributes"]
)
def test_pipe_in_the_place_of_a_file_is_refused(builder: RepositoryBuilder, verb: str, name: str) -> None:
    """With its path and a hint; nothing hangs."""
    builder.write("deep/a.txt", "one\n").write("b.txt").commit("one")
    place = builder.folder / name
    place.parent.mkdir(exist_ok=True)
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    builder.write("deep/a.txt", "two\n")
    said = say(verb, "--repo", builder.folder)
    assert said.code == 2
    assert f"{place} is a named pipe" in said.stderr
    assert "Remove it" in said.stderr
