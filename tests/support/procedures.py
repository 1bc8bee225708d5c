"""Procedures in memory, for tests of rules: a context, its executions, its validation sessions."""

from __future__ import annotations

import json
from collections.abc import Mapping

from handoff_tui.config.settings.root import Settings
from tests.support.world import MemoryWorld

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
