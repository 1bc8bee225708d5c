"""Recognises the files and makes one handoff per handoff id, per contract report, and one for the definitions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import takewhile
from typing import Final

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.tasks import Attempt, Blocker, Fact, Task
from handoff_tui.handoffs.claim import Claim, ClaimKind, build_claim
from handoff_tui.handoffs.grammar.claims import find_claims
from handoff_tui.handoffs.handoff import Document, DocumentRole, Handoff, HandoffType
from handoff_tui.handoffs.reading.claim_words import (
    build_unique_id,
    build_unread,
    normalise_status,
    one_line,
    parse_status,
    top_items,
)
from handoff_tui.handoffs.reading.format import Confidence, FormatFiles, FormatReading, HandoffFormat, Source
from handoff_tui.handoffs.reading.json_document import JsonNode
from handoff_tui.handoffs.reading.markdown import Outline, Section, find_fields, parse_field


class ObjectKind(Enum):
    """What an object is, by the fields it has."""

    CONTEXT = "context"
    EXECUTION = "execution"
    SESSION = "session"
    PROCEDURE = "procedure"


class KnownObject(NamedTuple):
    """An object of a known kind, and its file."""

    kind: ObjectKind
    node: JsonNode
    source: Source


_LISTS: Final = (
    *("handoffs", "contexts", "context", "handoff_context", "handoff"),
    *("procedures", "executions", "execution_history", "handoff_history", "active_handoffs"),
    *("validation_sessions", "validation_history", "sessions"),
)
_DEEPEST = 3


def kind_of(node: JsonNode) -> ObjectKind | None:
    if node.has("execution_id") and (node.has("handoff_id") or node.has("procedure_id")):
        return ObjectKind.EXECUTION
    if node.has("session_id", "handoff_id"):
        return ObjectKind.SESSION
    if node.has("handoff_id") and sum(node.has(key) for key in ("source_phase", "target_phase", "source_agent")) > 1:
        return ObjectKind.CONTEXT
    if node.has("procedure_id") and (node.has("steps") or node.has("validation_rules", "name")):
        return ObjectKind.PROCEDURE
    return None


def find_objects(source: Source) -> Iterator[KnownObject]:
    """Every known object of a file, in order; it may be in a list or under a telling name."""
    if source.json is not None:
        yield from _search(source.json, source, 0)


def _search(node: JsonNode, source: Source, depth: int) -> Iterator[KnownObject]:
    kind = kind_of(node)
    if kind is not None:
        yield KnownObject(kind, node, source)
    if depth == _DEEPEST:
        return
    if isinstance(node.value, list):
        for element in node.elements():
            yield from _search(element, source, depth + 1)
        return
    for member in node.members():
        name = member.pointer[-1]
        if name in _LISTS:
            yield from _search(member, source, depth + 1)
            if isinstance(member.value, dict) and kind_of(member) is None:
                for entry in member.members():
                    yield from _search(entry, source, depth + 2)


_STATES: Final = ("pending", "in_progress", "validating", "completed", "failed", "rollback")
_PRIORITIES: Final = ("critical", "high", "medium", "low")
STATE_KEYS: Final = ("status", "current_state", "state")
RESULT_LISTS: Final = ("validation_results", "rule_results", "results", "validations")
_STEP_LISTS: Final = ("step_results", "steps_completed", "completed_steps", "steps")


def build_handoff(handoff_id: str, records: Sequence[KnownObject], taken: dict[str, str]) -> Handoff:
    """From all records that name this handoff, in order of path and place."""
    contexts = [record.node for record in records if record.kind is ObjectKind.CONTEXT]
    executions = [record.node for record in records if record.kind is ObjectKind.EXECUTION]
    sessions = [record.node for record in records if record.kind is ObjectKind.SESSION]
    context = contexts[0] if contexts else None
    for repeated in contexts[1:]:
        repeated.report(f"the context of {handoff_id} is also in {contexts[0].where.path}; that one is used")
    latest = executions[-1] if executions else None
    agent = _text(context, "source_agent")
    return Handoff(
        id=build_unique_id(taken, records[0].source, handoff_id),
        dialect="procedure",
        title=_text(context, "title") or _text(context, "description"),
        original_name=handoff_id,
        type=_read_type(context),
        source_phase=_text(context, "source_phase"),
        target_phase=_text(context, "target_phase"),
        source_agent=agent,
        target_agent=_text(context, "target_agent"),
        priority=_read_priority(context),
        status=_read_state(latest) if latest is not None else _read_state(context),
        attempt=max(len(executions), 1),
        attempts=tuple(_build_attempt(number, node) for number, node in enumerate(executions, start=1)),
        producers=(agent,) if agent else (),
        claims=tuple(_claim_states([*contexts[:1], *executions]) + _claim_rules([*executions, *sessions])),
        documents=_build_documents(records),
        tasks=tuple(task for node in executions[-1:] for task in _read_steps(node)),
        blockers=tuple(blocker for node in executions[-1:] for blocker in _read_errors(node)),
        facts=tuple(_read_metadata(context)) + tuple(_read_procedures(executions)),
        created=_text(context, "timestamp"),
    )


def _text(node: JsonNode | None, key: str) -> str | None:
    return node.scalar(key) if node is not None else None


def _read_type(context: JsonNode | None) -> HandoffType:
    text = _text(context, "handoff_type")
    if context is None or text is None:
        return HandoffType.PHASE_TRANSITION
    name = text.rpartition(".")[2].lower()
    if name in {member.value for member in HandoffType}:
        return HandoffType(name)
    context.report(f"{text!r} is not a type of handoff", "handoff_type")
    return HandoffType.PHASE_TRANSITION


def _read_priority(context: JsonNode | None) -> str | None:
    text = _text(context, "priority")
    if context is not None and text is not None and text.lower() not in _PRIORITIES:
        context.report(f"{text!r} is not a priority: {', '.join(_PRIORITIES)}", "priority")
    return text


def _state_key(node: JsonNode) -> str | None:
    return next((key for key in STATE_KEYS if node.get(key) is not None), None)


def _read_state(node: JsonNode | None) -> str | None:
    """The state as a status token; a word that isn't a state of this system is reported and kept."""
    key = _state_key(node) if node is not None else None
    text = node.scalar(key) if node is not None and key is not None else None
    if node is None or key is None or text is None:
        return None
    word = text.rpartition(".")[2].lower()
    if word not in _STATES:
        node.report(f"{text!r} is not a state: {', '.join(_STATES)}", key)
    return normalise_status(word)


def _claim_states(nodes: Iterable[JsonNode]) -> list[Claim]:
    """Only the last state stands; earlier ones are attempts."""
    last = next((node for node in reversed(list(nodes)) if _state_key(node) is not None), None)
    key = _state_key(last) if last is not None else None
    if last is None or key is None:
        return []
    text = last.scalar(key) or ""
    return [build_claim(ClaimKind.STATUS, last.place_of(key), text, value=_read_state(last))]


def _build_attempt(number: int, node: JsonNode) -> Attempt:
    error = next((error for error in _read_errors(node)), None)
    return Attempt(
        number=number,
        agent=node.scalar("agent") or node.scalar("source_agent"),
        phase=node.scalar("current_step") or node.scalar("procedure_id"),
        status=_read_state(node),
        summary=error.title if error else node.scalar("execution_id"),
        when=node.scalar("start_time") or node.scalar("started_at") or node.scalar("timestamp"),
        where=node.where,
    )


def _claim_rules(nodes: Iterable[JsonNode]) -> list[Claim]:
    claims: list[Claim] = []
    for node in nodes:
        for member in filter(None, map(node.get, RESULT_LISTS)):
            results = member.elements() or member.members()
            claims.extend(claim for result in results if (claim := _claim_rule(result)) is not None)
    return claims


def _claim_rule(result: JsonNode) -> Claim | None:
    """`{"rule_id": "VR001", "passed": true}`, or a member named after its rule."""
    named = result.pointer[-1] if result.pointer and isinstance(result.pointer[-1], str) else None
    if not isinstance(result.value, dict):
        subject, outcome = named, result if result.value is not None else None
    else:
        subject = result.first("rule_id", "rule", "id") or named
        outcome = result.find("passed", "success", "result", "status")
    if subject is None:
        return None
    value: str | bool | None = None
    if outcome is not None:
        value = outcome.value if isinstance(outcome.value, bool) else outcome.as_text()
    return build_claim(ClaimKind.CHECK, result.where, f"{subject}: {value}", subject=subject, value=value)


def _read_steps(node: JsonNode) -> list[Task]:
    member = node.find(*_STEP_LISTS)
    tasks: list[Task] = []
    for number, step in enumerate(member.elements() or member.members() if member is not None else (), start=1):
        if not isinstance(step.value, dict):
            name = step.key if isinstance(step.pointer[-1], str) else step.as_text()
            done = step.value if isinstance(step.value, bool) else None
            if name is not None:
                tasks.append(Task(id=f"step-{number}", title=name, where=step.where, done=done))
            continue
        title = step.first("name", "step_name", "action") or f"step {number}"
        status = step.scalar("status") or step.scalar("result")
        success = step.boolean("success") if step.has("success") else None
        done = success if success is not None else (status.lower() == "completed" if status else None)
        identifier = step.scalar("step_id") or f"step-{number}"
        tasks.append(Task(id=identifier, title=title, where=step.where, status=status, done=done))
    return tasks


def _read_errors(node: JsonNode) -> list[Blocker]:
    blockers: list[Blocker] = []
    for key in ("errors", "error_details", "error"):
        member = node.get(key)
        if member is None or member.value is False:
            continue
        for error in member.each():
            text = error.first("message", "error") if isinstance(error.value, dict) else error.as_text()
            if text:
                blockers.append(Blocker(id=f"error-{len(blockers) + 1}", title=text, where=error.where))
    return blockers


def _read_metadata(context: JsonNode | None) -> list[Fact]:
    return [
        Fact(name=member.key, value=text, where=member.where)
        for member in (context.members_of("metadata") if context is not None else ())
        if not isinstance(member.value, dict | list) and (text := member.as_text()) is not None
    ]


def _read_procedures(executions: Iterable[JsonNode]) -> list[Fact]:
    return [
        Fact(name="procedure", value=text, where=node.place_of("procedure_id"))
        for node in executions
        if (text := node.scalar("procedure_id"))
    ]


def _build_documents(records: Iterable[KnownObject]) -> tuple[Document, ...]:
    sources = {record.source.path: record.source for record in records}
    return tuple(source.document(DocumentRole.STATE) for source in sources.values())


_PERCENTAGE: Final = compile_later(r"(?<![\w.])\d+(?:\.\d+)?\s*%\+?")
_CHECKED_LINE: Final = compile_later(r"^\W*[✅❌✔✗☑]")
_FACTS: Final = ("Difficulty", "Estimated Time", "Extra Credit Points", "Date", "Priority")
_HEAD_LINES = 60
_HEAD_LENGTH = 12_000
_CONTRACT: Final = "contract id"


def recognise_report(source: Source) -> float:
    if _CONTRACT not in source.text[:_HEAD_LENGTH].casefold():  # most reports are somebody else's: not worth a parse
        return Confidence.NO
    fields = _head_fields(source.outline)
    return Confidence.LIKELY if _CONTRACT in fields and "status" in fields else Confidence.NO


def build_report(source: Source, taken: dict[str, str]) -> Handoff:
    fields = _head_fields(source.outline)
    contract = fields.get("contract id", ("", 1))[0]
    agent = _value(fields, "agent")
    status, status_line = fields.get("status", ("", 1))
    token = parse_status(status)
    status_claims = [source.claim(ClaimKind.STATUS, status_line, status, value=token)] if status else []
    return Handoff(
        id=build_unique_id(taken, source, contract or source.path),
        dialect="procedure",
        title=_value(fields, "title") or source.outline.title,
        original_name=contract or None,
        type=HandoffType.CONTRACT_HANDOFF,
        source_agent=agent,
        producers=(agent,) if agent else (),
        priority=_value(fields, "priority"),
        status=token,
        claims=(*status_claims, *_claim_figures(source), *find_claims(source.outline.sections, source.path)),
        documents=(source.document(DocumentRole.REPORT, confidence=recognise_report(source)),),
        tasks=tuple(_read_deliverables(source)),
        facts=tuple(source.fact(name, *fields[name.lower()]) for name in _FACTS if _value(fields, name.lower())),
        created=_value(fields, "date"),
    )


def _value(fields: dict[str, tuple[str, int]], name: str) -> str | None:
    return fields[name][0] or None if name in fields else None


def _head_fields(outline: Outline) -> dict[str, tuple[str, int]]:
    """The fields near the top, by name in small letters; the first of a name counts."""
    fields: dict[str, tuple[str, int]] = {}
    for line, name, value in find_fields(takewhile(lambda line: line.number <= _HEAD_LINES, outline.lines())):
        fields.setdefault(name, (value, line.number))
    return fields


def _claim_figures(source: Source) -> Iterator[Claim]:
    """Percentages, and ticks beside a name. Nothing backs them, so they are claims of a check."""
    for line in source.outline.lines():
        field = None if line.code else parse_field(line.text)
        if field is None:
            continue
        percentage = _PERCENTAGE.search(field[1])
        ticked = _CHECKED_LINE.match(field[1])
        if percentage is not None:
            yield source.claim(ClaimKind.CHECK, line.number, line.text, subject=field[0], value=percentage.group())
        elif ticked is not None and field[0].lower() != "status":
            value = "pass" if "❌" not in field[1][:4] else "fail"
            yield source.claim(ClaimKind.CHECK, line.number, line.text, subject=field[0], value=value)


def _read_deliverables(source: Source) -> Iterator[Task]:
    number = 0
    for section in _deliverable_sections(source.outline):
        for item in top_items(section):
            number += 1
            done = item.checked if item.checked is not None else ("✅" in section.title or "✅" in item.text or None)
            yield Task(id=f"deliverable-{number}", title=one_line(item.text), where=source.place(item.line), done=done)


def _deliverable_sections(outline: Outline) -> Iterator[Section]:
    """Sections about deliverables, with everything below them."""
    level: int | None = None
    for section in outline.sections:
        if level is None or section.level <= level:
            level = section.level if section.level and "deliverable" in section.name.lower() else None
        if level is not None:
            yield section


def build_definitions(records: Sequence[KnownObject]) -> Handoff:
    sources = {record.source.path: record.source for record in records}
    return Handoff(
        id="procedures",
        dialect="procedure",
        title="Procedures",
        facts=tuple(_describe(record.node) for record in records),
        documents=tuple(source.document(DocumentRole.SPEC) for source in sources.values()),
    )


def _describe(node: JsonNode) -> Fact:
    steps = node.objects("steps")
    parts = [
        f"{len(steps)} steps",
        f"{_sum(steps, 'timeout'):g} s of timeouts",
        f"{_sum(steps, 'retries', 'retry_count', 'max_retries'):g} retries",
        f"{len(node.items('validation_rules'))} rules",
        f"{len(node.items('rollback_procedures'))} rollbacks",
    ]
    duration = node.scalar("estimated_duration")
    if duration is not None:
        parts.append(f"estimated {duration} s")
    return Fact(name=node.scalar("procedure_id") or "procedure", value=", ".join(parts), where=node.where)


def _sum(steps: Sequence[JsonNode], *keys: str) -> float:
    """The sum over the steps; reports what isn't a number."""
    total = 0.0
    for step in steps:
        member = step.find(*keys)
        if member is not None and isinstance(member.value, int | float) and not isinstance(member.value, bool):
            total += float(member.value)
        elif member is not None:
            member.report_type("a number")
    return total


_JSON_NAME: Final = compile_later(
    r"(?:handoff|procedure|contract|execution|validation|transition)[^/]*(?:/.*)?\.json$|(?:^|/)agent_workspaces/.*\.json$",
    re.IGNORECASE,
)
_REPORT_NAME: Final = compile_later(r"(?:handoff|procedure|contract|phase|report)[^/]*\.md$", re.IGNORECASE)
_PLACE: Final = compile_later(
    r"(?:^|/)(?:handoffs|procedures)/[^/]+\.json$|(?:^|/)agent_workspaces/.*handoff[^/]*\.json$"
)
_OWN_WORDS: Final = ('"handoff_id"', '"procedure_id"')


def may_own(path: str) -> bool:
    if path.lower().endswith(".schema.json"):
        return False
    return bool(_JSON_NAME.search(path) or _REPORT_NAME.search(path))


def recognise(source: Source) -> float:
    if source.path.lower().endswith(".md"):
        return recognise_report(source)
    if source.json is None:
        ours = _PLACE.search(source.path) or any(word in source.text for word in _OWN_WORDS)
        return Confidence.POSSIBLE if ours else Confidence.NO
    return Confidence.CERTAIN if next(find_objects(source), None) is not None else Confidence.NO


def read(owned: list[Source], files: FormatFiles) -> FormatReading:  # noqa: ARG001 - every format is given the files
    reading = FormatReading()
    taken: dict[str, str] = {}
    records: list[KnownObject] = []
    for source in sorted(owned, key=lambda source: source.path):
        if source.path.lower().endswith(".md"):
            reading.handoffs.append(build_report(source, taken))
        elif source.json is None:
            document = source.document(DocumentRole.STATE, confidence=Confidence.POSSIBLE)
            reading.handoffs.append(build_unread(source, "procedure", taken, document))
        else:
            records.extend(find_objects(source))
    grouped: dict[str, list[KnownObject]] = {}
    for record in records:
        if record.kind is not ObjectKind.PROCEDURE:
            grouped.setdefault(_read_handoff_id(record), []).append(record)
    reading.handoffs.extend(build_handoff(name, group, taken) for name, group in sorted(grouped.items()))
    definitions = [record for record in records if record.kind is ObjectKind.PROCEDURE]
    if definitions:
        reading.handoffs.append(build_definitions(definitions))
    return reading


def _read_handoff_id(record: KnownObject) -> str:
    """The id as written; a record without one is known by its own id or its file."""
    node = record.node
    return node.first("handoff_id", "execution_id", "session_id") or record.source.path


PROCEDURE: Final = HandoffFormat(id="procedure", may_own=may_own, recognise=recognise, read=read)
