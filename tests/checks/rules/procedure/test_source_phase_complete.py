from __future__ import annotations

import pytest

from handoff_tui.checks.rule import NotApplicableError
from handoff_tui.checks.rules.procedure.source_phase_complete import SOURCE_PHASE_COMPLETE
from tests.support.cycles import cycle_world, note
from tests.support.procedures import CONTEXT, EXECUTION, PATH, files_world, procedure_world
from tests.support.world import MemoryWorld, find_subjects, judge


def test_source_phase_complete_passes_a_finished_procedure() -> None:
    """Steps done, no errors, completed: nothing to find."""
    assert judge(SOURCE_PHASE_COMPLETE, procedure_world()) == []


@pytest.mark.parametrize(
    ("execution", "subject", "line_has"),
    [
        ({"status": "in_progress"}, "kiln-3 status", '"status": "in_progress"'),
        ({"status": "rollback"}, "kiln-3 status", '"status": "rollback"'),
        ({"status": "napping"}, "kiln-3 status", '"status": "napping"'),
        ({"errors": ["too hot"]}, "kiln-3 blocker error-1", "too hot"),
        ({"step_results": [{"step_id": "7", "name": "Cool", "status": "running"}]}, "kiln-3 task 7", "{"),
    ],
)
def test_source_phase_complete_names_what_is_left(execution: dict[str, object], subject: str, line_has: str) -> None:
    """A status that is not complete, an error, a step that is not done: each with its place."""
    world = procedure_world(execution=execution)
    (found,) = judge(SOURCE_PHASE_COMPLETE, world)
    assert found.subject == subject
    assert found.message.startswith("VR001: ")
    assert found.place is not None
    assert found.place.line is not None
    assert line_has in str(world.files[PATH]).splitlines()[found.place.line - 1]


def test_source_phase_complete_takes_other_words_for_done() -> None:
    """A step that succeeded is done, whatever the word."""
    steps = [{"name": "Cool", "status": "success"}, {"name": "Sort", "status": "passed"}]
    assert judge(SOURCE_PHASE_COMPLETE, procedure_world(execution={"step_results": steps})) == []


def test_source_phase_complete_fails_when_nothing_says_so() -> None:
    """A context alone is no proof that its phase is over."""
    (found,) = judge(SOURCE_PHASE_COMPLETE, files_world({PATH: CONTEXT}))
    assert (found.subject, found.actual) == ("kiln-3 status", "no status")


def test_source_phase_complete_looks_at_the_last_execution() -> None:
    """An earlier failure that was repaired does not count; a later one does."""
    failed = {**EXECUTION, "execution_id": "run-7", "status": "failed", "errors": ["cracked"]}
    repaired = files_world({PATH: {"context": CONTEXT, "executions": [failed, EXECUTION]}})
    broken = files_world({PATH: {"context": CONTEXT, "executions": [EXECUTION, failed]}})
    assert judge(SOURCE_PHASE_COMPLETE, repaired) == []
    assert {found.subject for found in judge(SOURCE_PHASE_COMPLETE, broken)} == {
        "kiln-3 status",
        "kiln-3 blocker error-1",
    }


def test_source_phase_complete_reports_a_file_that_cannot_be_read() -> None:
    """A procedure that is no JSON is not passed over."""
    found = judge(SOURCE_PHASE_COMPLETE, MemoryWorld(files={PATH: '{"handoff_id": "kiln'}))
    assert f"unreadable {PATH}" in {entry.subject for entry in found}


def test_source_phase_complete_holds_for_a_red_test() -> None:
    """RED is complete with a failing test; that is what it is for."""
    assert judge(SOURCE_PHASE_COMPLETE, cycle_world([note("PLAN"), note("RED")])) == []


def test_source_phase_complete_fails_a_phase_that_is_tried_again() -> None:
    """GREEN that announces GREEN after a failure is not over."""
    world = cycle_world([note("RED"), note("GREEN", nextPhase="GREEN", testResult="FAIL", error="1 test fails")])
    assert find_subjects(SOURCE_PHASE_COMPLETE, world) == ["TDD-1 blocker error", "TDD-1 phase"]


def test_source_phase_complete_judges_every_handoff_with_a_target_phase() -> None:
    """Also those of other systems, such as a note that names the next phase."""
    text = "---\nphase: throw\nnext_phase: dry\nstatus: {}\n---\n\n# Handoff\n\nNext: turn the handles.\n"
    finished = MemoryWorld(files={"HANDOFF.md": text.format("complete")})
    underway = MemoryWorld(files={"HANDOFF.md": text.format("in progress")})
    assert judge(SOURCE_PHASE_COMPLETE, finished) == []
    assert [found.actual for found in judge(SOURCE_PHASE_COMPLETE, underway)] == ["IN_PROGRESS"]


def test_source_phase_complete_catches_failures_behind_a_good_status() -> None:
    """PASS over a regression that failed is not complete."""
    results = (
        "# RESULTS H-5\n\n## Status: PASS\n\n## Full Regression Test\n\n- Total: 12 tests\n- Passed: 10\n- Failed: 2\n"
    )
    found = judge(SOURCE_PHASE_COMPLETE, MemoryWorld(files={"handoffs/H-5/H-5_RESULTS.md": results}))
    assert [(entry.subject, entry.actual) for entry in found] == [("H-5 regression", "2 failed")]


def test_source_phase_complete_skips_what_has_not_begun() -> None:
    """A spec without results hands nothing over yet, and an empty repository neither."""
    spec = "# H-6: Mug\n\n## 1. Mission\n\nThrow a mug.\n\n## 2. Critical Constraints\n\n1. Clay\n"
    for files in ({"handoffs/H-6/H-6_BUILDER_HANDOFF.md": spec}, {}):
        with pytest.raises(NotApplicableError):
            judge(SOURCE_PHASE_COMPLETE, MemoryWorld(files=dict(files)))
