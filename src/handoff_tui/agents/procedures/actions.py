"""What the steps, rules, gates and rollbacks of procedures do in one repository: where the engine meets the rest."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from threading import Event

from handoff_tui.agents.consent import PhaseAgent, list_procedure_agents, refuse_untrusted_agent
from handoff_tui.agents.engine.engine import AgentOrder, Attempted, GateLook
from handoff_tui.agents.engine.profile import build_plan
from handoff_tui.agents.notify import Notification, notify
from handoff_tui.agents.procedures.gate import look_at_run_gate, refuse_closed_gate
from handoff_tui.agents.procedures.report import ProcedurePlan, ProcedureTry, RunRequest, TryKind, TryResult
from handoff_tui.agents.procedures.steps import BUILT_IN, UNDOING, open_transfer, open_work, pass_on
from handoff_tui.agents.runs.folders import RunHandle, attach_run, find_run, list_runs, stop_run, wait_run
from handoff_tui.agents.runs.phase_locks import HeldLock, find_lock, release_lock, take_lock
from handoff_tui.agents.runs.run import RunEnding, RunKey, RunStatus
from handoff_tui.agents.step.end import finish_step
from handoff_tui.agents.step.prepare import PreparedRun
from handoff_tui.agents.step.report import Direction, Route, StepOutcome, StepReport
from handoff_tui.agents.step.route import find_known_phase
from handoff_tui.agents.step.start import start_prepared
from handoff_tui.agents.step.trail import list_reports
from handoff_tui.checks.result import CheckResult, Outcome
from handoff_tui.checks.run.check import ProgressCallbacks, check
from handoff_tui.checks.run.choose import CheckRequest, list_rules
from handoff_tui.config.nearest import suggest
from handoff_tui.config.pipeline import Phase, Pipeline
from handoff_tui.config.settings.pipeline import Agent
from handoff_tui.config.settings.procedures import Procedure
from handoff_tui.config.settings.user import NotificationEvent
from handoff_tui.core.errors import HandoffError, PhaseLockedError, ProcedureError, UsageError
from handoff_tui.decisions.examine import ExaminedGate, examine
from handoff_tui.decisions.packet import build_packet
from handoff_tui.handoffs.session import Desk, open_desk
from handoff_tui.log.open_log import open_log
from handoff_tui.log.storage.blobs import read_log_mark
from handoff_tui.status.pipeline import find_pipeline
from handoff_tui.system.clock import pause, read_monotonic
from handoff_tui.system.files.probe import find_program

_LOOK_SECONDS = 0.2
_RESULTS = {
    StepOutcome.READY: TryResult.PASS,
    StepOutcome.FAILED: TryResult.FAIL,
    StepOutcome.STOPPED: TryResult.STOPPED,
    StepOutcome.NEEDS_HUMAN: TryResult.NEEDS_HUMAN,
}
_ENDINGS = {
    RunEnding.TIMED_OUT: TryResult.TIMEOUT,
    RunEnding.NOT_STARTED: TryResult.ERROR,
    RunEnding.LOST: TryResult.ERROR,
}


def run_step_agent(root: Path, request: RunRequest, order: AgentOrder, cancel: Event) -> ProcedureTry:
    """One try by an agent: its run is over, alive, or begins now. What speaks against it counts, not its exit code."""
    desk = open_desk(root)
    key = build_key(request, order)
    common_dir = desk.repository.common_dir
    if find_run(common_dir, key).status in {RunStatus.ABSENT, RunStatus.PREPARED}:
        held = _wait_for_phase(desk, request, order, cancel)
        if held is None:
            return ProcedureTry(
                kind=order.kind, name=order.name, number=order.number, result=TryResult.WITHDRAWN, begun=False
            )
        _start(root, request, order, cancel, held)
    handle = attach_run(common_dir, key)
    withdrawn = not wait_run(handle, cancel).is_over
    if withdrawn:
        stop_run(handle)
    report = finish_step(desk, key)
    result = TryResult.WITHDRAWN if withdrawn else _find_result(report)
    return ProcedureTry(
        kind=order.kind,
        name=order.name,
        number=order.number,
        result=result,
        detail=_describe(report),
        began=report.end.began,
        seconds=report.end.seconds,
        evidence=f"sha256:{report.end.output_sha256}" if report.end.output_sha256 else None,
    )


def stop_step_agents(desk: Desk, request: RunRequest) -> None:
    """Ends whatever agent of the run is still at work, or was left behind by a supervisor that died."""
    prefixes = tuple(_build_step(request, kind, "") for kind in (TryKind.STEP, TryKind.ROLLBACK))
    living = {RunStatus.RUNNING, RunStatus.PAUSED, RunStatus.LOST}
    for state in list_runs(desk.repository.common_dir, request.handoff):
        if state.key.step.startswith(prefixes) and state.status in living:
            stop_run(RunHandle(state.key, Path(state.folder)))
            if state.plan is not None and state.plan.lock is not None:
                release_lock(HeldLock(Path(state.plan.lock), state.plan.mark))


def build_key(request: RunRequest, order: AgentOrder) -> RunKey:
    """Names the run's folder: another run of the same procedure has another, and so has the way back."""
    return RunKey(
        handoff=request.handoff,
        phase=request.phase,
        attempt=request.attempt,
        step=_build_step(request, order.kind, order.name),
        number=order.number,
    )


def prepare_run(
    desk: Desk, request: RunRequest, order: AgentOrder, progress: ProgressCallbacks | None = None
) -> PreparedRun:
    """The same as for a step by hand, but that a procedure says which agent it is, and for how long."""
    agent = _find_agent(desk, order)
    examined = examine(desk, open_log(desk.repository), request.handoff, request.phase, telling=progress)
    pipeline, phase = _find_phase(desk, examined, request.phase)
    route = Route(pipeline=pipeline.name, phase=phase.name, source=phase.name, direction=Direction.PROCEDURE)
    return PreparedRun(
        examined=examined,
        pipeline=pipeline,
        phase=phase,
        route=route,
        agent=agent,
        key=build_key(request, order),
        reports=list_reports(desk, request.handoff, procedures=True),
        packet=build_packet(examined),
        procedure=request.run_id,
        transfer=str(open_transfer(desk, request).place),
    )


def _start(root: Path, request: RunRequest, order: AgentOrder, cancel: Event, held: HeldLock) -> None:
    """With the lock of the phase in hand; everything is looked at now, since the wait for it may have been long."""
    try:
        desk = open_desk(root)
        if order.kind is TryKind.STEP:  # the way back is open to everybody
            refuse_closed_gate(desk, request, order.name)
        prepared = prepare_run(desk, request, order, ProgressCallbacks(cancel=cancel))
        _refuse_without_person(prepared, request, order)
        if cancel.is_set():
            raise ProcedureError("the step was ended before its agent was started")
    except HandoffError:
        release_lock(held)
        raise
    start_prepared(prepared, held)


def _refuse_without_person(prepared: PreparedRun, request: RunRequest, order: AgentOrder) -> None:
    """In a phase for people alone somebody must have signed first; asking for the procedure is not enough."""
    settings = prepared.desk.loaded.settings.procedures.procedures.get(request.procedure)
    gated = {step.name for step in settings.steps if step.gate} if settings is not None else set()
    if prepared.phase.human_only and order.kind is TryKind.STEP and order.name not in gated:
        raise ProcedureError(
            f"{prepared.phase.name} may only be started by a person, and nobody signs before {order.name}",
            f"Give the step {order.name} gate = true in its procedure.",
        )


def _wait_for_phase(desk: Desk, request: RunRequest, order: AgentOrder, cancel: Event) -> HeldLock | None:
    """The lock of the phase, as soon as who works there has ended; nothing where the run was withdrawn meanwhile.

    Its mark is made from what the run is called: a worker that died with the lock in hand left it to the next one.
    """
    common_dir, key = desk.repository.common_dir, build_key(request, order)
    named = "\0".join((str(common_dir), request.run_id, key.step, str(key.number)))
    mark = hashlib.sha256(named.encode("utf-8", "surrogateescape")).hexdigest()[:32]
    began = read_monotonic()
    while not cancel.is_set():
        try:
            return take_lock(common_dir, key, f"the procedure {request.run_id}", mark)
        except PhaseLockedError:
            lock = find_lock(common_dir, key.phase)
            if (lock is not None and lock.stale) or read_monotonic() - began >= order.seconds:
                raise
        pause(_LOOK_SECONDS)
    return None


def _build_step(request: RunRequest, kind: TryKind, name: str) -> str:
    back = "undo." if kind is TryKind.ROLLBACK else ""
    return f"{request.procedure}.{request.number}.{back}{name}"


def _find_agent(desk: Desk, order: AgentOrder) -> PhaseAgent:
    """By the configuration as it is now: an engine's record cannot say what is to be run."""
    agent: Agent | None = desk.loaded.settings.agents.get(order.name)
    if agent is None:
        raise ProcedureError(
            f"[agents] has no agent {order.name} any more", "Put it back, and ask for the procedure again."
        )
    refuse_untrusted_agent(desk, order.name)
    may_rest = agent.may_change_nothing or order.kind is TryKind.ROLLBACK  # there may be nothing to undo
    bounded = agent.model_copy(update={"timeout_seconds": order.seconds, "may_change_nothing": may_rest})
    return PhaseAgent(order.name, bounded, order.name in list_procedure_agents(desk))


def _find_phase(desk: Desk, examined: ExaminedGate, name: str) -> tuple[Pipeline, Phase]:
    """As the pipeline of the handoff says; a phase that none knows stands by itself."""
    known = find_pipeline(examined.handoff, desk.loaded.settings.pipelines)
    phase = find_known_phase(known, name) if known is not None else None
    if known is not None and phase is not None:
        return known, phase
    alone = Phase(name=name)
    return Pipeline(name=examined.handoff.dialect, phases=(alone,), edges=()), alone


def _find_result(report: StepReport) -> TryResult:
    if report.outcome is StepOutcome.FAILED and report.end.ending in _ENDINGS:
        return _ENDINGS[report.end.ending]
    return _RESULTS[report.outcome]


def _describe(report: StepReport) -> str:
    """Why it is no pass; for one that passed, what it did."""
    if report.why:
        return "; ".join(report.why)
    return f"exit {report.end.code}; {len(report.files)} changed, {len(report.commits)} committed"


IsCompleted = Callable[[RunRequest, str], bool]
"""Whether another procedure was completed for the same attempt."""


class RepositoryActions:
    """Everything is read anew each time: a run may last for days, and nothing of it is believed in between."""

    def __init__(self, root: Path, is_completed: IsCompleted) -> None:
        self._root = root
        self._is_completed = is_completed

    def plan(self, request: RunRequest) -> ProcedurePlan:
        desk = open_desk(self._root)
        plan = build_checked_plan(desk, request.procedure)
        procedure = desk.loaded.settings.procedures.procedures[request.procedure]
        for needed in procedure.depends_on:
            if not self._is_completed(request, needed):
                raise ProcedureError(f"{needed} must have been completed for this attempt before")
        return plan

    def act(self, request: RunRequest, step: str, cancel: Event) -> Attempted:
        work = open_work(self._root, request, cancel)
        if BUILT_IN[step] is not pass_on:  # which asks git itself
            refuse_closed_gate(work.desk, request, step)
        return BUILT_IN[step](work)

    def run_agent(self, request: RunRequest, order: AgentOrder, cancel: Event) -> ProcedureTry:
        return run_step_agent(self._root, request, order, cancel)

    def judge(self, request: RunRequest, rule: str, cancel: Event) -> Attempted:
        """The rule as a check of this handoff; one that does not apply here stands in nobody's way."""
        progress = ProgressCallbacks(cancel=cancel)
        report = check(open_desk(self._root), CheckRequest(handoff=request.handoff, only=(rule,)), progress)
        result = report.results[0] if report.results else None
        if result is None:
            return Attempted(passed=False, detail=f"{rule} was not judged: it is switched off")
        return _describe_result(result)

    def look_at_gate(self, request: RunRequest) -> GateLook:
        look = look_at_run_gate(self._root, request)
        if look.open is None:
            self.tell(request, f"{request.procedure} waits for a decision")
        return look

    def tell(self, request: RunRequest, text: str) -> None:
        occasion = f"{request.run_id}\0{text}".encode("utf-8", "surrogatepass")
        notification = Notification(
            event=NotificationEvent.NEEDS_YOU.value,
            handoff=request.handoff,
            text=f"{request.handoff} · {request.phase}: {text}",
            key=hashlib.sha256(occasion).hexdigest(),
        )
        notify(open_desk(self._root), notification)

    def undo(self, request: RunRequest, name: str, cancel: Event) -> Attempted:
        del cancel  # what undoes is quick, and is done to its end
        return UNDOING[name](open_transfer(open_desk(self._root), request), request)

    def stop_agents(self, request: RunRequest) -> None:
        stop_step_agents(open_desk(self._root), request)

    def read_log_mark(self) -> str:
        return read_log_mark(self._root)


def build_checked_plan(desk: Desk, procedure_id: str) -> ProcedurePlan:
    """The plan of a procedure; an error where a name in it leads nowhere."""
    settings = desk.loaded.settings
    known = settings.procedures.procedures
    if procedure_id not in known:
        raise ProcedureError(
            f"there is no procedure {procedure_id!r}; {suggest(procedure_id, known)}",
            "Procedures of your own stand under [procedures.procedures]; docs/procedures.md has an example.",
        )
    procedure = known[procedure_id]
    _refuse_strange_names(desk, procedure_id, procedure)
    for agent in procedure.required_agents:
        configured = settings.agents.get(agent)
        if configured is None or find_program(configured.command[0]) is None:
            raise ProcedureError(
                f"{procedure_id} needs the agent {agent}, which is not ready on this machine",
                f"Add [agents.{agent}] to your configuration, and install its program.",
            )
    plan = build_plan(settings.procedures, procedure_id, frozenset(settings.agents))
    for rule in plan.rules:
        try:
            list_rules(desk, CheckRequest(only=(rule.id,)))
        except UsageError as unknown:
            raise ProcedureError(
                f"{procedure_id} has the rule {rule.id}, and no check is called so", unknown.hint
            ) from unknown
    return plan


def _refuse_strange_names(desk: Desk, procedure_id: str, procedure: Procedure) -> None:
    agents = desk.loaded.settings.agents
    names = [step.name for step in procedure.steps]
    if not names:
        raise ProcedureError(f"{procedure_id} has no steps", "A procedure does at least one thing.")
    for kind, known, parts in (
        ("step", BUILT_IN, names),
        ("rollback", UNDOING, [undo.name for undo in procedure.rollback]),
    ):
        for name in parts:
            if (name in known) == (name in agents):
                both = "is built in and an agent, too" if name in known else "is neither built in nor one of [agents]"
                raise ProcedureError(
                    f"{procedure_id} has the {kind} {name!r}, which {both}; {suggest(name, (*known, *agents))}",
                    "docs/procedures.md lists the built-in ones.",
                )
            if parts.count(name) > 1:
                raise ProcedureError(f"{procedure_id} has the {kind} {name!r} twice", "Give each a name of its own.")


def _describe_result(result: CheckResult) -> Attempted:
    if result.outcome is Outcome.NOT_APPLICABLE:
        return Attempted(passed=True, detail="does not apply here")
    found = result.findings[0].message if result.findings else result.summary
    return Attempted(
        passed=result.outcome is Outcome.PASS, detail=found if result.outcome is not Outcome.PASS else result.summary
    )
