from __future__ import annotations

import pytest

from handoff_tui.changes.comparison.choose import Candidates, Declared, ScopeFacts, choose_baseline, resolve_scope
from handoff_tui.changes.comparison.snapshot_diff import BaselineChoice, DiffScope
from handoff_tui.changes.snapshots.snapshot import SnapshotSummary
from handoff_tui.log.gates.marks import Approved, Mark

_ONE = SnapshotSummary(digest="1" * 64, commit="a" * 40, packages=21, tests=300)
_TWO = SnapshotSummary(digest="2" * 64, commit="b" * 40, packages=22, tests=310)
_STORED = (_ONE, _TWO)
_APPROVED = Approved(_ONE.digest, _ONE.commit, is_ancestor=True)
_DECLARED = Declared("r.md:9", _TWO.digest)


def test_pin_goes_before_all_else() -> None:
    """Whatever was approved or declared."""
    choice = choose_baseline(Candidates("2" * 12, (_APPROVED,), (Declared("r.md", _ONE.digest),), _STORED))
    assert choice == BaselineChoice(snapshot=_TWO.digest, commit=_TWO.commit, reason="you pinned it")


@pytest.mark.parametrize(
    ("stored", "reason"),
    [
        ((), "the pinned snapshot 111111111111 is not stored here: fetch it, or pin another one"),
        (
            (_ONE.model_copy(update={"problem": "its content has another digest"}),),
            "the pinned snapshot 111111111111 cannot be used: its content has another digest",
        ),
    ],
)
def test_pin_that_cannot_be_read_is_never_replaced(stored: tuple[SnapshotSummary, ...], reason: str) -> None:
    """The reviewer chose; the program does not choose again in silence."""
    choice = choose_baseline(Candidates(_ONE.digest, (_APPROVED,), (_DECLARED,), stored))
    assert choice == BaselineChoice(reason=reason)


def test_last_approved_of_this_line_goes_before_what_is_declared() -> None:
    """The newest one that lies behind the work; another line's approval does not count."""
    other = Approved(_TWO.digest, _TWO.commit, is_ancestor=False)
    choice = choose_baseline(Candidates(None, (other, _APPROVED), (_DECLARED,), _STORED))
    assert (choice.snapshot, choice.reason) == (_ONE.digest, "the last approved one of this line of work")


def test_approved_snapshot_that_is_lost_leaves_its_commit() -> None:
    """Then files can be compared, and it is said that nothing else can."""
    choice = choose_baseline(Candidates(None, (_APPROVED,), (_DECLARED,), (_TWO,)))
    assert (choice.snapshot, choice.commit) == (None, _ONE.commit)
    assert choice.reason.endswith("is not stored here; its commit is, so only files can be compared")
    lost = choose_baseline(Candidates(None, (_APPROVED._replace(commit=None),)))
    assert (lost.snapshot, lost.commit) == (None, None)
    assert lost.reason.endswith("is not stored here")


@pytest.mark.parametrize(
    ("declared", "digest", "reason"),
    [
        (_DECLARED, _TWO.digest, "r.md:9 declares it"),
        (Declared("r.md", "sha256:" + "2" * 64), _TWO.digest, "r.md declares it"),
        (Declared("r.md", "v1.4"), _ONE.digest, "r.md declares v1.4, and this snapshot was taken there"),
        (
            Declared("r.md", None, 22, 310),
            _TWO.digest,
            "r.md declares a baseline of 22 packages and 310 tests, and only this snapshot has them",
        ),
        (
            Declared("r.md", "gone", None, 300),
            _ONE.digest,
            "r.md declares a baseline of 300 tests, and only this snapshot has them",
        ),
    ],
)
def test_declared_baseline_is_found_by_digest_name_or_numbers(declared: Declared, digest: str, reason: str) -> None:
    """A name that is not known here leaves the numbers to try."""
    choice = choose_baseline(Candidates(None, (), (declared,), _STORED, {"v1.4": "a" * 40}))
    assert (choice.snapshot, choice.reason) == (digest, reason)


def test_declared_commit_without_a_snapshot_of_its_own_is_a_commit() -> None:
    """None was taken there, or more than one."""
    here = Declared("r.md", "v2")
    for stored, words in (
        ((_ONE,), "no snapshot was"),
        ((_TWO, _TWO.model_copy(update={"digest": "3" * 64})), "2 snapshots were"),
    ):
        choice = choose_baseline(Candidates(None, (), (here,), stored, {"v2": "b" * 40}))
        assert (choice.snapshot, choice.commit) == (None, "b" * 40)
        assert choice.reason == f"r.md declares v2; {words} taken there, so only files can be compared"


def test_no_baseline_has_its_reasons() -> None:
    """Each way that was tried is told, and what to do."""
    assert choose_baseline(Candidates()).reason == (
        "there is no baseline: nothing is pinned, nothing was approved before, no document declares one"
        "; none is stored yet"
    )
    other = Approved("9" * 64, None, is_ancestor=False)
    declared = (Declared("r.md", "gone"), Declared("s.md", None, 5), Declared("t.md"))
    choice = choose_baseline(Candidates(None, (other,), declared, (_ONE, _ONE.model_copy(update={"digest": "4" * 64}))))
    assert (choice.snapshot, choice.commit) == (None, None)
    assert choice.reason == (
        "there is no baseline: nothing is pinned, what was approved lies on another line of work, "
        "r.md declares gone, which is neither a snapshot nor a commit here, "
        "s.md declares a baseline of 5 packages, which no stored snapshot has"
        "; pin one of those that `baseline list` shows"
    )


def test_numbers_that_two_snapshots_have_choose_neither() -> None:
    """A guess would be a baseline that nobody declared."""
    twins = (_ONE, _ONE.model_copy(update={"digest": "4" * 64}))
    choice = choose_baseline(Candidates(None, (), (Declared("r.md", None, 21),), twins))
    assert choice.snapshot is None
    assert "2 stored snapshots have" in choice.reason


def test_scope_since_the_baseline_is_the_choice_itself() -> None:
    """Against the work tree as it is."""
    chosen = BaselineChoice(snapshot=_ONE.digest, reason="you pinned it")
    pair = resolve_scope(DiffScope.SINCE_BASELINE, ScopeFacts(chosen))
    assert (pair.before, pair.after, pair.comparable) == (chosen, None, True)


@pytest.mark.parametrize(
    ("scope", "facts", "reason"),
    [
        (DiffScope.SINCE_MY_REVIEW, {}, "who you are is not known: git has no user.email here"),
        (DiffScope.SINCE_MY_REVIEW, {"reviewer": "a@b"}, "no earlier review of yours is in the log"),
        (DiffScope.SINCE_PREVIOUS_ATTEMPT, {}, "this is the first attempt: no earlier one is in the log"),
        (DiffScope.BETWEEN, {}, "name what to compare with: a snapshot or a commit"),
    ],
)
def test_scope_without_a_beginning_says_why(scope: DiffScope, facts: dict[str, str], reason: str) -> None:
    """In a sentence for people; nothing can be compared then."""
    pair = resolve_scope(scope, ScopeFacts(BaselineChoice(reason="none"), reviewer=facts.get("reviewer")))
    assert (pair.before, pair.comparable) == (BaselineChoice(reason=reason), False)


def test_scope_begins_at_the_newest_mark_that_can_be_compared() -> None:
    """A review whose content is not known any more is passed over."""
    marks = (Mark("your review of 3 May"), Mark("your review of 1 May", snapshot=_ONE.digest))
    facts = ScopeFacts(BaselineChoice(reason="none"), "a@b", marks, (Mark("attempt 1", commit="c" * 40),))
    assert resolve_scope(DiffScope.SINCE_MY_REVIEW, facts).before.reason == "your review of 1 May"
    assert resolve_scope(DiffScope.SINCE_PREVIOUS_ATTEMPT, facts).before.commit == "c" * 40


def test_scope_between_any_two_has_both_sides() -> None:
    """Snapshots or commits, in any mixture."""
    facts = ScopeFacts(
        BaselineChoice(reason="none"), first=Mark("v1", commit="a" * 40), second=Mark("two", _TWO.digest)
    )
    pair = resolve_scope(DiffScope.BETWEEN, facts)
    assert (pair.before.commit, pair.after and pair.after.snapshot, pair.comparable) == ("a" * 40, _TWO.digest, True)
