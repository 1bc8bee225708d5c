from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.git.history.changes import (
    TreeChange,
    find_merge_base,
    reaches_locally,
    read_changes,
    read_commit_paths,
    read_remotes,
)
from handoff_tui.git.repository import open_repository
from tests.support.repositories import RepositoryBuilder


def test_changes_against_a_commit_are_told(builder: RepositoryBuilder) -> None:
    """Committed, staged and unstaged ones alike; renames are found."""
    builder.write("keep", "k\n").write("old name.py", "text\n" * 20).write("gone").write("edit", "a\n").commit("one")
    base = builder.head()
    builder.git("mv", "old name.py", "new name.py")
    builder.git("rm", "-q", "gone")
    builder.write("added", "something else\n").commit("two").write("edit", "b\n")
    found = read_changes(open_repository(builder.folder).git, base)
    assert sorted(found) == [
        TreeChange("A", "added"),
        TreeChange("D", "gone"),
        TreeChange("M", "edit"),
        TreeChange("R", "new name.py", "old name.py"),
    ]


def test_paths_of_a_commit_are_told(builder: RepositoryBuilder) -> None:
    """Also of the first one."""
    builder.write("a").commit("one").write("b").commit("two")
    git = open_repository(builder.folder).git
    assert read_commit_paths(git, builder.head("HEAD~1")) == ["a"]
    assert read_commit_paths(git, "HEAD") == ["b"]


def test_merge_base_is_where_lines_parted(builder: RepositoryBuilder) -> None:
    """Nothing for a name that is none."""
    builder.write("a").commit("one")
    base = builder.head()
    builder.git("checkout", "-q", "-b", "side")
    builder.write("b").commit("two")
    git = open_repository(builder.folder).git
    assert find_merge_base(git, "main", "side") == base
    assert find_merge_base(git, "main", "nowhere") is None


def test_remotes_are_listed(builder: RepositoryBuilder) -> None:
    """Names with dots too."""
    builder.git("remote", "add", "one.two", "../x.git")
    assert read_remotes(open_repository(builder.folder).git) == [("one.two", "../x.git")]


@pytest.mark.parametrize("url", ["https://example.com/x.git", "git@example.com:x.git", "ssh://h/x", "ext::sh -c x"])
def test_remote_elsewhere_is_not_asked(tmp_path: Path, url: str) -> None:
    """Only folders of this machine are looked at."""
    assert reaches_locally(tmp_path, url) is None


def test_local_remote_is_looked_at(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A repository answers, an empty folder and a missing one do not."""
    bare = RepositoryBuilder.init(tmp_path / "bare", "--bare").folder
    (tmp_path / "empty").mkdir()
    assert reaches_locally(builder.folder, f"file://{bare}") is True
    assert reaches_locally(builder.folder, "../bare") is True
    assert reaches_locally(builder.folder, "../empty") is False
    assert reaches_locally(builder.folder, "../missing") is False
