from __future__ import annotations

from handoff_tui.checks.rules.procedure.records import find_place, is_transition
from tests.support.cycles import cycle_world, note
from tests.support.procedures import CONTEXT, PATH, files_world, procedure_world


def test_transitions_are_procedures_and_handoffs_with_a_target_phase() -> None:
    """A definition, and a cycle that does not say what comes next, pass nothing on."""
    definition = {"procedure_id": "DRY", "name": "Dry", "steps": [], "validation_rules": []}
    world = files_world({"procedures/a.json": CONTEXT, "procedures/b.json": definition})
    assert {handoff.id: is_transition(handoff) for handoff in world.handoffs()} == {"kiln-3": True, "procedures": False}
    (open_end,) = cycle_world([note("RED", nextPhase=None)]).handoffs()
    assert not is_transition(open_end)


def test_place_of_a_handoff_is_its_status_or_its_first_document() -> None:
    """So that a finding can be clicked."""
    (told,) = procedure_world().handoffs()
    (untold,) = files_world({PATH: CONTEXT}).handoffs()
    assert str(find_place(told)).startswith(f"{PATH}:")
    assert str(find_place(untold)) == PATH
