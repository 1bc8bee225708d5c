"""Runs and reports of procedures put together by hand, for tests of what is counted and shown."""

from __future__ import annotations

from typing import Any

from handoff_tui.agents.engine.profile import Latency, ProfileReport
from handoff_tui.agents.procedures.report import (
    ProcedurePlan,
    ProcedureRun,
    ProcedureState,
    ProcedureTry,
    RunRequest,
    TryKind,
    TryResult,
)
from tests.support.procedure_runs import build_plan, build_rule, build_step

PLAN: ProcedurePlan = build_plan(build_step("one", "A"), build_step("two", gate=True), rules=(build_rule("A"),))


def build_report(**changes: Any) -> ProfileReport:  # noqa: ANN401 - any field
    values: dict[str, Any] = {
        "profile": "RELIABILITY_STANDARD",
        "kind": "reliability",
        "procedure": "P",
        "engine": "SQLite",
        "iterations": 100,
        "concurrent": 5,
        "failure_rate": 0.0,
        "seconds": 12.25,
        "completed": 100,
        "rolled_back": 0,
        "failed": 0,
        "stopped": 0,
        "timed_out": 0,
        "injected": 0,
        "as_expected": 100,
        "repeated": 0,
        "latency": Latency(median=0.5, p90=0.75, p95=1.0, p99=1.5, longest=2.0),
        "success_minimum": 0.95,
        "rollback_minimum": 0.9,
    }
    return ProfileReport(**{**values, **changes})


def build_try(kind: TryKind, name: str, result: TryResult = TryResult.PASS, **changes: Any) -> ProcedureTry:  # noqa: ANN401
    return ProcedureTry(kind=kind, name=name, result=result, began=100.0, seconds=0.25, **changes)


def build_run(state: ProcedureState = ProcedureState.COMPLETED, **changes: Any) -> ProcedureRun:  # noqa: ANN401 - any field
    request = RunRequest(
        procedure="P", handoff="H-1", phase="build", attempt=1, commit="c" * 40, number=changes.pop("number", 1)
    )
    finished = state in {ProcedureState.COMPLETED, ProcedureState.FAILED}
    values = {"finished": finished, "created": 100.0, "ended": 103.0 if finished else None, "plan": PLAN, **changes}
    return ProcedureRun(id=request.run_id, request=request, state=state, **values)
