"""From what the engine wrote down to a run as people see it. Pure; what cannot be read is nothing, never a guess."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pydantic import ValidationError

from handoff_tui.agents.procedures.report import (
    ProcedureEnd,
    ProcedurePlan,
    ProcedureRun,
    ProcedureState,
    ProcedureTry,
    RunRequest,
    TryKind,
    TryResult,
)

_QUEUED = frozenset({"ENQUEUED", "DELAYED"})
_ENDED = frozenset({"SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"})
_MILLISECONDS = 1000.0
_STOPPED = {
    "CANCELLED": "the engine's record was cancelled from outside, and nothing was undone",
    "MAX_RECOVERY_ATTEMPTS_EXCEEDED": "it was begun again too often",
}


class Record(NamedTuple):
    """What the engine says of a run; times are milliseconds since 1970."""

    run: str
    status: str
    input: object = None
    output: object = None
    fault: str | None = None
    created: int | None = None
    completed: int | None = None
    withdrawn: bool = False


def build_run(record: Record, steps: Iterable[Mapping[str, object]]) -> ProcedureRun:
    """A run from its row and what its steps wrote down."""
    outputs = [step.get("output") for step in steps]
    plan = next((plan for output in outputs if (plan := _parse_plan(output)) is not None), None)
    tries = tuple(found for output in outputs if (found := _parse_try(output)) is not None)
    request = _parse_request(record.input)
    end = _find_end(record)
    state = end.state if end is not None else _find_state(record.status, plan, tries)
    return ProcedureRun(
        id=record.run,
        request=request,
        state=state,
        finished=end is not None,
        needs_human=end.needs_human if end is not None else False,
        reason=end.reason if end is not None else _find_reason(tries),
        left=end.left if end is not None else (),
        current=None if end is not None else _find_current(plan, tries),
        plan=plan,
        tries=tries,
        created=(request.asked if request is not None else None) or _as_seconds(record.created),
        ended=_find_last_moment(record, tries) if end is not None else None,
        withdrawn=record.withdrawn,
    )


def _find_end(record: Record) -> ProcedureEnd | None:
    if record.status not in _ENDED:
        return None
    if record.status == "SUCCESS":
        try:
            return ProcedureEnd.model_validate(record.output)
        except ValidationError:
            return ProcedureEnd(state=ProcedureState.FAILED, reason="its end cannot be read", needs_human=True)
    reason = _STOPPED.get(record.status) or f"it was ended by a fault: {record.fault}"
    return ProcedureEnd(state=ProcedureState.FAILED, reason=reason, needs_human=True)


def _find_state(word: str, plan: ProcedurePlan | None, tries: tuple[ProcedureTry, ...]) -> ProcedureState:
    if word in _QUEUED and plan is None:
        return ProcedureState.PENDING
    if not tries:
        return ProcedureState.IN_PROGRESS
    last = tries[-1]
    if last.kind in {TryKind.ROLLBACK, TryKind.FENCE}:
        return ProcedureState.ROLLBACK
    if last.kind is TryKind.GATE and last.result is TryResult.WAITING:
        return ProcedureState.WAITING
    return ProcedureState.VALIDATING if last.kind is TryKind.RULE else ProcedureState.IN_PROGRESS


def _find_reason(tries: tuple[ProcedureTry, ...]) -> str:
    """Why it does not go on just now, where the last try says so."""
    return tries[-1].detail if tries and not tries[-1].passed else ""


def _find_current(plan: ProcedurePlan | None, tries: tuple[ProcedureTry, ...]) -> str | None:
    """The step it is at: the first that has not passed."""
    if plan is None:
        return None
    if tries and tries[-1].kind in {TryKind.ROLLBACK, TryKind.FENCE}:
        return "rollback"
    passed = {found.name for found in tries if found.kind is TryKind.STEP and found.passed}
    return next((step.name for step in plan.steps if step.name not in passed), "validation")


def _parse_request(value: object) -> RunRequest | None:
    arguments = value.get("args") if isinstance(value, dict) else None
    first = arguments[0] if isinstance(arguments, list | tuple) and arguments else None
    try:
        return RunRequest.model_validate(first)
    except ValidationError:
        return None


def _parse_plan(value: object) -> ProcedurePlan | None:
    planned = value.get("plan") if isinstance(value, dict) else None
    try:
        return ProcedurePlan.model_validate(planned) if planned is not None else None
    except ValidationError:
        return None


def _parse_try(value: object) -> ProcedureTry | None:
    if not isinstance(value, dict) or "kind" not in value:
        return None
    try:
        return ProcedureTry.model_validate(value)
    except ValidationError:
        return None


def _find_last_moment(record: Record, tries: tuple[ProcedureTry, ...]) -> float | None:
    """When the last try ended: a database file knows whole seconds only."""
    return tries[-1].began + tries[-1].seconds if tries else _as_seconds(record.completed)


def _as_seconds(milliseconds: int | None) -> float | None:
    return None if milliseconds is None else milliseconds / _MILLISECONDS
