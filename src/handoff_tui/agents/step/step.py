"""One step from beginning to end, with its retries; on request the loop, up to where a person must decide.

    StepRequest  → prepare.prepare_step →  PreparedStep
    PreparedStep → start.start_step     →  RunView, its agent running
    RunView      → follow.follow        →  RunView, its agent ended
    RunKey       → end.finish_step      →  StepReport

Each state is on disk before the next begins, so the app, a second terminal or a later day can take over from there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from handoff_tui.agents.command import build_backoff
from handoff_tui.agents.runs.run import RunStatus
from handoff_tui.agents.step.end import finish_step
from handoff_tui.agents.step.follow import follow, stop_step
from handoff_tui.agents.step.judge import can_retry
from handoff_tui.agents.step.prepare import PreparedStep, StepRequest, prepare_step
from handoff_tui.agents.step.report import RunView, StepOutcome, StepReport
from handoff_tui.agents.step.start import start_step
from handoff_tui.checks.run.check import ProgressCallbacks
from handoff_tui.handoffs.session import Desk, open_desk


@dataclass(slots=True)
class StepCallbacks:
    """How the caller follows a step, confirms it, and ends it."""

    checks: ProgressCallbacks = field(default_factory=ProgressCallbacks)
    on_start: Callable[[PreparedStep], None] | None = None
    on_look: Callable[[RunView], None] | None = None
    on_report: Callable[[StepReport], None] | None = None
    confirm: Callable[[PreparedStep], bool] | None = None
    """Asks the person at the terminal; called only for phases that a person must start."""


def step(desk: Desk, request: StepRequest, callbacks: StepCallbacks, *, loop: bool = False) -> StepReport:
    """Runs one agent to its end and examines its work; with `loop`, goes on until a person is needed."""
    report = _run_with_retries(desk, request, callbacks)
    while loop and not callbacks.checks.cancel.is_set() and can_go_on(report):
        desk = open_desk(desk.repository.root)
        report = _run_with_retries(desk, StepRequest(request.handoff, report.next_phase), callbacks)
    return report


def can_go_on(report: StepReport) -> bool:
    """Tells whether the loop may go on: failed work goes back, and work behind a phase without a gate goes forward."""
    if report.next_phase is None or report.next_by_person:
        return False
    return report.outcome is StepOutcome.FAILED or (report.outcome is StepOutcome.READY and not report.has_gate)


def _run_with_retries(desk: Desk, request: StepRequest, callbacks: StepCallbacks) -> StepReport:
    cancel = callbacks.checks.cancel
    retry = 0
    while True:
        prepared = prepare_step(desk, request, callbacks.checks)
        if cancel.is_set():  # the checks were cut short, so they are no basis for a start
            raise KeyboardInterrupt
        report = _run_once(prepared, callbacks)
        retry += 1
        if cancel.is_set() or not can_retry(report.end, report.outcome) or retry > prepared.agent.settings.retries:
            return report
        if cancel.wait(build_backoff(prepared.agent.settings, retry)):
            return report
        desk = open_desk(desk.repository.root)
        request = request._replace(phase=report.key.phase, back=False)


def _run_once(prepared: PreparedStep, callbacks: StepCallbacks) -> StepReport:
    is_confirmed = prepared.phase.human_only and callbacks.confirm is not None and callbacks.confirm(prepared)
    key = start_step(prepared, confirmed=is_confirmed).state.key
    if callbacks.on_start is not None:
        callbacks.on_start(prepared)
    view = follow(prepared.desk, key, callbacks.on_look, callbacks.checks.cancel)
    if view.state.status in {RunStatus.RUNNING, RunStatus.PAUSED}:
        stop_step(prepared.desk, key)
    # without the cancel: whoever stopped the agent still wants to see what it did
    report = finish_step(prepared.desk, key, ProgressCallbacks(on_result=callbacks.checks.on_result))
    if callbacks.on_report is not None:
        callbacks.on_report(report)
    return report
