"""A good session state of our own making, as files, with places to spoil it."""

from __future__ import annotations

import json

STATE_COMMIT = "b" * 40
"""The commit that the state says it was written for."""

MESSAGE = "The ferry list loads from the archive again. NEXT: osprey adds the winter sailings, then runs the suite."


def build_agent_state(**changes: object) -> dict[str, object]:
    """An agent state; a field that is changed to `...` is left out."""
    state: dict[str, object] = {
        "version": 1,
        "last_agent": "merlin",
        "last_mode": "HANDOFF",
        "last_session_start": "2026-03-04T01:00:00Z",
        "last_session_end": "2026-03-04T05:00:00Z",
        "last_commit": STATE_COMMIT[:7],
        "current_agent": "osprey",
        "current_task": "FERRY_LIST - winter sailings",
        "handoff_message": MESSAGE,
        "briefing_acknowledgment": {
            "agent": "merlin",
            "briefing_version": "3.1",
            "acknowledged_at": "2026-03-04T01:05:00Z",
        },
        "user_decisions": {"D1_paper_copies": "NO"},
        "implementation_progress": {"deployment_status": "live", "ferry_service_url": "https://ferry.example.org"},
        "next_agent": "osprey",
        "open_questions": [],
    }
    return {key: value for key, value in {**state, **changes}.items() if value is not ...}


def build_blocker(**changes: object) -> dict[str, object]:
    """A resolved blocker with evidence; a field that is changed to `...` is left out."""
    blocker: dict[str, object] = {
        "id": "B011",
        "title": "Sailings listed twice",
        "severity": "high",
        "status": "resolved",
        "description": "The archive has two rows for each sailing",
        "owner": "merlin",
        "created_at": "2026-03-01T08:00:00Z",
        "resolved_at": "2026-03-03T08:00:00Z",
        "resolution": "Rows are merged, shown by tests/test_sailings.py",
        "notes": None,
    }
    return {key: value for key, value in {**blocker, **changes}.items() if value is not ...}


def build_state(
    agent_state: object = None, blockers: object = None, current_task: object = None, folder: str = ".mosaic"
) -> dict[str, str | bytes]:
    """The files of a whole state; each can be given as a value."""
    task = {"task_id": "ferry-1", "objective": "List the winter sailings", "status": "in_progress", "priority": "high"}
    files = {
        "agent_state.json": build_agent_state() if agent_state is None else agent_state,
        "blockers.json": {"version": 1, "blockers": []} if blockers is None else blockers,
        "current_task.json": task if current_task is None else current_task,
    }
    return {f"{folder}/{name}": json.dumps(value, indent=2) + "\n" for name, value in files.items()}
