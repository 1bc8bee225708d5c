"""Runs of agents: one folder a run, a supervisor that outlives whoever started it, and the way back to both.

    find_run_folder(common_dir, key)          -> Path       <git-common-dir>/handoff-tui/runs/H-3/RED/a1/agent/t1
    write_run(common_dir, plan, files)        -> RunHandle  makes the folder; files: name to bytes
    start_run(handle, environment)            -> RunState   the supervisor; at most once a folder, whoever asks
    find_run(common_dir, key)                 -> RunState   absent, prepared, running, paused, finished, lost
    list_runs(common_dir, handoff=None)       -> tuple[RunState, ...]
    attach_run(common_dir, key)               -> RunHandle  of a folder that is there
    read_run(handle)                          -> RunState
    wait_run(handle, cancel, timeout, on_look) -> RunState  until it ended, or cancel or the time says so
    stop_run(handle, grace_seconds=None)      -> RunState   TERM, grace, KILL, and nothing of it is left
    pause_run(handle), resume_run(handle)     -> RunState   STOP and CONT; a pause does not count as its time

A step that is done again calls `find_run`: finished → `state.end`; running or paused → `wait_run`; prepared or absent →
`write_run` (a folder that is there stays as it is) and `start_run`; lost → `stop_run`, which ends what is left, then
the next try. The values are in agents/runs/run.py.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Event

from handoff_tui.agents.runs.files import COMPLAINTS, EXIT, OUTPUT, PLAN, PROCESS, STOP, write_json
from handoff_tui.agents.runs.run import RunEnd, RunEnding, RunKey, RunPlan, RunState, RunStatus
from handoff_tui.agents.runs.state import (
    RunHandle,
    describe_key,
    find_run,
    find_run_folder,
    list_runs,
    read_run,
    read_size,
)
from handoff_tui.core.errors import AgentRunError
from handoff_tui.system.clock import pause, read_monotonic, read_now
from handoff_tui.system.files.atomic_write import build_write_error
from handoff_tui.system.processes.identity import find_marked, is_same_process, read_host
from handoff_tui.system.processes.output_reader import hash_output, read_last_lines

__all__ = [
    "RunHandle",
    "attach_run",
    "describe_key",
    "find_run",
    "find_run_folder",
    "list_runs",
    "pause_run",
    "read_run",
    "resume_run",
    "start_run",
    "stop_run",
    "wait_run",
    "write_run",
]

_BOOT = "import sys; sys.path.append(sys.argv[1]); from handoff_tui.agents.runs.supervisor import main; main()"
"""Appended, not put first: nothing that lies there can stand in for a module of the standard library."""
_START_SECONDS = 30
_LOOK_SECONDS = 0.02
_SLOWEST_LOOK_SECONDS = 0.05
_BEYOND_GRACE_SECONDS = 10.0


def write_run(common_dir: Path, plan: RunPlan, files: Mapping[str, bytes] | None = None) -> RunHandle:
    """Makes the folder of a run; one that is there already stays as it is, so that asking twice is one run."""
    handle = RunHandle(plan.key, find_run_folder(common_dir, plan.key))
    if (handle.folder / PLAN).exists():
        return handle
    marked = plan if plan.mark else plan.model_copy(update={"mark": uuid.uuid4().hex})
    try:
        handle.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name, content in (files or {}).items():
            (handle.folder / name).write_bytes(content)
        write_json(handle.folder / PLAN, marked.model_dump(mode="json"))
    except OSError as refused:
        raise build_write_error(refused, str(handle.folder)) from refused
    return handle


def attach_run(common_dir: Path, key: RunKey) -> RunHandle:
    """The run of that key; an error when there is none."""
    handle = RunHandle(key, find_run_folder(common_dir, key))
    if not (handle.folder / PLAN).exists():
        raise AgentRunError(f"{describe_key(key)} was never started", "`handoff-tui step --list` shows the runs.")
    return handle


def start_run(handle: RunHandle, environment: Mapping[str, str]) -> RunState:
    """Starts the supervisor, which starts the agent. Who comes second changes nothing."""
    if (handle.folder / PROCESS).exists() or (handle.folder / EXIT).exists():
        return read_run(handle)
    package = Path(__file__).parents[3]
    argv = [sys.executable, "-I", "-S", "-c", _BOOT, str(package), str(handle.folder)]
    try:
        done = subprocess.run(
            argv,
            cwd=handle.folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_START_SECONDS,
            start_new_session=True,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as refused:
        raise AgentRunError(
            f"the supervisor of {describe_key(handle.key)} could not be started: {refused}"
        ) from refused
    if done.returncode:
        said = read_last_lines(handle.folder / COMPLAINTS, 1) or os.fsdecode(done.stderr).strip().splitlines()[-1:]
        hint = f"{handle.folder} holds what there is of it."
        raise AgentRunError(
            f"the supervisor of {describe_key(handle.key)} did not start: {said[-1] if said else 'it gave no reason'}",
            hint,
        )
    return read_run(handle)


def wait_run(
    handle: RunHandle,
    cancel: Event | None = None,
    timeout: float | None = None,
    on_look: Callable[[RunState], None] | None = None,
) -> RunState:
    """Until the run is over, the caller has cancelled its waiting, or the time is up; the agent is left alone."""
    started, wait = read_monotonic(), _LOOK_SECONDS
    while True:
        state = read_run(handle)
        if on_look is not None:
            on_look(state)
        is_late = timeout is not None and read_monotonic() - started >= timeout
        if state.is_over or state.status in {RunStatus.ABSENT, RunStatus.PREPARED} or is_late:
            return state
        if cancel is not None and cancel.is_set():
            return state
        pause(wait)
        wait = min(wait * 1.2, _SLOWEST_LOOK_SECONDS)


def stop_run(handle: RunHandle, grace_seconds: float | None = None) -> RunState:
    """Ends the agent and everything of it; a supervisor that does not do so in time is ended too."""
    state = read_run(handle)
    if state.status in {RunStatus.ABSENT, RunStatus.PREPARED, RunStatus.FINISHED}:
        return state
    if state.status is not RunStatus.LOST:
        grace = grace_seconds if grace_seconds is not None else state.plan.grace_seconds if state.plan else 0.0
        write_json(handle.folder / STOP, {"grace_seconds": grace})
        _signal(state, signal.SIGTERM)
        state = wait_run(handle, timeout=grace + _BEYOND_GRACE_SECONDS)
    if not state.is_over:
        _signal(state, signal.SIGKILL)
        state = wait_run(handle, timeout=_BEYOND_GRACE_SECONDS)
    return _sweep(handle, state) if state.status is RunStatus.LOST else state


def pause_run(handle: RunHandle) -> RunState:
    """Holds the agent where it is."""
    return _switch(handle, signal.SIGUSR1, RunStatus.PAUSED)


def resume_run(handle: RunHandle) -> RunState:
    """Lets a paused agent go on."""
    return _switch(handle, signal.SIGUSR2, RunStatus.RUNNING)


def _switch(handle: RunHandle, number: signal.Signals, wanted: RunStatus) -> RunState:
    state = read_run(handle)
    if state.status not in {RunStatus.RUNNING, RunStatus.PAUSED}:
        raise AgentRunError(f"{describe_key(handle.key)} is not running", "Only a running agent can be paused.")
    _signal(state, number)
    started = read_monotonic()
    while not state.is_over and state.status is not wanted and read_monotonic() - started < _BEYOND_GRACE_SECONDS:
        pause(_LOOK_SECONDS)
        state = read_run(handle)
    return state


def _signal(state: RunState, number: signal.Signals) -> None:
    """To the supervisor, if the process of that pid is still the one that was meant."""
    process = state.process
    if process is None:
        return
    if process.host != read_host():
        raise AgentRunError(
            f"{describe_key(state.key)} runs on {process.host}, and cannot be reached from here",
            f"Stop it there: handoff-tui step --stop, or kill {process.pid}.",
        )
    if is_same_process(process.pid, process.started):
        try:
            os.kill(process.pid, number)
        except ProcessLookupError:
            return
        except PermissionError as refused:
            raise AgentRunError(f"{describe_key(state.key)} belongs to another user") from refused


def _sweep(handle: RunHandle, state: RunState) -> RunState:
    """Ends what a lost run has left, and writes down that it is over."""
    mark = state.plan.mark if state.plan else ""
    left = 0
    started = read_monotonic()
    while mark and (living := find_marked(mark)) and read_monotonic() - started < _BEYOND_GRACE_SECONDS:
        left = max(left, len(living))
        for pid in living:
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
        pause(_LOOK_SECONDS)
    now = read_now().timestamp()
    began = state.process.since if state.process else now
    end = RunEnd(
        ending=RunEnding.LOST,
        began=began,
        ended=now,
        seconds=max(0.0, now - began),
        output_bytes=read_size(handle.folder / OUTPUT),
        output_sha256=hash_output(str(handle.folder / OUTPUT)) or "",
        left_running=left,
    )
    write_json(handle.folder / EXIT, end.model_dump(mode="json"))
    return read_run(handle)
