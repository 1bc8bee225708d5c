"""Trials of the engine: actions that only record that they ran, and fail if they are told to."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from threading import Event

from handoff_tui.agents.engine.engine import AgentOrder, GateAnswer, StepResult
from handoff_tui.agents.procedures.report import ProcedurePlan, ProcedureTry, RunRequest, TryKind, TryResult
from handoff_tui.core.errors import EngineError
from handoff_tui.core.model import Model
from handoff_tui.system.files.sealed_files import load_json, write_json

_TRIAL = "trial.json"
_RECORD = "record.jsonl"
_READY = "ready"
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


def make_trial() -> Path:
    """Makes a folder outside every repository."""
    return Path(tempfile.mkdtemp(prefix="handoff-tui-trial-"))


def write_trial(folder: Path, trial: dict[str, object]) -> None:
    """Writes what the worker of the trial is told."""
    if not write_json(folder / _TRIAL, trial):
        raise EngineError(f"can't write {folder}", "Is the disk full?")


def mark_ready(folder: Path) -> None:
    (folder / _READY).touch()


def is_ready(folder: Path) -> bool:
    return (folder / _READY).exists()


def read_last_words(place: Path) -> str:
    """Returns the last line that a process wrote."""
    try:
        lines = place.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        return "no output"
    return lines[-1] if lines else "no output"


def load_trial(folder: Path) -> object:
    return load_json(folder / _TRIAL)


def remove_trial(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def append_record(folder: Path, record: dict[str, object]) -> None:
    """Appends one line in one call, so that lines of several threads and processes don't mix."""
    descriptor = os.open(folder / _RECORD, _FLAGS, 0o600)
    try:
        os.write(descriptor, (json.dumps(record) + "\n").encode())
    finally:
        os.close(descriptor)


def read_records(folder: Path) -> list[dict[str, object]]:
    """Reads every complete line."""
    try:
        lines = (folder / _RECORD).read_bytes().split(b"\n")[:-1]
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in lines]


_SCALE = 1 << 32


class Trial(Model):
    """What a trial runs."""

    plan: ProcedurePlan
    failure_rate: float = 0.0
    """The share of steps that are made to fail, however often they run."""
    application: str
    address: str
    table_schema: str = "dbos"


class RecordedActions:
    """Records the beginning and the end of every piece of work as two lines in a file."""

    def __init__(self, folder: Path, trial: Trial) -> None:
        self._folder = folder
        self._trial = trial

    def plan(self, request: RunRequest) -> ProcedurePlan:
        del request
        return self._trial.plan

    def act(self, request: RunRequest, step: str, cancel: Event) -> StepResult:
        del cancel
        return self._record(request, TryKind.STEP, step, lambda: not is_made_to_fail(request, step, self._trial))

    def run_agent(self, request: RunRequest, order: AgentOrder, cancel: Event) -> ProcedureTry:
        passed, detail, _ = self.act(request, order.name, cancel)
        return order.end(TryResult.PASS if passed else TryResult.FAIL, detail=detail)

    def judge(self, request: RunRequest, rule: str, cancel: Event) -> StepResult:
        del request, rule, cancel
        return StepResult(passed=True)

    def read_gate(self, request: RunRequest) -> GateAnswer:
        del request
        return GateAnswer(open=True, why="a trial has no gate")

    def undo(self, request: RunRequest, name: str, cancel: Event) -> StepResult:
        del cancel
        return self._record(request, TryKind.ROLLBACK, name, lambda: True)

    def stop_agents(self, request: RunRequest) -> None:
        """There are none."""

    def tell(self, request: RunRequest, text: str) -> None:
        """Nobody is needed in a trial."""

    def read_log_mark(self) -> str:
        return ""

    def _record(self, request: RunRequest, kind: TryKind, name: str, work: Callable[[], bool]) -> StepResult:
        line = {"run": request.run_id, "kind": kind.value, "name": name}
        append_record(self._folder, {**line, "moment": "begin"})
        passed = work()
        append_record(self._folder, {**line, "moment": "end", "passed": passed})
        return StepResult(passed=passed, detail="" if passed else "it was made to fail")


def is_made_to_fail(request: RunRequest, step: str, trial: Trial) -> bool:
    """Decides by name alone, so that every process decides the same."""
    digest = hashlib.sha256(f"{request.run_id} {step}".encode()).digest()
    return int.from_bytes(digest[:4], "big") / _SCALE < trial.failure_rate


def has_made_to_fail(request: RunRequest, trial: Trial) -> bool:
    return any(is_made_to_fail(request, step.name, trial) for step in trial.plan.steps)


def count_repeated(records: Iterable[Mapping[str, object]]) -> int:
    """Counts the pieces of work that started again after they had passed."""
    passed: Counter[tuple[object, ...]] = Counter()
    repeated = 0
    for record in records:
        key = (record["run"], record["kind"], record["name"])
        if record["moment"] == "begin":
            repeated += passed[key] > 0
        elif record.get("passed"):
            passed[key] += 1
    return repeated
