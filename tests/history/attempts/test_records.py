from __future__ import annotations

from handoff_tui.core.tasks import Attempt
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.history.attempts.records import build_record
from handoff_tui.history.attempts.report import AttemptOutcome, CommitPlace
from handoff_tui.history.attempts.sources import AttemptSources, group_attempts
from tests.support.attempts import HANDOFF, PHASE, build_entry, build_index

PLAIN = Handoff(id=HANDOFF, dialect="notes")


def test_times_are_counted_between_entries() -> None:
    """Worked from the rejection to the handing over, waited from there to the first decision."""
    index = build_index(
        build_entry(1, "alice", 1, "reject"),
        build_entry(61, "claude", 2),
        build_entry(91, "bob", 2, "hold"),
        build_entry(95, "alice", 2, "approve"),
    )
    first, second = group_attempts(index, PLAIN, PHASE)
    record = build_record("H-1:build:2", second, first, {"a" * 40: CommitPlace.ASIDE})
    assert (record.worked_seconds, record.waited_seconds, record.ran_seconds) == (60, 30, None)
    assert (record.commit_place, record.producers, record.measured) == (CommitPlace.ASIDE, ("claude",), False)


def test_time_that_runs_backwards_is_not_counted() -> None:
    """Clocks of two machines differ; nobody worked for less than nothing."""
    index = build_index(build_entry(9, "alice", 1, "reject"), build_entry(3, "claude", 2))
    first, second = group_attempts(index, PLAIN, PHASE)
    assert build_record("H-1:build:2", second, first, {}).worked_seconds is None


def test_commit_that_nobody_found_is_missing() -> None:
    """Not behind, and not aside."""
    [only] = group_attempts(build_index(build_entry(1, "alice", 1, "approve")), PLAIN, PHASE)
    assert build_record("H-1:build:1", only, None, {}).commit_place is CommitPlace.MISSING


def test_claimed_attempt_is_told_with_its_agent() -> None:
    """Who a document names counts only where no entry names anybody."""
    sources = AttemptSources(1, claimed=(Attempt(number=1, agent="heron"),))
    record = build_record("H-1:build:1", sources, None, {})
    assert (record.outcome, record.producers, record.commit_place) == (AttemptOutcome.CLAIMED, ("heron",), None)


def test_agent_that_the_handoff_names_comes_first() -> None:
    """Others have a part in the same commits only."""
    entry = build_entry(1, "alice", 1, "reject")
    assert entry.work is not None
    work = entry.work.model_copy(update={"producers": ("claude", "curlew@example.org", "Heron", "plover")})
    index = build_index(entry.model_copy(update={"work": work}))
    [plain] = group_attempts(index, PLAIN, PHASE)
    record = build_record("H-1:build:1", plain, None, {}, ("plover",))
    assert record.producers == ("plover", "claude", "curlew@example.org", "Heron")
    told = plain._replace(claimed=(Attempt(number=1, agent="heron"),))
    record = build_record("H-1:build:1", told, None, {}, ("plover",))
    assert record.producers == ("Heron", "plover", "claude", "curlew@example.org")
