"""Runs of procedures as people and scripts see them."""

from __future__ import annotations

import pytest

from handoff_tui.agents.procedures.page import (
    build_follow_line,
    build_run_json,
    build_run_page,
    build_runs_json,
    build_runs_page,
    fold_gate_readings,
    label_run,
)
from handoff_tui.agents.procedures.report import ProcedureRun, ProcedureState, TryKind, TryResult
from tests.support.procedure_reports import build_run, build_try
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


def test_json_of_a_run_is_as_promised() -> None:
    """Fields may be added, never renamed."""
    value = build_run_json(build_run(tries=(build_try(TryKind.STEP, "one"),)))
    assert {name: value[name] for name in ("schema", "id", "procedure", "handoff", "phase", "attempt", "state")} == {
        "schema": "handoff-tui/run/v1",
        "id": "H-1:build:1:P:1",
        "procedure": "P",
        "handoff": "H-1",
        "phase": "build",
        "attempt": 1,
        "state": "completed",
    }
    assert value["seconds"] == 3.0
    assert isinstance(value["tries"], list)


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
    assert lines[-1] == "! undo-one was not done: undo by hand what it would undo"


def test_looks_at_a_gate_that_found_nothing_new_are_told_once() -> None:
    """A run that waited for days has looked a thousand times."""
    opened = build_try(TryKind.GATE, "two", number=9)
    folded = fold_gate_readings([build_try(TryKind.STEP, "one"), WAITING, WAITING, WAITING, opened])
    assert [(one.kind, one.result) for one in folded] == [
        (TryKind.STEP, TryResult.PASS),
        (TryKind.GATE, TryResult.PASS),
    ]
    assert len(fold_gate_readings([WAITING, WAITING])) == 1


def test_list_of_runs_has_figures_below() -> None:
    """One row each, then how procedures and rules did."""
    runs = (
        build_run(tries=(build_try(TryKind.RULE, "A"),)),
        build_run(ProcedureState.WAITING, number=2, current="two"),
    )
    lines = list_lines(build_runs_page(runs))
    assert any("H-1:build:1:P:2 | two" in line for line in lines)
    assert "P  2 runs: 1 completed, 0 rolled back, 0 failed, 1 open, 3.0 s on average" in lines
    assert "A (critical)  held 1 of 1 times" in lines


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
