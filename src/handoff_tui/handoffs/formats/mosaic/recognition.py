"""Whether a file is part of a session state, by its content; its place alone makes it no more than possible."""

from __future__ import annotations

import re
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.formats.mosaic import layout
from handoff_tui.handoffs.reading.format import Confidence, Source
from handoff_tui.handoffs.reading.json_document import JsonNode

_KEYS: Final = {
    layout.AGENT_STATE: (
        *("last_agent", "last_mode", "last_session_start", "last_session_end", "current_agent"),
        *("current_task", "handoff_message", "briefing_acknowledgment", "implementation_progress", "user_decisions"),
        *("next_agent", "open_questions", "last_commit"),
    ),
    layout.BLOCKERS: ("blockers", "archived_blockers"),
    layout.CURRENT_TASK: ("task_id", "objective", "status", "assigned_agent", "details", "priority"),
    layout.PROJECT_STATE: (
        *("git_commit", "current_phase", "next_phase", "gates_status", "implementation_plan", "session_history"),
        *("blocking_issues", "completed_implementations", "implementation_backlog", "project_metadata", "updated_by"),
    ),
    layout.SESSION_LOG: ("timestamp", "agent", "mode", "action", "outcome"),
    layout.APPROVAL: (
        *("verdict", "evaluator", "score", "criteria_results", "feedback", "required_fixes"),
        *("decision", "approved", "approval", "reviewer"),
    ),
}
_MANIFEST_KEYS: Final = (
    *("commit", "branch", "session_continuity", "next_agent_checklist", "critical_features"),
    *("outgoing_agent", "git_state", "deployment_status", "tasks_in_progress", "latest_backup"),
)
_SESSION_TITLE: Final = compile_later(r"^\s{0,3}#\s.*\b(?:session|handoff)\b", re.IGNORECASE | re.MULTILINE)
_SESSION_NAME: Final = compile_later(r"^(?:SESSION|LATEST)_HANDOFF", re.IGNORECASE)
_EMERGENCY_WORD: Final = compile_later(r"emergency|hand[- ]?off|stop", re.IGNORECASE)
_HEAD = 2000
"""The title of a session document is in its first lines."""


def recognise(source: Source) -> float:
    if layout.is_emergency_path(source.path):
        return Confidence.LIKELY if _EMERGENCY_WORD.search(source.text) else Confidence.POSSIBLE
    if not source.readable:
        return Confidence.POSSIBLE if layout.may_own(source.path) else Confidence.NO
    if layout.is_manifest_path(source.path):
        return _judge(source.json, _MANIFEST_KEYS)
    split = layout.split_state_path(source.path)
    if split is None or not layout.is_state_path(source.path):
        return Confidence.NO
    return _recognise_state_file(source, split[1])


def is_session_document(source: Source) -> bool:
    """A session handoff, as opposed to another note that lies beside the state."""
    return bool(_SESSION_NAME.match(source.name) or _SESSION_TITLE.search(source.text[:_HEAD]))


def _recognise_state_file(source: Source, name: str) -> float:
    if name.lower().endswith(".md"):
        return _recognise_document(source)
    if name == layout.SESSION_LOG:
        return _recognise_log(source)
    keys = _KEYS.get(name)
    return Confidence.POSSIBLE if keys is None else _judge(source.json, keys)


def _judge(root: JsonNode | None, keys: tuple[str, ...]) -> float:
    """Broken or empty content stays possible; an object that shares no key with the format belongs to someone else."""
    if root is None or not isinstance(root.value, dict) or not root.value:
        return Confidence.POSSIBLE
    known = sum(key in root.value for key in keys)
    if known == 0:
        return Confidence.NO
    return Confidence.CERTAIN if known > 1 or len(root.value) == 1 else Confidence.LIKELY


def _recognise_log(source: Source) -> float:
    judged = [_judge(line.root, _KEYS[layout.SESSION_LOG]) for line in source.json_lines]
    return max(judged, default=Confidence.POSSIBLE)


def _recognise_document(source: Source) -> float:
    if not _SESSION_TITLE.search(source.text[:_HEAD]):
        return Confidence.POSSIBLE
    return Confidence.CERTAIN if _SESSION_NAME.match(source.name) else Confidence.LIKELY
