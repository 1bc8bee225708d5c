"""Carries a handoff through its pipeline for the engine: whose turn it is, and one agent at a time.

The same as `step`, with the same files and rules: no gate is opened here, and a phase for people waits for one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from threading import Event

from handoff_tui.agents.engine.engine import AgentOrder, GateAnswer
from handoff_tui.agents.procedures.report import ProcedureTry, RunRequest, TryResult
from handoff_tui.agents.procedures.runner import DONE
from handoff_tui.agents.runs.folders import attach_run, list_runs, stop_run, wait_run
from handoff_tui.agents.runs.phase_locks import HeldLock, release_lock
from handoff_tui.agents.runs.run import RunEnding, RunKey, RunStatus
from handoff_tui.agents.step.end import finish_step
from handoff_tui.agents.step.prepare import StepRequest, prepare_step
from handoff_tui.agents.step.progress import find_due
from handoff_tui.agents.step.report import StepOutcome
from handoff_tui.agents.step.step import is_running, start_step
from handoff_tui.agents.step.trail import count_budget
from handoff_tui.checks.run.check import ProgressCallbacks
from handoff_tui.core.errors import AgentRunError, GateWaitsError, PipelineDoneError
from handoff_tui.handoffs.session import Session, open_session

_RESULTS = {
    StepOutcome.READY: TryResult.PASS,
    StepOutcome.FAILED: TryResult.FAIL,
    StepOutcome.STOPPED: TryResult.STOPPED,
    StepOutcome.NEEDS_HUMAN: TryResult.NEEDS_HUMAN,
}


def is_pipeline(session: Session, name: str) -> bool:
    """Tells whether a run is of a pipeline; a procedure of the same name comes first."""
    settings = session.loaded.settings
    return name in settings.pipelines and name not in settings.procedures.procedures


def look_at_pipeline(root: Path, request: RunRequest) -> GateAnswer:
    """Says whose turn it is: an agent's (its phase is the reason), nobody's any more (`DONE`), or a person's."""
    session = open_session(root)
    if is_running(session, request.handoff):
        return GateAnswer(open=None, why="an agent is running")
    try:
        due = find_due(session, request.handoff)
    except PipelineDoneError as done:
        return GateAnswer(open=True, why=done.message, entry=DONE)
    except GateWaitsError as waiting:
        return GateAnswer(open=None, why=waiting.message)
    name = due.phase.name
    if due.phase.human_only:
        hint = f"handoff-tui step {name} --handoff {request.handoff}"
        return GateAnswer(open=None, why=f"only a person may start {name}: {hint}")
    if count_budget(due.progress.pipeline, due.progress.trail).is_spent:
        return GateAnswer(open=None, why=f"{request.handoff} needs you: its retry budget is used up")
    return GateAnswer(open=True, why=name)


def walk_phase(root: Path, request: RunRequest, order: AgentOrder, cancel: Event) -> ProcedureTry:
    """Starts the agent that is due, or finds the one that a dead worker had started, and waits for its end."""
    session = open_session(root)
    key = _find_begun(session, request, order)
    if key is None:
        wanted = StepRequest(request.handoff, order.name, owner=_name(request, order))
        prepared = prepare_step(session, wanted, ProgressCallbacks(cancel=cancel))
        if cancel.is_set():
            return order.end(TryResult.WITHDRAWN, begun=False)
        key = start_step(prepared).state.key
    return finish_order(open_session(root), key, order, cancel)


def finish_order(
    session: Session, key: RunKey, order: AgentOrder, cancel: Event, endings: Mapping[RunEnding, TryResult] = {}
) -> ProcedureTry:
    """Waits until an agent ends, or ends it if the run is withdrawn; says what it came to.

    What counts against the agent decides, not only its exit code. `endings` are those that are more than a failure.
    """
    handle = attach_run(session.repository.common_dir, key)
    withdrawn = not wait_run(handle, cancel).is_over
    if withdrawn:
        stop_run(handle)
    report = finish_step(session, key)
    result = _RESULTS[report.outcome]
    if report.outcome is StepOutcome.FAILED:
        result = endings.get(report.end.ending, result)
    done = f"exit {report.end.code}; {len(report.files)} changed, {len(report.commits)} committed"
    return order.end(
        TryResult.WITHDRAWN if withdrawn else result,
        detail="; ".join(report.why) or done,
        began=report.end.began,
        seconds=report.end.seconds,
        evidence=f"sha256:{report.end.output_sha256}" if report.end.output_sha256 else None,
    )


def stop_pipeline_agents(session: Session, request: RunRequest) -> None:
    """Ends every agent of the run that is still at work."""
    for state in list_runs(session.repository.common_dir, request.handoff):
        if state.plan is not None and state.plan.owner.startswith(_name(request, None)) and not state.is_over:
            try:
                stop_run(attach_run(session.repository.common_dir, state.key))
            except AgentRunError:
                continue  # it has just ended


def _find_begun(session: Session, request: RunRequest, order: AgentOrder) -> RunKey | None:
    """The run that this very order has begun before; None if it has not.

    One that a worker had only written when it died never ran: its lock is given back, and it is begun again.
    """
    owner = _name(request, order)
    begun: RunKey | None = None
    for state in list_runs(session.repository.common_dir, request.handoff):
        if state.plan is None or state.plan.owner != owner:
            continue
        if state.status is not RunStatus.PREPARED:
            begun = state.key
        elif state.plan.lock is not None:
            release_lock(HeldLock(Path(state.plan.lock), state.plan.mark))
    return begun


def _name(request: RunRequest, order: AgentOrder | None) -> str:
    return f"the run {request.run_id}, step {'' if order is None else order.number}"
