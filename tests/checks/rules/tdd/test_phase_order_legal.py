from __future__ import annotations

import json

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.tdd.phases import PHASE_ORDER_LEGAL
from tests.support.cycles import cycle_world, note, note_path
from tests.support.world import MemoryWorld, judge

CYCLE = ("PLAN", "RED", "GREEN", "REFACTOR")


def test_phase_order_legal_passes_two_cycles_and_the_end() -> None:
    """REFACTOR leads to the next PLAN, or to the end."""
    first = [note(phase) for phase in CYCLE]
    second = [note(phase, cycleNumber=2) for phase in CYCLE[:3]]
    last = [note("REFACTOR", cycleNumber=2, nextPhase="COMPLETE"), note("COMPLETE", cycleNumber=2)]
    assert judge(PHASE_ORDER_LEGAL, cycle_world([*first, *second, *last])) == []


def test_phase_order_legal_allows_a_phase_to_be_tried_again() -> None:
    """GREEN that failed may announce GREEN and come again."""
    again = note("GREEN", nextPhase="GREEN", testResult="FAIL", retryCount=1)
    assert judge(PHASE_ORDER_LEGAL, cycle_world([note("PLAN"), note("RED"), again, again])) == []


@pytest.mark.parametrize(
    ("phases", "subject", "expected", "position"),
    [
        (("PLAN", "GREEN"), "TDD-1 GREEN follows PLAN", "COMPLETE or RED", 1),
        (("PLAN", "RED", "REFACTOR"), "TDD-1 REFACTOR follows RED", "GREEN", 2),
        (("PLAN", "RED", "GREEN", "RED"), "TDD-1 RED follows GREEN", "REFACTOR", 3),
        (("GREEN",), "TDD-1 GREEN comes first", "PLAN", 0),
    ],
)
def test_phase_order_legal_names_a_step_out_of_order(
    phases: tuple[str, ...], subject: str, expected: str, position: int
) -> None:
    """With the note that should not have come, and what should."""
    (found,) = judge(PHASE_ORDER_LEGAL, cycle_world([note(phase) for phase in phases]))
    assert (found.subject, found.expected) == (subject, expected)
    assert found.place is not None
    assert found.place.path == note_path(position)


def test_phase_order_legal_looks_across_cycles() -> None:
    """A cycle that was left in GREEN may not be followed by the RED of the next."""
    notes = [*(note(phase) for phase in CYCLE[:3]), note("RED", cycleNumber=2)]
    assert [found.subject for found in judge(PHASE_ORDER_LEGAL, cycle_world(notes))] == ["TDD-2 RED follows GREEN"]
    assert judge(PHASE_ORDER_LEGAL, cycle_world(notes), scope="TDD-1") == []


def test_phase_order_legal_does_not_guess_where_history_was_cut() -> None:
    """The first note that is seen need not be the first that was made."""
    world = cycle_world([note("RED"), note("GREEN")])
    assert len(judge(PHASE_ORDER_LEGAL, world)) == 1
    world.repository = world.repository.model_copy(update={"shallow": True})
    assert judge(PHASE_ORDER_LEGAL, world) == []


@pytest.mark.parametrize(
    ("fields", "subject"),
    [
        ({"nextPhase": "COMPLETE"}, "TDD-1 COMPLETE is to follow RED"),
        ({"nextPhase": "BLUE"}, "TDD-1 the next phase BLUE is none"),
        ({"phase": "BLUE"}, "TDD-1 BLUE is no phase"),
    ],
)
def test_phase_order_legal_reads_what_is_announced(fields: dict[str, object], subject: str) -> None:
    """A next phase that may not come, and words that are no phase."""
    found = judge(PHASE_ORDER_LEGAL, cycle_world([note("PLAN"), {**note("RED"), **fields}]))
    assert subject in [entry.subject for entry in found]


def test_phase_order_legal_refuses_repetition_without_failure() -> None:
    """GREEN that passed has no reason to announce GREEN."""
    notes = [note("PLAN"), note("RED"), note("GREEN", nextPhase="GREEN")]
    assert [found.actual for found in judge(PHASE_ORDER_LEGAL, cycle_world(notes))] == ["GREEN is to follow GREEN"]


def test_phase_order_legal_follows_the_files_of_the_history() -> None:
    """Without notes the files of the history and the present one form a chain."""
    files: dict[str, str | bytes] = {
        ".handoff/history/001.json": json.dumps(note("PLAN")),
        ".handoff/current.json": json.dumps(note("GREEN")),
    }
    assert [found.subject for found in judge(PHASE_ORDER_LEGAL, MemoryWorld(files=files))] == [
        "TDD-1 GREEN follows PLAN"
    ]
    files[".handoff/history/002.json"] = json.dumps(note("RED"))
    assert judge(PHASE_ORDER_LEGAL, MemoryWorld(files=files)) == []


def test_phase_order_legal_needs_a_cycle() -> None:
    """No steps, no order."""
    with pytest.raises(NotApplicableError):
        judge(PHASE_ORDER_LEGAL, MemoryWorld())
