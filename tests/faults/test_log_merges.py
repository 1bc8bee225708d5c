"""What git does to a log: merges and rewrites of every kind. All entries are there afterwards, or it is noticed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from handoff_tui.log.gates.gate_state import GateName
from tests.support.real_log import RealLog, judge_at, list_codes, verify_at
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def log(builder: RepositoryBuilder) -> RealLog:
    """A log on main; alice decides on the branch `left`, bob on `right`, neither knowing of the other; on `right`."""
    real = RealLog(builder)
    real.begin()
    real.decide("alice", handoff="H-0")
    builder.write("work.txt").commit("begin the log")
    real.vouch()
    before = real.heads()
    for branch, person in (("left", "alice"), ("right", "bob")):
        builder.step("checkout", "--quiet", "-b", branch, "main")
        real.decide(person, handoff=f"H-{branch}", parents=before)
        builder.write(f"{branch}.txt").commit(f"{person} decides")
    builder.step("checkout", "--quiet", "main")
    return real


def read_alone(log: RealLog, folder: Path, branch: str = "main") -> Path:
    """A clone of one branch and nothing else: what a machine sees that was never here."""
    log.builder.git(
        "clone", "--quiet", "--template=", "--single-branch", "-b", branch, f"file://{log.folder}", str(folder)
    )
    return folder


def assert_whole(folder: Path, entries: int, heads: int = 2) -> None:
    report = verify_at(folder)
    assert set(list_codes(report)) <= {"not-pinned", "trust-drift"}, report.problems
    assert (report.entries, len(report.heads)) == (entries, heads)
    assert judge_at(folder, handoff="H-left").state is GateName.APPROVED
    assert judge_at(folder, handoff="H-right").state is GateName.APPROVED


def merge(builder: RepositoryBuilder) -> None:
    for branch in ("left", "right"):
        builder.step("merge", "--quiet", "--no-ff", "-m", f"merge {branch}", branch)


def octopus(builder: RepositoryBuilder) -> None:
    builder.step("merge", "--quiet", "-m", "both", "left", "right")


def rebase(builder: RepositoryBuilder) -> None:
    builder.step("rebase", "--quiet", "left", "right").step("checkout", "--quiet", "-B", "main", "right")


def squash(builder: RepositoryBuilder) -> None:
    for branch in ("left", "right"):
        builder.step("merge", "--quiet", "--squash", branch).commit(f"squashed {branch}")


def cherry_pick(builder: RepositoryBuilder) -> None:
    builder.step("cherry-pick", "left", "right")


def resolve_with_ours(builder: RepositoryBuilder) -> None:
    """Conflicts elsewhere, all of them decided for one side: entries never conflict, so both sides' stay."""
    for branch in ("left", "right"):
        builder.step("checkout", "--quiet", branch).write("work.txt", f"{branch}\n").commit("conflict")
    builder.step("checkout", "--quiet", "main")
    for branch in ("left", "right"):
        builder.step("merge", "--quiet", "-X", "ours", "-m", branch, branch)


@pytest.mark.parametrize("bring_together", [merge, octopus, rebase, squash, cherry_pick, resolve_with_ours])
def test_ordinary_ways_keep_every_entry(
    log: RealLog, tmp_path: Path, bring_together: Callable[[RepositoryBuilder], None]
) -> None:
    """Merge, octopus, rebase, squash, cherry-pick: no conflict, no entry lost, one log with two heads."""
    bring_together(log.builder)
    assert_whole(log.folder, 4)
    assert_whole(read_alone(log, tmp_path / "clone"), 4)
    follower = log.decide("alice", handoff="H-after")
    assert len(log.entries[follower].parents) == 2
    assert verify_at(log.folder).heads == (follower,)


def test_unmerged_branches_are_one_log_already(log: RealLog, tmp_path: Path) -> None:
    """Before any merge: all local and remote-tracking branches are read."""
    assert_whole(log.folder, 4)
    clone = tmp_path / "clone"
    log.builder.git("clone", "--quiet", "--template=", str(log.folder), str(clone))
    assert_whole(clone, 4)
    assert verify_at(read_alone(log, tmp_path / "alone")).entries == 2


def test_merge_in_a_bare_repository_keeps_every_entry(log: RealLog, tmp_path: Path) -> None:
    """As a forge merges: without a work tree, without attributes and hooks."""
    bare = tmp_path / "forge.git"
    log.builder.git("clone", "--quiet", "--template=", "--bare", str(log.folder), str(bare))
    forge = RepositoryBuilder(bare)
    for branch in ("left", "right"):
        tree = forge.git("merge-tree", "--write-tree", "main", branch)
        commit = forge.git("commit-tree", tree, "-p", "main", "-p", branch, "-m", f"merge {branch}")
        forge.ref("refs/heads/main", commit)
    forge.step("branch", "-D", "left", "right")
    clone = tmp_path / "clone"
    log.builder.git("clone", "--quiet", "--template=", str(bare), str(clone))
    assert_whole(clone, 4)


def test_merge_that_keeps_only_ours_is_noticed(log: RealLog, tmp_path: Path) -> None:
    """`-s ours` drops the other side's entries: while its branch is there they count; then the loss is noticed."""
    assert_whole(log.folder, 4)  # this clone has seen them
    builder = log.builder.step("merge", "--quiet", "-s", "ours", "-m", "not really", "left")
    dropped = builder.head("left")
    assert_whole(log.folder, 4)
    assert list_codes(verify_at(log.folder, against="left"), "FATAL") == ["entry-deleted"]
    builder.step("branch", "-D", "left")
    assert list_codes(verify_at(log.folder), "FATAL") == ["rollback"]
    clone = read_alone(log, tmp_path / "clone")
    assert not verify_at(clone).fatal  # nobody there could know
    assert list_codes(verify_at(clone, against=dropped), "FATAL") == ["entry-deleted"]  # who asks, learns it


def test_revert_of_the_last_entry_is_noticed(log: RealLog) -> None:
    """A revert takes the file away: the history has it, the witness knows it, the base commit shows it."""
    builder = log.builder.step("merge", "--quiet", "left")
    base = builder.head()
    assert_whole(log.folder, 4)
    builder.step("revert", "--no-edit", "HEAD").step("branch", "-D", "left")
    assert list_codes(verify_at(log.folder), "FATAL") == ["rollback"]
    assert set(list_codes(verify_at(log.folder, against=base), "FATAL")) == {"rollback", "entry-deleted"}


def test_revert_of_an_entry_that_others_follow_is_fatal(log: RealLog, tmp_path: Path) -> None:
    """Who follows what was reverted misses it, in every clone."""
    builder = log.builder.step("merge", "--quiet", "left")
    log.decide("bob", handoff="H-next", parents=[one for one in log.heads() if log.place(one).exists()])
    builder.commit("bob follows").step("revert", "--no-edit", "HEAD~1")
    clone = read_alone(log, tmp_path / "clone")
    assert list_codes(verify_at(clone), "FATAL") == ["missing-parent"]


def test_forced_push_that_forgets_entries_is_noticed(log: RealLog, tmp_path: Path) -> None:
    """A clone that fetches a rewritten branch misses what it had."""
    merge(log.builder)
    log.builder.step("branch", "-D", "left", "right")
    remote = tmp_path / "remote.git"
    log.builder.push(remote)
    clone = tmp_path / "clone"
    log.builder.git("clone", "--quiet", "--template=", str(remote), str(clone))
    assert_whole(clone, 4)
    log.builder.step("reset", "--hard", "--quiet", "main~2").step("push", "--quiet", "--force", "origin", "main")
    there = RepositoryBuilder(clone).step("fetch", "--quiet").step("reset", "--hard", "--quiet", "origin/main")
    assert set(list_codes(verify_at(there.folder), "FATAL")) == {"rollback"}


def test_sides_that_decide_differently_meet_in_the_gate(log: RealLog) -> None:
    """An approval on one side and a rejection on the other: merged or not, the rejection vetoes."""
    builder = log.builder.step("checkout", "--quiet", "left")
    log.decide("alice", handoff="H-both", parents=[one for one in log.heads() if log.place(one).exists()])
    builder.commit("yes").step("checkout", "--quiet", "right")
    log.decide("bob", "reject", handoff="H-both", parents=[one for one in log.heads() if log.place(one).exists()])
    builder.commit("no").step("checkout", "--quiet", "main")
    assert judge_at(log.folder, handoff="H-both").state is GateName.REJECTED
    octopus(builder)
    assert judge_at(log.folder, handoff="H-both").state is GateName.REJECTED
