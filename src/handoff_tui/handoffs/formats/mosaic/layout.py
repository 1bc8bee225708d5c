"""Where the files of the session state are, what they are called, and whether a file is one by its content."""

from __future__ import annotations

import re
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.handoff import build_id
from handoff_tui.handoffs.reading.format import Confidence, Source
from handoff_tui.handoffs.reading.json_document import JsonNode

STATE_FOLDER: Final = ".mosaic"
AGENTS_FOLDER: Final = ".ai-agents"
AGENT_STATE: Final = "agent_state.json"
BLOCKERS: Final = "blockers.json"
CURRENT_TASK: Final = "current_task.json"
PROJECT_STATE: Final = "project_state.json"
SESSION_LOG: Final = "session_log.jsonl"
APPROVAL: Final = "gemini_approval.json"
EMERGENCY: Final = "emergency_handoff.txt"
REQUIRED: Final = (AGENT_STATE, BLOCKERS, CURRENT_TASK)
STATE_NAMES: Final = (*REQUIRED, PROJECT_STATE, SESSION_LOG, APPROVAL)

_MANIFEST: Final = compile_later(r"^handoff[_-](.+)\.json$", re.IGNORECASE)
_KEYS: Final = {
    AGENT_STATE: (
        *("last_agent", "last_mode", "last_session_start", "last_session_end", "current_agent"),
        *("current_task", "handoff_message", "briefing_acknowledgment", "implementation_progress", "user_decisions"),
        *("next_agent", "open_questions", "last_commit"),
    ),
    BLOCKERS: ("blockers", "archived_blockers"),
    CURRENT_TASK: ("task_id", "objective", "status", "assigned_agent", "details", "priority"),
    PROJECT_STATE: (
        *("git_commit", "current_phase", "next_phase", "gates_status", "implementation_plan", "session_history"),
        *("blocking_issues", "completed_implementations", "implementation_backlog", "project_metadata", "updated_by"),
    ),
    SESSION_LOG: ("timestamp", "agent", "mode", "action", "outcome"),
    APPROVAL: (
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


def split_state_path(path: str) -> tuple[str, str] | None:
    """The state folder of a path, and the rest of the path below it; None for other paths."""
    parts = path.split("/")
    for position in range(len(parts) - 2, -1, -1):
        if parts[position] == STATE_FOLDER:
            return "/".join(parts[: position + 1]), "/".join(parts[position + 1 :])
    return None


def is_manifest_path(path: str) -> bool:
    return _below_agents_folder(path) and _MANIFEST.match(_name(path)) is not None


def is_emergency_path(path: str) -> bool:
    return _below_agents_folder(path) and _name(path) == EMERGENCY


def is_state_path(path: str) -> bool:
    """JSON anywhere below the state folder, Markdown directly in it."""
    split = split_state_path(path)
    if split is None:
        return False
    rest = split[1].lower()
    return rest.endswith((".json", ".jsonl")) or (rest.endswith(".md") and "/" not in rest)


def may_own(path: str) -> bool:
    return is_state_path(path) or is_manifest_path(path) or is_emergency_path(path)


def build_live_id(state_folder: str) -> str:
    """`mosaic` for the state at the root, `<folder>/mosaic` for that of another folder."""
    return build_id(parent_of(state_folder), "mosaic")


def build_manifest_id(path: str) -> str:
    """`mosaic/<stamp>`, below the folder that `.ai-agents` lies in."""
    match = _MANIFEST.match(_name(path))
    stamp = match.group(1) if match else _name(path)
    return build_id(parent_of(path.rpartition("/")[0]), "mosaic", stamp)


def build_emergency_id(path: str) -> str:
    return build_id(parent_of(path.rpartition("/")[0]), "mosaic", "emergency")


def parent_of(path: str) -> str:
    return path.rpartition("/")[0]


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _below_agents_folder(path: str) -> bool:
    return path.rpartition("/")[0].rpartition("/")[2] == AGENTS_FOLDER


def recognise(source: Source) -> float:
    if is_emergency_path(source.path):
        return Confidence.LIKELY if _EMERGENCY_WORD.search(source.text) else Confidence.POSSIBLE
    if not source.readable:
        return Confidence.POSSIBLE if may_own(source.path) else Confidence.NO
    if is_manifest_path(source.path):
        return _judge(source.json, _MANIFEST_KEYS)
    split = split_state_path(source.path)
    if split is None or not is_state_path(source.path):
        return Confidence.NO
    return _recognise_state_file(source, split[1])


def is_session_document(source: Source) -> bool:
    """A session handoff, as opposed to another note that lies beside the state."""
    return bool(_SESSION_NAME.match(source.name) or _SESSION_TITLE.search(source.text[:_HEAD]))


def _recognise_state_file(source: Source, name: str) -> float:
    if name.lower().endswith(".md"):
        return _recognise_document(source)
    if name == SESSION_LOG:
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
    judged = [_judge(line.root, _KEYS[SESSION_LOG]) for line in source.json_lines]
    return max(judged, default=Confidence.POSSIBLE)


def _recognise_document(source: Source) -> float:
    if not _SESSION_TITLE.search(source.text[:_HEAD]):
        return Confidence.POSSIBLE
    return Confidence.CERTAIN if _SESSION_NAME.match(source.name) else Confidence.LIKELY
