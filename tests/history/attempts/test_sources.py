from __future__ import annotations

import pytest

from handoff_tui.agents.runs.run import RunKey, RunState, RunStatus
from handoff_tui.core.tasks import Attempt
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.history.attempts.report import AttemptOutcome
from handoff_tui.history.attempts.sources import AttemptSources, group_attempts, is_same_phase
from tests.support.attempts import HANDOFF, PHASE, build_entry, build_index

PLAIN = Handoff(id=HANDOFF, dialect="notes")


def group(*verbs: tuple[str, str | None], void: tuple[int, ...] = ()) -> AttemptSources:
    """One attempt on which people did these things, one after the other."""
    entries = [build_entry(number, actor, 1, verb) for number, (actor, verb) in enumerate(verbs, start=1)]
    index = build_index(*entries, void=tuple(entries[number - 1].id for number in void))
    [sources] = group_attempts(index, PLAIN, PHASE)
    return sources


@pytest.mark.parametrize(
    ("verbs", "outcome"),
    [
        ([("claude", None)], AttemptOutcome.SUBMITTED),
        ([("alice", "approve")], AttemptOutcome.APPROVED),
        ([("alice", "carry")], AttemptOutcome.APPROVED),
        ([("alice", "approve"), ("bob", "reject")], AttemptOutcome.REJECTED),
        ([("bob", "reject"), ("alice", "approve")], AttemptOutcome.REJECTED),
        ([("alice", "reject"), ("alice", "approve")], AttemptOutcome.APPROVED),
        ([("alice", "approve"), ("alice", "withdraw")], AttemptOutcome.WITHDRAWN),
        ([("alice", "hold"), ("bob", "override")], AttemptOutcome.HELD),
        ([("alice", "skip")], AttemptOutcome.SKIPPED),
    ],
)
def test_outcome_is_the_heaviest_last_word(verbs: list[tuple[str, str | None]], outcome: AttemptOutcome) -> None:
    """Each person's last decision counts; one who sends back outweighs all who let pass."""
    assert group(*verbs).outcome is outcome


def test_void_decision_is_told_and_does_not_count() -> None:
    """It stays in the list with the reason."""
    sources = group(("alice", "approve"), ("bob", "reject"), void=(2,))
    assert sources.outcome is AttemptOutcome.APPROVED
    told = sources.list_decisions()
    assert [(one.actor, bool(one.void), one.taken_back) for one in told] == [
        ("alice", False, False),
        ("bob", True, False),
    ]


def test_decision_that_was_overtaken_is_taken_back() -> None:
    """By the same person; another one's is not."""
    told = group(("alice", "reject"), ("bob", "hold"), ("alice", "approve")).list_decisions()
    assert [one.taken_back for one in told] == [True, False, False]


def test_documents_and_runs_tell_of_attempts_too() -> None:
    """Of the same phase, however it is spelled; where nothing else does, that is the outcome."""
    handoff = PLAIN.model_copy(
        update={"attempts": (Attempt(number=1, phase="Review"), Attempt(number=2, phase="build"), Attempt(number=3))}
    )
    run = RunState(key=RunKey(handoff=HANDOFF, phase=PHASE, attempt=4), folder="", status=RunStatus.FINISHED)
    other = RunState(key=RunKey(handoff=HANDOFF, phase="build", attempt=5), folder="", status=RunStatus.FINISHED)
    found = group_attempts(None, handoff, PHASE, (run, other))
    assert [(one.number, one.outcome) for one in found] == [
        (1, AttemptOutcome.CLAIMED),
        (3, AttemptOutcome.CLAIMED),
        (4, AttemptOutcome.RAN),
    ]
    assert found[0].work is None


def test_newest_entry_stands_for_the_attempt() -> None:
    """Where files changed within an attempt, all that its entries are bound to is known."""
    index = build_index(
        build_entry(1, "claude", 1, tree="1" * 40),
        build_entry(2, "alice", 1, "hold", tree="2" * 40),
    )
    [sources] = group_attempts(index, PLAIN, PHASE)
    assert sources.work is not None
    assert sources.work.subject.tree == "2" * 40
    assert sources.trees == {"1" * 40, "2" * 40}


def test_same_phase_is_told_by_the_spelling_of_the_log() -> None:
    """Letters of any case, and what the log cannot hold as it holds it."""
    assert is_same_phase("Code Review", "code-review")
    assert not is_same_phase("build", "review")
