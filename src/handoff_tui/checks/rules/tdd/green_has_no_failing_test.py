"""D: when GREEN is over no test fails, and none fails in the phases behind it."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.checks.rules.tdd.cycles import Step, count_failing, find_last, list_steps, require_cycles
from handoff_tui.core.severity import Severity

_GREEN = "GREEN"
_BEHIND = ("REFACTOR", "COMPLETE")


def judge(context: Context) -> Iterator[Found]:
    judged = False
    for handoff in require_cycles(context):
        steps = list_steps(handoff)
        for phase in (_GREEN, *_BEHIND):
            step = find_last(steps, phase)
            if step is not None:
                judged = True
                yield from _judge_step(step)
    if not judged:
        context.skip("no cycle here has come to GREEN")


def _judge_step(step: Step) -> Iterator[Found]:
    """GREEN must say that all tests pass; a later phase that says nothing was green before it began."""
    failing = count_failing(step.handoff) if step.is_present else None
    told = next((blocker.title for blocker in step.handoff.blockers), None) if step.is_present else None
    if step.status == "PASS" and failing:
        yield _build(step, f"says PASS, but {failing} failing tests are told of", f"{failing} failing")
    elif step.status != "PASS" and (step.phase == _GREEN or step.status is not None):
        reason = f": {told}" if told else ""
        word = "has a failing test" if step.status == "FAIL" else "does not say that all tests pass"
        yield _build(step, f"{word}{reason}", step.status or "no result")


def _build(step: Step, problem: str, actual: str) -> Found:
    return Found(
        message=f"{step.phase} of {step.handoff.id} {problem}",
        subject=f"{step.handoff.id} {step.phase}",
        place=step.where,
        expected="PASS",
        actual=actual,
    )


GREEN_HAS_NO_FAILING_TEST = Rule(
    id="green-has-no-failing-test",
    system=System.TDD,
    severity=Severity.CRITICAL,
    holds="no test fails when GREEN is over, nor in the phases behind it",
    reads="test results in notes and state files of TDD cycles",
    remedy="Make every test pass, run them all, and record PASS as testResult; do not weaken the test.",
    judge=judge,
)
