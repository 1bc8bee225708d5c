"""How far a run of an agent is, by the files in its folder and whether its supervisor is alive."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import NamedTuple, TypeVar
from urllib.parse import quote

from pydantic import ValidationError

from handoff_tui.agents.runs.files import EXIT, HEARTBEAT, LOCK, OUTPUT, PAUSED, PLAN, PROCESS
from handoff_tui.agents.runs.run import AGENT_STEP, RunEnd, RunKey, RunPlan, RunProcess, RunState, RunStatus
from handoff_tui.core.model import Model
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.git_private_files import LOCAL_FOLDER
from handoff_tui.system.processes.identity import find_marked, is_same_process, read_host

RUNS_FOLDER = "runs"
_LONGEST_NAME = 120
_DIGEST_CHARACTERS = 16
_SILENT_SECONDS = 30.0
"""A supervisor on another machine that gave no sign for so long is taken for dead."""
_Value = TypeVar("_Value", bound=Model)


class RunHandle(NamedTuple):
    """A run whose folder is there."""

    key: RunKey
    folder: Path


def find_run_folder(common_dir: Path, key: RunKey) -> Path:
    """Where a run is kept: beside git's own files, never in the work tree."""
    parts = (build_name(key.handoff), build_name(key.phase), f"a{key.attempt}", build_name(key.step), f"t{key.number}")
    return common_dir / LOCAL_FOLDER / RUNS_FOLDER / Path(*parts)


def find_run(common_dir: Path, key: RunKey) -> RunState:
    """How far the run of that key is."""
    return read_run(RunHandle(key, find_run_folder(common_dir, key)))


def list_runs(common_dir: Path, handoff: str | None = None) -> tuple[RunState, ...]:
    """Every run, oldest first, or those of one handoff; a folder without a plan is none."""
    top = common_dir / LOCAL_FOLDER / RUNS_FOLDER
    wanted = "*" if handoff is None else build_name(handoff)
    found = [
        plan for place in top.glob(f"{wanted}/*/a*/*/t*/{PLAN}") if (plan := load_value(place, RunPlan)) is not None
    ]
    states = [find_run(common_dir, plan.key) for plan in found]
    return tuple(sorted(states, key=_order))


def read_run(handle: RunHandle) -> RunState:
    """What the files of a run say now, and whether its supervisor is alive."""
    folder = handle.folder
    plan, process, end = (
        load_value(folder / PLAN, RunPlan),
        load_value(folder / PROCESS, RunProcess),
        load_value(folder / EXIT, RunEnd),
    )
    status = _find_status(folder, plan, process, end)
    if end is None and status is RunStatus.LOST:  # it may have ended between the two looks
        end = load_value(folder / EXIT, RunEnd)
        status = RunStatus.LOST if end is None else RunStatus.FINISHED
    return RunState(
        key=handle.key,
        folder=str(folder),
        status=status,
        plan=plan,
        process=process,
        end=end,
        output_bytes=read_size(folder / OUTPUT),
        heartbeat=_read_time(folder / HEARTBEAT),
        elapsed=_find_elapsed(process, end, _read_time(folder / HEARTBEAT), status),
        survivors=len(find_marked(plan.mark)) if plan is not None and status is RunStatus.LOST else 0,
    )


def describe_key(key: RunKey) -> str:
    """A run in words."""
    step = "" if key.step == AGENT_STEP else f", step {key.step}"
    return f"the agent of {key.handoff} · {key.phase} · attempt {key.attempt}{step}, try {key.number}"


def _find_status(folder: Path, plan: RunPlan | None, process: RunProcess | None, end: RunEnd | None) -> RunStatus:
    if end is not None:
        return RunStatus.FINISHED
    if plan is None:
        return RunStatus.ABSENT
    if process is None:
        return RunStatus.RUNNING if _is_locked(folder / LOCK) else RunStatus.PREPARED
    if process.host != read_host():
        alive = read_now().timestamp() - (_read_time(folder / HEARTBEAT) or process.since) < _SILENT_SECONDS
    else:
        alive = is_same_process(process.pid, process.started)
    if not alive:
        return RunStatus.LOST
    return RunStatus.PAUSED if (folder / PAUSED).exists() else RunStatus.RUNNING


def _is_locked(place: Path) -> bool:
    """Whether a supervisor holds the run: it is about to write who it is."""
    import fcntl  # noqa: PLC0415 - asked only in the moment of a start

    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _find_elapsed(process: RunProcess | None, end: RunEnd | None, beat: float | None, status: RunStatus) -> float:
    if end is not None:
        return end.seconds
    if process is None:
        return 0.0
    until = (beat or process.since) if status is RunStatus.LOST else read_now().timestamp()
    return max(0.0, until - process.since)


def _order(state: RunState) -> tuple[float, str, int, int]:
    began = state.end.began if state.end else state.process.since if state.process else float("inf")
    return began, state.key.phase, state.key.attempt, state.key.number


def build_name(text: str) -> str:
    """A folder's name for any text; a long one is cut and told apart by its digest."""
    quoted = quote(text, safe="").replace(".", "%2E") if text.startswith(".") else quote(text, safe="")
    if len(quoted) <= _LONGEST_NAME:
        return quoted or "%"
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_CHARACTERS]
    return f"{quoted[: _LONGEST_NAME - _DIGEST_CHARACTERS - 1]}-{digest}"


def load_value(place: Path, model: type[_Value]) -> _Value | None:
    """A file of the run; nothing when it is not there, or damaged."""
    try:
        return model.model_validate_json(place.read_bytes())
    except (OSError, ValidationError):
        return None


def read_size(place: Path) -> int:
    try:
        return place.stat().st_size
    except OSError:
        return 0


def _read_time(place: Path) -> float | None:
    try:
        return place.stat().st_mtime
    except OSError:
        return None
