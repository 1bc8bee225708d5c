"""Workers as real processes that tests start and kill, and the engine they share."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from handoff_tui.agents.engine.dbos import DbosEngine, write_schema
from handoff_tui.agents.engine.files import WORKER_LOCK, has_worker
from handoff_tui.agents.engine.trial import read_records
from handoff_tui.agents.procedures.report import ProcedurePlan, ProcedureRun
from handoff_tui.agents.procedures.run import open_engine
from handoff_tui.handoffs.session import open_session
from handoff_tui.system.processes import detached
from tests.support.command_line import Said
from tests.support.gates import HANDOFF, GateDesk
from tests.support.procedure_worker import PLAN, find_place
from tests.support.signed import Person
from tests.support.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]


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

    def wait_end(self, run: str) -> ProcedureRun:
        wait_until(lambda: self.view(run).finished, f"the end of {run}")
        return self.view(run)

    def view(self, run: str) -> ProcedureRun:
        found = self.engine.view(run)
        assert found is not None
        return found


TRANSITION = "PHASE_TRANSITION_STANDARD"
CONFIG = """\
[engine]
poll_seconds = 0.1
idle_seconds = 2
"""


class RunDesk:
    """A repository with a log, a reviewer, and a worker that ends with the test."""

    def __init__(self, desk: GateDesk, config: str = CONFIG, lock: str = WORKER_LOCK) -> None:
        self.desk = desk
        self.lock = lock
        self.reviewer = desk.person("bob")
        self.write_config(self.reviewer, config)
        desk.begin(self.reviewer)

    @property
    def common_dir(self) -> Path:
        return self.desk.root / ".git"

    @property
    def transfers(self) -> Path:
        return self.common_dir / "handoff-tui" / "transfers" / HANDOFF.replace("/", "%2F") / "review" / "a1"

    def write_config(self, person: Person, text: str) -> None:
        place = person.home / "config" / "handoff-tui" / "config.toml"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def run(self, *words: str) -> Said:
        return self.desk.speaking(self.reviewer, "run", *words, "--repo", self.desk.root, "--json")

    def has_worker(self) -> bool:
        return has_worker(self.common_dir, self.lock)

    def kill_worker(self) -> None:
        kill_workers()

    def wait_end(self, run: str) -> dict[str, object]:
        """Until the run has ended; what `run --show` says of it then."""
        with open_engine(open_session(self.desk.root)) as engine:

            def has_ended() -> bool:
                found = engine.view(run)
                return found is not None and found.finished

            wait_until(has_ended, f"the end of {run}", every=0.2)
        value = self.run("--show", run).json
        assert isinstance(value, dict)
        return value


def kill_workers() -> None:
    """Every worker that this process has started: SIGKILL, also to one that is just beginning."""
    for process in detached._STARTED.values():
        process.kill()
        process.wait()
