"""The journal under real trouble: many writers, death at any moment, full and read-only disks, planted things."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from handoff_tui.core.errors import HandoffError, StoredFileDamagedError, StoreWriteError
from handoff_tui.log.entry import LogVerdict
from tests.support.failing_calls import fail_all, fail_at
from tests.support.journal_process import count_calls
from tests.support.journals import Desk
from tests.support.repositories import RepositoryBuilder

ROOT = Path(__file__).resolve().parents[2]


def run_process(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.journal_process", *arguments], cwd=ROOT, stdout=subprocess.PIPE
    )


def verify(root: Path) -> LogVerdict:
    return Desk.open(root).verify()


def append_at_once(root: Path, processes: int, each: int) -> None:
    """Several processes append at the same time; none of what they were told is stored may be missing."""
    desk = Desk.open(root)
    first = desk.begin().entry.id
    running = [run_process("append", str(root), str(each), f"H-{number}") for number in range(processes)]
    acknowledged = [first]
    for process in running:
        answer, _ = process.communicate()
        assert process.returncode == 0
        acknowledged += json.loads(answer)
    verdict = verify(root)
    assert len(set(acknowledged)) == processes * each + 1
    assert {entry.id for entry in verdict.entries} == set(acknowledged)
    assert [entry.seq for entry in verdict.entries] == list(range(1, processes * each + 2))
    assert verdict.problems == ()
    assert desk.memory.load().entries == {verdict.entries[-1].id}, "the head holds on to all the others"


def test_writers_at_once_lose_nothing(builder: RepositoryBuilder) -> None:
    """Four processes, five entries each: one chain with all of them."""
    append_at_once(builder.folder, 4, 5)


@pytest.mark.slow
def test_eight_writers_of_two_hundred_entries_lose_nothing(builder: RepositoryBuilder) -> None:
    """Eight processes, twenty-five entries each: one chain with all of them."""
    append_at_once(builder.folder, 8, 25)


@pytest.mark.parametrize("begun", ["", "begun"])
def test_death_at_any_system_call_leaves_a_log_that_verifies(
    builder: RepositoryBuilder, tmp_path: Path, begun: str
) -> None:
    """Killed at every call in turn: what was acknowledged is there, nothing torn counts, and the next append works."""
    before = set[str]()
    if begun:
        desk = Desk.open(builder.folder)
        before = {desk.begin().entry.id, desk.decide("H-1").entry.id}
    folder = tmp_path / "copies"
    folder.mkdir()
    process = run_process("die", str(builder.folder), str(folder))
    answer, _ = process.communicate()
    assert process.returncode == 0
    died: dict[str, list[str]] = json.loads(answer)
    assert len(died) > 15
    for place, acknowledged in died.items():
        root = folder / place
        desk = Desk.open(root)
        verdict = desk.verify()
        found = {entry.id for entry in verdict.entries}
        assert verdict.problems == (), place
        assert before | set(acknowledged) <= found
        assert len(found - before) <= 1
        added = desk.decide("H-next") if found else desk.begin()
        assert found | {added.entry.id} == {entry.id for entry in added.verdict.entries}
        shutil.rmtree(root)
    assert died[str(len(died))] != []


@pytest.mark.parametrize(
    "number",
    [errno.ENOSPC, pytest.param(errno.EROFS, marks=pytest.mark.slow), pytest.param(errno.EIO, marks=pytest.mark.slow)],
)
def test_call_that_fails_once_leaves_a_log_that_verifies(
    builder: RepositoryBuilder, tmp_path: Path, number: int
) -> None:
    """Whichever call fails: an error or success, never a broken log, and trying again works."""
    desk = Desk.open(builder.folder)
    first = desk.begin().entry.id
    shutil.copytree(builder.folder, tmp_path / "count")
    for place in range(1, len(count_calls(tmp_path / "count")) + 1):
        root = tmp_path / f"copy-{place}"
        shutil.copytree(builder.folder, root)
        added = set[str]()
        try:
            added = {Desk.open(root, fail_at(place, number)).decide("H-1").entry.id}
        except HandoffError as told:
            assert told.message  # noqa: PT017 - success is an answer too
        desk = Desk.open(root)
        verdict = desk.verify()
        found = {entry.id for entry in verdict.entries}
        assert verdict.problems == (), place
        assert {first} | added <= found
        again = desk.decide("H-2")
        assert found | {again.entry.id} == {entry.id for entry in again.verdict.entries}
        shutil.rmtree(root)


@pytest.mark.parametrize(("number", "words"), [(errno.ENOSPC, "the disk is full"), (errno.EROFS, "read-only")])
def test_disk_that_takes_nothing_is_told(builder: RepositoryBuilder, number: int, words: str) -> None:
    """A full or read-only disk: the error says so, and the log is as it was."""
    desk = Desk.open(builder.folder)
    first = desk.begin().entry.id
    with pytest.raises(StoreWriteError, match=words):
        Desk.open(builder.folder, fail_all("write", number)).decide("H-1")
    assert [entry.id for entry in verify(builder.folder).entries] == [first]


@pytest.mark.parametrize("linked", [".handoff-tui", ".handoff-tui/log"])
def test_linked_folder_takes_no_entry(builder: RepositoryBuilder, tmp_path: Path, linked: str) -> None:
    """Nothing is written where a link leads."""
    away = tmp_path / "away"
    away.mkdir()
    builder.link(linked, away)
    with pytest.raises(StoredFileDamagedError, match="is a link"):
        Desk.open(builder.folder).begin()
    assert list(away.iterdir()) == []


def test_planted_things_are_told_and_do_not_stop_the_log(builder: RepositoryBuilder) -> None:
    """A pipe, a link, a torn file and a foreign one: each refused by name, and the log goes on."""
    desk = Desk.open(builder.folder)
    desk.begin()
    folder = builder.place(".handoff-tui/log/aa")
    folder.mkdir(exist_ok=True)
    names = [f"aa{digit * 62}.intoto.jsonl" for digit in "123"]
    os.mkfifo(folder / names[0])
    (folder / names[1]).symlink_to("/etc/passwd")
    (folder / names[2]).write_bytes(b'{"payload"')
    (folder / "notes").write_text("hello")
    (folder.parent / ".tmp-0123").write_bytes(b'{"pay')
    added = desk.decide("H-1")
    verdict = verify(builder.folder)
    assert added.entry.id in verdict.heads
    assert not verdict.fatal
    assert {problem.entry for problem in verdict.problems} == {
        f".handoff-tui/log/aa/{name}" for name in (*names, "notes")
    }


def test_worktrees_share_one_lock_and_witness(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """An entry made in one worktree and committed on its branch is a parent in the other."""
    desk = Desk.open(builder.folder)
    desk.begin()
    builder.commit("log")
    other = builder.worktree(tmp_path / "other", "side")
    added = Desk.open(other.folder).decide("H-1").entry.id
    assert added in desk.memory.load().entries
    other.commit("decided")
    assert desk.decide("H-2").entry.parents == (added,)


def test_entry_of_another_worktree_that_is_not_committed_closes_the_log_here(
    builder: RepositoryBuilder, tmp_path: Path
) -> None:
    """The witness knows it, this worktree cannot see it: that is told as a rollback, not overlooked."""
    desk = Desk.open(builder.folder)
    desk.begin()
    builder.commit("log")
    Desk.open(builder.worktree(tmp_path / "other", "side").folder).decide("H-1")
    with pytest.raises(HandoffError, match="has seen valid"):
        desk.decide("H-2")


def test_bytes_survive_a_clone_with_converted_line_ends(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """core.autocrlf on both sides: the clone's work tree verifies, not only its blobs."""
    builder.config("core.autocrlf", "true")
    desk = Desk.open(builder.folder)
    desk.begin()
    desk.decide("H-1")
    builder.commit("log")
    clone = tmp_path / "clone"
    builder.git("clone", "--quiet", "--config", "core.autocrlf=true", str(builder.folder), str(clone))
    verdict = verify(clone)
    assert len(verdict.entries) == 2
    assert verdict.problems == ()
