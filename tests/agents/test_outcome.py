from __future__ import annotations

import pytest

from handoff_tui.agents.runs.run import RunEnd, RunEnding
from handoff_tui.agents.step.judge import add_budget, can_try_again, describe_next, find_direction, judge_run
from handoff_tui.agents.step.report import Budget, Direction, Notice, Sign, StepOutcome
from handoff_tui.config.pipeline import Phase
from handoff_tui.core.severity import Severity

GOOD = RunEnd(ending=RunEnding.EXITED, code=0)


def notice(sign: Sign, severity: Severity = Severity.HIGH) -> Notice:
    return Notice(sign=sign, severity=severity, text=sign.value)


def judge(end: RunEnd = GOOD, *notices: Notice, failing: tuple[str, ...] = (), gate: bool = True) -> StepOutcome:
    return judge_run(end, list(notices), failing, None, has_gate=gate).outcome


def test_run_without_anything_against_it_is_ready() -> None:
    """For a person to decide; that is no decision."""
    assert judge() is StepOutcome.READY


def test_tampering_is_for_a_person_whatever_else_holds() -> None:
    """Also when the run was stopped, or failed."""
    critical = notice(Sign.CHECKS_EDITED, Severity.CRITICAL)
    assert judge(GOOD, critical) is StepOutcome.NEEDS_HUMAN
    assert judge(RunEnd(ending=RunEnding.STOPPED), critical) is StepOutcome.NEEDS_HUMAN


def test_stopped_run_has_not_failed() -> None:
    """Somebody wanted it."""
    assert judge(RunEnd(ending=RunEnding.STOPPED), notice(Sign.STOPPED)) is StepOutcome.STOPPED


def test_failing_checks_fail_a_good_run() -> None:
    """Each is named."""
    judged = judge_run(GOOD, [], ("a", "b"), None, has_gate=True)
    assert judged == (StepOutcome.FAILED, ("blocking checks do not pass: a, b",))


def test_work_that_cannot_be_examined_has_failed() -> None:
    """With the reason."""
    assert judge_run(GOOD, [], (), "no such handoff", has_gate=True).why == ("no such handoff",)


def test_worry_at_a_phase_without_a_gate_asks_for_a_person() -> None:
    """At a gate a person looks anyway."""
    worry = notice(Sign.ERROR_IN_OUTPUT, Severity.MEDIUM)
    assert judge(GOOD, worry) is StepOutcome.READY
    assert judge(GOOD, worry, gate=False) is StepOutcome.NEEDS_HUMAN


def test_spent_budget_asks_for_a_person() -> None:
    """Only of a failure, and only when the last try is used up."""
    failed = judge_run(GOOD, [], ("a",), None, has_gate=True)
    assert add_budget(failed, Budget(used=3, allowed=3)) == failed
    spent = add_budget(failed, Budget(used=4, allowed=3))
    assert (spent.outcome, spent.why[-1]) == (StepOutcome.NEEDS_HUMAN, "all 4 tries of the loop are used up")
    ready = judge_run(GOOD, [], (), None, has_gate=True)
    assert add_budget(ready, Budget(used=9, allowed=3)) == ready


@pytest.mark.parametrize(
    ("end", "outcome", "expected"),
    [
        (RunEnd(ending=RunEnding.EXITED, code=1), StepOutcome.FAILED, True),
        (RunEnd(ending=RunEnding.TIMED_OUT), StepOutcome.FAILED, True),
        (RunEnd(ending=RunEnding.LOST), StepOutcome.FAILED, True),
        (RunEnd(ending=RunEnding.NOT_STARTED), StepOutcome.FAILED, False),
        (RunEnd(ending=RunEnding.FLOODED), StepOutcome.FAILED, False),
        (RunEnd(ending=RunEnding.EXITED, code=1), StepOutcome.NEEDS_HUMAN, False),
        (GOOD, StepOutcome.FAILED, False),
    ],
)
def test_only_what_failed_by_itself_is_tried_again(end: RunEnd, outcome: StepOutcome, *, expected: bool) -> None:
    """A missing program stays missing; checks that fail go back along the pipeline instead."""
    assert can_try_again(end, outcome) is expected


@pytest.mark.parametrize(
    ("outcome", "gate", "words"),
    [
        (StepOutcome.READY, True, "a person decides at the gate behind DEV"),
        (StepOutcome.READY, False, "QA may start"),
        (StepOutcome.FAILED, True, "the work goes back to QA; 3 of 4 tries left"),
        (StepOutcome.NEEDS_HUMAN, True, "a person must look at it"),
        (StepOutcome.STOPPED, True, "DEV was stopped; start it again when it should go on"),
    ],
)
def test_next_move_is_told_in_words(outcome: StepOutcome, words: str, *, gate: bool) -> None:
    """Who owes what."""
    phase = Phase(name="DEV", gate=gate)
    assert describe_next(outcome, phase, Phase(name="QA"), Budget(used=1, allowed=3)) == words


def test_next_move_at_the_end_and_before_a_phase_for_people() -> None:
    """Nothing more, and nobody but a person."""
    free = Phase(name="DEV", gate=False)
    assert describe_next(StepOutcome.READY, free, None, Budget()) == "DEV was the last phase"
    only = Phase(name="DEPLOY", human_only=True)
    assert describe_next(StepOutcome.READY, free, only, Budget()) == "a person may start DEPLOY"


def test_direction_follows_the_outcome() -> None:
    """Where a person is needed there is none."""
    assert find_direction(StepOutcome.READY) is Direction.FORWARD
    assert find_direction(StepOutcome.FAILED) is Direction.FAILED
    assert find_direction(StepOutcome.NEEDS_HUMAN) is None
