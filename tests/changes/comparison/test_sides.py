from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from handoff_tui.changes.comparison import sides
from handoff_tui.changes.comparison.snapshot_diff import BaselineChoice, ComparedPair, DiffScope
from handoff_tui.changes.snapshots.snapshot import SnapshotSummary
from handoff_tui.changes.snapshots.stored_snapshots import capture, pin
from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.log.gates.approved import ApprovedSnapshot, ComparisonPoints, EarlierState
from handoff_tui.system.files.cache_files import find_cache_folder
from tests.support.repositories import RepositoryBuilder
from tests.support.snapshots import build_lamp

_ONE = SnapshotSummary(digest="1" * 64, commit="a" * 40, packages=21, tests=300)

_TWO = SnapshotSummary(digest="2" * 64, commit="b" * 40, packages=22, tests=310)

_STORED = (_ONE, _TWO)

_APPROVED = ApprovedSnapshot(_ONE.digest, _ONE.commit, is_ancestor=True)

_DECLARED = sides.DeclaredBaseline("r.md:9", 22)


def test_pin_goes_before_all_else() -> None:
    """Whatever was approved or declared."""
    choice = sides.pick_baseline(
        sides.BaselineCandidates("2" * 12, (_APPROVED,), (sides.DeclaredBaseline("r.md", 21),), _STORED)
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
    choice = sides.pick_baseline(sides.BaselineCandidates(_ONE.digest, (_APPROVED,), (_DECLARED,), stored))
    assert choice == BaselineChoice(reason=reason)


def test_last_approved_of_this_line_goes_before_what_is_declared() -> None:
    """The newest one that lies behind the work; another line's approval does not count."""
    other = ApprovedSnapshot(_TWO.digest, _TWO.commit, is_ancestor=False)
    choice = sides.pick_baseline(sides.BaselineCandidates(None, (other, _APPROVED), (_DECLARED,), _STORED))
    assert (choice.snapshot, choice.reason) == (_ONE.digest, "The last approved baseline on this branch")


def test_approved_snapshot_that_is_lost_leaves_its_commit() -> None:
    """Then files can be compared, and it is said that nothing else can."""
    choice = sides.pick_baseline(sides.BaselineCandidates(None, (_APPROVED,), (_DECLARED,), (_TWO,)))
    assert (choice.snapshot, choice.commit) == (None, _ONE.commit)
    assert choice.reason.endswith("isn't stored here; its commit is here, so only files are compared")
    lost = sides.pick_baseline(sides.BaselineCandidates(None, (_APPROVED._replace(commit=None),)))
    assert (lost.snapshot, lost.commit) == (None, None)
    assert lost.reason.endswith("isn't stored here")


@pytest.mark.parametrize(
    ("declared", "digest", "words"),
    [
        (sides.DeclaredBaseline("r.md", 22, 310), _TWO.digest, "22 packages and 310 tests"),
        (sides.DeclaredBaseline("r.md", None, 300), _ONE.digest, "300 tests"),
    ],
)
def test_declared_baseline_is_found_by_its_numbers(declared: sides.DeclaredBaseline, digest: str, words: str) -> None:
    """Packages, tests, or both, as far as the document gives them."""
    choice = sides.pick_baseline(sides.BaselineCandidates(None, (), (declared,), _STORED))
    reason = f"r.md declares a baseline of {words}, and only this snapshot has them"
    assert (choice.snapshot, choice.reason) == (digest, reason)


def test_no_baseline_has_its_reasons() -> None:
    """Each way that was tried is told, and what to do."""
    assert sides.pick_baseline(sides.BaselineCandidates()).reason == (
        "no baseline: nothing is pinned, nothing was approved before, no document declares one; none is stored yet"
    )
    other = ApprovedSnapshot("9" * 64, None, is_ancestor=False)
    declared = (sides.DeclaredBaseline("s.md", 5), sides.DeclaredBaseline("t.md"))
    choice = sides.pick_baseline(
        sides.BaselineCandidates(None, (other,), declared, (_ONE, _ONE.model_copy(update={"digest": "4" * 64})))
    )
    assert (choice.snapshot, choice.commit) == (None, None)
    assert choice.reason == (
        "no baseline: nothing is pinned, the approved work is on another branch, "
        "s.md declares a baseline of 5 packages, which no stored snapshot has"
        "; pin one from `baseline list`"
    )


def test_numbers_that_two_snapshots_have_choose_neither() -> None:
    """A guess would be a baseline that nobody declared."""
    twins = (_ONE, _ONE.model_copy(update={"digest": "4" * 64}))
    choice = sides.pick_baseline(sides.BaselineCandidates(None, (), (sides.DeclaredBaseline("r.md", 21),), twins))
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
    before = sides.find_point(scope, ComparisonPoints(reviewer=facts.get("reviewer")))
    assert before == BaselineChoice(reason=reason)
    assert not ComparedPair(scope=scope, before=before).comparable


def test_scope_begins_at_the_newest_mark_that_can_be_compared() -> None:
    """A review whose content is not known any more is passed over."""
    marks = (EarlierState("your review of 3 May"), EarlierState("your review of 1 May", snapshot=_ONE.digest))
    attempts = (EarlierState("attempt 1", commit="c" * 40),)
    points = ComparisonPoints(reviewer="a@b", my_reviews=marks, earlier_attempts=attempts)
    assert sides.find_point(DiffScope.SINCE_MY_REVIEW, points).reason == "your review of 1 May"
    assert sides.find_point(DiffScope.SINCE_PREVIOUS_ATTEMPT, points).commit == "c" * 40


@pytest.fixture
def desk(builder: RepositoryBuilder) -> Session:
    return open_session(build_lamp(builder).folder)


def test_name_is_a_snapshot_first_then_a_commit(desk: Session, builder: RepositoryBuilder) -> None:
    """By the beginning of its digest, or any name that git knows; what is neither is refused."""
    digest = capture(desk).summary.digest
    assert sides.resolve_name(desk, digest[:8]).snapshot == digest
    for name in ("HEAD", "main", builder.head()[:8]):
        mark = sides.resolve_name(desk, name)
        assert (mark.snapshot, mark.commit, mark.words) == (None, builder.head(), f"you named {name}")
    for name in ("0000000", "nothing", "--all", "HEAD~9"):
        with pytest.raises(UsageError, match="neither a stored snapshot nor a commit"):
            sides.resolve_name(desk, name)


def test_pinned_snapshot_is_chosen_with_its_reason(desk: Session) -> None:
    """The pin of a handoff goes before the one for all; without any, it is said that there is none."""
    assert sides.choose_snapshot(desk, (), None, ()).reason.startswith("no baseline: nothing is pinned")
    digest = capture(desk).summary.digest
    pin(desk, digest, None)
    assert sides.choose_snapshot(desk, (), None, ()).snapshot == digest
    [handoff] = read_repository(desk).result.handoffs
    pin(desk, None, None)
    pin(desk, digest, "H-1")
    assert sides.choose_snapshot(desk, (), None, ()).snapshot is None
    choice = sides.choose_snapshot(desk, (), handoff, (handoff,))
    assert (choice.snapshot, choice.reason) == (digest, "you pinned it")


def test_baseline_of_the_work_before_is_declared_by_its_numbers(desk: Session) -> None:
    """The one stored snapshot that has as many packages and tests as the handoff that this one builds on says."""
    digest = capture(desk).summary.digest
    handoffs = read_repository(desk).result.handoffs
    after = handoffs[0].model_copy(update={"id": "H-2", "blocked_by": ("H-1",), "baseline": None})
    choice = sides.choose_snapshot(desk, (), after, (*handoffs, after))
    assert choice.snapshot == digest
    assert choice.reason == (
        "handoffs/H-1/H-1_RESULTS.md declares a baseline of 1 packages and 2 tests, and only this snapshot has them"
    )


def test_snapshot_with_uncommitted_work_keeps_its_files_in_the_cache(desk: Session, builder: RepositoryBuilder) -> None:
    """Where the cache is gone, the files of its commit stand in for them, and that is said."""
    builder.write("uncommitted")
    digest = capture(open_session(builder.folder)).summary.digest
    choice = BaselineChoice(snapshot=digest, commit=builder.head(), reason="")
    assert sides.load_side(desk, choice).notes == ()
    shutil.rmtree(find_cache_folder(Path(builder.folder)))
    side = sides.load_side(desk, choice)
    assert side.tree == builder.head("HEAD^{tree}")
    assert [note.partition(":")[0] for note in side.notes] == [
        "the snapshot's uncommitted changes are gone; the files of its commit are compared instead"
    ]


def test_commit_that_is_gone_leaves_the_record(desk: Session, builder: RepositoryBuilder) -> None:
    """The files cannot be compared; how to get them back is said."""
    side = sides.load_side(desk, BaselineChoice(commit="1" * 40, reason=""))
    assert (side.snapshot, side.tree) == (None, None)
    assert "is not in this repository" in side.notes[0]
    assert "--unshallow" in side.notes[1]
    builder.write("uncommitted")
    digest = capture(open_session(builder.folder)).summary.digest
    shutil.rmtree(find_cache_folder(Path(builder.folder)))
    bare = sides.load_side(desk, BaselineChoice(snapshot=digest, reason=""))
    assert bare.snapshot is not None
    assert bare.notes == ("the files of this snapshot aren't here, so only its contents are compared",)
