from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from handoff_tui.changes.comparison.sides import (
    BaselineCandidates,
    DeclaredBaseline,
    ScopeFacts,
    choose_snapshot,
    load_side,
    pick_baseline,
    resolve_name,
    resolve_scope,
)
from handoff_tui.changes.comparison.snapshot_diff import BaselineChoice, DiffScope
from handoff_tui.changes.snapshots.snapshot import SnapshotSummary
from handoff_tui.changes.snapshots.stored_snapshots import capture, pin
from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import Desk, open_desk
from handoff_tui.log.gates.approved import ApprovedSnapshot, ComparisonPoint
from handoff_tui.system.files.cache_files import find_cache_folder
from tests.support.repositories import RepositoryBuilder
from tests.support.snapshots import build_lamp

_ONE = SnapshotSummary(digest="1" * 64, commit="a" * 40, packages=21, tests=300)

_TWO = SnapshotSummary(digest="2" * 64, commit="b" * 40, packages=22, tests=310)

_STORED = (_ONE, _TWO)

_APPROVED = ApprovedSnapshot(_ONE.digest, _ONE.commit, is_ancestor=True)

_DECLARED = DeclaredBaseline("r.md:9", _TWO.digest)


def test_pin_goes_before_all_else() -> None:
    """Whatever was approved or declared."""
    choice = pick_baseline(
        BaselineCandidates("2" * 12, (_APPROVED,), (DeclaredBaseline("r.md", _ONE.digest),), _STORED)
    )
    assert choice == BaselineChoice(snapshot=_TWO.digest, commit=_TWO.commit, reason="you pinned it")


@pytest.mark.parametrize(
    ("stored", "reason"),
    [
        ((), "the pinned snapshot 111111111111 isn't stored here: fetch it, or pin another one"),
        (
            (_ONE.model_copy(update={"problem": "its content has another digest"}),),
            "the pinned snapshot 111111111111 can't be used: its content has another digest",
        ),
    ],
)
def test_pin_that_cannot_be_read_is_never_replaced(stored: tuple[SnapshotSummary, ...], reason: str) -> None:
    """The reviewer chose; the program does not choose again in silence."""
    choice = pick_baseline(BaselineCandidates(_ONE.digest, (_APPROVED,), (_DECLARED,), stored))
    assert choice == BaselineChoice(reason=reason)


def test_last_approved_of_this_line_goes_before_what_is_declared() -> None:
    """The newest one that lies behind the work; another line's approval does not count."""
    other = ApprovedSnapshot(_TWO.digest, _TWO.commit, is_ancestor=False)
    choice = pick_baseline(BaselineCandidates(None, (other, _APPROVED), (_DECLARED,), _STORED))
    assert (choice.snapshot, choice.reason) == (_ONE.digest, "The last approved baseline on this branch")


def test_approved_snapshot_that_is_lost_leaves_its_commit() -> None:
    """Then files can be compared, and it is said that nothing else can."""
    choice = pick_baseline(BaselineCandidates(None, (_APPROVED,), (_DECLARED,), (_TWO,)))
    assert (choice.snapshot, choice.commit) == (None, _ONE.commit)
    assert choice.reason.endswith("isn't stored here; its commit is here, so only files are compared")
    lost = pick_baseline(BaselineCandidates(None, (_APPROVED._replace(commit=None),)))
    assert (lost.snapshot, lost.commit) == (None, None)
    assert lost.reason.endswith("isn't stored here")


@pytest.mark.parametrize(
    ("declared", "digest", "reason"),
    [
        (_DECLARED, _TWO.digest, "r.md:9 declares it"),
        (DeclaredBaseline("r.md", "sha256:" + "2" * 64), _TWO.digest, "r.md declares it"),
        (DeclaredBaseline("r.md", "v1.4"), _ONE.digest, "r.md declares v1.4, and this snapshot was taken there"),
        (
            DeclaredBaseline("r.md", None, 22, 310),
            _TWO.digest,
            "r.md declares a baseline of 22 packages and 310 tests, and only this snapshot has them",
        ),
        (
            DeclaredBaseline("r.md", "gone", None, 300),
            _ONE.digest,
            "r.md declares a baseline of 300 tests, and only this snapshot has them",
        ),
    ],
)
def test_declared_baseline_is_found_by_digest_name_or_numbers(
    declared: DeclaredBaseline, digest: str, reason: str
) -> None:
    """A name that is not known here leaves the numbers to try."""
    choice = pick_baseline(BaselineCandidates(None, (), (declared,), _STORED, {"v1.4": "a" * 40}))
    assert (choice.snapshot, choice.reason) == (digest, reason)


def test_declared_commit_without_a_snapshot_of_its_own_is_a_commit() -> None:
    """None was taken there, or more than one."""
    here = DeclaredBaseline("r.md", "v2")
    for stored, words in (
        ((_ONE,), "no snapshot was"),
        ((_TWO, _TWO.model_copy(update={"digest": "3" * 64})), "2 snapshots were"),
    ):
        choice = pick_baseline(BaselineCandidates(None, (), (here,), stored, {"v2": "b" * 40}))
        assert (choice.snapshot, choice.commit) == (None, "b" * 40)
        assert choice.reason == f"r.md declares v2; {words} taken there, so only files are compared"


def test_no_baseline_has_its_reasons() -> None:
    """Each way that was tried is told, and what to do."""
    assert pick_baseline(BaselineCandidates()).reason == (
        "no baseline: nothing is pinned, nothing was approved before, no document declares one; none is stored yet"
    )
    other = ApprovedSnapshot("9" * 64, None, is_ancestor=False)
    declared = (DeclaredBaseline("r.md", "gone"), DeclaredBaseline("s.md", None, 5), DeclaredBaseline("t.md"))
    choice = pick_baseline(
        BaselineCandidates(None, (other,), declared, (_ONE, _ONE.model_copy(update={"digest": "4" * 64})))
    )
    assert (choice.snapshot, choice.commit) == (None, None)
    assert choice.reason == (
        "no baseline: nothing is pinned, the approved work is on another branch, "
        "r.md declares gone, which is neither a snapshot nor a commit here, "
        "s.md declares a baseline of 5 packages, which no stored snapshot has"
        "; pin one from `baseline list`"
    )


def test_numbers_that_two_snapshots_have_choose_neither() -> None:
    """A guess would be a baseline that nobody declared."""
    twins = (_ONE, _ONE.model_copy(update={"digest": "4" * 64}))
    choice = pick_baseline(BaselineCandidates(None, (), (DeclaredBaseline("r.md", None, 21),), twins))
    assert choice.snapshot is None
    assert "2 stored snapshots have" in choice.reason


@pytest.mark.parametrize(
    ("scope", "facts", "reason"),
    [
        (DiffScope.SINCE_MY_REVIEW, {}, "git has no user.email here, so your reviews can't be found"),
        (DiffScope.SINCE_MY_REVIEW, {"reviewer": "a@b"}, "the log has no earlier review of yours"),
        (DiffScope.SINCE_PREVIOUS_ATTEMPT, {}, "this is the first attempt in the log"),
        (DiffScope.BETWEEN, {}, "name a snapshot or commit to compare with"),
    ],
)
def test_scope_without_a_beginning_says_why(scope: DiffScope, facts: dict[str, str], reason: str) -> None:
    """In a sentence for people; nothing can be compared then."""
    pair = resolve_scope(scope, ScopeFacts(BaselineChoice(reason="none"), reviewer=facts.get("reviewer")))
    assert (pair.before, pair.comparable) == (BaselineChoice(reason=reason), False)


def test_scope_begins_at_the_newest_mark_that_can_be_compared() -> None:
    """A review whose content is not known any more is passed over."""
    marks = (ComparisonPoint("your review of 3 May"), ComparisonPoint("your review of 1 May", snapshot=_ONE.digest))
    facts = ScopeFacts(BaselineChoice(reason="none"), "a@b", marks, (ComparisonPoint("attempt 1", commit="c" * 40),))
    assert resolve_scope(DiffScope.SINCE_MY_REVIEW, facts).before.reason == "your review of 1 May"
    assert resolve_scope(DiffScope.SINCE_PREVIOUS_ATTEMPT, facts).before.commit == "c" * 40


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
    assert choose_snapshot(desk, (), None, ()).reason.startswith("no baseline: nothing is pinned")
    digest = capture(desk).summary.digest
    pin(desk, digest, None)
    assert choose_snapshot(desk, (), None, ()).snapshot == digest
    [handoff] = read_repository(desk).result.handoffs
    pin(desk, None, None)
    pin(desk, digest, "H-1")
    assert choose_snapshot(desk, (), None, ()).snapshot is None
    choice = choose_snapshot(desk, (), handoff, (handoff,))
    assert (choice.snapshot, choice.reason) == (digest, "you pinned it")


def test_baseline_of_the_work_before_is_declared_by_its_numbers(desk: Desk) -> None:
    """The one stored snapshot that has as many packages and tests as the handoff that this one builds on says."""
    digest = capture(desk).summary.digest
    handoffs = read_repository(desk).result.handoffs
    after = handoffs[0].model_copy(update={"id": "H-2", "blocked_by": ("H-1",), "baseline": None})
    choice = choose_snapshot(desk, (), after, (*handoffs, after))
    assert choice.snapshot == digest
    assert choice.reason == (
        "handoffs/H-1/H-1_RESULTS.md declares a baseline of 1 packages and 2 tests, and only this snapshot has them"
    )


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
        "the snapshot's uncommitted changes are gone; the files of its commit are compared instead"
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
    assert bare.notes == ("the files of this snapshot aren't here, so only its contents are compared",)
