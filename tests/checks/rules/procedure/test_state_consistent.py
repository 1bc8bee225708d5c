from __future__ import annotations

import json

import pytest

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.rule import NotApplicableError
from handoff_tui.checks.rules.procedure.records import Record
from handoff_tui.checks.rules.procedure.state_consistent import STATE_CONSISTENT, judge_session
from handoff_tui.config.settings.procedures import Procedure, Procedures, ProcedureStep
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.place import Place
from tests.support.cycles import cycle_world, note
from tests.support.procedures import CONTEXT, EXECUTION, PATH, SESSION, files_world, procedure_world
from tests.support.world import MemoryWorld, find_subjects, judge

FAILED_STEP = [{"name": "Readiness", "status": "failed"}]


def test_state_consistent_passes_a_sound_procedure() -> None:
    """Completed with all steps done, validated, nothing rolled back."""
    assert judge(STATE_CONSISTENT, procedure_world()) == []


def test_state_consistent_passes_a_failure_that_was_rolled_back() -> None:
    """Failure is no inconsistency when it is told as one."""
    execution = {
        "status": "rollback",
        "step_results": FAILED_STEP,
        "errors": ["no glaze"],
        "rollback_performed": True,
        "rollback_results": [{"action": "rollback_context", "status": "completed"}],
    }
    results = [{"rule_id": "VR004", "passed": False}]
    world = procedure_world(None, execution, {"validation_results": results, "overall_result": False})
    assert judge(STATE_CONSISTENT, world) == []


@pytest.mark.parametrize(
    ("execution", "subject"),
    [
        ({"status": "napping"}, "run-8 state"),
        ({"status": None}, "run-8 state"),
        ({"status": "in_progress"}, "run-8 end"),
        ({"step_results": FAILED_STEP}, "run-8 step Readiness"),
        ({"step_results": [{"name": "Dip", "success": False}]}, "run-8 step Dip"),
        ({"errors": ["no glaze"]}, "run-8 errors"),
        ({"rollback_performed": True}, "run-8 rollback"),
        ({"status": "failed", "errors": ["no glaze"]}, "run-8 rollback"),
        ({"status": "rollback"}, "run-8 rollback"),
        ({"status": "failed", "rollback_performed": True}, "run-8 cause"),
        (
            {
                "status": "rollback",
                "rollback_performed": True,
                "rollback_results": [{"action": "undip", "status": "failed"}],
            },
            "run-8 rollback undip",
        ),
    ],
)
def test_state_consistent_names_an_execution_against_itself(execution: dict[str, object], subject: str) -> None:
    """State, end, steps, errors and rollback must fit each other."""
    (found,) = judge(STATE_CONSISTENT, procedure_world(execution=execution))
    assert found.subject == subject
    assert found.message.startswith("VR003: run-8 ")
    assert found.place is not None
    assert (found.place.path, found.place.line) == (PATH, 15)


def test_state_consistent_needs_no_rollback_where_there_is_none() -> None:
    """A configured procedure without a way back may simply fail."""
    steps = (ProcedureStep(name="wait", timeout_seconds=1),)
    settings = Settings(procedures=Procedures(procedures={"ONE_WAY": Procedure(steps=steps)}))
    execution = {"status": "failed", "errors": ["no glaze"], "procedure_id": "ONE_WAY"}
    world = procedure_world(None, execution, {"procedure_id": "OTHER"}, settings=settings)
    assert judge(STATE_CONSISTENT, world) == []


@pytest.mark.parametrize(
    ("results", "overall", "good"),
    [
        ([("VR004", True), ("VR007", True)], False, False),
        ([("VR004", False), ("VR007", True)], True, False),
        ([("VR003", False), ("VR006", True), ("VR007", True)], True, False),
        ([("VR003", False), *((f"X{number}", True) for number in range(4))], True, True),
        ([("VR004", False)], False, True),
    ],
)
def test_state_consistent_recounts_validation(results: list[tuple[str, bool]], overall: bool, good: bool) -> None:  # noqa: FBT001 - a table
    """A critical rule that failed, or too small a share, cannot be a pass; all passed cannot be a failure."""
    session = {
        "validation_results": [{"rule_id": rule, "passed": passed} for rule, passed in results],
        "overall_result": overall,
    }
    state = {"status": "completed"} if overall else {"status": "failed", "rollback_performed": True, "errors": ["x"]}
    found = judge(STATE_CONSISTENT, procedure_world(None, state, session))
    assert [entry.subject for entry in found] == ([] if good else ["look-8 overall result"])


def test_state_consistent_compares_completion_with_validation() -> None:
    """Completed, though its validation failed."""
    results = [{"rule_id": "VR004", "passed": False}]
    found = judge(
        STATE_CONSISTENT, procedure_world(None, None, {"validation_results": results, "overall_result": False})
    )
    assert [entry.actual for entry in found] == ["validation failed"]


def test_state_consistent_compares_files() -> None:
    """One handoff in two files must go to one agent and be in one state."""
    second = {**CONTEXT, "target_agent": "painter", "status": "pending"}
    world = files_world({PATH: {"context": CONTEXT, "executions": [EXECUTION]}, "procedures/other.json": second})
    found = judge(STATE_CONSISTENT, world)
    assert {(entry.expected, entry.actual) for entry in found} == {("glazier", "painter"), ("pending", "completed")}


def test_state_consistent_finds_one_phase_passed_on_twice() -> None:
    """While both are open; once one is over, it is history."""
    first = {**CONTEXT, "status": "pending"}
    second = {**CONTEXT, "handoff_id": "kiln-4", "target_agent": "painter", "status": "in_progress"}
    world = files_world({"procedures/a.json": first, "procedures/b.json": second})
    assert find_subjects(STATE_CONSISTENT, world) == ["kiln-3 kiln-4 successors"]
    over = files_world({"procedures/a.json": first, "procedures/b.json": {**second, "status": "completed"}})
    assert judge(STATE_CONSISTENT, over) == []


def test_state_consistent_compares_state_file_and_note() -> None:
    """The state file of a cycle must be in the phase of the newest note."""
    state = json.dumps(note("RED"))
    assert judge(STATE_CONSISTENT, cycle_world([note("RED")], {".handoff.json": state})) == []
    found = judge(STATE_CONSISTENT, cycle_world([note("RED"), note("GREEN")], {".handoff.json": state}))
    assert [(entry.expected, entry.actual) for entry in found] == [("GREEN", "RED")]


def test_state_consistent_reports_a_file_that_cannot_be_read() -> None:
    """A procedure that is no JSON is not passed over."""
    found = judge(STATE_CONSISTENT, MemoryWorld(files={PATH: '{"handoff_id": "kiln'}))
    assert [entry.subject for entry in found] == [f"unreadable {PATH}"]


def test_state_consistent_needs_a_procedure_or_a_cycle() -> None:
    """Nothing to compare in an empty repository."""
    with pytest.raises(NotApplicableError):
        judge(STATE_CONSISTENT, MemoryWorld())


WHERE = Place(path="procedures/kiln.json", line=4)


def test_session_takes_severities_from_the_configuration() -> None:
    """A rule that is critical there is so, though the session calls it low."""
    results = [{"rule_id": "VR001", "severity": "low", "passed": False}]
    results += [{"rule_id": f"X{number}", "severity": "low", "passed": True} for number in range(9)]
    session = Record({**SESSION, "validation_results": results}, WHERE)
    (found,) = judge_session(Context(Answers(MemoryWorld())), session)
    assert (found.subject, found.place) == ("look-8 overall result", WHERE)
