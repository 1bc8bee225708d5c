"""Agents that do steps of procedures: started once, found again by whoever goes on with a run."""

from __future__ import annotations

import json
import os
from pathlib import Path
from threading import Event

from handoff_tui.agents.command import build_argv, fill
from handoff_tui.config.agents import Agent, WorkFolder
from handoff_tui.errors import ProcedureError
from handoff_tui.models.agent_run import RunEnd, RunEnding, RunKey, RunPlan, RunState, RunStatus
from handoff_tui.models.procedure_run import ProcedureTry, RunRequest, TryKind, TryResult
from handoff_tui.repo.agent_runs import (
    RunHandle,
    attach_run,
    find_run,
    find_run_folder,
    list_runs,
    start_run,
    stop_run,
    wait_run,
    write_run,
)
from handoff_tui.repo.agent_worktrees import open_worktree
from handoff_tui.review.desk import Desk
from handoff_tui.review.run_gate import refuse_closed_gate
from handoff_tui.review.run_steps import Work, open_work
from handoff_tui.review.run_trust import refuse_untrusted_agent

_CONTEXT, _PROMPT, _NOTES = "context.json", "prompt.md", "notes.md"


def run_step_agent(
    root: Path, request: RunRequest, step: str, number: int, timeout_seconds: float, cancel: Event
) -> ProcedureTry:
    """One try of a step by an agent: its run is finished, alive, or begins now; a lost one is a failed try."""
    work = open_work(root, request, cancel)
    key = build_key(request, step, number)
    common_dir = work.desk.repository.common_dir
    state = find_run(common_dir, key)
    if state.status in {RunStatus.ABSENT, RunStatus.PREPARED}:
        agent = _find_agent(work.desk, step)
        refuse_closed_gate(work.desk, request, step)
        handle = write_run(common_dir, *_build_plan(work, key, (step, agent), timeout_seconds))
        start_run(handle, _read_environment(agent))
    handle = attach_run(common_dir, key)
    state = wait_run(handle, cancel)
    withdrawn = not state.is_over
    if withdrawn:
        state = stop_run(handle)
    return _build_try(step, number, state, withdrawn=withdrawn)


def stop_step_agents(desk: Desk, request: RunRequest) -> None:
    """Ends whatever agent of the run is still at work."""
    prefix = _build_step(request, "")
    for state in list_runs(desk.repository.common_dir, request.handoff):
        if state.key.step.startswith(prefix) and state.status in {RunStatus.RUNNING, RunStatus.PAUSED}:
            stop_run(RunHandle(state.key, Path(state.folder)))


def build_key(request: RunRequest, step: str, number: int) -> RunKey:
    """Names the run's folder: another run of the same procedure has another."""
    return RunKey(
        handoff=request.handoff,
        phase=request.phase,
        attempt=request.attempt,
        step=_build_step(request, step),
        number=number,
    )


def _build_step(request: RunRequest, step: str) -> str:
    return f"{request.procedure}.{request.number}.{step}"


def _find_agent(desk: Desk, name: str) -> Agent:
    """By the configuration as it is now: an engine's record cannot say what is to be run."""
    agent = desk.loaded.settings.agents.get(name)
    if agent is None:
        raise ProcedureError(f"[agents] has no agent {name} any more", "Put it back, and ask for the procedure again.")
    refuse_untrusted_agent(desk, name)
    return agent


def _build_plan(
    work: Work, key: RunKey, named: tuple[str, Agent], timeout_seconds: float
) -> tuple[RunPlan, dict[str, bytes]]:
    name, agent = named
    folder = _find_folder(work.desk, agent, key)
    place = find_run_folder(work.desk.repository.common_dir, key)
    context = json.dumps(
        {
            "request": work.request.model_dump(mode="json"),
            "transfer": str(work.transfer.place),
            "handoff": work.handoff.model_dump(mode="json", exclude_defaults=True),
        },
        indent=2,
    )
    values = {
        "handoff": work.request.handoff,
        "phase": work.request.phase,
        "attempt": str(work.request.attempt),
        "folder": str(folder),
        "repository": str(work.desk.repository.root),
        "prompt_file": str(place / _PROMPT),
        "context_file": str(place / _CONTEXT),
        "notes_file": str(place / _NOTES),
    }
    prompt = fill(agent.prompt, {**values, "role": agent.role, "context": context, "packet": ""})
    plan = RunPlan(
        key=key,
        argv=build_argv(agent, {**values, "prompt": prompt}),
        folder=str(folder),
        timeout_seconds=timeout_seconds,
        grace_seconds=agent.grace_seconds,
        output_bytes=agent.output_bytes,
        environment=agent.environment,
        owner="procedure",
        agent=name,
    )
    return plan, {_CONTEXT: context.encode(), _PROMPT: prompt.encode("utf-8", "surrogateescape"), _NOTES: b""}


def _find_folder(desk: Desk, agent: Agent, key: RunKey) -> Path:
    if agent.folder is WorkFolder.REPOSITORY:
        return desk.repository.root
    return open_worktree(desk.repository, key, desk.work_tree.facts.own_uncommitted).folder


def _read_environment(agent: Agent) -> dict[str, str]:
    return {name: os.environ[name] for name in agent.environment if name in os.environ}


def _build_try(step: str, number: int, state: RunState, *, withdrawn: bool) -> ProcedureTry:
    end = state.end
    result = TryResult.ERROR
    if withdrawn:
        result = TryResult.WITHDRAWN
    elif end is not None and end.ending is RunEnding.TIMED_OUT:
        result = TryResult.TIMEOUT
    elif end is not None and end.ending in {RunEnding.EXITED, RunEnding.SIGNALLED}:
        result = TryResult.PASS if end.succeeded else TryResult.FAIL
    return ProcedureTry(
        kind=TryKind.STEP,
        name=step,
        number=number,
        result=result,
        detail=_describe(end),
        began=end.began if end else 0.0,
        seconds=end.seconds if end else 0.0,
        evidence=f"sha256:{end.output_sha256}" if end and end.output_sha256 else None,
    )


def _describe(end: RunEnd | None) -> str:
    if end is None:
        return "its supervisor died without a word about how it ended"
    if end.failure:
        return end.failure
    if end.ending is RunEnding.EXITED:
        return f"exit {end.code}"
    return end.ending.value if end.signal is None else f"{end.ending.value} by signal {end.signal}"
