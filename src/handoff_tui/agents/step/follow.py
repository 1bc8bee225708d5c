"""Follows runs of agents: lists and watches them, pauses and stops them, and passes notes to them."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

from handoff_tui.agents.runs.folders import (
    RunHandle,
    attach_run,
    find_run,
    find_run_folder,
    list_runs,
    pause_run,
    resume_run,
    stop_run,
    wait_run,
)
from handoff_tui.agents.runs.reports import append_note, append_run_note, find_output, load_report
from handoff_tui.agents.runs.run import AGENT_STEP, RunKey, RunState, RunStatus
from handoff_tui.agents.step.report import OperatorNote, RunView
from handoff_tui.core.errors import AgentRunError, UsageError
from handoff_tui.git.signing.signing_key import read_identity
from handoff_tui.handoffs.session import Desk
from handoff_tui.log.entries.times import build_time
from handoff_tui.system.clock import read_now
from handoff_tui.system.processes.output_reader import read_last_lines

_ALIVE = frozenset({RunStatus.RUNNING, RunStatus.PAUSED})


def build_view(state: RunState) -> RunView:
    """Builds the view of a run: its report and the last line it printed."""
    output = find_output(state)
    last = read_last_lines(output, 1)
    return RunView(state=state, report=load_report(state), last_line=last[0] if last else "", output=str(output))


def read_view(desk: Desk, key: RunKey) -> RunView:
    """Reads one run as it is now; cheap enough for many times a second."""
    return build_view(find_run(desk.repository.common_dir, key))


def list_views(desk: Desk, handoff: str | None = None) -> tuple[RunView, ...]:
    """Lists every run, oldest first."""
    return tuple(build_view(state) for state in list_runs(desk.repository.common_dir, handoff))


def is_running(desk: Desk, handoff: str) -> bool:
    """Tells whether an agent works on a handoff now."""
    return any(state.status in _ALIVE for state in list_runs(desk.repository.common_dir, handoff))


def find_active(desk: Desk, handoff: str | None, phase: str | None) -> RunKey:
    """Finds the one running agent; raises an error if there is none, or more than one."""
    runs = [state for state in list_runs(desk.repository.common_dir, handoff) if state.status in _ALIVE]
    wanted = [state for state in runs if phase is None or state.key.phase.casefold() == phase.casefold()]
    if len(wanted) == 1:
        return wanted[0].key
    if not wanted:
        raise AgentRunError("no agent is running here", "`handoff-tui step --list` shows the runs.")
    names = ", ".join(f"{state.key.handoff} · {state.key.phase}" for state in wanted)
    raise UsageError(f"more than one agent is running: {names}", "Name one with PHASE and --handoff ID.")


def find_last(desk: Desk, handoff: str | None, phase: str | None) -> RunKey:
    """Finds the step that is running, or the one that was started last."""
    runs = [state for state in list_runs(desk.repository.common_dir, handoff) if state.key.step == AGENT_STEP]
    wanted = [state for state in runs if phase is None or state.key.phase.casefold() == phase.casefold()]
    if not wanted:
        raise AgentRunError("no agent was started here", "`handoff-tui step --list` shows the agents you can start.")
    alive = [state for state in wanted if state.status in _ALIVE]
    return (alive or wanted)[-1].key


def follow(
    desk: Desk, key: RunKey, on_look: Callable[[RunView], None] | None = None, cancel: Event | None = None
) -> RunView:
    """Watches a run until it is over or `cancel` is set; leaves the agent alone."""
    handle = RunHandle(key, find_run_folder(desk.repository.common_dir, key))

    def look(state: RunState) -> None:
        if on_look is not None:
            on_look(build_view(state))

    return build_view(wait_run(handle, cancel, on_look=look))


def stop_step(desk: Desk, key: RunKey, grace_seconds: float | None = None) -> RunView:
    """Sends TERM, waits for the grace period, sends KILL; nothing of the agent is left when this returns."""
    return build_view(stop_run(attach_run(desk.repository.common_dir, key), grace_seconds))


def pause_step(desk: Desk, key: RunKey) -> RunView:
    return build_view(pause_run(attach_run(desk.repository.common_dir, key)))


def resume_step(desk: Desk, key: RunKey) -> RunView:
    return build_view(resume_run(attach_run(desk.repository.common_dir, key)))


def inject_note(desk: Desk, handoff: str, text: str) -> OperatorNote:
    """Adds a note for the agents of a handoff: running ones can read it now, the next one gets it."""
    if not text.strip():
        raise UsageError("the note is empty", "Say what the agent should know.")
    note = OperatorNote(text=text.strip(), author=find_operator(desk), time=build_time(read_now()))
    append_note(desk.repository.common_dir, handoff, note)
    for state in list_runs(desk.repository.common_dir, handoff):
        if state.status in _ALIVE:
            append_run_note(state, f"{note.time} {note.author}: {note.text}")
    return note


def find_operator(desk: Desk) -> str:
    """Returns who is at the terminal, by the user's own git configuration."""
    identity = read_identity(desk.repository.git)
    return identity.email or identity.name or "somebody"
