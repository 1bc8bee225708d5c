"""Runs of agents: one folder per run, and a supervisor that keeps running when the process that started it is gone.

    find_run_folder(common_dir, key)          -> Path       <git-common-dir>/handoff-tui/runs/H-3/RED/a1/agent/t1
    write_run(common_dir, plan, files, values) -> RunHandle  makes the folder; files for the agent, values sealed
    start_run(handle, environment)            -> RunState   starts the supervisor, at most once per folder
    find_run(common_dir, key)                 -> RunState   absent, prepared, running, paused, finished, lost
    list_runs(common_dir, handoff=None)       -> tuple[RunState, ...]
    attach_run(common_dir, key)               -> RunHandle  of an existing folder
    read_run(handle)                          -> RunState
    wait_run(handle, cancel, timeout, on_look) -> RunState  until it ends, or cancel or timeout
    stop_run(handle, grace_seconds=None)      -> RunState   TERM, grace, KILL; nothing of it is left
    pause_run(handle), resume_run(handle)     -> RunState   STOP and CONT; a pause does not use up its time

A step that is repeated calls `find_run`: finished → `state.end`; running or paused → `wait_run`; prepared or absent →
`write_run` (which leaves an existing folder as it is) and `start_run`; lost → `stop_run`, which ends what is left, then
the next run. The values are in agents/runs/run.py.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Event
from typing import TypeVar
from urllib.parse import quote

from handoff_tui.agents.command import fill
from handoff_tui.agents.runs.files import (
    COMPLAINTS,
    EXIT,
    HEARTBEAT,
    LOCK,
    OUTPUT,
    PAUSED,
    PLAN,
    PROCESS,
    STOP,
    write_json,
    write_sealed,
)
from handoff_tui.agents.runs.run import AGENT_STEP, RunEnd, RunEnding, RunKey, RunPlan, RunProcess, RunState, RunStatus
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import AgentRunError
from handoff_tui.core.model import Model
from handoff_tui.system.clock import pause, read_monotonic, read_now
from handoff_tui.system.files.atomic_write import build_write_error
from handoff_tui.system.files.cache_files import find_state_folder
from handoff_tui.system.files.git_private_files import LOCAL_FOLDER, RUNS_FOLDER
from handoff_tui.system.files.sealed_files import load_cache_secret, read_sealed
from handoff_tui.system.processes.identity import find_marked, is_same_process, read_host
from handoff_tui.system.processes.output_reader import hash_output, read_last_lines, read_length

_LONGEST_NAME = 120
_DIGEST_CHARACTERS = 16
_SILENT_SECONDS = 30.0
"""A supervisor on another machine counts as dead after this silence."""
_BOOT = "import sys; sys.path.append(sys.argv[1]); from handoff_tui.agents.runs.supervisor import main; main()"
"""Appended, not put first, so that nothing there can replace a module of the standard library."""
_START_SECONDS = 30
_LOOK_SECONDS = 0.02
_SLOWEST_LOOK_SECONDS = 0.05
_BEYOND_GRACE_SECONDS = 10.0
_Value = TypeVar("_Value", bound=Model)


class RunHandle(NamedTuple):
    """A run that has a folder."""

    key: RunKey
    folder: Path


class EndCommand(NamedTuple):
    """What a supervisor starts when its agent has ended; the agent never sees it."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]


def find_run_folder(common_dir: Path, key: RunKey) -> Path:
    """Returns the folder of a run: beside git's own files, never in the work tree."""
    parts = (build_name(key.handoff), build_name(key.phase), f"a{key.attempt}", build_name(key.step), f"t{key.number}")
    return common_dir / LOCAL_FOLDER / RUNS_FOLDER / Path(*parts)


def find_free_number(common_dir: Path, key: RunKey) -> int:
    """Returns the number after every run of the attempt, readable or not: a moved repository brings its own along."""
    names = [place.name[1:] for place in find_run_folder(common_dir, key).parent.glob("t*")]
    return 1 + max((int(name) for name in names if name.isdecimal()), default=0)


def find_run(common_dir: Path, key: RunKey) -> RunState:
    """Reads the state of a run."""
    return read_run(RunHandle(key, find_run_folder(common_dir, key)))


def list_runs(common_dir: Path, handoff: str | None = None) -> tuple[RunState, ...]:
    """Lists all runs, or those of one handoff, oldest first; skips folders without a plan."""
    top = common_dir / LOCAL_FOLDER / RUNS_FOLDER
    wanted = "*" if handoff is None else build_name(handoff)
    plans = (load_value(place, RunPlan) for place in top.glob(f"{wanted}/*/a*/*/t*/{PLAN}"))
    states = [find_run(common_dir, plan.key) for plan in plans if plan is not None]
    return tuple(sorted(states, key=_order))


def read_run(handle: RunHandle) -> RunState:
    """Reads what the files of a run say now, and whether its supervisor is alive."""
    folder = handle.folder
    plan, process = load_value(folder / PLAN, RunPlan), _load_process(folder)
    end = load_value(folder / EXIT, RunEnd)
    status = _find_status(folder, plan, process, end)
    if end is None and status is RunStatus.LOST:  # it may have ended in between
        end = load_value(folder / EXIT, RunEnd)
        status = RunStatus.LOST if end is None else RunStatus.FINISHED
    return RunState(
        key=handle.key,
        folder=str(folder),
        status=status,
        plan=plan,
        process=process,
        end=end,
        output_bytes=read_length(folder / OUTPUT),
        heartbeat=_read_time(folder / HEARTBEAT),
        elapsed=_find_elapsed(process, end, _read_time(folder / HEARTBEAT), status),
        survivors=len(find_marked(plan.mark)) if plan is not None and status is RunStatus.LOST else 0,
    )


def describe_key(key: RunKey) -> str:
    """Names a run in words."""
    step = "" if key.step == AGENT_STEP else f", step {key.step}"
    return f"the agent of {key.handoff} · {key.phase} · attempt {key.attempt}{step}, run {key.number}"


def _find_status(folder: Path, plan: RunPlan | None, process: RunProcess | None, end: RunEnd | None) -> RunStatus:
    if end is not None:
        return RunStatus.FINISHED
    if plan is None:
        return RunStatus.ABSENT
    if process is None:
        # a supervisor that holds the run is about to write who it is
        return RunStatus.RUNNING if is_locked(folder / LOCK) else RunStatus.PREPARED
    if process.host != read_host():
        alive = read_now().timestamp() - (_read_time(folder / HEARTBEAT) or process.since) < _SILENT_SECONDS
    else:
        alive = is_same_process(process.pid, process.started)
    if not alive:
        return RunStatus.LOST
    return RunStatus.PAUSED if (folder / PAUSED).exists() else RunStatus.RUNNING


def is_locked(place: Path) -> bool:
    """Tells whether a process holds the lock of this file."""
    import fcntl  # noqa: PLC0415 - needed only during a start

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
    """Returns a folder name for any text; a long one is cut and gets a digest."""
    quoted = quote(text, safe="").replace(".", "%2E") if text.startswith(".") else quote(text, safe="")
    if len(quoted) <= _LONGEST_NAME:
        return quoted or "%"
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_CHARACTERS]
    return f"{quoted[: _LONGEST_NAME - _DIGEST_CHARACTERS - 1]}-{digest}"


def load_value(place: Path, model: type[_Value]) -> _Value | None:
    """Loads a file of the run; None if it is missing, damaged, or not written by handoff-tui."""
    content = read_sealed(place)
    try:
        return None if content is None else model.model_validate_json(content)
    except ValueError:
        return None


def _load_process(folder: Path) -> RunProcess | None:
    """Loads who supervises the run: a hint, which a look at the processes confirms."""
    try:
        return RunProcess.model_validate_json((folder / PROCESS).read_bytes())
    except (OSError, ValueError):
        return None


def write_value(place: Path, value: Model) -> None:
    """Writes a file of the run, sealed; raises an OSError if that fails."""
    write_sealed(place, value.model_dump(mode="json"), load_secret())


def load_secret() -> bytes:
    """Returns the secret to seal with; raises an error if there is none."""
    secret = load_cache_secret()
    if secret is None:
        raise AgentRunError(
            "the files of a run can't be sealed, so an agent could rewrite them",
            f"Make {find_state_folder()} writable; if cache-secret there is damaged, delete it.",
        )
    return secret


def _read_time(place: Path) -> float | None:
    try:
        return place.stat().st_mtime
    except OSError:
        return None


def write_run(
    common_dir: Path, plan: RunPlan, files: Mapping[str, bytes] | None = None, values: Mapping[str, Model] | None = None
) -> RunHandle:
    """Makes the folder of a run; leaves an existing one as it is, so that asking twice is one run.

    `files` are for the agent to read, `values` are ours and sealed.
    """
    handle = RunHandle(plan.key, find_run_folder(common_dir, plan.key))
    if (handle.folder / PLAN).exists():
        return handle
    import uuid  # noqa: PLC0415 - for a run that starts

    marked = plan if plan.mark else plan.model_copy(update={"mark": uuid.uuid4().hex})
    try:
        handle.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name, content in (files or {}).items():
            (handle.folder / name).write_bytes(content)
        for name, value in (values or {}).items():
            write_value(handle.folder / name, value)
        write_value(handle.folder / PLAN, marked)
    except OSError as refused:
        raise build_write_error(refused, str(handle.folder)) from refused
    return handle


def attach_run(common_dir: Path, key: RunKey) -> RunHandle:
    """Returns the run of that key; raises an error if there is none."""
    handle = RunHandle(key, find_run_folder(common_dir, key))
    if not (handle.folder / PLAN).exists():
        raise AgentRunError(f"{describe_key(key)} was never started", "`handoff-tui step --list` shows the runs.")
    return handle


def start_run(handle: RunHandle, environment: Mapping[str, str], ending: EndCommand | None = None) -> RunState:
    """Starts the supervisor, which starts the agent, then `ending`; a second call changes nothing."""
    if (handle.folder / PROCESS).exists() or (handle.folder / EXIT).exists():
        return read_run(handle)
    package = Path(__file__).parents[3]
    argv = [sys.executable, "-I", "-S", "-c", _BOOT, str(package), str(handle.folder)]
    try:
        done = subprocess.run(
            argv,
            cwd=handle.folder,
            env=dict(environment),
            input=load_secret() + (b"" if ending is None else json.dumps(ending._asdict()).encode()),
            capture_output=True,
            check=False,
            timeout=_START_SECONDS,
            start_new_session=True,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as refused:
        raise AgentRunError(f"the supervisor of {describe_key(handle.key)} can't be started: {refused}") from refused
    if done.returncode:
        said = read_last_lines(handle.folder / COMPLAINTS, 1) or os.fsdecode(done.stderr).strip().splitlines()[-1:]
        reason = said[-1] if said else "no reason given"
        message = f"the supervisor of {describe_key(handle.key)} did not start: {reason}"
        raise AgentRunError(message, f"Its files are in {handle.folder}.")
    return read_run(handle)


def wait_run(
    handle: RunHandle,
    cancel: Event | None = None,
    timeout: float | None = None,
    on_look: Callable[[RunState], None] | None = None,
) -> RunState:
    """Waits until the run is over, `cancel` is set or the time is up; leaves the agent alone."""
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
    """Ends the agent and its children; ends the supervisor too if it does not do so in time."""
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
    """Pauses the agent."""
    return _switch(handle, signal.SIGUSR1, RunStatus.PAUSED)


def resume_run(handle: RunHandle) -> RunState:
    """Resumes a paused agent."""
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
    """Signals the supervisor, if the process with its pid is still the same one."""
    process = state.process
    if process is None:
        return
    if process.host != read_host():
        raise AgentRunError(
            f"{describe_key(state.key)} runs on {process.host} and can't be reached from here",
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
    """Ends what a lost run has left, and records that it is over."""
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
        output_bytes=read_length(handle.folder / OUTPUT),
        output_sha256=hash_output(str(handle.folder / OUTPUT)) or "",
        left_running=left,
    )
    try:
        write_value(handle.folder / EXIT, end)
    except OSError as refused:
        raise build_write_error(refused, str(handle.folder)) from refused
    return read_run(handle)


class AgentSession(NamedTuple):
    """A session of an agent's program that can be resumed."""

    agent: str
    argv: tuple[str, ...]
    folder: str


def find_session(common_dir: Path, key: RunKey) -> AgentSession:
    """Finds the session of a run; raises an error if it is running, or its program can't resume."""
    state = find_run(common_dir, key)
    plan, usage = state.plan, state.end.usage if state.end is not None else None
    if plan is None or not state.is_over:
        raise AgentRunError(
            f"{describe_key(key)} is still running", "Follow it: handoff-tui step --attach. Or stop it: --stop."
        )
    session = usage.session if usage is not None and usage.session else plan.session
    needs_name = any("{session}" in word for word in plan.resume)
    if not plan.resume or (needs_name and not session):
        raise AgentRunError(
            f"{describe_key(key)} has no session that can be resumed",
            "Its agent needs a preset, or `resume` and `stream` in its settings.",
        )
    if not Path(plan.folder).is_dir():
        raise AgentRunError(f"the folder where it worked is gone: {plan.folder}", "Its branch may still be there.")
    values = {"session": session, "run_folder": state.folder, "folder": plan.folder}
    return AgentSession(plan.agent, tuple(fill(word, values) for word in plan.resume), plan.folder)


def resume_session(session: AgentSession) -> None:
    """Runs the program at this terminal until the person leaves it."""
    try:
        subprocess.run(session.argv, cwd=session.folder, check=False)
    except OSError as refused:
        raise AgentRunError(f"{session.argv[0]} can't be started: {refused.strerror}") from refused
