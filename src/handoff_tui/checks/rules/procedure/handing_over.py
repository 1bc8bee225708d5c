"""VR001 and VR005: the phase that hands over is complete, and the next agent gets what it needs."""

from __future__ import annotations

from typing import Final

from handoff_tui.checks.context import Context
from handoff_tui.checks.rule import Findings, RuleFinding, critical_rule
from handoff_tui.checks.rules.procedure.records import (
    PROCEDURE,
    TDD,
    Records,
    find_broken,
    find_place,
    list_named,
    read_records,
    require_transitions,
)
from handoff_tui.core.place import CheckMoment, Place
from handoff_tui.core.tasks import Task
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.handoff import DocumentRole, Handoff, HandoffType


@critical_rule(
    declared="VR001",
    holds="VR001: the phase that hands over is complete: tasks done, no open blocker, last attempt not failed.",
    reads="status, tasks, attempts and blockers of handoffs that name a target phase",
    remedy="Finish the source phase, close its blockers with evidence and record the outcome. Then hand over.",
    moments=(CheckMoment.PRE, CheckMoment.GATE),
)
def source_phase_complete(context: Context) -> Findings:
    for handoff in require_transitions(context):
        yield from find_broken(context, handoff, "VR001")
        yield from _judge_blockers(handoff)
        yield from _judge_tasks(context, handoff)
        if handoff.dialect == TDD:
            yield from _judge_repetition(handoff)
        elif not handoff.ran:  # else its run was judged, and the documents are about earlier work
            yield from _judge_status(context, handoff)
            yield from _judge_last_attempt(context, handoff)
            yield from _judge_own_numbers(handoff)


def _name_phase(handoff: Handoff) -> str:
    return f"the phase {handoff.source_phase}" if handoff.source_phase else "the source phase"


def _judge_blockers(handoff: Handoff) -> Findings:
    for blocker in handoff.blockers:
        if blocker.open and blocker.blocking:
            message = f"VR001: {handoff.id} has an open blocker: {blocker.title}"
            actual = blocker.status or "open"
            yield RuleFinding(message, f"{handoff.id} blocker {blocker.id}", blocker.where, "no open blocker", actual)


def _list_own_tasks(handoff: Handoff) -> list[Task]:
    """Returns all tasks of a procedure; for other formats those of the source phase only."""
    if handoff.dialect == PROCEDURE:
        return list(handoff.tasks)
    phase = (handoff.source_phase or "").casefold()
    return [task for task in handoff.tasks if phase and (task.stage or "").casefold() == phase]


def _judge_tasks(context: Context, handoff: Handoff) -> Findings:
    done_words = context.settings.procedures.done_words
    for task in _list_own_tasks(handoff):
        if task.done is False and (task.status or "").casefold() not in done_words:
            message = f"VR001: {_name_phase(handoff)} of {handoff.id} is not complete: {task.title} is not done"
            yield RuleFinding(message, f"{handoff.id} task {task.id}", task.where, "done", task.status or "not done")


def _judge_status(context: Context, handoff: Handoff) -> Findings:
    complete = context.settings.procedures.complete_statuses
    if handoff.status in complete or (handoff.status is None and _has_telling_tasks(handoff)):
        return
    said = f"it says {handoff.status}" if handoff.status else "nothing says that it is"
    message = f"VR001: {_name_phase(handoff)} of {handoff.id} is not complete: {said}"
    expected = " or ".join(complete[:2])
    yield RuleFinding(message, f"{handoff.id} status", find_place(handoff), expected, handoff.status or "no status")


def _has_telling_tasks(handoff: Handoff) -> bool:
    return any(task.done is not None for task in _list_own_tasks(handoff))


def _judge_last_attempt(context: Context, handoff: Handoff) -> Findings:
    """Checks the last attempt at this phase, if its status differs from the handoff's."""
    phase = (handoff.source_phase or "").casefold()
    own = [
        attempt
        for attempt in handoff.attempts
        if handoff.dialect == PROCEDURE or (attempt.phase or "").casefold() == phase
    ]
    if not own or own[-1].status is None or own[-1].status == handoff.status:
        return
    complete = context.settings.procedures.complete_statuses
    if own[-1].status.upper() not in complete:
        message = f"VR001: the last attempt at {_name_phase(handoff)} of {handoff.id} ended as {own[-1].status}"
        expected = " or ".join(complete[:2])
        yield RuleFinding(message, f"{handoff.id} last attempt", own[-1].where, expected, own[-1].status)


def _judge_own_numbers(handoff: Handoff) -> Findings:
    """Finds failing tests that the handoff itself reports, whatever its status."""
    for name, counts in (("tests", handoff.tests), ("regression", handoff.regression)):
        if counts is not None and counts.failed:
            message = f"VR001: {_name_phase(handoff)} of {handoff.id} is not complete: its {name} failed"
            place = _place_failures(handoff, "package" if name == "tests" else name)
            yield RuleFinding(message, f"{handoff.id} {name}", place, "0 failed", f"{counts.failed} failed")


def _place_failures(handoff: Handoff, scope: str) -> Place | None:
    """Returns the line with the number of failures, so that it is one fact for every rule; else where it says so."""
    subjects = (f"{scope}.failed", "suite.failed")
    claims = (one.where for one in handoff.claims if one.kind is ClaimKind.COUNT and one.subject in subjects)
    return next(claims, None) or find_place(handoff)


def _judge_repetition(handoff: Handoff) -> Findings:
    """Finds phases that are to be repeated. A test result isn't the status of a phase."""
    phase = handoff.source_phase
    if phase is None or (phase == handoff.target_phase and handoff.status == "FAIL"):
        again = f"VR001: {_name_phase(handoff)} of {handoff.id} is not complete: it is to be tried again"
        message = again if phase else f"VR001: {handoff.id} does not say which phase hands over"
        actual = f"{phase or 'no phase'}, next {handoff.target_phase}"
        yield RuleFinding(message, f"{handoff.id} phase", find_place(handoff), "a phase that is complete", actual)


_BUILDER_ROLES: Final = (DocumentRole.SPEC, DocumentRole.RESULTS)
_NEEDED: Final = ("source_phase", "target_phase", "source_agent")


@critical_rule(
    declared="VR005",
    holds="VR005: the next agent gets readable documents, a note on what comes next, and the results it builds on.",
    reads="documents, messages and metadata of handoffs that name a target phase",
    remedy="Add the missing document or note to the handoff, so that the next agent doesn't have to guess.",
)
def context_transfer_complete(context: Context) -> Findings:
    for handoff in require_transitions(context):
        yield from find_broken(context, handoff, "VR005")
        yield from _judge_documents(context, handoff)
        if handoff.dialect == PROCEDURE:
            yield from _judge_packet(context, handoff, read_records(context, handoff))
        elif handoff.dialect == "builder":
            yield from _judge_builder(context, handoff)
        elif not _says_what_comes_next(handoff):
            yield _report(
                handoff, "next action", "has no message, no next action and no task left", "words for the next agent"
            )


def _says_what_comes_next(handoff: Handoff) -> bool:
    """Returns whether there is a message, a next action, or an open task."""
    words = f"{handoff.message or ''}{handoff.next_action or ''}"
    return bool(words.strip()) or any(task.done is not True for task in handoff.tasks)


def _judge_documents(context: Context, handoff: Handoff) -> Findings:
    broken = {found.place.path for found in find_broken(context, handoff, "VR005") if found.place}
    for document in handoff.documents:
        if document.path in broken:
            continue
        state = "cannot be read" if document.sha256 is None else "is empty" if _is_empty(context, document.path) else ""
        if state:
            problem = f"hands over {document.path}, which {state}"
            yield _report(handoff, document.path, problem, "a document to read", Place(path=document.path))


def _is_empty(context: Context, path: str) -> bool:
    """Returns whether a file is empty. Git notes and objects aren't files; they were read with the handoff."""
    if ":" in path:
        return False
    content = context.read(path)
    return content is not None and not content.strip()


def _judge_packet(context: Context, handoff: Handoff, records: Records) -> Findings:
    """Checks the context of a procedure: who hands what to whom, a description, and the documents it names."""
    if handoff.type is HandoffType.CONTRACT_HANDOFF and not records.contexts:
        return
    if not records.contexts:
        yield _report(handoff, "context", "has no context: only executions or sessions mention it", "a context")
        return
    first = records.contexts[0]
    needed = (*_NEEDED, "target_agent") if handoff.type is HandoffType.AGENT_HANDOFF else _NEEDED
    for key in needed:
        if not (first.text(key) or "").strip():
            yield _report(handoff, key, f"does not say its {key.replace('_', ' ')}", key, first.where)
    if not first.fields.get("metadata") and not first.text("description") and not first.text("title"):
        yield _report(handoff, "metadata", "says nothing about the work: no metadata, no text", "metadata", first.where)
    for metadata in records.metadata():
        for key, path in list_named(metadata.fields, context.settings.procedures.context_fields):
            yield from _judge_named(context, handoff, f"{key} {path}", path, metadata.where)


def _judge_named(context: Context, handoff: Handoff, subject: str, path: str, where: Place) -> Findings:
    found = context.find(path, where.path)
    if found is None:
        yield _report(handoff, subject, f"refers to {path}, which does not exist", "a document", where)
    elif _is_empty(context, found):
        yield _report(handoff, subject, f"refers to {path}, which is empty", "content", where)


def _judge_builder(context: Context, handoff: Handoff) -> Findings:
    """Checks for the spec, the results, and the results of what the work builds on."""
    roles = {document.role for document in handoff.documents}
    for role in _BUILDER_ROLES:
        if role not in roles:
            yield _report(
                handoff, role.value, f"has no {role.value} document for its reviewer", f"a {role.value} document"
            )
    by_id = {known.id: known for known in context.every_handoff() if known.dialect == "builder"}
    for required in handoff.blocked_by:
        earlier = by_id.get(required)
        if earlier is None:
            yield _report(handoff, required, f"builds on {required}, which is not in this repository", "its documents")
        elif DocumentRole.RESULTS not in {document.role for document in earlier.documents}:
            yield _report(handoff, required, f"builds on {required}, which has no results", "a results document")


def _report(handoff: Handoff, subject: str, problem: str, expected: str, where: Place | None = None) -> RuleFinding:
    message = f"VR005: {handoff.id} {problem}"
    return RuleFinding(message, f"{handoff.id} {subject}", where or find_place(handoff), expected, "missing")
