"""D: no phase was tried more often than the budget allows; beyond it a person decides."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.checks.rules.tdd.cycles import Step, build_present, list_steps, require_cycles
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.handoff import Handoff

_FIELDS = ("retryCount", "retry_count", "retries")
_RED = "RED"


def judge(context: Context) -> Iterator[Found]:
    budget = context.setting("tdd.retry_budget", int)
    failures = context.setting("tdd.failures_before_human", int)
    for handoff in require_cycles(context):
        present = build_present(handoff)
        yield from _judge_field(context, present)
        counted = handoff.attempt - 1
        if counted > budget:
            yield _build(present, "retries", f"was tried again {counted} times", f"at most {budget} retries", counted)
        yield from _judge_runs(handoff, budget, failures)


def _judge_field(context: Context, present: Step) -> Iterator[Found]:
    """A count that is no number counts nothing."""
    for problem in context.problems():
        if problem.path == present.where.path and problem.message.startswith(_FIELDS):
            yield Found(
                message=f"{present.handoff.id}: {problem.message}",
                subject=f"{present.handoff.id} retry count",
                place=present.where,
                expected="a whole number",
                actual=problem.message,
            )


def _judge_runs(handoff: Handoff, budget: int, failures: int) -> Iterator[Found]:
    """What the steps themselves show, whatever their count says: tries of one phase in a row, failures in a row."""
    tries, failed = 0, 0
    previous: Step | None = None
    worst: dict[str, Found] = {}
    for step in list_steps(handoff):
        repeats = previous is not None and previous.phase == step.phase and step.phase is not None
        tries = tries + 1 if repeats else 1
        failed = (failed + 1 if repeats else 1) if step.status == "FAIL" and step.phase != _RED else 0
        if tries - 1 > budget:
            problem = f"was tried again {tries - 1} times, as its steps show"
            worst[f"tries {step.phase}"] = _build(step, "tries", problem, f"at most {budget} retries", tries - 1)
        if failed >= failures:
            problem = f"failed {failed} times in a row"
            worst[f"failures {step.phase}"] = _build(step, "failures", problem, f"a person after {failures}", failed)
        previous = step
    yield from worst.values()


def _build(step: Step, what: str, problem: str, expected: str, actual: int) -> Found:
    return Found(
        message=f"{step.phase or 'the phase'} of {step.handoff.id} {problem}; a person must decide",
        subject=f"{step.handoff.id} {step.phase} {what}",
        place=step.where,
        expected=expected,
        actual=str(actual),
    )


RETRY_BUDGET_KEPT = Rule(
    id="retry-budget-kept",
    system=System.TDD,
    severity=Severity.HIGH,
    holds="no phase was tried more often than the retry budget allows",
    reads="retry counts and repeated phases of TDD cycles",
    remedy="Stop retrying. A person looks at the failures and decides: another test, another design, or the end.",
    judge=judge,
)
