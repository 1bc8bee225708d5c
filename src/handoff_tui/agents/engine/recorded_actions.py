"""Actions that do nothing but write down that they were done, and fail where they are told to: for trials."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from threading import Event

from handoff_tui.agents.engine.engine import AgentOrder, Attempted, GateLook
from handoff_tui.agents.engine.trial_files import append_record
from handoff_tui.agents.procedures.report import ProcedurePlan, ProcedureTry, RunRequest, TryKind, TryResult
from handoff_tui.core.model import Model

_SCALE = 1 << 32


class Trial(Model):
    """What is tried."""

    plan: ProcedurePlan
    failure_rate: float = 0.0
    """The share of steps that are made to fail, however often they are tried."""
    application: str
    address: str
    table_schema: str = "dbos"


class RecordedActions:
    """A recorded-step agent: every piece of work is two lines in a file, its beginning and its end."""

    def __init__(self, folder: Path, trial: Trial) -> None:
        self._folder = folder
        self._trial = trial

    def plan(self, request: RunRequest) -> ProcedurePlan:
        del request
        return self._trial.plan

    def act(self, request: RunRequest, step: str, cancel: Event) -> Attempted:
        del cancel
        return self._record(request, TryKind.STEP, step, lambda: not is_made_to_fail(request, step, self._trial))

    def run_agent(self, request: RunRequest, order: AgentOrder, cancel: Event) -> ProcedureTry:
        passed, detail, _ = self.act(request, order.name, cancel)
        result = TryResult.PASS if passed else TryResult.FAIL
        return ProcedureTry(kind=order.kind, name=order.name, number=order.number, result=result, detail=detail)

    def judge(self, request: RunRequest, rule: str, cancel: Event) -> Attempted:
        del request, rule, cancel
        return Attempted(passed=True)

    def look_at_gate(self, request: RunRequest) -> GateLook:
        del request
        return GateLook(open=True, why="a trial has no gate")

    def undo(self, request: RunRequest, name: str, cancel: Event) -> Attempted:
        del cancel
        return self._record(request, TryKind.ROLLBACK, name, lambda: True)

    def stop_agents(self, request: RunRequest) -> None:
        """There are none."""

    def tell(self, request: RunRequest, text: str) -> None:
        """Nobody is needed in a trial."""

    def read_log_mark(self) -> str:
        return ""

    def _record(self, request: RunRequest, kind: TryKind, name: str, work: Callable[[], bool]) -> Attempted:
        line = {"run": request.run_id, "kind": kind.value, "name": name}
        append_record(self._folder, {**line, "moment": "begin"})
        passed = work()
        append_record(self._folder, {**line, "moment": "end", "passed": passed})
        return Attempted(passed=passed, detail="" if passed else "it was made to fail")


def is_made_to_fail(request: RunRequest, step: str, trial: Trial) -> bool:
    """By the names alone, so that every process says the same, and says it again."""
    digest = hashlib.sha256(f"{request.run_id} {step}".encode()).digest()
    return int.from_bytes(digest[:4], "big") / _SCALE < trial.failure_rate


def has_made_to_fail(request: RunRequest, trial: Trial) -> bool:
    return any(is_made_to_fail(request, step.name, trial) for step in trial.plan.steps)


def count_repeated(records: Iterable[Mapping[str, object]]) -> int:
    """How many pieces of work were begun again after they had passed."""
    passed: Counter[tuple[object, ...]] = Counter()
    repeated = 0
    for record in records:
        key = (record["run"], record["kind"], record["name"])
        if record["moment"] == "begin":
            repeated += passed[key] > 0
        elif record.get("passed"):
            passed[key] += 1
    return repeated
