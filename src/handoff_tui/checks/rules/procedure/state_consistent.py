"""VR003: what is handed over is told in one state only.

Files that speak of one handoff agree, executions end where they may, steps and validations fit the outcome, a failure
was rolled back, and no agent hands one phase to two successors at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.checks.facts.document_problems import read_json
from handoff_tui.checks.rules.procedure.executions import judge_execution, judge_session
from handoff_tui.checks.rules.procedure.records import Record, Records, as_text, read_records
from handoff_tui.checks.rules.procedure.transitions import PROCEDURE, TDD, find_broken, find_place, is_transition
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.document import DocumentRole
from handoff_tui.handoffs.handoff import Handoff

_PARTIES = ("source_phase", "target_phase", "source_agent", "target_agent")
_PHASE_KEYS = ("phase", "currentPhase", "current_phase")


def judge(context: Context) -> Iterator[Found]:
    own = [
        handoff
        for handoff in context.handoffs()
        if is_transition(handoff) and handoff.dialect in {PROCEDURE, TDD} and handoff.documents
    ]
    if not own:
        context.skip("no procedure and no TDD cycle here")
    for handoff in own:
        yield from find_broken(context, handoff, "VR003")
        if handoff.dialect == TDD:
            yield from _judge_state_files(context, handoff)
            continue
        records = read_records(context, handoff)
        yield from _judge_contexts(handoff, records.contexts)
        yield from _judge_outcome(handoff, records)
        for execution in records.executions:
            yield from judge_execution(context, execution)
        for session in records.sessions:
            yield from judge_session(context, session)
    yield from _judge_rivals(context, own)


def _judge_contexts(handoff: Handoff, contexts: tuple[Record, ...]) -> Iterator[Found]:
    """Two contexts of one handoff must name the same phases, agents and state."""
    for first, second in combinations(contexts, 2):
        for key in (*_PARTIES, "state"):
            told = [record.state if key == "state" else record.text(key) for record in (first, second)]
            if told[0] and told[1] and told[0] != told[1]:
                yield _build_conflict(handoff, key, told[0], first.where, told[1], second.where)


def _judge_outcome(handoff: Handoff, records: Records) -> Iterator[Found]:
    """Context and last session must not tell another end than the last execution."""
    last = records.executions[-1] if records.executions else None
    if last is None or last.state is None:
        return
    for record in records.contexts:
        if record.state is not None and record.state != last.state:
            yield _build_conflict(handoff, "state", record.state, record.where, last.state, last.where)
    of_last = [
        session
        for session in records.sessions
        if session.text("execution_id") in {None, last.text("execution_id")}
        and session.text("procedure_id") in {None, last.text("procedure_id")}
    ]
    if of_last and last.state == "completed" and of_last[-1].fields.get("overall_result") is False:
        yield _build_conflict(handoff, "state", "completed", last.where, "validation failed", of_last[-1].where)


def _build_conflict(handoff: Handoff, key: str, one: str, where: Place, other: str, elsewhere: Place) -> Found:
    name = key.replace("_", " ")
    return Found(
        message=f"VR003: {handoff.id} has two values for its {name}: {one} ({where}) and {other} ({elsewhere})",
        subject=f"{handoff.id} {key} {where.path} {elsewhere.path}",
        place=elsewhere,
        expected=one,
        actual=other,
    )


def _judge_state_files(context: Context, handoff: Handoff) -> Iterator[Found]:
    """A state file beside notes must be in the phase of the newest note."""
    if not any(document.role is DocumentRole.NOTE for document in handoff.documents):
        return
    for document in handoff.documents:
        value = read_json(context, document.path) if document.role is DocumentRole.STATE else None
        phase = _read_phase(value) if isinstance(value, dict) else None
        noted = handoff.source_phase
        if phase is not None and noted is not None and phase.upper() != noted.upper():
            place = find_place(handoff) or Place(path=document.path)
            yield _build_conflict(handoff, "phase", noted, place, phase, Place(path=document.path))


def _read_phase(members: Mapping[str, object]) -> str | None:
    return next((text for key in _PHASE_KEYS if (text := as_text(members.get(key)))), None)


def _judge_rivals(context: Context, own: list[Handoff]) -> Iterator[Found]:
    """Two handoffs that are not over, by which one agent passes one phase on to different successors."""
    scope = {handoff.id for handoff in own}
    waiting = [handoff for handoff in context.every_handoff() if _is_waiting(handoff)]
    for first, second in combinations(waiting, 2):
        same = (first.source_phase, first.source_agent) == (second.source_phase, second.source_agent)
        successors = [(handoff.target_phase, handoff.target_agent) for handoff in (first, second)]
        if same and successors[0] != successors[1] and {first.id, second.id} & scope:
            yield Found(
                message=f"VR003: {first.id} and {second.id} both pass {first.source_phase} of {first.source_agent} on,"
                " to different successors",
                subject=f"{first.id} {second.id} successors",
                place=find_place(second),
                expected=_describe(successors[0]),
                actual=_describe(successors[1]),
            )


def _is_waiting(handoff: Handoff) -> bool:
    is_over = handoff.status in {"COMPLETE", "FAIL", "ROLLBACK"}
    return handoff.dialect == PROCEDURE and bool(handoff.source_phase and handoff.source_agent) and not is_over


def _describe(successor: tuple[str | None, str | None]) -> str:
    return " of ".join(part for part in successor if part) or "nobody"


STATE_CONSISTENT = Rule(
    id="state-consistent",
    system=System.PROCEDURE,
    severity=Severity.HIGH,
    declared="VR003",
    holds="VR003: every handoff is told in one state: files agree, executions end legally, results fit the outcome",
    reads="contexts, executions and validation sessions of procedures; state files and notes of TDD cycles",
    remedy="Decide which state is true and correct the other record; finish or roll back what was left half done.",
    judge=judge,
)
