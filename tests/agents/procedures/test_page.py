"""Runs of procedures as people and scripts see them."""

from __future__ import annotations

import pytest

from handoff_tui.agents.procedures.page import (
    build_follow_line,
    build_metrics,
    build_run_json,
    build_run_page,
    build_runs_json,
    build_runs_page,
    fold_gate_readings,
    label_run,
)
from handoff_tui.agents.procedures.report import ProcedureRun, ProcedureState, RunRequest, TryKind, TryResult
from handoff_tui.core.severity import Severity
from tests.support.procedure_reports import build_report, build_run, build_try
from tests.support.reviewed import list_lines

WAITING = build_try(TryKind.GATE, "two", TryResult.WAITING, detail="pending: nobody has decided")


@pytest.mark.parametrize(
    ("run", "word"),
    [
        (build_run(ProcedureState.PENDING), "pending"),
        (build_run(ProcedureState.WAITING), "needs you"),
        (build_run(ProcedureState.ROLLBACK), "rolling back"),
        (build_run(ProcedureState.ROLLBACK, finished=True), "rolled back"),
        (build_run(ProcedureState.COMPLETED), "completed"),
        (build_run(ProcedureState.FAILED), "failed"),
        (build_run(ProcedureState.FAILED, needs_human=True), "stopped, needs you"),
    ],
)
def test_state_of_a_run_has_a_word_of_its_own(run: ProcedureRun, word: str) -> None:
    """Rolling back and rolled back are two things; so are failed and stopped, needs you."""
    assert label_run(run).word == word


def test_run_whose_record_cannot_be_read_is_null_and_not_guessed() -> None:
    """What was asked is unknown then."""
    value = build_run_json(ProcedureRun(id="x", request=None, state=ProcedureState.FAILED))
    assert (value["procedure"], value["handoff"], value["attempt"]) == (None, None, None)


def test_page_tells_every_try_and_what_was_left() -> None:
    """The reason, each try with its words, and the rollbacks that a person has to do."""
    run = build_run(
        ProcedureState.FAILED,
        needs_human=True,
        reason="the step two failed",
        tries=(
            build_try(TryKind.STEP, "one"),
            build_try(TryKind.RULE, "A", TryResult.FAIL, final=True, detail="not so"),
        ),
        left=("undo-one",),
    )
    lines = list_lines(build_run_page(run))
    assert lines[0] == "■ stopped, needs you  H-1:build:1:P:1"
    assert any("the step two failed" in line for line in lines)
    assert any("rule, at the end" in line and "not so" in line for line in lines)
    assert lines[-1] == "! undo-one did not run: undo by hand what it would undo"


def test_looks_at_a_gate_that_found_nothing_new_are_told_once() -> None:
    """A run that waited for days has looked a thousand times."""
    opened = build_try(TryKind.GATE, "two", number=9)
    folded = fold_gate_readings([build_try(TryKind.STEP, "one"), WAITING, WAITING, WAITING, opened])
    assert [(one.kind, one.result) for one in folded] == [
        (TryKind.STEP, TryResult.PASS),
        (TryKind.GATE, TryResult.PASS),
    ]
    assert len(fold_gate_readings([WAITING, WAITING])) == 1


def test_list_of_no_runs_says_so() -> None:
    """An empty page would look like a fault."""
    assert list_lines(build_runs_page(())) == ["No procedure has run here"]
    assert build_runs_json(())["runs"] == []


def test_words_of_agents_cannot_draw_on_the_terminal() -> None:
    """Details are text that somebody else wrote."""
    run = build_run(ProcedureState.FAILED, reason="\x1b[2Jgone", tries=(build_try(TryKind.STEP, "o\x07ne"),))
    assert not any(ord(character) < 32 for line in list_lines(build_run_page(run)) for character in line)


def test_line_for_whoever_watches_counts_the_steps() -> None:
    """Done of all, and the one at hand."""
    run = build_run(ProcedureState.IN_PROGRESS, tries=(build_try(TryKind.STEP, "one"),), current="two")
    assert build_follow_line(run) == "in progress: 1/2 steps, at two"
    assert build_follow_line(build_run(ProcedureState.PENDING, plan=None)) == "pending: 0 steps"


def test_runs_are_counted_by_how_they_ended() -> None:
    """By procedure; the average is over those that have ended."""
    runs = (
        build_run(),
        build_run(ProcedureState.FAILED, number=2),
        build_run(ProcedureState.ROLLBACK, number=3, finished=True, ended=105.0),
        build_run(ProcedureState.WAITING, number=4),
    )
    [found] = build_metrics(runs).types
    assert (found.runs, found.completed, found.rolled_back, found.failed, found.open) == (4, 1, 1, 1, 1)
    assert found.mean_seconds == (3.0 + 3.0 + 5.0) / 3


def test_every_judgement_of_a_rule_counts() -> None:
    """Further tries and the last validation among them; the severity is the planned one."""
    tries = (
        build_try(TryKind.RULE, "A", TryResult.FAIL),
        build_try(TryKind.RULE, "A", number=2),
        build_try(TryKind.RULE, "A", final=True),
        build_try(TryKind.STEP, "one"),
    )
    [found] = build_metrics((build_run(tries=tries),)).rules
    assert (found.rule, found.severity, found.judged, found.held) == ("A", Severity.CRITICAL, 3, 2)


def test_run_that_cannot_be_read_is_counted_nowhere() -> None:
    """Nobody knows what it was."""
    figures = build_metrics((ProcedureRun(id="x", request=None, state=ProcedureState.FAILED),))
    assert (figures.types, figures.rules) == ((), ())


def test_id_of_a_run_is_what_is_asked_for() -> None:
    """When it was asked and where the work was do not belong to it: asking twice is one run."""
    first = RunRequest(procedure="P", handoff="H-1", phase="build", attempt=2, commit="a" * 40, asked=1.0)
    second = RunRequest(procedure="P", handoff="H-1", phase="build", attempt=2, commit="b" * 40, asked=2.0)
    assert first.run_id == second.run_id == "H-1:build:2:P:1"


@pytest.mark.parametrize(
    ("changes", "held"),
    [
        ({}, True),
        ({"completed": 94, "stopped": 6}, False),
        ({"completed": 60, "rolled_back": 40, "injected": 40}, True),
        ({"completed": 60, "rolled_back": 30, "stopped": 10, "injected": 40}, False),
        ({"completed": 60, "failed": 40, "injected": 40}, True),
        ({"repeated": 1}, False),
    ],
    ids=["all complete", "too many fail", "failures undone", "rollbacks fail", "nothing to undo", "done twice"],
)
def test_profile_holds_by_success_and_rollback(changes: dict[str, int], held: bool) -> None:  # noqa: FBT001 - a case
    """Runs that were made to fail count for the rollbacks, all others for the success."""
    assert build_report(**changes).held is held
