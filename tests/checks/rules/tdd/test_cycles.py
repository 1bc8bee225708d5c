from __future__ import annotations

import pytest

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.rules.tdd.cycles import CommitIndex, build_present, count_failing, find_last, list_steps
from tests.support.cycles import commit_id, cycle_world, note, note_path


def test_steps_are_oldest_first_with_the_present_last() -> None:
    """Each with its note, its phase and its result."""
    (handoff,) = cycle_world([note("PLAN"), note("RED"), note("GREEN")]).handoffs()
    steps = list_steps(handoff)
    assert [(step.phase, step.status, step.where.path) for step in steps] == [
        ("PLAN", None, note_path(0)),
        ("RED", "FAIL", note_path(1)),
        ("GREEN", "PASS", note_path(2)),
    ]
    assert [step.is_present for step in steps] == [False, False, True]
    assert find_last(steps, "REFACTOR") is None


def test_commit_index_finds_the_commit_of_a_step() -> None:
    """By the whole id; a commit that is not among the newest is not found."""
    world = cycle_world([note("PLAN"), note("RED")])
    (handoff,) = world.handoffs()
    index = CommitIndex(Context(Answers(world)))
    ages = [index.age(step) for step in list_steps(handoff)]
    assert ages == [1, 0]
    found = index.find(build_present(handoff))
    assert found is not None
    assert found.id == commit_id(1)
    world.log = ()
    assert CommitIndex(Context(Answers(world))).find(build_present(handoff)) is None


@pytest.mark.parametrize(
    ("error", "number"),
    [
        ("1 of 38 tests still fails: test_x", 1),
        ("3/40 failed", 3),
        ("12 failing tests", 12),
        ("2 new tests fail", 2),
        ("the build failed", None),
        ("error 500", None),
    ],
)
def test_failing_tests_are_counted_in_words(error: str, number: int | None) -> None:
    """Only a number that stands before a word for failing."""
    (handoff,) = cycle_world([note("GREEN", error=error)]).handoffs()
    assert count_failing(handoff) == number
