"""VR005: the next agent gets what it needs: readable documents, a note on what comes next, the results it builds on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from handoff_tui.checks.context import Context
from handoff_tui.checks.rule import Rule, RuleFinding, System
from handoff_tui.checks.rules.procedure.records import (
    PROCEDURE,
    Records,
    find_broken,
    find_place,
    list_named,
    read_records,
    require_transitions,
)
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.handoff import DocumentRole, Handoff, HandoffType

_BUILDER_ROLES: Final = (DocumentRole.SPEC, DocumentRole.RESULTS)
_NEEDED: Final = ("source_phase", "target_phase", "source_agent")


def judge(context: Context) -> Iterator[RuleFinding]:
    for handoff in require_transitions(context):
        yield from find_broken(context, handoff, "VR005")
        yield from _judge_documents(context, handoff)
        if handoff.dialect == PROCEDURE:
            yield from _judge_packet(context, handoff, read_records(context, handoff))
        elif handoff.dialect == "builder":
            yield from _judge_builder(context, handoff)
        elif not _says_what_comes_next(handoff):
            yield _build(
                handoff, "next action", "has no message, no next action and no task left", "words for the next agent"
            )


def _says_what_comes_next(handoff: Handoff) -> bool:
    """Returns whether there is a message, a next action, or an open task."""
    words = f"{handoff.message or ''}{handoff.next_action or ''}"
    return bool(words.strip()) or any(task.done is not True for task in handoff.tasks)


def _judge_documents(context: Context, handoff: Handoff) -> Iterator[RuleFinding]:
    broken = {found.place.path for found in find_broken(context, handoff, "VR005") if found.place}
    for document in handoff.documents:
        if document.path in broken:
            continue
        state = "cannot be read" if document.sha256 is None else "is empty" if _is_empty(context, document.path) else ""
        if state:
            problem = f"hands over {document.path}, which {state}"
            yield _build(handoff, document.path, problem, "a document to read", Place(path=document.path))


def _is_empty(context: Context, path: str) -> bool:
    """Returns whether a file is empty. Git notes and objects aren't files; they were read with the handoff."""
    if ":" in path:
        return False
    content = context.read(path)
    return content is not None and not content.strip()


def _judge_packet(context: Context, handoff: Handoff, records: Records) -> Iterator[RuleFinding]:
    """Checks the context of a procedure: who hands what to whom, a description, and the documents it names."""
    if handoff.type is HandoffType.CONTRACT_HANDOFF and not records.contexts:
        return
    if not records.contexts:
        yield _build(handoff, "context", "has no context: only executions or sessions tell of it", "a context")
        return
    first = records.contexts[0]
    needed = (*_NEEDED, "target_agent") if handoff.type is HandoffType.AGENT_HANDOFF else _NEEDED
    for key in needed:
        if not (first.text(key) or "").strip():
            yield _build(handoff, key, f"does not say its {key.replace('_', ' ')}", key, first.where)
    if not first.fields.get("metadata") and not first.text("description") and not first.text("title"):
        yield _build(
            handoff, "metadata", "tells nothing about the work: no metadata, no words", "metadata", first.where
        )
    for metadata in records.metadata():
        for key, path in list_named(metadata.fields, context.settings.procedures.context_fields):
            yield from _judge_named(context, handoff, f"{key} {path}", path, metadata.where)


def _judge_named(context: Context, handoff: Handoff, subject: str, path: str, where: Place) -> Iterator[RuleFinding]:
    found = context.find(path, where.path)
    if found is None:
        yield _build(handoff, subject, f"refers to {path}, which does not exist", "a document", where)
    elif _is_empty(context, found):
        yield _build(handoff, subject, f"refers to {path}, which is empty", "content", where)


def _judge_builder(context: Context, handoff: Handoff) -> Iterator[RuleFinding]:
    """Checks for the spec, the results, and the results of what the work builds on."""
    roles = {document.role for document in handoff.documents}
    for role in _BUILDER_ROLES:
        if role not in roles:
            yield _build(
                handoff, role.value, f"has no {role.value} document for its reviewer", f"a {role.value} document"
            )
    by_id = {known.id: known for known in context.every_handoff() if known.dialect == "builder"}
    for required in handoff.blocked_by:
        earlier = by_id.get(required)
        if earlier is None:
            yield _build(handoff, required, f"builds on {required}, which is not in this repository", "its documents")
        elif DocumentRole.RESULTS not in {document.role for document in earlier.documents}:
            yield _build(handoff, required, f"builds on {required}, which has no results", "a results document")


def _build(handoff: Handoff, subject: str, problem: str, expected: str, where: Place | None = None) -> RuleFinding:
    message = f"VR005: {handoff.id} {problem}"
    return RuleFinding(message, f"{handoff.id} {subject}", where or find_place(handoff), expected, "missing")


CONTEXT_TRANSFER_COMPLETE = Rule(
    id="context-transfer-complete",
    system=System.PROCEDURE,
    severity=Severity.CRITICAL,
    declared="VR005",
    holds="VR005: the next agent gets readable documents, a note on what comes next, and the results it builds on.",
    reads="documents, messages and metadata of handoffs that name a target phase",
    remedy="Add the missing document or note to the handoff, so that the next agent doesn't have to guess.",
    judge=judge,
)
