"""What the steps, rules, gates and rollbacks of procedures do in a repository."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from threading import Event

from handoff_tui.agents.consent import PhaseAgent, list_procedure_agents, refuse_untrusted_agent
from handoff_tui.agents.engine.engine import AgentOrder, GateAnswer, StepResult
from handoff_tui.agents.notify import Notification, notify
from handoff_tui.agents.procedures.gate import read_run_gate, refuse_closed_gate
from handoff_tui.agents.procedures.plan import build_checked_plan, build_pipeline_plan
from handoff_tui.agents.procedures.report import ProcedurePlan, ProcedureTry, RunRequest, TryKind, TryResult
from handoff_tui.agents.procedures.steps import BUILT_IN_STEPS, BUILT_IN_UNDOS, open_transfer, open_work, pass_on
from handoff_tui.agents.procedures.walk import (
    finish_order,
    is_pipeline,
    look_at_pipeline,
    stop_pipeline_agents,
    walk_phase,
)
from handoff_tui.agents.runs.folders import RunHandle, find_run, list_runs, stop_run
from handoff_tui.agents.runs.phase_locks import HeldLock, find_lock, release_lock, take_lock
from handoff_tui.agents.runs.run import RunEnding, RunKey, RunStatus
from handoff_tui.agents.step.prepare import PreparedRun
from handoff_tui.agents.step.progress import read_progress
from handoff_tui.agents.step.report import Direction, Route
from handoff_tui.agents.step.step import start_prepared
from handoff_tui.agents.step.trail import list_reports
from handoff_tui.checks.report import CheckResult, Outcome
from handoff_tui.checks.run.check import ProgressCallbacks, check
from handoff_tui.checks.run.choose import CheckRequest
from handoff_tui.config.pipeline import Phase, Pipeline
from handoff_tui.config.settings.pipeline import Agent
from handoff_tui.config.settings.user import NotificationEvent
from handoff_tui.core.errors import HandoffError, PhaseLockedError, ProcedureError
from handoff_tui.decisions.examine import ExaminedGate, examine
from handoff_tui.decisions.packet import build_packet
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.log.open_log import LogFetcher, open_log
from handoff_tui.log.storage.blobs import read_log_mark
from handoff_tui.status.pipeline import find_pipeline
from handoff_tui.system.clock import pause, read_monotonic

_LOOK_SECONDS = 0.2
_ENDINGS = {
    RunEnding.TIMED_OUT: TryResult.TIMEOUT,
    RunEnding.NOT_STARTED: TryResult.ERROR,
    RunEnding.LOST: TryResult.ERROR,
}


def run_step_agent(root: Path, request: RunRequest, order: AgentOrder, cancel: Event) -> ProcedureTry:
    """Starts the agent of a step, or finds the one that a dead worker had started, and waits for its end."""
    session = open_session(root)
    key = build_key(request, order)
    if find_run(session.repository.common_dir, key).status in {RunStatus.ABSENT, RunStatus.PREPARED}:
        held = _wait_for_phase(session, request, order, cancel)
        if held is None:
            return order.end(TryResult.WITHDRAWN, begun=False)
        _start(root, request, order, cancel, held)
    return finish_order(session, key, order, cancel, _ENDINGS)


def stop_step_agents(session: Session, request: RunRequest) -> None:
    """Ends every agent of the run that is still at work, or that a dead supervisor left behind."""
    prefixes = tuple(_build_step(request, kind, "") for kind in (TryKind.STEP, TryKind.ROLLBACK))
    living = {RunStatus.RUNNING, RunStatus.PAUSED, RunStatus.LOST}
    for state in list_runs(session.repository.common_dir, request.handoff):
        if state.key.step.startswith(prefixes) and state.status in living:
            stop_run(RunHandle(state.key, Path(state.folder)))
            if state.plan is not None and state.plan.lock is not None:
                release_lock(HeldLock(Path(state.plan.lock), state.plan.mark))


def build_key(request: RunRequest, order: AgentOrder) -> RunKey:
    """Builds the key of the run; every run of a procedure has its own, and so has its rollback."""
    return RunKey(
        handoff=request.handoff,
        phase=request.phase,
        attempt=request.attempt,
        step=_build_step(request, order.kind, order.name),
        number=order.number,
    )


def prepare_run(
    session: Session, request: RunRequest, order: AgentOrder, progress: ProgressCallbacks | None = None
) -> PreparedRun:
    """Prepares an agent as for a step by hand; the procedure says which agent, and for how long."""
    agent = _find_agent(session, order)
    examined = examine(session, open_log(session.repository), request.handoff, request.phase, telling=progress)
    pipeline, phase = _find_phase(session, examined, request.phase)
    route = Route(pipeline=pipeline.name, phase=phase.name, source=phase.name, direction=Direction.PROCEDURE)
    return PreparedRun(
        examined=examined,
        pipeline=pipeline,
        phase=phase,
        route=route,
        agent=agent,
        key=build_key(request, order),
        reports=list_reports(session, request.handoff, procedures=True),
        packet=build_packet(examined),
        procedure=request.run_id,
        transfer=str(open_transfer(session, request).place),
    )


def _start(root: Path, request: RunRequest, order: AgentOrder, cancel: Event, held: HeldLock) -> None:
    """Starts the agent under the lock of its phase; examines everything now, because the wait may have been long."""
    try:
        session = open_session(root)
        if order.kind is TryKind.STEP:  # nothing stands in the way of a rollback
            refuse_closed_gate(session, request, order.name)
        prepared = prepare_run(session, request, order, ProgressCallbacks(cancel=cancel))
        if order.kind is TryKind.STEP:
            _refuse_without_person(prepared, request, order)
            _refuse_unreached(prepared)
        if cancel.is_set():
            raise ProcedureError("the step was ended before its agent was started")
    except HandoffError:
        release_lock(held)
        raise
    start_prepared(prepared, held)


def _refuse_unreached(prepared: PreparedRun) -> None:
    """Refuses a phase that a closed gate is in front of, as a step by hand does."""
    examined = prepared.examined
    if find_pipeline(examined.handoff, prepared.session.loaded.settings.pipelines, examined.index) is None:
        return
    progress = read_progress(examined.gates, examined.handoff, examined.reading)
    if progress.pipeline.find(prepared.phase.name) is not None:
        progress.refuse_unreached(prepared.phase.name)


def _refuse_without_person(prepared: PreparedRun, request: RunRequest, order: AgentOrder) -> None:
    """Refuses a phase that only people may start, unless somebody signs before this step."""
    settings = prepared.session.loaded.settings.procedures.procedures.get(request.procedure)
    gated = {step.name for step in settings.steps if step.gate} if settings is not None else set()
    if prepared.phase.human_only and order.name not in gated:
        raise ProcedureError(
            f"only a person may start {prepared.phase.name}, and nobody signs before {order.name}",
            f"Give the step {order.name} gate = true in its procedure.",
        )


def _wait_for_phase(session: Session, request: RunRequest, order: AgentOrder, cancel: Event) -> HeldLock | None:
    """Takes the lock of the phase as soon as it is free; None if the run was withdrawn meanwhile.

    Its mark is made from the name of the run, so that the next worker gets the lock of one that died.
    """
    common_dir, key = session.repository.common_dir, build_key(request, order)
    named = "\0".join((str(common_dir), request.run_id, key.step, str(key.number)))
    mark = hashlib.sha256(named.encode("utf-8", "surrogateescape")).hexdigest()[:32]
    began = read_monotonic()
    while not cancel.is_set():
        try:
            return take_lock(common_dir, key, f"the procedure {request.run_id}", mark)
        except PhaseLockedError:
            lock = find_lock(common_dir, key)
            if (lock is not None and lock.stale) or read_monotonic() - began >= order.seconds:
                raise
        pause(_LOOK_SECONDS)
    return None


def _build_step(request: RunRequest, kind: TryKind, name: str) -> str:
    back = "undo." if kind is TryKind.ROLLBACK else ""
    return f"{request.procedure}.{request.number}.{back}{name}"


def _find_agent(session: Session, order: AgentOrder) -> PhaseAgent:
    """Finds the agent in the configuration as it is now: the engine's database must not say what runs."""
    agent: Agent | None = session.loaded.settings.agents.get(order.name)
    if agent is None:
        raise ProcedureError(
            f"[agents] no longer has the agent {order.name}", "Put it back, and run the procedure again."
        )
    refuse_untrusted_agent(session, order.name)
    may_rest = agent.may_change_nothing or order.kind is TryKind.ROLLBACK  # there may be nothing to undo
    bounded = agent.model_copy(update={"timeout_seconds": order.seconds, "may_change_nothing": may_rest})
    return PhaseAgent(order.name, bounded, order.name in list_procedure_agents(session))


def _find_phase(session: Session, examined: ExaminedGate, name: str) -> tuple[Pipeline, Phase]:
    """Finds the phase in the handoff's pipeline; a phase that no pipeline has gets one of its own."""
    known = find_pipeline(examined.handoff, session.loaded.settings.pipelines, examined.index)
    phase = known.find(name) if known is not None else None
    if known is not None and phase is not None:
        return known, phase
    alone = Phase(name=name)
    return Pipeline(name=examined.handoff.dialect, phases=(alone,), edges=()), alone


IsCompleted = Callable[[RunRequest, str], bool]
"""Tells whether another procedure was completed for the same attempt."""


class RepositoryActions:
    """Reads everything again each time: a run may last for days, and nothing is taken on trust in between."""

    def __init__(self, root: Path, is_completed: IsCompleted) -> None:
        self._root = root
        self._is_completed = is_completed
        self._fetcher = LogFetcher()

    def plan(self, request: RunRequest) -> ProcedurePlan:
        session = open_session(self._root)
        if is_pipeline(session, request.procedure):
            return build_pipeline_plan(session)
        plan = build_checked_plan(session, request.procedure)
        procedure = session.loaded.settings.procedures.procedures[request.procedure]
        for needed in procedure.depends_on:
            if not self._is_completed(request, needed):
                raise ProcedureError(f"{needed} must be completed for this attempt first")
        return plan

    def act(self, request: RunRequest, step: str, cancel: Event) -> StepResult:
        work = open_work(self._root, request, cancel)
        if BUILT_IN_STEPS[step] is not pass_on:  # which reads the gate itself
            refuse_closed_gate(work.session, request, step)
        return BUILT_IN_STEPS[step](work)

    def run_agent(self, request: RunRequest, order: AgentOrder, cancel: Event) -> ProcedureTry:
        if is_pipeline(open_session(self._root), request.procedure):
            return walk_phase(self._root, request, order, cancel)
        return run_step_agent(self._root, request, order, cancel)

    def judge(self, request: RunRequest, rule: str, cancel: Event) -> StepResult:
        """Runs the rule as a check of this handoff; a rule that does not apply passes."""
        progress = ProgressCallbacks(cancel=cancel)
        report = check(
            open_session(self._root), CheckRequest(handoff=request.handoff, only=(rule,), fresh=True), progress
        )
        result = report.results[0] if report.results else None
        if result is None:
            return StepResult(passed=False, detail=f"{rule} was not run: it is switched off")
        return _describe_result(result)

    def read_gate(self, request: RunRequest) -> GateAnswer:
        session = open_session(self._root)
        trouble = self._fetcher.fetch(session.repository)
        if trouble:
            self.tell(request, trouble)
        walks = is_pipeline(session, request.procedure)
        answer = look_at_pipeline(self._root, request) if walks else read_run_gate(self._root, request)
        if answer.open is None:
            self.tell(request, answer.why if walks else f"{request.procedure} waits for a decision")
        return answer

    def tell(self, request: RunRequest, text: str) -> None:
        occasion = f"{request.run_id}\0{text}".encode("utf-8", "surrogatepass")
        notification = Notification(
            event=NotificationEvent.NEEDS_YOU.value,
            handoff=request.handoff,
            text=f"{request.handoff} · {request.phase}: {text}",
            key=hashlib.sha256(occasion).hexdigest(),
        )
        notify(open_session(self._root), notification)

    def undo(self, request: RunRequest, name: str, cancel: Event) -> StepResult:
        del cancel  # undoing is quick, and is never cut short
        return BUILT_IN_UNDOS[name](open_transfer(open_session(self._root), request), request)

    def stop_agents(self, request: RunRequest) -> None:
        session = open_session(self._root)
        stop_pipeline_agents(session, request)
        stop_step_agents(session, request)

    def read_log_mark(self) -> str:
        return read_log_mark(self._root)


def _describe_result(result: CheckResult) -> StepResult:
    if result.outcome is Outcome.NOT_APPLICABLE:
        return StepResult(passed=True, detail="does not apply here")
    if result.outcome is Outcome.PASS or not result.findings:
        return StepResult(passed=result.outcome is Outcome.PASS, detail=result.summary)
    return StepResult(passed=False, detail=result.findings[0].message)
