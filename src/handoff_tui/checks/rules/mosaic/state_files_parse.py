"""The state files are JSON of the shape that the next session relies on."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Moment, Rule, System
from handoff_tui.checks.facts.document_problems import find_unreadable
from handoff_tui.checks.facts.json_text import JsonBrokenError, find_line, parse_strictly
from handoff_tui.checks.rules.mosaic.session_state import (
    AGENT_STATE,
    BLOCKERS,
    CURRENT_TASK,
    SessionState,
    require_states,
)
from handoff_tui.checks.rules.mosaic.state_shape import (
    BLOCKER_TYPES,
    COMMIT_FIELDS,
    TYPES,
    Misfit,
    Shape,
    compare_shape,
    name_type,
)
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity

_LISTS_OF_BLOCKERS = ("blockers", "archived_blockers")
_REQUIRED = {AGENT_STATE: "mosaic.required_fields", CURRENT_TASK: "mosaic.task_fields"}
"""Settings with the fields that a file must have."""


def judge(context: Context) -> Iterator[Found]:
    for state in require_states(context):
        for name in _list_names(context):
            yield from _judge_file(context, state, name)


def _list_names(context: Context) -> tuple[str, ...]:
    return (*context.setting("mosaic.state_files", tuple), *context.setting("mosaic.optional_state_files", tuple))


def _judge_file(context: Context, state: SessionState, name: str) -> Iterator[Found]:
    path = state.path(name)
    content = context.read(path)
    if content is None:
        if context.exists(path):
            yield Found(f"{path} cannot be read", path, Place(path=path), expected="a JSON file")
        return
    judge_content = _judge_lines if name.endswith(".jsonl") else _judge_object
    # what the dialect refused is told where nothing here says more: the content of someone else, a file too large
    yield from list(judge_content(context, path, name, content)) or find_unreadable(context, (path,))


def _judge_lines(context: Context, path: str, name: str, content: bytes) -> Iterator[Found]:
    """One finding per kind of misfit, at the first line that has it: a log can be wrong a thousand times over."""
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
                yield _build_found(path, misfit, misfit.field, number)


def _judge_object(context: Context, path: str, name: str, content: bytes) -> Iterator[Found]:
    try:
        value = parse_strictly(content)
    except JsonBrokenError as broken:
        place = Place(path=path, line=broken.line)
        yield Found(f"{path} {broken.message}", path, place, expected="valid JSON", actual=broken.message)
        return
    for misfit in _compare(value, _build_shape(context, name)):
        yield _build_found(path, misfit, misfit.field, find_line(content, misfit.field))
    if name == BLOCKERS and isinstance(value, dict):
        yield from _judge_blockers(context, path, content, value)


def _judge_blockers(context: Context, path: str, content: bytes, value: dict[str, object]) -> Iterator[Found]:
    statuses = (*context.setting("mosaic.open_statuses", tuple), *context.setting("mosaic.closed_statuses", tuple))
    shape = Shape(
        BLOCKER_TYPES,
        context.setting("mosaic.blocker_fields", tuple),
        {"severity": context.setting("mosaic.severities", tuple), "status": statuses},
    )
    seen: set[str] = set()
    for list_name in _LISTS_OF_BLOCKERS:
        blockers = value.get(list_name)
        for number, blocker in enumerate(blockers if isinstance(blockers, list) else [], start=1):
            own_id = blocker.get("id") if isinstance(blocker, dict) else None
            identity = own_id if isinstance(own_id, str) and own_id else f"{list_name} number {number}"
            line = find_line(content, "id", identity)
            for misfit in _compare(blocker, shape):
                yield _build_found(path, misfit, f"{identity}.{misfit.field}", line, whose=f"blocker {identity}")
            if identity in seen:
                twice = Misfit("id", "stands there twice", "one blocker of each id", "two")
                yield _build_found(path, twice, f"{identity}.twice", line, whose=f"blocker {identity}")
            seen.add(identity)


def _build_shape(context: Context, name: str) -> Shape:
    setting = _REQUIRED.get(name)
    required = context.setting(setting, tuple) if setting else ()
    if name == BLOCKERS:
        required = _LISTS_OF_BLOCKERS[:1]
    return Shape(TYPES.get(name, {}), required, commit=COMMIT_FIELDS.get(name))


def _compare(value: object, shape: Shape) -> Iterator[Misfit]:
    if isinstance(value, dict):
        yield from compare_shape(value, shape)
    else:
        yield Misfit("top level", "is not an object", "an object", name_type(value))


def _build_found(path: str, misfit: Misfit, subject: str, line: int | None, whose: str | None = None) -> Found:
    owner = f"{path}: {whose}" if whose else path
    place = Place(path=path, line=line)
    return Found(f"{owner} {misfit.message}", subject, place, misfit.expected, misfit.actual)


STATE_FILES_PARSE = Rule(
    id="state-files-parse",
    system=System.MOSAIC,
    severity=Severity.CRITICAL,
    holds="Every state file is valid JSON and has the fields, types and values it should have.",
    reads="the state files",
    remedy="Correct the named field or the JSON around the named line.",
    judge=judge,
    moments=(Moment.PRE, Moment.POST),
)
