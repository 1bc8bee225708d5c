"""One step with its retries; on request the whole loop, up to where a person must decide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from handoff_tui.agents.command import build_backoff
from handoff_tui.agents.outcome import can_try_again
from handoff_tui.agents.runs.run import RunStatus
from handoff_tui.agents.runs.view import RunView
from handoff_tui.agents.step.end import finish_step
from handoff_tui.agents.step.follow import follow, stop_step
from handoff_tui.agents.step.report import StepOutcome, StepReport
from handoff_tui.agents.step.step import PreparedStep, StepRequest, prepare_step, start_step
from handoff_tui.checks.run.check import Telling
from handoff_tui.handoffs.session import Desk, open_desk


@dataclass(slots=True)
class StepTelling:
    """How the caller follows a step, confirms it, and ends it."""

    checks: Telling = field(default_factory=Telling)
    on_start: Callable[[PreparedStep], None] | None = None
    on_look: Callable[[RunView], None] | None = None
    on_report: Callable[[StepReport], None] | None = None
    confirm: Callable[[PreparedStep], bool] | None = None
    """Asks the person at the terminal; called only for phases that people alone may start."""


def step(desk: Desk, request: StepRequest, telling: StepTelling, *, loop: bool = False) -> StepReport:
    """Runs one agent to its end and looks at its work; with `loop`, goes on while no person is needed.

    What a person must decide ends the loop: a gate, a spent budget, anything that was noticed at a phase without one.
    """
    report = _try(desk, request, telling)
    while loop and not telling.checks.cancel.is_set() and can_go_on(report):
        desk = open_desk(desk.repository.root)
        report = _try(desk, StepRequest(request.handoff, report.next_phase), telling)
    return report


def can_go_on(report: StepReport) -> bool:
    """Failed work goes back by itself; work that is ready passes on only where nobody has to decide."""
    if report.next_phase is None or report.next_by_person:
        return False
    return report.outcome is StepOutcome.FAILED or (report.outcome is StepOutcome.READY and not report.has_gate)


def _try(desk: Desk, request: StepRequest, telling: StepTelling) -> StepReport:
    """The first try and those after it, with the waits between them."""
    retry = 0
    while True:
        prepared = prepare_step(desk, request, telling.checks)
        if telling.checks.cancel.is_set():  # the checks were cut short: nothing is started on what they say
            raise KeyboardInterrupt
        report = _run_once(prepared, telling)
        retry += 1
        ended = telling.checks.cancel.is_set() or not can_try_again(report.end, report.outcome)
        if ended or retry > prepared.found.agent.retries:
            return report
        if telling.checks.cancel.wait(build_backoff(prepared.found.agent, retry)):
            return report
        desk = open_desk(desk.repository.root)
        request = request._replace(phase=report.key.phase, back=False)


def _run_once(prepared: PreparedStep, telling: StepTelling) -> StepReport:
    is_confirmed = prepared.phase.human_only and telling.confirm is not None and telling.confirm(prepared)
    view = start_step(prepared, confirmed=is_confirmed)
    if telling.on_start is not None:
        telling.on_start(prepared)
    view = follow(prepared.desk, view.state.key, telling.on_look, telling.checks.cancel)
    if view.state.status in {RunStatus.RUNNING, RunStatus.PAUSED}:
        stop_step(prepared.desk, view.state.key)
    report = finish_step(prepared.desk, view.state.key, _without_cancel(telling.checks))
    if telling.on_report is not None:
        telling.on_report(report)
    return report


def _without_cancel(checks: Telling) -> Telling:
    """Who stopped the agent still wants to see what it did."""
    return Telling(on_result=checks.on_result)
