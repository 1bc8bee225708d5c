"""The state files of a session exist and have the shape that the next session relies on."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Final

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import JsonBrokenError, find_line, find_unreadable, parse_strictly
from handoff_tui.checks.rule import READABLE, Findings, RuleFinding, critical_rule
from handoff_tui.checks.rules.mosaic.session_state import (
    SessionState,
    find_abandoned_folder,
    find_states,
    require_states,
)
from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import CheckMoment, Place
from handoff_tui.handoffs.formats.mosaic.layout import (
    AGENT_STATE,
    APPROVAL,
    BLOCKERS,
    CURRENT_TASK,
    PROJECT_STATE,
    SESSION_LOG,
)

_COMMIT: Final = compile_later(r"[0-9a-fA-F]{7,64}")

TEXT: Final = "text"
NUMBER: Final = "a number"
OBJECT: Final = "an object"
LIST: Final = "a list"
_TYPES: Final[dict[str, type | tuple[type, ...]]] = {TEXT: str, NUMBER: (int, float), OBJECT: dict, LIST: list}

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
"""The types that a field may have, by file. Other fields may have any type."""

BLOCKER_TYPES: Final[dict[str, tuple[str, ...]]] = dict.fromkeys(
    ("id", "title", "severity", "status", "owner", "description", "created_at", "resolved_at", "resolution"), (TEXT,)
)
COMMIT_FIELDS: Final = {AGENT_STATE: "last_commit", PROJECT_STATE: "git_commit"}


@dataclass(frozen=True, slots=True)
class Shape:
    """What an object must look like."""

    types: Mapping[str, tuple[str, ...]]
    required: tuple[str, ...] = ()
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The values that a field may have."""
    commit: str | None = None
    """The field that holds a commit id."""


class Misfit(NamedTuple):
    """A field that doesn't fit its shape."""

    field: str
    message: str
    expected: str
    actual: str


def compare_shape(value: Mapping[str, object], shape: Shape) -> Iterator[Misfit]:
    """Yields the fields of an object that don't fit; null counts as absent."""
    for name in shape.required:
        if value.get(name) is None:
            yield Misfit(name, f"has no {name}", name, "null" if name in value else "absent")
    for name, types in shape.types.items():
        member = value.get(name)
        if member is not None and name_type(member) not in types:
            expected = " or ".join(types)
            yield Misfit(name, f"has a {name} that is not {expected}", expected, name_type(member))
    for name, known in shape.values.items():
        member = value.get(name)
        if isinstance(member, str) and _normalise(member) not in known:
            expected = f"one of {', '.join(known)}"
            yield Misfit(name, f"has a {name} that is not {expected}: {member[:40]}", expected, member[:40] or "empty")
    commit = value.get(shape.commit) if shape.commit else None
    if shape.commit and isinstance(commit, str) and not _COMMIT.fullmatch(commit):
        yield Misfit(shape.commit, f"has a {shape.commit} that is not a commit id", "7 to 64 hex digits", commit[:40])


def name_type(value: object) -> str:
    """Returns the type of a JSON value in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    return next(name for name, types in _TYPES.items() if isinstance(value, types))


def _normalise(word: str) -> str:
    return word.strip().lower().replace("_", "-").replace(" ", "-")


@critical_rule(
    holds="Every state file exists.",
    reads="the state folder",
    remedy="Write the missing state files, or restore them from git. The next session starts from them.",
)
def state_files_exist(context: Context) -> Findings:
    for folder in _find_folders(context):
        for name in context.settings.mosaic.state_files:
            path = f"{folder}/{name}"
            if not context.exists(path):
                yield _build_missing(context, path, "is missing", "nothing")
            elif context.read(path) is None:
                yield _build_missing(context, path, "is there, but cannot be read", "not a readable file")


def _find_folders(context: Context) -> list[str]:
    folders = [state.folder for state in find_states(context)]
    if folders:
        return folders
    if context.scope is not None:
        context.skip("the handoff under review is not a session state")
    abandoned = find_abandoned_folder(context)
    return [abandoned] if abandoned else context.skip("no session state here")


def _build_missing(context: Context, path: str, what: str, actual: str) -> RuleFinding:
    tracked = path in context.facts().changed
    message = f"{path} {what}"
    command = f"git restore -- {shlex.quote(path)}" if tracked else None
    return RuleFinding(message, path, Place(path=path), READABLE, actual, command)


_LISTS_OF_BLOCKERS = ("blockers", "archived_blockers")


@critical_rule(
    holds="Every state file is valid JSON with the right fields, types and values.",
    reads="the state files",
    remedy="Correct the named field, or the JSON around the named line.",
    moments=(CheckMoment.PRE, CheckMoment.POST),
)
def state_files_parse(context: Context) -> Findings:
    for state in require_states(context):
        for name in _list_names(context):
            yield from _judge_file(context, state, name)


def _list_names(context: Context) -> tuple[str, ...]:
    return (*context.settings.mosaic.state_files, *context.settings.mosaic.optional_state_files)


def _judge_file(context: Context, state: SessionState, name: str) -> Findings:
    path = state.path(name)
    content = context.read(path)
    if content is None:
        if context.exists(path):
            yield RuleFinding(f"{path} cannot be read", path, Place(path=path), expected="a JSON file")
        return
    judge_content = _judge_lines if name.endswith(".jsonl") else _judge_object
    # only if nothing here says more: a file that is too large, or that the format refused
    yield from list(judge_content(context, path, name, content)) or find_unreadable(context, (path,))


def _judge_lines(context: Context, path: str, name: str, content: bytes) -> Findings:
    """Yields one finding per kind of misfit, at its first line, because a log may repeat it a thousand times."""
    shape = _build_shape(context, name)
    told: set[str] = set()
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            value = parse_strictly(line, number)
        except JsonBrokenError as broken:
            found = [Misfit("line", f"has a line that {broken.message}", "one JSON object per line", broken.message)]
        else:
            found = list(_compare(value, shape))
        for misfit in found:
            if misfit.field not in told:
                told.add(misfit.field)
                yield _build_misfit(path, misfit, misfit.field, number)


def _judge_object(context: Context, path: str, name: str, content: bytes) -> Findings:
    try:
        value = parse_strictly(content)
    except JsonBrokenError as broken:
        place = Place(path=path, line=broken.line)
        yield RuleFinding(f"{path} {broken.message}", path, place, READABLE, broken.message)
        return
    for misfit in _compare(value, _build_shape(context, name)):
        yield _build_misfit(path, misfit, misfit.field, find_line(content, misfit.field))
    if name == BLOCKERS and isinstance(value, dict):
        yield from _judge_blockers(context, path, content, value)


def _judge_blockers(context: Context, path: str, content: bytes, value: dict[str, object]) -> Findings:
    mosaic = context.settings.mosaic
    statuses = (*mosaic.open_statuses, *mosaic.closed_statuses)
    shape = Shape(BLOCKER_TYPES, mosaic.blocker_fields, {"severity": mosaic.severities, "status": statuses})
    seen: set[str] = set()
    for list_name in _LISTS_OF_BLOCKERS:
        blockers = value.get(list_name)
        for number, blocker in enumerate(blockers if isinstance(blockers, list) else [], start=1):
            own_id = blocker.get("id") if isinstance(blocker, dict) else None
            identity = own_id if isinstance(own_id, str) and own_id else f"{list_name} number {number}"
            line = find_line(content, "id", identity)
            for misfit in _compare(blocker, shape):
                yield _build_misfit(path, misfit, f"{identity}.{misfit.field}", line, whose=f"blocker {identity}")
            if identity in seen:
                twice = Misfit("id", "is listed twice", "one blocker of each id", "two")
                yield _build_misfit(path, twice, f"{identity}.twice", line, whose=f"blocker {identity}")
            seen.add(identity)


def _build_shape(context: Context, name: str) -> Shape:
    if name == AGENT_STATE:
        required = context.settings.mosaic.required_fields
    elif name == CURRENT_TASK:
        required = context.settings.mosaic.task_fields
    else:
        required = _LISTS_OF_BLOCKERS[:1] if name == BLOCKERS else ()
    return Shape(TYPES.get(name, {}), required, commit=COMMIT_FIELDS.get(name))


def _compare(value: object, shape: Shape) -> Iterator[Misfit]:
    if isinstance(value, dict):
        yield from compare_shape(value, shape)
    else:
        yield Misfit("top level", "is not an object", "an object", name_type(value))


def _build_misfit(path: str, misfit: Misfit, subject: str, line: int | None, whose: str | None = None) -> RuleFinding:
    owner = f"{path}: {whose}" if whose else path
    place = Place(path=path, line=line)
    return RuleFinding(f"{owner} {misfit.message}", subject, place, misfit.expected, misfit.actual)
