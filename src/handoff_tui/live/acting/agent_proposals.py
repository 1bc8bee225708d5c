"""Prepares what a person wants done about agents: shown first, then done exactly as shown."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from handoff_tui.agents.command import build_backoff
from handoff_tui.agents.consent import refuse_untrusted
from handoff_tui.agents.rollback.report import RollbackState
from handoff_tui.agents.rollback.rollback import (
    apply_rollback,
    list_rollbacks,
    preview_rollback,
    refuse_rollback,
    undo_rollback,
)
from handoff_tui.agents.runs.phase_locks import describe_holder, find_lock, list_locks, unlock
from handoff_tui.agents.runs.run import RunKey, RunStatus
from handoff_tui.agents.step.prepare import PreparedStep, StepRequest, prepare_step
from handoff_tui.agents.step.route import find_failure_target
from handoff_tui.agents.step.step import build_environment, build_prompt, read_view, start_step, stop_step
from handoff_tui.checks.report import RequestedCommands
from handoff_tui.checks.run.check import ProgressCallbacks
from handoff_tui.checks.run.commands import give_consent, has_consent, list_requested_commands
from handoff_tui.checks.run.guards import accept_settings
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import AgentRunError, PhaseLockedError, RollbackError, ShownMovedError, UsageError
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.live.state.agents import ProposalKind, StepPlan
from handoff_tui.log.person import Confirmation, require_person


def ready_trust(root: Path) -> tuple[RequestedCommands, Callable[[], str]]:
    """Returns the commands to consent to, and the function that records the consent; nothing is run."""
    session = open_session(root)
    plan = list_requested_commands(session)
    if plan is None:
        raise UsageError("this repository has no commands that need consent")
    if has_consent(session, plan.digest):
        raise UsageError("you have already consented to these commands")

    def do() -> str:
        now = open_session(root)
        if list_requested_commands(now) != plan:
            raise ShownMovedError("the commands or their scripts have changed since this was shown")
        require_person("consent to commands", Confirmation.APP)
        give_consent(now, plan.digest)
        accept_settings(now)
        return "Consent recorded; running them"

    return plan, do


_WITH_UNCOMMITTED = "uncommitted"


class AgentRequest(NamedTuple):
    """What is asked for, and for which handoff."""

    kind: ProposalKind
    root: str
    handoff: str
    phase: str | None = None
    run: RunKey | None = None


class Watch(NamedTuple):
    """What a proposal needs from the app."""

    session: Session
    """As last read; enough for questions that are not about files."""
    follow: Callable[[Session, RunKey], None]
    """Takes a run whose end is to be noticed."""
    begin: Callable[[PreparedStep, RunKey, bool], None]
    """Takes a run that was started, and whether others follow it."""
    cancel: threading.Event


class Ready(NamedTuple):
    """What is shown, and what is done on confirmation; that returns a sentence about it."""

    shown: dict[str, Any]
    do: Callable[[], str]


def ready_proposal(wish: AgentRequest, watch: Watch) -> Ready:
    """Returns what would be done; raises if it cannot be."""
    makers: dict[ProposalKind, Callable[[AgentRequest, Watch], Ready]] = {
        ProposalKind.STEP: _ready_step,
        ProposalKind.AGAIN: _ready_step,
        ProposalKind.BACK: _ready_step,
        ProposalKind.LOOP: _ready_step,
        ProposalKind.STOP: _ready_stop,
        ProposalKind.UNLOCK: _ready_unlock,
        ProposalKind.ROLLBACK: _ready_rollback,
        ProposalKind.UNDO: _ready_undo,
        ProposalKind.TRUST: _ready_trust,
    }
    return makers[wish.kind](wish, watch)


def _ready_step(wish: AgentRequest, watch: Watch) -> Ready:
    prepared = _prepare(wish, watch)
    _refuse_locked(prepared)
    refuse_untrusted(prepared.session, prepared.agent)
    plan = build_plan(prepared)
    typed, why = _find_typed(prepared)

    def do() -> str:
        again = _prepare(wish, watch, beyond_budget=bool(typed))
        if build_plan(again) != plan:
            raise ShownMovedError("something changed since this was shown; the agent would be told something else")
        view = start_step(again, confirmed=bool(typed))
        watch.begin(again, view.state.key, wish.kind is ProposalKind.LOOP)
        return f"{plan.handoff} · {plan.phase}: {plan.agent} is running"

    return Ready({"plan": plan, "typed": typed, "typed_why": why}, do)


def _prepare(wish: AgentRequest, watch: Watch, *, beyond_budget: bool = False) -> PreparedStep:
    session = open_session(Path(wish.root))
    request = StepRequest(
        wish.handoff,
        None if wish.kind is ProposalKind.AGAIN else wish.phase,
        back=wish.kind is ProposalKind.BACK,
        again=wish.kind is ProposalKind.AGAIN,
        beyond_budget=beyond_budget,
    )
    prepared = prepare_step(session, request, ProgressCallbacks(cancel=watch.cancel))
    if watch.cancel.is_set():
        raise AgentRunError("cancelled before everything was examined")
    return prepared


def build_plan(prepared: PreparedStep) -> StepPlan:
    """Returns what would be started, as it is shown."""
    key, agent, route = prepared.key, prepared.agent.settings, prepared.route
    return StepPlan(
        handoff=key.handoff,
        phase=key.phase,
        attempt=key.attempt,
        number=key.number,
        direction=route.direction.value,
        source=route.source,
        agent=prepared.agent.name,
        argv=agent.command,
        folder=str(prepared.work_folder),
        worktree=prepared.worktree is not None,
        environment=tuple(sorted(build_environment(prepared))),
        timeout_seconds=agent.timeout_seconds,
        tries_left=prepared.budget.left,
        from_repository=prepared.agent.from_repository,
        prompt=build_prompt(prepared),
        waits=tuple(build_backoff(agent, number) for number in range(1, agent.retries + 1)),
        demands=len(prepared.context.packet.demands) if prepared.context.packet is not None else 0,
        failure_target=find_failure_target(prepared.pipeline, prepared.phase).name,
    )


def _find_typed(prepared: PreparedStep) -> tuple[str, str]:
    """Returns what must be typed, and why: for a phase only a person may start, and for a run beyond the budget."""
    if prepared.phase.human_only:
        return prepared.phase.name, f"only a person may start {prepared.phase.name}"
    if prepared.budget.is_spent:
        tries = prepared.budget.allowed + 1
        spent = "the only run of the loop is" if tries == 1 else f"all {tries} runs of the loop are"
        return prepared.phase.name, f"{spent} used up; this would be one more"
    return "", ""


def _refuse_locked(prepared: PreparedStep) -> None:
    phase = prepared.key.phase
    state = find_lock(prepared.session.repository.common_dir, prepared.key)
    if state is None:
        return
    holder = describe_holder(state)
    if state.stale:
        raise PhaseLockedError(
            f"the lock of {phase} was left behind by {holder}",
            "Check whether its work is worth keeping, then break the lock.",
        )
    raise PhaseLockedError(f"{phase} is locked by {holder}", "Wait for it, or stop it.")


def _ready_stop(wish: AgentRequest, watch: Watch) -> Ready:
    session = watch.session
    if wish.run is None:
        raise UsageError("no run selected")
    key = wish.run
    view = read_view(session, key)
    if view.state.is_over or view.state.status is RunStatus.ABSENT:
        raise AgentRunError(f"{key.handoff} · {key.phase} is no longer running")

    def do() -> str:
        watch.follow(session, key)
        stop_step(session, key)
        return f"{key.handoff} · {key.phase}: stopped, with everything it had started"

    return Ready({"run": view}, do)


def _ready_unlock(wish: AgentRequest, watch: Watch) -> Ready:
    session = watch.session
    locks = [state for state in list_locks(session.repository.common_dir) if wish.phase in {None, state.lock.phase}]
    state = next((one for one in locks if one.stale), next(iter(locks), None))
    if state is None:
        raise UsageError("nothing is locked here")
    if not state.stale:
        raise PhaseLockedError(
            f"{state.lock.phase} is held by {describe_holder(state)}, which is running", "Stop it first."
        )

    def do() -> str:
        unlock(session.repository.common_dir, state.lock.phase, state.lock.handoff)
        return f"the lock of {state.lock.phase} is broken"

    return Ready({"lock": state}, do)


def _ready_rollback(wish: AgentRequest, watch: Watch) -> Ready:  # noqa: ARG001 - as the others
    preview = preview_rollback(open_session(Path(wish.root)))
    refuse_rollback(preview, with_unexplained=True)
    takes_all = bool(preview.unexplained)

    def do() -> str:
        session = open_session(Path(wish.root))
        if preview_rollback(session) != preview:
            raise ShownMovedError("something has changed since this was shown")
        record = apply_rollback(session, with_unexplained=takes_all)
        return f"rolled back to {record.target[:SHORT_DIGEST]}; saved in {record.saved.ref}"

    shown: dict[str, Any] = {"rollback": preview}
    if takes_all:
        why = "there are uncommitted changes that no agent's run explains; they would be saved and rolled back too"
        shown |= {"typed": _WITH_UNCOMMITTED, "typed_why": why}
    return Ready(shown, do)


def _ready_undo(wish: AgentRequest, watch: Watch) -> Ready:  # noqa: ARG001 - as the others
    records = list_rollbacks(open_session(Path(wish.root)))
    record = next((one for one in reversed(records) if one.state is not RollbackState.UNDONE), None)
    if record is None:
        raise RollbackError("there's no rollback to undo")

    def do() -> str:
        back = undo_rollback(open_session(Path(wish.root)))
        return f"the rollback to {back.target[:SHORT_DIGEST]} is undone"

    return Ready({"record": record}, do)


def _ready_trust(wish: AgentRequest, watch: Watch) -> Ready:  # noqa: ARG001 - as the others
    plan, do = ready_trust(Path(wish.root))
    return Ready({"trust": plan}, do)
