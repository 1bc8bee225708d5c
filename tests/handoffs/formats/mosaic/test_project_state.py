from __future__ import annotations

import json

from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.mosaic.format import MOSAIC
from handoff_tui.handoffs.handoff import Handoff
from tests.support.memory_files import MemoryFiles, read_with

_STATE: dict[str, object] = {
    "git_commit": "aaa1111",
    "updated_by": "wren",
    "current_phase": {"phase_id": "RIG", "phase_name": "Rigging", "status": "ACTIVE"},
    "next_phase": {
        "phase_id": "SAIL",
        "phase_name": "Sailing",
        "status": "READY",
        "implementation_steps": [{"step_id": "1", "description": "Hoist", "status": "PENDING"}],
        "next_session_action": {"action": "HOIST", "description": "Hoist the sail"},
    },
    "gates_status": {"GATE_TIDE": "PASS", "GATE_WIND": {"status": "FAIL"}},
    "implementation_plan": {
        "plan_document": "docs/voyage.md",
        "phases": [
            {"phase_id": "HULL", "phase_name": "Hull", "status": "COMPLETE", "completion_commit": "bbb2222"},
            {"phase_id": "RIG", "phase_name": "Rigging", "status": "ACTIVE"},
        ],
    },
    "session_history": [{"date": "2031-01-01", "commit": "ccc3333"}],
    "blocking_issues": ["No wind", {"title": "No rope", "severity": "high", "status": "open"}],
    "completed_implementations": [{"plan_id": "PAINT", "status": "COMPLETE", "outcomes": {"smoke": "2/3 passed"}}],
}


def _read() -> Handoff:
    files = {".mosaic/project_state.json": json.dumps(_STATE, indent=1)}
    return read_with(MOSAIC, MemoryFiles(files)).handoffs[0]


def test_project_state_phases_and_steps_are_tasks_once() -> None:
    """Plan, current phase and steps are tasks; a phase that stands in both places is listed once."""
    tasks = [(task.id, task.status, task.done, task.commit) for task in _read().tasks]
    assert tasks == [
        ("HULL", "COMPLETE", True, "bbb2222"),
        ("RIG", "ACTIVE", False, None),
        ("SAIL", "READY", False, None),
        ("step-1", "PENDING", False, None),
        ("PAINT", "COMPLETE", True, None),
    ]


def test_project_state_claims_commits_gates_documents_and_counts() -> None:
    """The state's commit is `head`; gates are checks; documents and numbers are claims."""
    found = [(claim.kind, claim.subject, claim.value) for claim in _read().claims]
    assert found == [
        (ClaimKind.COMMIT, "head", "aaa1111"),
        (ClaimKind.COMMIT, None, "bbb2222"),
        (ClaimKind.COMMIT, None, "ccc3333"),
        (ClaimKind.FILE_REFERENCED, "docs/voyage.md", None),
        (ClaimKind.COUNT, "smoke.total", 3),
        (ClaimKind.COUNT, "smoke.passed", 2),
        (ClaimKind.CHECK, "GATE_TIDE", "PASS"),
        (ClaimKind.CHECK, "GATE_WIND", "FAIL"),
    ]


def test_project_state_tells_next_action_and_blocking_issues() -> None:
    """The next session's action and every blocking issue are carried over."""
    handoff = _read()
    assert handoff.next_action == "Hoist the sail"
    assert [(blocker.id, blocker.title, blocker.open) for blocker in handoff.blockers] == [
        ("blocking-issue-1", "No wind", True),
        ("blocking-issue-2", "No rope", True),
    ]
