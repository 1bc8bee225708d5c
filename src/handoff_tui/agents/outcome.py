"""What a run has come to, from what was measured. Pure; none of its answers is a decision."""

from __future__ import annotations

from typing import NamedTuple

from handoff_tui.agents.runs.run import RunEnd, RunEnding
from handoff_tui.agents.signs import is_tampering
from handoff_tui.agents.step.report import Budget, Direction, Notice, Sign, StepOutcome
from handoff_tui.config.pipeline import Phase
from handoff_tui.core.severity import Severity

_FAILING = frozenset({
    Sign.NOT_STARTED, Sign.FAILED, Sign.TIMED_OUT, Sign.FLOODED, Sign.LOST, Sign.DID_NOTHING, Sign.OUTPUT_REWRITTEN,
})  # fmt: skip
_WORRYING = frozenset({Severity.CRITICAL, Severity.HIGH, Severity.MEDIUM})


class Judged(NamedTuple):
    """An outcome and the reasons for it."""

    outcome: StepOutcome
    why: tuple[str, ...]


def judge_run(
    end: RunEnd,
    notices: list[Notice],
    failing: tuple[str, ...],
    problem: str | None,
    *,
    has_gate: bool,
) -> Judged:
    """Tampering is for a person; then what failed; then what a gate that nobody guards would let pass unseen."""
    tampering = [notice.text for notice in notices if is_tampering(notice)]
    if tampering:
        return Judged(StepOutcome.NEEDS_HUMAN, tuple(tampering))
    if end.ending is RunEnding.STOPPED:
        return Judged(StepOutcome.STOPPED, ("it was stopped on request",))
    failed = [notice.text for notice in notices if notice.sign in _FAILING]
    if problem is not None:
        failed.append(problem)
    if failing:
        failed.append(f"blocking checks do not pass: {', '.join(failing)}")
    if failed:
        return Judged(StepOutcome.FAILED, tuple(failed))
    worrying = [notice.text for notice in notices if notice.severity in _WORRYING]
    if worrying and not has_gate:
        return Judged(StepOutcome.NEEDS_HUMAN, tuple(worrying))
    return Judged(StepOutcome.READY, ())


def add_budget(judged: Judged, budget: Budget) -> Judged:
    """A failure that used up the last try of the loop is for a person."""
    if judged.outcome is not StepOutcome.FAILED or not budget.is_spent:
        return judged
    spent = f"all {budget.allowed + 1} tries of the loop are used up"
    return Judged(StepOutcome.NEEDS_HUMAN, (*judged.why, spent))


def can_try_again(end: RunEnd, outcome: StepOutcome) -> bool:
    """Whether another try of the same command may help: it ran and failed by itself."""
    by_itself = {RunEnding.EXITED, RunEnding.SIGNALLED, RunEnding.TIMED_OUT, RunEnding.LOST}
    return outcome is StepOutcome.FAILED and end.ending in by_itself and not end.succeeded


def describe_next(outcome: StepOutcome, phase: Phase, target: Phase | None, budget: Budget) -> str:
    """Who owes what now."""
    if outcome is StepOutcome.STOPPED:
        return f"{phase.name} was stopped; start it again when it should go on"
    if outcome is StepOutcome.NEEDS_HUMAN:
        return "a person must look at it"
    if outcome is StepOutcome.FAILED:
        tries = f"{budget.left} of {budget.allowed + 1} tries left"
        return f"the work goes back to {target.name if target else phase.name}; {tries}"
    if phase.gate:
        return f"a person decides at the gate behind {phase.name}"
    if target is None:
        return f"{phase.name} was the last phase"
    return f"a person may start {target.name}" if target.human_only else f"{target.name} may start"


def describe_procedure_next(outcome: StepOutcome) -> str:
    """The same for a step of a procedure, which goes its own way on."""
    words = {
        StepOutcome.READY: "the procedure goes on",
        StepOutcome.FAILED: "the procedure tries again, or goes its way back",
        StepOutcome.STOPPED: "the procedure goes its way back",
        StepOutcome.NEEDS_HUMAN: "the procedure goes its way back; a person must look at it",
    }
    return words[outcome]


def find_direction(outcome: StepOutcome) -> Direction | None:
    if outcome is StepOutcome.READY:
        return Direction.FORWARD
    return Direction.FAILED if outcome is StepOutcome.FAILED else None
