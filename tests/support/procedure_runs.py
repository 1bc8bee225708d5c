"""Procedures without an engine: a memory that can die at any point, actions that do as told, reports made by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from handoff_tui.agents.engine.engine import AgentOrder, GateAnswer, Json, StepResult
from handoff_tui.agents.engine.profile import Latency, ProfileReport
from handoff_tui.agents.procedures.report import (
    PlannedRule,
    PlannedStep,
    PlannedUndo,
    ProcedureEnd,
    ProcedurePlan,
    ProcedureRun,
    ProcedureState,
    ProcedureTry,
    RunRequest,
    TryKind,
    TryResult,
)
from handoff_tui.agents.procedures.runner import ProcedureRunner, StepExecutor
from handoff_tui.core.errors import HandoffError, ProcedureError
from handoff_tui.core.place import Severity

# ruff: noqa: ARG002 - every action is given all that there is


REQUEST = RunRequest(procedure="P", handoff="H-1", phase="build", attempt=1)


class DiedError(Exception):
    """The worker was killed."""


def build_plan(
    *steps: PlannedStep, rules: tuple[PlannedRule, ...] = (), rollback: tuple[PlannedUndo, ...] = (), **others: float
) -> ProcedurePlan:
    return ProcedurePlan(
        steps=steps or tuple(build_step(name) for name in ("one", "two", "three")),
        rules=rules,
        rollback=rollback,
        gate_timeout_seconds=others.get("gate_timeout_seconds", 3600.0),
        gate_check_seconds=others.get("gate_check_seconds", 60.0),
        share_minimum=others.get("share_minimum", 0.8),
    )


def build_step(name: str, *rules: str, retries: int = 0, gate: bool = False, seconds: float = 5.0) -> PlannedStep:
    return PlannedStep(name=name, timeout_seconds=seconds, retries=retries, gate=gate, rules=rules)


def build_rule(name: str, severity: Severity = Severity.CRITICAL, retries: int = 0) -> PlannedRule:
    return PlannedRule(id=name, name=f"{name} holds", severity=severity, timeout_seconds=5.0, retries=retries)


def build_undo(name: str, *undoes: str, retries: int = 0) -> PlannedUndo:
    return PlannedUndo(name=name, timeout_seconds=5.0, retries=retries, undoes=undoes)


@dataclass
class MemoryDurable:
    """Writes down what steps returned; dies when told to, before or after the step of a number was written down."""

    written: list[tuple[str, Json]] = field(default_factory=list)
    die_before: int | None = None
    die_after: int | None = None
    slept: list[float] = field(default_factory=list)
    received: list[float] = field(default_factory=list)
    on_receive: Callable[[], None] = lambda: None
    _place: int = 0

    def replay(self) -> MemoryDurable:
        """The same record, for another worker."""
        return MemoryDurable(written=self.written, on_receive=self.on_receive)

    def step(self, name: str, work: Callable[[], Json]) -> Json:
        number = self._place
        self._place += 1
        if number < len(self.written):
            known, value = self.written[number]
            assert known == name, f"the replay went another way: {name} for {known}"
            return value
        if number == self.die_before:
            raise DiedError
        value = work()
        if number == self.die_after:
            raise DiedError
        self.written.append((name, value))
        return value

    def run_limited(self, name: str, order: Json) -> Json:
        raise AssertionError(f"no agent was planned: {name} {order}")

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def receive(self, seconds: float) -> None:
        self.received.append(seconds)
        self.on_receive()


@dataclass
class ToldActions:
    """Every call is noted; what a name should come to is told by how often it fails before it passes."""

    planned: ProcedurePlan
    failures: dict[str, int] = field(default_factory=dict)
    refused: str = ""
    gate: list[GateAnswer] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    works: dict[str, Callable[[Event], None]] = field(default_factory=dict)
    faults: dict[str, HandoffError] = field(default_factory=dict)

    def plan(self, request: RunRequest) -> ProcedurePlan:
        if self.refused:
            raise ProcedureError(self.refused)
        return self.planned

    def act(self, request: RunRequest, step: str, cancel: Event) -> StepResult:
        return self._do(f"step {step}", step, cancel)

    def run_agent(self, request: RunRequest, order: AgentOrder, cancel: Event) -> ProcedureTry:
        return ProcedureTry(kind=order.kind, name=order.name, number=order.number, result=TryResult.PASS)

    def judge(self, request: RunRequest, rule: str, cancel: Event) -> StepResult:
        return self._do(f"rule {rule}", rule, cancel)

    def read_gate(self, request: RunRequest) -> GateAnswer:
        self.calls.append("gate")
        found = self.gate.pop(0) if len(self.gate) > 1 else self.gate[0]
        if found.why == "unreadable":
            raise ProcedureError("unreadable")
        return found

    def undo(self, request: RunRequest, name: str, cancel: Event) -> StepResult:
        return self._do(f"undo {name}", name, cancel)

    def stop_agents(self, request: RunRequest) -> None:
        self.calls.append("fence")
        if "fence" in self.faults:
            raise self.faults["fence"]

    def tell(self, request: RunRequest, text: str) -> None:
        self.calls.append(f"tell {text}")

    def read_log_mark(self) -> str:
        return ""

    def _do(self, call: str, name: str, cancel: Event) -> StepResult:
        self.calls.append(call)
        if name in self.works:
            self.works[name](cancel)
        if name in self.faults:
            raise self.faults[name]
        left = self.failures.get(name, 0)
        self.failures[name] = left - 1
        return StepResult(passed=left <= 0, detail="" if left <= 0 else "told to fail")


@dataclass
class ListEngine:
    """An engine that knows some runs; what is asked of it is noted."""

    runs: tuple[ProcedureRun, ...] = ()
    asked: list[str] = field(default_factory=list)

    def submit(self, request: RunRequest) -> str:
        self.asked.append(f"submit {request.run_id}")
        new = ProcedureRun(id=request.run_id, request=request, state=ProcedureState.PENDING)
        self.runs = (*self.runs, new)
        return request.run_id

    def wake(self, run: str) -> None:
        self.asked.append(f"wake {run}")

    def cancel(self, run: str) -> None:
        self.asked.append(f"cancel {run}")

    def view(self, run: str) -> ProcedureRun | None:
        return next((known for known in self.runs if known.id == run), None)

    def list(self, limit: int = 100) -> tuple[ProcedureRun, ...]:
        return self.runs[:limit]

    def close(self) -> None: ...


def run(actions: ToldActions, durable: MemoryDurable | None = None, watch: StepExecutor | None = None) -> ProcedureEnd:
    return ProcedureRunner(durable or MemoryDurable(), actions, REQUEST, watch or StepExecutor(grace_seconds=0.1)).run()


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
