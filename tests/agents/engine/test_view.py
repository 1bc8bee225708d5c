"""A run as the engine's rows tell it; rows that somebody damaged tell nothing, and break nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handoff_tui.agents.engine.dbos import WorkflowRow, build_run
from handoff_tui.agents.procedures.report import ProcedureState, ProcedureTry, TryKind, TryResult
from tests.support.procedure_reports import PLAN, build_try
from tests.support.procedure_runs import REQUEST

PENDING = WorkflowRow(run="r", status="PENDING", input={"args": (REQUEST.model_dump(mode="json"),), "kwargs": {}})


def build_steps(*tries: ProcedureTry) -> list[dict[str, object]]:
    planned: dict[str, object] = {"output": {"plan": PLAN.model_dump(mode="json")}}
    told: list[dict[str, object]] = [{"output": one.model_dump(mode="json")} for one in tries]
    return [planned, *told, {"output": None}]


@pytest.mark.parametrize(
    ("tries", "state", "current"),
    [
        ((), ProcedureState.IN_PROGRESS, "one"),
        ((build_try(TryKind.STEP, "one"),), ProcedureState.IN_PROGRESS, "two"),
        ((build_try(TryKind.STEP, "one"), build_try(TryKind.RULE, "A")), ProcedureState.VALIDATING, "two"),
        (
            (build_try(TryKind.STEP, "one"), build_try(TryKind.GATE, "two", TryResult.WAITING)),
            ProcedureState.WAITING,
            "two",
        ),
        (
            (build_try(TryKind.STEP, "one", TryResult.FAIL), build_try(TryKind.FENCE, "fence")),
            ProcedureState.ROLLBACK,
            "rollback",
        ),
        ((build_try(TryKind.STEP, "one"), build_try(TryKind.STEP, "two")), ProcedureState.IN_PROGRESS, "validation"),
    ],
)
def test_state_of_a_run_under_way_is_what_it_tried_last(
    tries: tuple[ProcedureTry, ...], state: ProcedureState, current: str
) -> None:
    """And the step it is at is the first that has not passed."""
    run = build_run(PENDING, build_steps(*tries))
    assert (run.state, run.current, run.finished, run.tries) == (state, current, False, tries)


def test_run_in_its_queue_is_pending() -> None:
    """Nothing is known of it but what was asked."""
    run = build_run(PENDING._replace(status="ENQUEUED"), [])
    assert (run.state, run.request) == (ProcedureState.PENDING, REQUEST)


def test_run_that_is_queued_again_by_a_new_worker_keeps_its_state() -> None:
    """After a death it is taken up from its queue; it still waits for a person."""
    steps = build_steps(build_try(TryKind.GATE, "two", TryResult.WAITING))
    assert build_run(PENDING._replace(status="ENQUEUED"), steps).state is ProcedureState.WAITING


def test_end_of_a_run_is_what_it_said() -> None:
    """Its time goes to the end of the last try, which is finer than the database's."""
    record = PENDING._replace(
        status="SUCCESS", output={"state": "failed", "reason": "why", "needs_human": True, "left": ["x"]}, completed=1
    )
    run = build_run(record, build_steps(build_try(TryKind.STEP, "one")))
    assert (run.state, run.reason, run.needs_human, run.left) == (ProcedureState.FAILED, "why", True, ("x",))
    assert (run.finished, run.ended) == (True, 100.25)


@pytest.mark.parametrize("status", ["ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"])
def test_run_that_the_engine_ended_needs_a_person(status: str) -> None:
    """Nothing was undone then, so nobody may think that it was."""
    run = build_run(PENDING._replace(status=status, fault="boom"), [])
    assert (run.state, run.finished, run.needs_human, run.reason != "") == (ProcedureState.FAILED, True, True, True)


def test_end_that_cannot_be_read_is_no_success() -> None:
    """An edited record does not make a run completed."""
    run = build_run(PENDING._replace(status="SUCCESS", output={"state": "approved"}), [])
    assert (run.state, run.needs_human) == (ProcedureState.FAILED, True)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["plan", "kind", "name", "x"]), inner),
    max_leaves=6,
)


@given(value=_JSON, outputs=st.lists(_JSON, max_size=3), status=st.sampled_from(["SUCCESS", "PENDING", "ERROR", "odd"]))
@settings(max_examples=60)
def test_damaged_rows_never_raise(value: object, outputs: list[object], status: str) -> None:
    """Whatever stands in the database, a run comes out, and it is never completed by accident."""
    record = WorkflowRow(run="r", status=status, input=value, output=value)
    run = build_run(record, [{"output": output} for output in outputs])
    assert run.id == "r"
    assert run.state is not ProcedureState.COMPLETED
