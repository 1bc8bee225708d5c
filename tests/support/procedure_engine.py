"""Workers as real processes that tests start and kill, and the engine they share."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from handoff_tui.agents.engine.dbos import DbosEngine, write_schema
from handoff_tui.agents.engine.trial import read_records
from handoff_tui.agents.procedures.report import ProcedurePlan, ProcedureRun
from tests.support.procedure_worker import PLAN, find_place

ROOT = Path(__file__).resolve().parents[2]


def wait_until(holds: Callable[[], bool], what: str, seconds: float = 50.0, every: float = 0.02) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"{what} did not come about"
        time.sleep(every)


@dataclass
class EngineFolder:
    """One engine, and the files by which its workers' steps are told what to do."""

    folder: Path
    address: str = ""
    workers: list[subprocess.Popen[str]] = field(default_factory=list)

    def __enter__(self) -> Self:
        place = find_place(self.folder, self.address)
        write_schema(place)
        self.engine = DbosEngine(place)
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            self.kill(worker)
        self.engine.close()

    def write_plan(self, plan: ProcedurePlan) -> None:
        (self.folder / PLAN).write_text(plan.model_dump_json(), encoding="utf-8")

    def start(self) -> subprocess.Popen[str]:
        """A worker that is ready; the first line it says is its name."""
        command = [sys.executable, "-m", "tests.support.procedure_worker", str(self.folder)]
        worker = subprocess.Popen(
            [*command, self.address] if self.address else command,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.workers.append(worker)
        assert worker.stdout is not None
        assert worker.stdout.readline().strip()
        return worker

    def kill(self, worker: subprocess.Popen[str]) -> None:
        """SIGKILL: nothing can be prepared for it. One that is dead already is left alone."""
        worker.kill()
        worker.wait()
        if worker.stdout is not None:
            worker.stdout.close()

    def hold(self, step: str) -> None:
        (self.folder / f"hold-{step}").touch()

    def release(self, step: str) -> None:
        (self.folder / f"hold-{step}").unlink()

    def fail(self, step: str) -> None:
        (self.folder / f"fail-{step}").touch()

    def list_begun(self, run: str | None = None) -> list[str]:
        """The steps that were really begun, in order."""
        records = read_records(self.folder)
        return [
            str(record["name"]) for record in records if record["moment"] == "begin" and run in {None, record["run"]}
        ]

    def wait_begun(self, step: str, times: int = 1) -> None:
        wait_until(lambda: self.list_begun().count(step) >= times, f"the step {step}")

    def wait_end(self, run: str, seconds: float = 40.0) -> ProcedureRun:
        wait_until(lambda: self.view(run).finished, f"the end of {run}", seconds)
        return self.view(run)

    def view(self, run: str) -> ProcedureRun:
        found = self.engine.view(run)
        assert found is not None
        return found
