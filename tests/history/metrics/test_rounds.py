"""Attempts as the log tells them."""

from __future__ import annotations

import pytest

from handoff_tui.history.metrics.rounds import RoundEnd, build_rounds, group_by_place, parse_seconds
from tests.support.figure_log import FigureLog


@pytest.mark.parametrize(
    ("votes", "end"),
    [
        ((), RoundEnd.OPEN),
        ((("alice", "approve"),), RoundEnd.PASSED),
        ((("alice", "carry"),), RoundEnd.PASSED),
        ((("alice", "override"),), RoundEnd.OVERRIDDEN),
        ((("alice", "skip"),), RoundEnd.SKIPPED),
        ((("alice", "hold"),), RoundEnd.OPEN),
        ((("alice", "approve"), ("bob", "reject")), RoundEnd.SENT_BACK),
        ((("bob", "retry"), ("alice", "approve")), RoundEnd.SENT_BACK),
        ((("alice", "reject"), ("alice", "approve")), RoundEnd.PASSED),
        ((("alice", "approve"), ("alice", "withdraw")), RoundEnd.OPEN),
        ((("alice", "override"), ("bob", "approve")), RoundEnd.PASSED),
        ((("alice", "approve"), ("bob", "hold")), RoundEnd.OPEN),
    ],
)
def test_attempt_ends_by_the_last_word_of_each_person(votes: tuple[tuple[str, str], ...], end: RoundEnd) -> None:
    """A veto outweighs an approval; who changes their mind has said the later thing."""
    log = FigureLog()
    log.submit("09:00:00")
    for number, (actor, verb) in enumerate(votes):
        log.decide(verb, f"10:0{number}:00", actor=actor)
    [one] = build_rounds(log.build_index())
    assert one.end is end
    assert (one.ended_by is None) == (end is RoundEnd.OPEN)


def test_attempts_are_told_apart_and_ordered() -> None:
    """By handoff, phase and number; entries of one attempt by time."""
    log = FigureLog()
    log.decide("reject", "10:00:00", attempt=2)
    late, early = log.decide("approve", "11:00:00"), log.decide("hold", "09:00:00")
    log.decide("approve", "10:00:00", handoff="H-0")
    log.decide("approve", "10:00:00", phase="test")
    rounds = build_rounds(log.build_index())
    assert [(one.handoff, one.phase, one.attempt) for one in rounds] == [
        ("H-0", "build", 1),
        ("H-1", "build", 1),
        ("H-1", "build", 2),
        ("H-1", "test", 1),
    ]
    assert [vote.entry.id for vote in rounds[1].votes] == [early, late]
    assert [entry.id for entry in rounds[1].list_entries()] == [early, late]
    first = rounds[1].find_first_ending()
    assert first is not None
    assert first.entry.id == late
    assert [len(found) for found in group_by_place(rounds).values()] == [1, 2, 1]


def test_void_entries_are_in_no_attempt() -> None:
    """What counts for nothing is counted nowhere."""
    log = FigureLog()
    for one in (log.submit("09:00:00"), log.decide("approve", "10:00:00")):
        log.void[one] = "the key was dropped"
    assert build_rounds(log.build_index()) == []


def test_withdrawn_decision_is_in_no_attempt() -> None:
    """Nor is the withdrawal; who withdrew has no earlier word either, and nobody withdraws what others said."""
    log = FigureLog()
    early = log.decide("reject", "09:00:00")
    taken = log.decide("approve", "10:00:00")
    kept = log.decide("approve", "10:30:00", actor="bob", attempt=2)
    log.decide("withdraw", "11:00:00", regards=(taken, kept))
    first, second = build_rounds(log.build_index())
    assert [vote.entry.id for vote in first.votes] == [early]
    assert (first.end, first.ended_by) == (RoundEnd.OPEN, None)
    assert [vote.entry.id for vote in second.votes] == [kept]


def test_time_is_read_as_seconds() -> None:
    """UTC, since 1970."""
    assert parse_seconds("1970-01-02T00:00:01Z") == 86_401
