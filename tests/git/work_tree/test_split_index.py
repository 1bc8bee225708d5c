from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from handoff_tui.core.errors import RepositoryError
from handoff_tui.git.history.commits import read_commits
from handoff_tui.git.repository import Repository, open_repository, read_work_tree
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.repositories import RepositoryBuilder


def open_split(builder: RepositoryBuilder) -> Repository:
    builder.write("a.txt").write("b.txt").commit("one").step("update-index", "--split-index")
    builder.write("a.txt", "changed\n").write("new.txt")
    for shared in (builder.folder / ".git").glob("sharedindex.*"):
        os.utime(shared, (1_000_000_000, 1_000_000_000))
    return open_repository(builder.folder)


def test_split_index_is_read_without_being_touched(builder: RepositoryBuilder) -> None:
    """The shared index keeps its time, which plain git would renew, and what is read is the same."""
    repository = open_split(builder)
    before = read_fingerprint(builder.folder)
    facts = read_work_tree(repository).facts
    assert (facts.head, facts.branch, facts.changed, facts.untracked) == (
        builder.head(),
        "main",
        ("a.txt",),
        ("new.txt",),
    )
    assert [commit.subject for commit in read_commits(repository.git, 9)] == ["one"]
    assert compare_fingerprints(before, read_fingerprint(builder.folder)) == []
    builder.git("ls-files")
    assert compare_fingerprints(before, read_fingerprint(builder.folder)) != []


def test_split_index_of_a_linked_worktree_is_read(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A linked worktree has an index, and so a shared index, of its own."""
    linked = builder.write("main.txt").commit().worktree(tmp_path / "linked", "side")
    repository = open_split(linked)
    before = read_fingerprint(builder.folder)
    facts = read_work_tree(repository).facts
    assert (facts.branch, facts.changed, facts.linked_worktree) == ("side", ("a.txt",), True)
    assert compare_fingerprints(before, read_fingerprint(builder.folder)) == []


def test_split_index_knows_old_links_for_heads(builder: RepositoryBuilder) -> None:
    """A HEAD that is a link, as old repositories have it, still names its branch."""
    repository = open_split(builder)
    head = builder.folder / ".git" / "HEAD"
    head.unlink()
    head.symlink_to("refs/heads/main")
    assert read_work_tree(repository).facts.branch == "main"


def test_split_index_copy_is_removed(
    builder: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing stays in the temporary folder."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    read_work_tree(open_split(builder))
    assert list(temporary.iterdir()) == []


def test_split_index_that_is_a_pipe_is_refused(builder: RepositoryBuilder) -> None:
    """A named pipe in the place of a shared index is not waited for."""
    repository = open_split(builder)
    (shared,) = (builder.folder / ".git").glob("sharedindex.*")
    shared.unlink()
    os.mkfifo(shared)
    with pytest.raises(RepositoryError, match="split index") as caught:
        read_work_tree(repository)
    assert "--no-split-index" in caught.value.hint


def test_change_right_after_a_look_is_not_hidden(builder: RepositoryBuilder) -> None:
    """The copy has the time of the index: by it git knows that a file of that second must be compared by content."""
    moment = 1_700_000_000 * 10**9
    place = builder.write("a.txt", "one\n").folder / "a.txt"
    os.utime(place, ns=(moment, moment))
    builder.config("core.trustctime", "false").commit().step("update-index", "--split-index")
    for index in ((builder.folder / ".git" / "index"), *(builder.folder / ".git").glob("sharedindex.*")):
        os.utime(index, ns=(moment, moment))
    place.write_bytes(b"two\n")
    os.utime(place, ns=(moment, moment))
    assert read_work_tree(open_repository(builder.folder)).facts.changed == ("a.txt",)
