"""Runs, counted."""

from __future__ import annotations

from handoff_tui.agents.procedures.page import build_metrics
from handoff_tui.agents.procedures.report import ProcedureRun, ProcedureState, TryKind, TryResult
from handoff_tui.core.severity import Severity
from tests.support.procedure_reports import build_run, build_try


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
