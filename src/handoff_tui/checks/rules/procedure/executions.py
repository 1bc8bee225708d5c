"""Whether an execution of a procedure, or a validation session, agrees with itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol, cast

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found
from handoff_tui.checks.rules.procedure.records import Record, as_text
from handoff_tui.core.severity import Severity

_STEP_LISTS = ("step_results", "steps")
_RESULT_LISTS = ("validation_results", "rule_results", "results", "validations")
_ENDS = ("end_time", "ended_at", "completed_at")


class _Severe(Protocol):
    @property
    def severity(self) -> Severity: ...


class _Reversible(Protocol):
    @property
    def rollback(self) -> tuple[object, ...]: ...


def judge_execution(context: Context, execution: Record) -> Iterator[Found]:
    """Its state is a legal one, fits its steps and errors, and a failure was rolled back."""
    state = execution.state
    legal = context.setting("procedures.states", tuple)
    final = context.setting("procedures.final_states", tuple)
    if state is None or state not in legal:
        yield _build(execution, "state", f"is in no legal state: {state or 'none'}", " ".join(legal), state or "none")
        return
    if state not in final and any(execution.fields.get(key) is not None for key in _ENDS):
        yield _build(execution, "end", f"has ended, but is still {state}", " or ".join(final), state)
    yield from _judge_steps(context, execution, state)
    if state == "completed" and execution.fields.get("errors"):
        yield _build(execution, "errors", "is completed, but lists errors", "no errors", "errors")
    yield from _judge_rollback(context, execution, state)


def judge_session(context: Context, session: Record) -> Iterator[Found]:
    """Its overall result follows from its rules: no critical one failed, and enough of them passed."""
    overall = session.fields.get("overall_result")
    results = _list_results(session)
    if not isinstance(overall, bool) or not results:
        return
    critical = [name for name, (passed, severe) in results.items() if severe and not passed]
    share = sum(passed for passed, _ in results.values()) / len(results)
    minimum = context.setting("procedures.final_share_minimum", float)
    critical += [name for name, (passed, _) in results.items() if not passed and _is_critical(context, name)]
    good = not critical and share >= minimum
    if overall and not good:
        reason = f"{critical[0]} failed" if critical else f"{share:.0%} of its rules passed"
        yield _build(session, "overall result", f"is said to have passed, but {reason}", "failed", "passed")
    elif good and not overall and share == 1:
        yield _build(session, "overall result", "is said to have failed, but every rule passed", "passed", "failed")


def _is_done(context: Context, step: Mapping[str, object]) -> bool | None:
    """Whether a step succeeded; nothing where it does not say."""
    for key in ("success", "passed"):
        if isinstance(step.get(key), bool):
            return bool(step[key])
    word = as_text(step.get("status")) or as_text(step.get("result"))
    return word.rpartition(".")[2].casefold() in context.setting("procedures.done_words", tuple) if word else None


def _judge_steps(context: Context, execution: Record, state: str) -> Iterator[Found]:
    steps = next((found for key in _STEP_LISTS if (found := execution.objects(key))), [])
    for number, step in enumerate(steps, start=1):
        name = as_text(step.get("name")) or as_text(step.get("step_name")) or f"step {number}"
        if state == "completed" and _is_done(context, step) is False:
            word = as_text(step.get("status")) or "not done"
            yield _build(execution, f"step {name}", f"is completed, but its step {name} is not", "completed", word)
    no_cause = not execution.fields.get("errors") and not execution.fields.get("error")
    if state == "failed" and steps and no_cause and all(_is_done(context, step) for step in steps):
        results = _list_results(execution)
        if all(passed for passed, _ in results.values()):
            yield _build(execution, "cause", "failed, but every step succeeded and no error is told", "a cause", "none")


def _judge_rollback(context: Context, execution: Record, state: str) -> Iterator[Found]:
    performed = execution.fields.get("rollback_performed")
    if state == "completed" and performed is True:
        yield _build(execution, "rollback", "is completed, but was rolled back", "one of the two", "both")
    if state == "failed" and performed is not True and _can_roll_back(context, execution):
        yield _build(execution, "rollback", "failed and was not rolled back", "a rollback", "none")
    if state == "rollback" and performed is False:
        yield _build(execution, "rollback", "is in rollback, but no rollback was performed", "a rollback", "none")
    for step in execution.objects("rollback_results") if state in {"failed", "rollback"} else ():
        if _is_done(context, step) is False:
            name = as_text(step.get("action")) or as_text(step.get("name")) or "a step"
            word = as_text(step.get("status")) or "not done"
            yield _build(execution, f"rollback {name}", f"was not rolled back: {name} is {word}", "completed", word)


def _can_roll_back(context: Context, execution: Record) -> bool:
    """A procedure that the configuration knows without a way back needs none; any other must show one."""
    known = cast("dict[str, _Reversible]", context.setting("procedures.procedures", dict))
    procedure = known.get(execution.text("procedure_id") or "")
    return procedure is None or bool(procedure.rollback)


def _list_results(record: Record) -> dict[str, tuple[bool, bool]]:
    """Rules by id: whether each passed, and whether its own record calls it critical."""
    found: dict[str, tuple[bool, bool]] = {}
    for key in _RESULT_LISTS:
        for result in record.objects(key):
            name = as_text(result.get("rule_id")) or as_text(result.get("rule")) or as_text(result.get("id"))
            if name and isinstance(result.get("passed"), bool):
                found[name] = (bool(result["passed"]), as_text(result.get("severity")) == "critical")
        value = record.fields.get(key)
        if isinstance(value, dict):
            found.update({name: (passed, False) for name, passed in value.items() if isinstance(passed, bool)})
    return found


def _is_critical(context: Context, name: str) -> bool:
    rules = cast("dict[str, _Severe]", context.setting("procedures.rules", dict))
    return name in rules and rules[name].severity is Severity.CRITICAL


def _build(record: Record, what: str, problem: str, expected: str, actual: str) -> Found:
    name = record.text("execution_id") or record.text("session_id") or record.where.path
    return Found(
        message=f"VR003: {name} {problem}",
        subject=f"{name} {what}",
        place=record.where,
        expected=expected,
        actual=actual,
    )
