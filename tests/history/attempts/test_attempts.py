from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.changes.comparison.snapshot_diff import Change, Section
from handoff_tui.core.errors import HandoffNotFoundError, UsageError
from handoff_tui.decisions.examine import look_at_gate
from handoff_tui.history.attempts.attempts import list_histories, read_history
from handoff_tui.history.attempts.report import AttemptHistory, AttemptOutcome, CommitPlace
from tests.support.attempts import HANDOFF, PHASE, AttemptStory, tell_story


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> AttemptStory:
    return tell_story(tmp_path_factory.mktemp("attempts"))


def read(story: AttemptStory, *, now: bool = False, measured: int | None = 20) -> AttemptHistory:
    desk, log = story.open()
    looked = look_at_gate(desk, log, HANDOFF) if now else None
    return read_history(desk, log, HANDOFF, measured=measured, now=looked)


def list_changes(section: Section | None) -> dict[str, Change]:
    assert section is not None
    return {item.id: item.change for item in section.items}


def test_attempts_of_the_log_stand_side_by_side(story: AttemptStory) -> None:
    """Who, how long, which commits, which checks flipped, which tests are new, fixed and gone."""
    history = read(story)
    assert (history.handoff, history.phase, history.fatal) == (HANDOFF, PHASE, False)
    first, second = history.attempts
    assert (first.outcome, second.outcome) == (AttemptOutcome.REJECTED, AttemptOutcome.RETRY)
    assert (first.name, second.name) == (f"{HANDOFF}:review:1", f"{HANDOFF}:review:2")
    assert (second.worked_seconds, second.waited_seconds, first.worked_seconds) == (9_000, 1_800, None)
    assert [commit.subject for commit in second.commits or ()] == ["say what was tested, elsewhere", "turn it round"]
    base = f"the baseline of its checks on this line, {story.base[:7]}"
    assert (first.commits_since, second.commits_since) == (base, "attempt 1")
    assert list_changes(second.check_changes) == {
        "claims-hold": Change.FIXED,
        "problems-absent": Change.NEWLY_FAILING,
        "tests": Change.CHANGED,
    }
    assert list_changes(second.test_changes) == {
        "test_b": Change.FIXED,
        "test_c": Change.VANISHED,
        "test_d": Change.NEW,
    }
    assert second.tests is not None
    assert (second.tests.passed, second.tests.total) == (3, 3)
    assert (second.checks_passed, second.checks_total, second.failing) == (1, 3, ("problems-absent", "tests"))
    assert {first.commit_place, second.commit_place} == {CommitPlace.BEHIND}


def test_points_of_a_rejection_are_measured_on_the_next_attempt(story: AttemptStory) -> None:
    """A check that passes and a line that changed are addressed; a check in error and an untouched file are not."""
    first, second = read(story).attempts
    assert first.asked_against == second.name
    assert [(point.subject, point.addressed) for point in first.asked] == [
        ("", None),
        ("claims-hold", True),
        ("tests", False),
        ("src/app.py:2", True),
        ("HANDOFF.md", False),
        ("", None),
    ]
    assert first.asked[2].evidence == "it does not pass in attempt 2 either: error"
    assert {point.evidence for point in second.asked if point.subject} == {"no attempt has followed yet"}


def test_work_that_no_entry_knows_is_the_last_attempt(story: AttemptStory) -> None:
    """It has the number that a decision would give it, and what was asked for last is measured on it."""
    *_, second, now = read(story, now=True).attempts
    assert (now.outcome, now.number, now.name) == (AttemptOutcome.OPEN, 3, f"{HANDOFF}:review:now")
    assert [commit.subject for commit in now.commits or ()] == ["start again"]
    assert second.asked_against == now.name
    # nobody has configured a check «tests» here
    assert [point.evidence for point in second.asked if point.subject == "tests"] == [
        "it was not among the checks of what is here now"
    ]


def test_only_the_newest_are_measured_where_a_number_is_given(story: AttemptStory) -> None:
    """Of the others the log is told, and nothing is looked into."""
    first, second = read(story, measured=1).attempts
    assert (first.measured, first.asked, first.check_changes, first.outcome) == (False, (), None, "rejected")
    assert second.measured
    assert list_changes(second.check_changes)["claims-hold"] is Change.FIXED


def test_handoffs_are_listed_with_their_last_outcome(story: AttemptStory) -> None:
    """One row a phase."""
    desk, log = story.open()
    [row] = list_histories(desk, log).rows
    assert (row.handoff, row.attempts, row.sent_back) == (HANDOFF, 2, 2)
    assert (row.outcome, row.who, row.when) == (AttemptOutcome.RETRY, "bob", "2026-01-02T13:00:00Z")


def test_unknown_handoff_is_refused(story: AttemptStory) -> None:
    """One that neither the files nor the log know."""
    desk, log = story.open()
    with pytest.raises(HandoffNotFoundError):
        read_history(desk, log, "H-99")


def test_unknown_phase_is_refused(story: AttemptStory) -> None:
    """Nothing is made up for it; those that are known are named."""
    desk, log = story.open()
    with pytest.raises(UsageError, match="'nope'") as refused:
        read_history(desk, log, HANDOFF, "nope")
    assert PHASE in refused.value.hint


def test_work_since_an_approval_says_so(tmp_path: Path) -> None:
    """Whoever approved what, on the commit from which changes are counted."""
    story = AttemptStory(tmp_path)
    story.decide("approve", 1, handoff="H-7")
    story.work("# more\n")
    story.decide("reject", 1)
    [only] = read(story).attempts
    assert only.commits_since == f"the last approval on this line, {story.base[:7]}"


def test_handoff_that_only_the_log_knows_has_a_history(tmp_path: Path) -> None:
    """Its documents are gone, and that is said; so are the other phases that the log knows."""
    story = AttemptStory(tmp_path)
    story.decide("reject", 1, handoff="H-7", phase="build")
    story.decide("hold", 1, handoff="H-7", phase="verify")
    desk, log = story.open()
    history = read_history(desk, log, "H-7")
    assert (history.phase, [one.outcome for one in history.attempts]) == ("verify", [AttemptOutcome.HELD])
    assert any("not here any more" in note for note in history.notes)
    assert any("build" in note for note in history.notes)
