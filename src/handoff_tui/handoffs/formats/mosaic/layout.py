"""Where the files of the session state are, and what they are called."""

from __future__ import annotations

import re
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.handoff import build_id

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
