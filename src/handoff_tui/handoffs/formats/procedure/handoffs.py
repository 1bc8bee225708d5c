"""One handoff per handoff id: its context, its executions as attempts, its rule results as claims."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from handoff_tui.core.work import Attempt, Blocker, Fact, Task
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.document import Document, DocumentRole
from handoff_tui.handoffs.formats.procedure.records import Record, RecordKind
from handoff_tui.handoffs.handoff import Handoff, HandoffType
from handoff_tui.handoffs.reading.claim_words import build_claim
from handoff_tui.handoffs.reading.json_claims import build_unique_id, normalise_status
from handoff_tui.handoffs.reading.json_document import JsonNode

_STATES: Final = ("pending", "in_progress", "validating", "completed", "failed", "rollback")
_PRIORITIES: Final = ("critical", "high", "medium", "low")
_STATE_KEYS: Final = ("status", "current_state", "state")
_RESULT_LISTS: Final = ("validation_results", "rule_results", "results", "validations")
_STEP_LISTS: Final = ("step_results", "steps_completed", "completed_steps", "steps")


def build_handoff(handoff_id: str, records: Sequence[Record], taken: set[str]) -> Handoff:
    """From all records that name this handoff, in order of path and place."""
    contexts = [record.node for record in records if record.kind is RecordKind.CONTEXT]
    executions = [record.node for record in records if record.kind is RecordKind.EXECUTION]
    sessions = [record.node for record in records if record.kind is RecordKind.SESSION]
    context = contexts[0] if contexts else None
    for repeated in contexts[1:]:
        repeated.document.report(repeated.pointer, f"the context of {handoff_id} is given twice; the first one is used")
    latest = executions[-1] if executions else None
    agent = _text(context, "source_agent")
    return Handoff(
        id=build_unique_id(taken, records[0].source.path, handoff_id),
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
    context.document.report((*context.pointer, "handoff_type"), f"{text!r} is no type of handoff")
    return HandoffType.PHASE_TRANSITION


def _read_priority(context: JsonNode | None) -> str | None:
    text = _text(context, "priority")
    if context is not None and text is not None and text.lower() not in _PRIORITIES:
        context.document.report((*context.pointer, "priority"), f"{text!r} is no priority: {', '.join(_PRIORITIES)}")
    return text


def _state_key(node: JsonNode) -> str | None:
    return next((key for key in _STATE_KEYS if node.get(key) is not None), None)


def _read_state(node: JsonNode | None) -> str | None:
    """The state as a status token; a word that is no state of this system is reported and kept."""
    key = _state_key(node) if node is not None else None
    text = node.scalar(key) if node is not None and key is not None else None
    if node is None or key is None or text is None:
        return None
    word = text.rpartition(".")[2].lower()
    if word not in _STATES:
        node.document.report((*node.pointer, key), f"{text!r} is no state: {', '.join(_STATES)}")
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
        for key in _RESULT_LISTS:
            member = node.get(key)
            if member is None:
                continue
            results = member.elements() if isinstance(member.value, list) else member.members()
            claims.extend(claim for result in results if (claim := _claim_rule(result)) is not None)
    return claims


def _claim_rule(result: JsonNode) -> Claim | None:
    """`{"rule_id": "VR001", "passed": true}`, or a member named after its rule."""
    named = result.pointer[-1] if result.pointer and isinstance(result.pointer[-1], str) else None
    if not isinstance(result.value, dict):
        value = result.value if isinstance(result.value, bool) else None if result.value is None else result.as_text()
        return (
            build_claim(ClaimKind.CHECK, result.where, f"{named}: {value}", subject=named, value=value)
            if named
            else None
        )
    subject = result.scalar("rule_id") or result.scalar("rule") or result.scalar("id") or named
    if subject is None:
        return None
    outcome = next((member for key in ("passed", "success", "result", "status") if (member := result.get(key))), None)
    value = None
    if outcome is not None:
        value = outcome.value if isinstance(outcome.value, bool) else outcome.as_text()
    return build_claim(ClaimKind.CHECK, result.where, f"{subject}: {value}", subject=subject, value=value)


def _read_steps(node: JsonNode) -> list[Task]:
    key = next((key for key in _STEP_LISTS if node.get(key) is not None), None)
    member = node.get(key) if key else None
    if member is None:
        return []
    tasks: list[Task] = []
    steps = member.elements() if isinstance(member.value, list) else member.members()
    for number, step in enumerate(steps, start=1):
        if not isinstance(step.value, dict):
            name = str(step.pointer[-1]) if isinstance(step.pointer[-1], str) else step.as_text()
            done = step.value if isinstance(step.value, bool) else None
            if name is not None:
                tasks.append(Task(id=f"step-{number}", title=name, where=step.where, done=done))
            continue
        title = step.scalar("name") or step.scalar("step_name") or step.scalar("action") or f"step {number}"
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
        for error in member.elements() if isinstance(member.value, list) else [member]:
            is_object = isinstance(error.value, dict)
            text = (error.scalar("message") or error.scalar("error")) if is_object else error.as_text()
            if text:
                blockers.append(Blocker(id=f"error-{len(blockers) + 1}", title=text, where=error.where))
    return blockers


def _read_metadata(context: JsonNode | None) -> list[Fact]:
    metadata = context.object("metadata") if context is not None else None
    if metadata is None:
        return []
    return [
        Fact(name=str(member.pointer[-1]), value=text, where=member.where)
        for member in metadata.members()
        if not isinstance(member.value, dict | list) and (text := member.as_text()) is not None
    ]


def _read_procedures(executions: Iterable[JsonNode]) -> list[Fact]:
    return [
        Fact(name="procedure", value=text, where=node.place_of("procedure_id"))
        for node in executions
        if (text := node.scalar("procedure_id"))
    ]


def _build_documents(records: Iterable[Record]) -> tuple[Document, ...]:
    sources = {record.source.path: record.source for record in records}
    return tuple(source.document(DocumentRole.STATE) for source in sources.values())
