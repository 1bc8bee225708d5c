from __future__ import annotations

import json

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.tdd.failing_tests import GREEN_HAS_NO_FAILING_TEST
from tests.support.cycles import cycle_world, note, note_path
from tests.support.world import MemoryWorld, judge

START = [note("PLAN"), note("RED")]


def test_green_has_no_failing_test_passes_green_and_what_follows() -> None:
    """All tests pass in GREEN and REFACTOR; the end need not repeat it."""
    notes = [*START, note("GREEN"), note("REFACTOR", nextPhase="COMPLETE"), note("COMPLETE", testResult=None)]
    assert judge(GREEN_HAS_NO_FAILING_TEST, cycle_world(notes)) == []


@pytest.mark.parametrize("result", ["FAIL", None, "mostly"])
def test_green_has_no_failing_test_refuses_anything_but_a_pass(result: str | None) -> None:
    """Failing, unknown, unreadable; in the present step and in one that was left behind."""
    for behind in ([], [note("REFACTOR")]):
        (found,) = judge(GREEN_HAS_NO_FAILING_TEST, cycle_world([*START, note("GREEN", testResult=result), *behind]))
        assert found.subject == "TDD-1 GREEN"
        assert found.place is not None
        assert found.place.path == note_path(2)


def test_green_has_no_failing_test_reads_numbers_behind_a_pass() -> None:
    """PASS beside failing tests is caught."""
    found = judge(GREEN_HAS_NO_FAILING_TEST, cycle_world([*START, note("GREEN", error="2 of 9 tests still fail")]))
    assert [entry.actual for entry in found] == ["2 failing"]


def test_green_has_no_failing_test_watches_the_refactoring() -> None:
    """A test that broke while refactoring is no better."""
    notes = [*START, note("GREEN"), note("REFACTOR", testResult="FAIL", error="whistle is gone")]
    (found,) = judge(GREEN_HAS_NO_FAILING_TEST, cycle_world(notes))
    assert found.subject == "TDD-1 REFACTOR"
    assert "whistle is gone" in found.message


def test_green_has_no_failing_test_judges_the_last_try() -> None:
    """A failed try that was repaired is over."""
    failed = note("GREEN", testResult="FAIL", nextPhase="GREEN")
    assert judge(GREEN_HAS_NO_FAILING_TEST, cycle_world([*START, failed, note("GREEN", retryCount=1)])) == []


def test_green_has_no_failing_test_reads_state_files() -> None:
    """Without notes the state file speaks."""
    state = json.dumps(note("GREEN", testResult="FAIL"))
    assert len(judge(GREEN_HAS_NO_FAILING_TEST, MemoryWorld(files={".handoff.json": state}))) == 1


def test_green_has_no_failing_test_expects_no_result_from_a_queue() -> None:
    """A line of a queue cannot carry one."""
    with pytest.raises(NotApplicableError):
        judge(GREEN_HAS_NO_FAILING_TEST, MemoryWorld(files={".tdd-queue.log": "GREEN done, next: refactor\n"}))


def test_green_has_no_failing_test_needs_a_green_phase() -> None:
    """RED alone is not judged here."""
    for world in (MemoryWorld(), cycle_world(START)):
        with pytest.raises(NotApplicableError):
            judge(GREEN_HAS_NO_FAILING_TEST, world)
