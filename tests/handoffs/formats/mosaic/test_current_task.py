from __future__ import annotations

import json

from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.mosaic.format import MOSAIC
from handoff_tui.handoffs.handoff import Handoff
from tests.support.memory_files import MemoryFiles, read_with


def _read(task: dict[str, object]) -> Handoff:
    files = {
        ".mosaic/current_task.json": json.dumps(task, indent=1),
        ".mosaic/agent_state.json": json.dumps({"last_agent": "robin", "current_task": "Something shorter"}),
    }
    return read_with(MOSAIC, MemoryFiles(files)).handoffs[0]


def test_current_task_names_and_rates_the_handoff() -> None:
    """Objective, status and priority come from the task; the objective wins over the agent's words."""
    handoff = _read({"objective": "Raise the mast", "status": "complete", "priority": "high", "assigned_agent": "wren"})
    assert (handoff.title, handoff.status, handoff.priority) == ("Raise the mast", "COMPLETE", "high")
    assert handoff.producers == ("robin", "wren")
    claim = next(claim for claim in handoff.claims if claim.kind is ClaimKind.STATUS)
    assert (claim.value, claim.where.line) == ("COMPLETE", 3)


def test_current_task_keeps_an_unknown_status_word() -> None:
    """A status that is no known token is kept as written."""
    assert _read({"objective": "x", "status": "simmering"}).status == "simmering"


def test_current_task_details_become_tasks() -> None:
    """Completed, current and wished-for work are tasks with their lines."""
    details = {
        "completed_tasks": ["Cut the pole", {"id": "c2", "name": "Sand it", "status": "done"}],
        "in_progress": ["Varnish it"],
        "success_criteria": ["It stands"],
    }
    handoff = _read({"objective": "x", "details": details})
    assert [(task.id, task.title, task.done) for task in handoff.tasks] == [
        ("completed-1", "Cut the pole", True),
        ("c2", "Sand it", True),
        ("in-progress-1", "Varnish it", False),
        ("criterion-1", "It stands", None),
    ]
    assert all(task.where.line for task in handoff.tasks)


def test_current_task_claims_artifacts_and_verification() -> None:
    """Artifacts are referenced files; verification numbers are counts."""
    details = {
        "artifacts_created": ["src/mast.py", "a whole sentence, no path"],
        "verification_results": {"unit": {"tests_passed": 7, "tests_failed": 2}},
    }
    handoff = _read({"objective": "x", "details": details})
    claims = [(claim.kind, claim.subject, claim.value) for claim in handoff.claims]
    assert claims == [
        (ClaimKind.FILE_REFERENCED, "src/mast.py", None),
        (ClaimKind.COUNT, "unit.passed", 7),
        (ClaimKind.COUNT, "unit.failed", 2),
    ]
