"""What a run of a procedure says of itself."""

from __future__ import annotations

import pytest

from handoff_tui.agents.procedures.report import ProcedureRun, ProcedureState, RunRequest
from tests.support.procedure_reports import build_report


def test_id_of_a_run_is_what_is_asked_for() -> None:
    """When it was asked and where the work was do not belong to it: asking twice is one run."""
    first = RunRequest(procedure="P", handoff="H-1", phase="build", attempt=2, commit="a" * 40, asked=1.0)
    second = RunRequest(procedure="P", handoff="H-1", phase="build", attempt=2, commit="b" * 40, asked=2.0)
    assert first.run_id == second.run_id == "H-1:build:2:P:1"


def test_time_of_a_run_is_known_when_it_has_ended() -> None:
    """From asking to the end; nothing before."""
    run = ProcedureRun(id="x", request=None, state=ProcedureState.COMPLETED, created=1.0)
    assert run.seconds is None
    assert run.model_copy(update={"ended": 3.5}).seconds == 2.5


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


def test_rates_of_nothing_are_nothing() -> None:
    """Where nothing had to be undone there is no rate of it."""
    assert build_report().rollback_rate is None
    assert build_report(rolled_back=3, stopped=1).rollback_rate == 0.75
