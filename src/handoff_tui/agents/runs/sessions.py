"""Going on with the session of an agent that has ended: the same program, at a person's terminal."""

from __future__ import annotations

import subprocess
from pathlib import Path

from handoff_tui.agents.command import fill
from handoff_tui.agents.runs.folders import describe_key, find_run
from handoff_tui.agents.runs.run import RunKey
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import AgentRunError


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
