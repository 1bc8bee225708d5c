from __future__ import annotations

import pytest

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.rules.procedure.records import find_place, is_path_like, is_transition, list_named, read_records
from tests.support.cycles import cycle_world, note
from tests.support.procedures import CONTEXT, EXECUTION, PATH, SESSION, files_world, procedure_world


def test_records_of_a_handoff_are_told_apart_by_their_ids() -> None:
    """Those of other handoffs in the same file are left out; each has the line of its id."""
    other = {**EXECUTION, "execution_id": "run-9", "handoff_id": "kiln-4"}
    world = files_world({PATH: {"context": CONTEXT, "executions": [EXECUTION, other], "sessions": [SESSION]}})
    handoff = next(handoff for handoff in world.handoffs() if handoff.id == "kiln-3")
    records = read_records(Context(Answers(world)), handoff)
    found = (records.contexts, records.executions, records.sessions)
    assert [[record.text("handoff_id") for record in kind] for kind in found] == [["kiln-3"]] * 3
    lines = str(world.files[PATH]).splitlines()
    assert [lines[(kind[0].where.line or 0) - 1].split('"')[1] for kind in found] == [
        "handoff_id",
        "execution_id",
        "session_id",
    ]
    assert records.executions[0].state == "completed"
    assert [dict(metadata.fields) for metadata in records.metadata()] == [{"batch": "blue bowls"}]


def test_named_texts_are_found_in_every_shape() -> None:
    """A text, a list, objects with a path, an object of texts; the outer ones first."""
    value = {
        "files": ["a", {"path": "b", "size": "3"}, 7, " "],
        "deep": [{"File": "c"}],
        "paths": {"in": "d", "out": "e"},
        "note": "f",
    }
    assert [text for _, text in list_named(value, ("files", "file", "paths"))] == ["a", "b", "d", "e", "c"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a/b", True),
        ("a.txt", True),
        ("shards/", True),
        ("two kilns", False),
        ("water", False),
        ("https://x.y/z", False),
    ],
)
def test_path_like_texts_have_a_slash_or_an_ending(text: str, expected: object) -> None:
    """Words and addresses are none."""
    assert is_path_like(text) is expected


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
