"""Handoffs of the TDD, procedure and mosaic formats in memory, for tests of rules."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from handoff_tui.checks.world import CommitInfo
from handoff_tui.config.settings.root import Settings
from tests.support.memory_files import MemoryFiles, build_commit
from tests.support.world import MemoryWorld

NOTES_REF = "refs/notes/tdd-handoffs"
TEST_FILE = "tests/test_kettle.py"
SOURCE_FILE = "src/kettle.py"
SUBJECTS = {
    "PLAN": "plan: take up the whistle",
    "RED": "test: the kettle whistles",
    "GREEN": "feat: whistle when it boils",
    "REFACTOR": "refactor: name the boiling point",
}
_NEXT = {"PLAN": "RED", "RED": "GREEN", "GREEN": "REFACTOR", "REFACTOR": "PLAN", "COMPLETE": "COMPLETE"}
_RESULTS = {"PLAN": None, "RED": "FAIL"}


def note(phase: str, **fields: object) -> dict[str, object]:
    """A note of a phase as it should be, but for the fields given."""
    return {
        "phase": phase,
        "nextPhase": _NEXT.get(phase),
        "cycleNumber": 1,
        "currentTest": {"description": "whistles", "testFile": TEST_FILE, "implFile": SOURCE_FILE},
        "completedTests": ["boils"],
        "pendingTests": ["switches off"],
        "testResult": _RESULTS.get(phase, "PASS"),
        "retryCount": 0,
        **fields,
    }


def commit_id(position: int) -> str:
    """The id of a commit: 0 for the oldest."""
    return f"{position + 1:02d}" + "c0ffee" * 6 + "00"


def note_path(position: int) -> str:
    return f"notes:{NOTES_REF}/{commit_id(position)}"


def cycle_world(
    notes: Sequence[Mapping[str, object] | str],
    files: Mapping[str, str] | None = None,
    subjects: Sequence[str] | None = None,
) -> MemoryWorld:
    """A repository whose whole history are the commits of these notes; a note may be any text."""
    texts = [entry if isinstance(entry, str) else json.dumps(entry, indent=1) for entry in notes]
    chosen = subjects or [
        "note" if isinstance(entry, str) else SUBJECTS.get(str(entry["phase"]), "end") for entry in notes
    ]
    commits = [
        CommitInfo(
            commit_id(at), (commit_id(at - 1),) if at else (), "Ada", "ada@example.com", "2031-01-01", text, text
        )
        for at, text in enumerate(chosen)
    ]
    contents = {TEST_FILE: "def test_boils():\n    pass\n", SOURCE_FILE: "", **(files or {})}
    facts = tuple(
        build_commit(found.id, found.subject, found.body, found.author, found.date) for found in commits[::-1]
    )
    shelf = MemoryFiles(
        contents, git_commits=facts, git_notes={NOTES_REF: {commit_id(at): text for at, text in enumerate(texts)}}
    )
    world = MemoryWorld(files=dict(contents), shelf=shelf, log=tuple(commits[::-1]))
    world.known_commits = {found.id: age for age, found in enumerate(commits[::-1])}
    return world


PATH = "procedures/kiln.json"
CONTEXT: dict[str, object] = {
    "handoff_id": "kiln-3",
    "source_phase": "firing",
    "target_phase": "glazing",
    "source_agent": "stoker",
    "target_agent": "glazier",
    "handoff_type": "agent_handoff",
    "metadata": {"batch": "blue bowls"},
}
EXECUTION: dict[str, object] = {
    "execution_id": "run-8",
    "handoff_id": "kiln-3",
    "procedure_id": "AGENT_HANDOFF_STANDARD",
    "status": "completed",
    "end_time": 1900000000.0,
    "step_results": [{"step_id": "1", "name": "Readiness", "status": "completed"}],
    "errors": [],
    "rollback_performed": False,
}
SESSION: dict[str, object] = {
    "session_id": "look-8",
    "handoff_id": "kiln-3",
    "validation_results": [{"rule_id": "VR004", "severity": "critical", "passed": True}],
    "overall_result": True,
}


def procedure_world(
    context: Mapping[str, object] | None = None,
    execution: Mapping[str, object] | None = None,
    session: Mapping[str, object] | None = None,
    *,
    files: Mapping[str, str] | None = None,
    settings: Settings | None = None,
) -> MemoryWorld:
    """A sound procedure, but for the fields given."""
    content = {
        "context": {**CONTEXT, **(context or {})},
        "executions": [{**EXECUTION, **(execution or {})}],
        "validation_sessions": [{**SESSION, **(session or {})}],
    }
    return files_world({PATH: content}, files=files, settings=settings)


def files_world(
    records: Mapping[str, object], *, files: Mapping[str, str] | None = None, settings: Settings | None = None
) -> MemoryWorld:
    """Records by path, written as JSON, beside other files."""
    written = {path: json.dumps(record, indent=2) for path, record in records.items()}
    return MemoryWorld(files={**written, **(files or {})}, given_settings=settings or Settings())


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
