"""A worker process of the tests' own: the real engine, with steps that wait for files and write down what they do.

    python -m tests.support.procedure_worker FOLDER [ADDRESS]

A step `NAME` writes a line, waits while `hold-NAME` is there, fails while `fail-NAME` or `fail-NAME-HANDOFF` is there,
and writes another.
"""

# ruff: noqa: ARG002 - every action is given all that there is
from __future__ import annotations

import sys
import time
from pathlib import Path
from threading import Event

from handoff_tui.agents.engine.dbos import EngineLocation, load_engine, quiet_logger
from handoff_tui.agents.engine.engine import AgentOrder, GateAnswer, StepResult
from handoff_tui.agents.engine.trial import append_record
from handoff_tui.agents.engine.worker import Lease, SharedLease, SingleWorkerLease, Worker, WorkerOptions
from handoff_tui.agents.procedures.report import ProcedurePlan, ProcedureTry, RunRequest, TryResult
from handoff_tui.system.processes.detached import leave_at_once

APPLICATION = "handoff-tui-test"
PLAN = "plan.json"
_LOOK_SECONDS = 0.02


class HeldActions:
    """Everything is told by files in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def plan(self, request: RunRequest) -> ProcedurePlan:
        return ProcedurePlan.model_validate_json((self.folder / PLAN).read_bytes())

    def act(self, request: RunRequest, step: str, cancel: Event) -> StepResult:
        return self._do(request, step, cancel)

    def run_agent(self, request: RunRequest, order: AgentOrder, cancel: Event) -> ProcedureTry:
        passed = self._do(request, order.name, cancel).passed
        result = TryResult.PASS if passed else TryResult.FAIL
        return ProcedureTry(kind=order.kind, name=order.name, number=order.number, result=result)

    def judge(self, request: RunRequest, rule: str, cancel: Event) -> StepResult:
        return StepResult(passed=not (self.folder / f"fail-{rule}").exists())

    def read_gate(self, request: RunRequest) -> GateAnswer:
        return GateAnswer(open=True if (self.folder / "approved").exists() else None, why="by the file")

    def undo(self, request: RunRequest, name: str, cancel: Event) -> StepResult:
        return self._do(request, name, cancel)

    def stop_agents(self, request: RunRequest) -> None:
        """There are none."""

    def tell(self, request: RunRequest, text: str) -> None:
        append_record(self.folder, {"run": request.run_id, "kind": "tell", "name": text, "moment": "told"})

    def read_log_mark(self) -> str:
        return str((self.folder / "approved").exists())

    def _do(self, request: RunRequest, name: str, cancel: Event) -> StepResult:
        line = {"run": request.run_id, "kind": "step", "name": name}
        append_record(self.folder, {**line, "moment": "begin"})
        while (self.folder / f"hold-{name}").exists() and not cancel.is_set():
            time.sleep(_LOOK_SECONDS)
        passed = not any((self.folder / word).exists() for word in (f"fail-{name}", f"fail-{name}-{request.handoff}"))
        append_record(self.folder, {**line, "moment": "end", "passed": passed})
        return StepResult(passed=passed, detail="" if passed else "told to fail")


def find_place(folder: Path, address: str = "") -> EngineLocation:
    return EngineLocation(address or f"sqlite:///{folder}/engine.sqlite", APPLICATION)


def main() -> None:
    folder = Path(sys.argv[1])
    place = find_place(folder, *sys.argv[2:])
    load_engine()
    quiet_logger()
    lease: Lease = SharedLease(place.address, place.application) if place.shared else SingleWorkerLease()
    options = WorkerOptions(agents_per_worker=4, agents_maximum=16, poll_seconds=0.1)
    worker = Worker(place, HeldActions(folder), options, lease)
    worker.launch()
    sys.stdout.write(f"{lease.executor}\n")
    sys.stdout.flush()
    worker.serve(Event())
    leave_at_once(0)


if __name__ == "__main__":
    main()
