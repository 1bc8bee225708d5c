from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from handoff_tui.changes.comparison.compared import choose_snapshot, find_pair, load_side, resolve_name
from handoff_tui.changes.comparison.snapshot_diff import BaselineChoice, DiffScope
from handoff_tui.changes.snapshots.stored_snapshots import capture, pin
from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.session import Desk, open_desk
from handoff_tui.log.gates.approved import LogMarks
from handoff_tui.status.refresh import read_harvest
from handoff_tui.system.files.cache_files import find_cache_folder
from tests.support.compared import build_lamp
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def desk(builder: RepositoryBuilder) -> Desk:
    return open_desk(build_lamp(builder).folder)


def test_name_is_a_snapshot_first_then_a_commit(desk: Desk, builder: RepositoryBuilder) -> None:
    """By the beginning of its digest, or any name that git knows; what is neither is refused."""
    digest = capture(desk).summary.digest
    assert resolve_name(desk, digest[:8]).snapshot == digest
    for name in ("HEAD", "main", builder.head()[:8]):
        mark = resolve_name(desk, name)
        assert (mark.snapshot, mark.commit, mark.words) == (None, builder.head(), f"you named {name}")
    for name in ("0000000", "nothing", "--all", "HEAD~9"):
        with pytest.raises(UsageError, match="neither a stored snapshot nor a commit"):
            resolve_name(desk, name)


def test_pinned_snapshot_is_chosen_with_its_reason(desk: Desk) -> None:
    """The pin of a handoff goes before the one for all; without any, it is said that there is none."""
    assert choose_snapshot(desk, (), None, ()).reason.startswith("there is no baseline: nothing is pinned")
    digest = capture(desk).summary.digest
    pin(desk, digest, None)
    assert choose_snapshot(desk, (), None, ()).snapshot == digest
    [handoff] = read_harvest(desk).handoffs
    pin(desk, None, None)
    pin(desk, digest, "H-1")
    assert choose_snapshot(desk, (), None, ()).snapshot is None
    choice = choose_snapshot(desk, (), handoff, (handoff,))
    assert (choice.snapshot, choice.reason) == (digest, "you pinned it")


def test_baseline_of_the_work_before_is_declared_by_its_numbers(desk: Desk) -> None:
    """The one stored snapshot that has as many packages and tests as the handoff that this one builds on says."""
    digest = capture(desk).summary.digest
    handoffs = read_harvest(desk).handoffs
    after = handoffs[0].model_copy(update={"id": "H-2", "blocked_by": ("H-1",), "baseline": None})
    choice = choose_snapshot(desk, (), after, (*handoffs, after))
    assert choice.snapshot == digest
    assert choice.reason == (
        "handoffs/H-1/H-1_RESULTS.md declares a baseline of 1 packages and 2 tests, and only this snapshot has them"
    )


def test_two_named_sides_are_the_pair(desk: Desk) -> None:
    """Whatever the scope was."""
    pair = find_pair(desk, LogMarks(), DiffScope.SINCE_BASELINE, None, (), ("HEAD", "main"))
    assert (pair.scope, pair.after is not None) == (DiffScope.BETWEEN, True)
    assert pair.before.reason == "you named HEAD"


def test_snapshot_with_uncommitted_work_keeps_its_files_in_the_cache(desk: Desk, builder: RepositoryBuilder) -> None:
    """Where the cache is gone, the files of its commit stand in for them, and that is said."""
    builder.write("uncommitted")
    digest = capture(open_desk(builder.folder)).summary.digest
    choice = BaselineChoice(snapshot=digest, commit=builder.head(), reason="")
    assert load_side(desk, choice).notes == ()
    shutil.rmtree(find_cache_folder(Path(builder.folder)))
    side = load_side(desk, choice)
    assert side.tree == builder.head("HEAD^{tree}")
    assert [note.partition(":")[0] for note in side.notes] == [
        "the snapshot held uncommitted work that is not here any more"
    ]


def test_commit_that_is_gone_leaves_the_record(desk: Desk, builder: RepositoryBuilder) -> None:
    """The files cannot be compared; how to get them back is said."""
    side = load_side(desk, BaselineChoice(commit="1" * 40, reason=""))
    assert (side.snapshot, side.tree) == (None, None)
    assert "is not in this repository" in side.notes[0]
    assert "--unshallow" in side.notes[1]
    builder.write("uncommitted")
    digest = capture(open_desk(builder.folder)).summary.digest
    shutil.rmtree(find_cache_folder(Path(builder.folder)))
    bare = load_side(desk, BaselineChoice(snapshot=digest, reason=""))
    assert bare.snapshot is not None
    assert bare.notes == ("the files of this snapshot are not here, so only its record is compared",)
