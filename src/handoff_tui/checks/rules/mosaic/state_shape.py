"""The shape of session state files: which fields they must have, of which type, with which values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from handoff_tui.checks.rules.mosaic.session_state import AGENT_STATE, BLOCKERS, CURRENT_TASK
from handoff_tui.core.lazy_pattern import compile_later

_COMMIT: Final = compile_later(r"[0-9a-fA-F]{7,64}")

TEXT: Final = "text"
NUMBER: Final = "a number"
OBJECT: Final = "an object"
LIST: Final = "a list"
_TYPES: Final[dict[str, type | tuple[type, ...]]] = {TEXT: str, NUMBER: (int, float), OBJECT: dict, LIST: list}

PROJECT_STATE: Final = "project_state.json"
SESSION_LOG: Final = "session_log.jsonl"
APPROVAL: Final = "gemini_approval.json"

TYPES: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    AGENT_STATE: {
        "version": (NUMBER, TEXT),
        **dict.fromkeys(("last_agent", "last_mode", "last_session_start", "last_session_end", "last_commit"), (TEXT,)),
        **dict.fromkeys(("current_agent", "current_task", "handoff_message", "next_agent"), (TEXT,)),
        **dict.fromkeys(("briefing_acknowledgment", "user_decisions", "implementation_progress"), (OBJECT,)),
        "open_questions": (LIST,),
    },
    BLOCKERS: {"version": (NUMBER, TEXT), "updated_at": (TEXT,), "blockers": (LIST,), "archived_blockers": (LIST,)},
    CURRENT_TASK: {
        "version": (NUMBER, TEXT),
        **dict.fromkeys(("task_id", "objective", "status", "assigned_agent"), (TEXT,)),
        **dict.fromkeys(("created_at", "updated_at", "completed_at"), (TEXT,)),
        "priority": (TEXT, NUMBER),
        "details": (OBJECT,),
    },
    PROJECT_STATE: {
        "git_commit": (TEXT,),
        **dict.fromkeys(("gates_status", "implementation_plan", "project_metadata"), (OBJECT,)),
        **dict.fromkeys(("session_history", "blocking_issues", "completed_implementations"), (LIST,)),
    },
    SESSION_LOG: {
        **dict.fromkeys(("timestamp", "agent", "mode", "action", "commit"), (TEXT,)),
        **dict.fromkeys(("files", "decisions"), (LIST,)),
    },
    APPROVAL: {"verdict": (TEXT,), "criteria_results": (OBJECT,), "required_fixes": (LIST,)},
}
"""By file: the types that a field may have. A field that is not listed may hold anything."""

BLOCKER_TYPES: Final[dict[str, tuple[str, ...]]] = dict.fromkeys(
    ("id", "title", "severity", "status", "owner", "description", "created_at", "resolved_at", "resolution"), (TEXT,)
)
COMMIT_FIELDS: Final = {AGENT_STATE: "last_commit", PROJECT_STATE: "git_commit"}


@dataclass(frozen=True, slots=True)
class Shape:
    """What an object must be like."""

    types: Mapping[str, tuple[str, ...]]
    required: tuple[str, ...] = ()
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By field: the words it may hold."""
    commit: str | None = None
    """The field that holds a commit id."""


class Misfit(NamedTuple):
    """One field that is not as its shape says."""

    field: str
    message: str
    expected: str
    actual: str


def compare_shape(value: Mapping[str, object], shape: Shape) -> Iterator[Misfit]:
    """What of an object does not fit; null counts as absent."""
    for name in shape.required:
        if value.get(name) is None:
            yield Misfit(name, f"has no {name}", name, "null" if name in value else "absent")
    for name, types in shape.types.items():
        member = value.get(name)
        if member is not None and not any(_is_of_type(member, wanted) for wanted in types):
            expected = " or ".join(types)
            yield Misfit(name, f"has a {name} that is not {expected}", expected, name_type(member))
    for name, known in shape.values.items():
        member = value.get(name)
        if isinstance(member, str) and _normalise(member) not in known:
            expected = f"one of {', '.join(known)}"
            yield Misfit(name, f"has a {name} that is not {expected}: {member[:40]}", expected, member[:40] or "empty")
    commit = value.get(shape.commit) if shape.commit else None
    if shape.commit and isinstance(commit, str) and not _COMMIT.fullmatch(commit):
        yield Misfit(shape.commit, f"has a {shape.commit} that is no commit id", "7 to 64 hex digits", commit[:40])


def name_type(value: object) -> str:
    """The type of a JSON value in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    return next(name for name, types in _TYPES.items() if isinstance(value, types))


def _is_of_type(value: object, wanted: str) -> bool:
    return name_type(value) == wanted


def _normalise(word: str) -> str:
    return word.strip().lower().replace("_", "-").replace(" ", "-")
