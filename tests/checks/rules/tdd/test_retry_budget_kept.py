from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.tdd.phases import RETRY_BUDGET_KEPT
from tests.support.cycles import cycle_world, note, note_path
from tests.support.world import MemoryWorld, judge


def failed_green(count: int) -> dict[str, object]:
    return note("GREEN", nextPhase="GREEN", testResult="FAIL", retryCount=count)


@pytest.mark.parametrize("count", [0, 3, "2"])
def test_retry_budget_kept_passes_within_the_budget(count: object) -> None:
    """Up to three retries after the first try."""
    assert judge(RETRY_BUDGET_KEPT, cycle_world([note("PLAN"), note("RED"), note("GREEN", retryCount=count)])) == []


def test_retry_budget_kept_stops_beyond_it() -> None:
    """The fourth retry is a person's decision."""
    (found,) = judge(RETRY_BUDGET_KEPT, cycle_world([note("RED"), failed_green(4)]))
    assert (found.subject, found.actual) == ("TDD-1 GREEN retries", "4")
    assert "a person must decide" in found.message
    assert found.place is not None
    assert found.place.path == note_path(1)


def test_retry_budget_kept_takes_the_budget_from_the_configuration() -> None:
    """With none, the first retry is one too many."""
    world = cycle_world([note("RED"), failed_green(1)])
    assert judge(RETRY_BUDGET_KEPT, world) == []
    world.overrides["tdd.retry_budget"] = 0
    assert [found.subject for found in judge(RETRY_BUDGET_KEPT, world)] == ["TDD-1 GREEN retries"]


def test_retry_budget_kept_counts_the_steps_themselves() -> None:
    """A count that stays at zero hides neither tries nor failures."""
    world = cycle_world([note("PLAN"), note("RED"), *(failed_green(0) for _ in range(5))])
    assert [(found.subject, found.actual) for found in judge(RETRY_BUDGET_KEPT, world)] == [
        ("TDD-1 GREEN failures", "5"),
        ("TDD-1 GREEN tries", "4"),
    ]


def test_retry_budget_kept_calls_a_person_after_failures_in_a_row() -> None:
    """Three failed tries, though the budget would allow one more."""
    world = cycle_world([note("RED"), *(failed_green(count) for count in range(3))])
    assert [found.subject for found in judge(RETRY_BUDGET_KEPT, world)] == ["TDD-1 GREEN failures"]
    assert judge(RETRY_BUDGET_KEPT, cycle_world([note("RED"), failed_green(0), failed_green(1)])) == []


def test_retry_budget_kept_does_not_count_red_as_failure() -> None:
    """A test that is written three times failed three times as it should."""
    assert judge(RETRY_BUDGET_KEPT, cycle_world([note("RED") for _ in range(3)])) == []


def test_retry_budget_kept_refuses_a_count_that_is_none() -> None:
    """Words count nothing, so they do not pass as zero."""
    found = judge(RETRY_BUDGET_KEPT, cycle_world([note("GREEN", retryCount="many")]))
    assert [entry.subject for entry in found] == ["TDD-1 retry count"]


def test_retry_budget_kept_needs_a_cycle() -> None:
    """Nothing was tried, nothing was tried again."""
    with pytest.raises(NotApplicableError):
        judge(RETRY_BUDGET_KEPT, MemoryWorld())
