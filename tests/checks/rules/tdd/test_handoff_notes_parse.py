from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from handoff_tui.checks.rule import NotApplicableError
from handoff_tui.checks.rules.tdd.handoff_notes_parse import HANDOFF_NOTES_PARSE
from handoff_tui.core.place import Problem, ProblemLevel
from tests.support.cycles import cycle_world, note, note_path
from tests.support.world import MemoryWorld, find_subjects, judge


def test_handoff_notes_parse_passes_notes_and_state_files() -> None:
    """All of them are JSON with a phase."""
    state = json.dumps(note("RED"))
    assert judge(HANDOFF_NOTES_PARSE, cycle_world([note("PLAN"), note("RED")], {".handoff.json": state})) == []


@pytest.mark.parametrize("text", ['{"phase": "RE', "", "RED is done", '{"nextPhase": "GREEN"}'])
def test_handoff_notes_parse_names_a_broken_note(text: str) -> None:
    """Cut off, empty, no JSON, or without a phase of its own; in the newest note and in an older one."""
    newest: list[Mapping[str, object] | str] = [note("PLAN"), text]
    older: list[Mapping[str, object] | str] = [text, note("RED")]
    for notes, position in ((newest, 1), (older, 0)):
        found = judge(HANDOFF_NOTES_PARSE, cycle_world(notes))
        assert [entry.place.path for entry in found if entry.place] == [note_path(position)]


def test_handoff_notes_parse_names_a_note_that_became_no_step() -> None:
    """Whatever is reported of a note that no cycle holds counts, however lightly; of one in a cycle, only errors."""
    world = cycle_world([note("PLAN"), note("RED")])
    lost = Problem(path=note_path(7), message="is a note without a phase", level=ProblemLevel.WARNING)
    kept = Problem(path=note_path(1), message="is odd", level=ProblemLevel.WARNING)
    world._handoffs_read = world.handoffs_read()._replace(problems=(lost, kept))
    assert find_subjects(HANDOFF_NOTES_PARSE, world) == [note_path(7)]


def test_handoff_notes_parse_judges_only_the_cycle_under_review() -> None:
    """A broken note of another cycle is not its fault."""
    notes: list[Mapping[str, object] | str] = [note("PLAN"), '{"phase": "RE', note("PLAN", cycleNumber=2)]
    assert judge(HANDOFF_NOTES_PARSE, cycle_world(notes), scope="TDD-2") == []
    assert len(judge(HANDOFF_NOTES_PARSE, cycle_world(notes), scope="TDD-1")) == 1


@pytest.mark.parametrize("path", [".handoff.json", ".handoff/current.json"])
def test_handoff_notes_parse_names_a_broken_file(path: str) -> None:
    """Also where no note is there."""
    (found,) = judge(HANDOFF_NOTES_PARSE, MemoryWorld(files={path: '{"phase": "GREEN", '}))
    assert found.subject == path


def test_handoff_notes_parse_leaves_files_of_others_alone() -> None:
    """`.handoff.json` may be the configuration of another tool, and broken files may be of another system."""
    files: dict[str, str | bytes] = {
        ".handoff.json": json.dumps({"entry": "src/main.ts", "plugins": []}),
        ".mosaic/agent_state.json": "{",
    }
    with pytest.raises(NotApplicableError):
        judge(HANDOFF_NOTES_PARSE, MemoryWorld(files=files))


def test_handoff_notes_parse_accepts_a_test_list_alone() -> None:
    """A list of tests is no step and needs no phase."""
    assert judge(HANDOFF_NOTES_PARSE, MemoryWorld(files={"test-list.md": "# Tests\n\n- [ ] boils\n"})) == []
