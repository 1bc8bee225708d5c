"""VR001: the phase that hands over is really complete: its tasks, its last attempt, its status, no open blocker."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.rule import Moment, Rule, RuleFinding, System
from handoff_tui.checks.rules.procedure.records import PROCEDURE, TDD, find_broken, find_place, require_transitions
from handoff_tui.core.severity import Severity
from handoff_tui.core.tasks import Task
from handoff_tui.handoffs.handoff import Handoff


def judge(context: Context) -> Iterator[RuleFinding]:
    for handoff in require_transitions(context):
        yield from find_broken(context, handoff, "VR001")
        yield from _judge_blockers(handoff)
        yield from _judge_tasks(context, handoff)
        if handoff.dialect == TDD:
            yield from _judge_repetition(handoff)
        else:
            yield from _judge_status(context, handoff)
            yield from _judge_last_attempt(context, handoff)
            yield from _judge_own_numbers(handoff)


def _name_phase(handoff: Handoff) -> str:
    return f"the phase {handoff.source_phase}" if handoff.source_phase else "the source phase"


def _judge_blockers(handoff: Handoff) -> Iterator[RuleFinding]:
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


def _judge_tasks(context: Context, handoff: Handoff) -> Iterator[RuleFinding]:
    done_words = context.settings.procedures.done_words
    for task in _list_own_tasks(handoff):
        if task.done is False and (task.status or "").casefold() not in done_words:
            message = f"VR001: {_name_phase(handoff)} of {handoff.id} is not complete: {task.title} is not done"
            yield RuleFinding(message, f"{handoff.id} task {task.id}", task.where, "done", task.status or "not done")


def _judge_status(context: Context, handoff: Handoff) -> Iterator[RuleFinding]:
    complete = context.settings.procedures.complete_statuses
    if handoff.status in complete or (handoff.status is None and _has_telling_tasks(handoff)):
        return
    said = f"it says {handoff.status}" if handoff.status else "nothing says that it is"
    message = f"VR001: {_name_phase(handoff)} of {handoff.id} is not complete: {said}"
    expected = " or ".join(complete[:2])
    yield RuleFinding(message, f"{handoff.id} status", find_place(handoff), expected, handoff.status or "no status")


def _has_telling_tasks(handoff: Handoff) -> bool:
    return any(task.done is not None for task in _list_own_tasks(handoff))


def _judge_last_attempt(context: Context, handoff: Handoff) -> Iterator[RuleFinding]:
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


def _judge_own_numbers(handoff: Handoff) -> Iterator[RuleFinding]:
    """Finds failing tests that the handoff itself reports, whatever its status."""
    for name, counts in (("tests", handoff.tests), ("regression", handoff.regression)):
        if counts is not None and counts.failed:
            message = f"VR001: {_name_phase(handoff)} of {handoff.id} is not complete: its {name} failed"
            expected = "no failures"
            yield RuleFinding(message, f"{handoff.id} {name}", find_place(handoff), expected, f"{counts.failed} failed")


def _judge_repetition(handoff: Handoff) -> Iterator[RuleFinding]:
    """Finds phases that are to be repeated. A test result isn't the status of a phase."""
    if handoff.source_phase is None or (handoff.source_phase == handoff.target_phase and handoff.status == "FAIL"):
        yield RuleFinding(
            message=f"VR001: {_name_phase(handoff)} of {handoff.id} is not complete: it is to be tried again"
            if handoff.source_phase
            else f"VR001: {handoff.id} does not say which phase hands over",
            subject=f"{handoff.id} phase",
            place=find_place(handoff),
            expected="a phase that is complete",
            actual=f"{handoff.source_phase or 'no phase'}, next {handoff.target_phase}",
        )


SOURCE_PHASE_COMPLETE = Rule(
    id="source-phase-complete",
    system=System.PROCEDURE,
    severity=Severity.CRITICAL,
    declared="VR001",
    holds="VR001: the phase that hands over is complete: tasks done, no open blocker, last attempt not failed.",
    reads="status, tasks, attempts and blockers of handoffs that name a target phase",
    remedy="Finish the source phase, close its blockers with evidence and record the outcome. Then hand over.",
    judge=judge,
    moments=(Moment.PRE, Moment.GATE),
)
