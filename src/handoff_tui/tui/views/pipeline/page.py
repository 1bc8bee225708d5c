"""The page below the pipeline: what to do, what blocks it, what was read, and earlier attempts."""

from __future__ import annotations

from handoff_tui.checks.report import CheckReport
from handoff_tui.core.text.labels import label_gate, label_outcome, plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.app import AppState
from handoff_tui.status.pipeline import AttemptView, PipelineView
from handoff_tui.tui.views.inbox.page import add_blocking, add_named, add_next_move

_MOST_FAILING = 4
_LONGEST_REASON = 240
_SIGNED = {"approve": "pass", "carry": "pass", "reject": "fail", "retry": "warning", "override": "warning"}


def build_pipeline_page(state: AppState, phase: str | None = None) -> Page:
    """Describes the current handoff; with a phase, lists attempts of that phase only."""
    page = Page()
    item, view = state.item, state.pipeline.value
    if item is None:
        return page
    add_next_move(page, item)
    add_blocking(page, item.reviewed.gate)
    _add_gate(page, state)
    _add_checks(page, state.checks.value)
    _add_read(page, state)
    _add_log(page, state)
    if view is not None:
        _add_budget(page, view)
        _add_attempts(page, view, phase)
    return page


def _add_gate(page: Page, state: AppState) -> None:
    gate = state.gate.value
    if gate is None:
        return
    report = gate.report
    label = label_gate(report.state)
    asked = f"asks for {render_safe(report.requirement)}" if report.requirement else f"asks for {report.threshold}"
    counted = [one.principal for one in report.approvals if one.counted]
    given = f": {render_safe(', '.join(counted))}" if counted else ", nobody yet"
    add_named(page, "gate", Cell(f"{label}  ", label.role), Cell(f"{render_safe(report.phase)} {asked}{given}"))
    if report.debts:
        add_named(page, "debts", Cell(f"{plural(len(report.debts), 'override')} not settled", "warning"))


def _add_checks(page: Page, report: CheckReport | None) -> None:
    if report is None:
        add_named(page, "checks", Cell("not run yet", "muted"))
        return
    failing = report.blocking_failures
    numbers = f"{report.passed} of {report.total} passed" + (
        f", {plural(report.warnings, 'warning')}" if report.warnings else ""
    )
    verdict = Cell("■ blocked  ", "fail") if failing else Cell("✓ pass  ", "pass")
    add_named(page, "checks", verdict, Cell(numbers))
    for result in failing[:_MOST_FAILING]:
        label = label_outcome(result.outcome)
        add_named(
            page, "", Cell(f"{label}  {render_safe(result.id)}  ", label.role), Cell(render_safe(result.summary, 160))
        )
    if len(failing) > _MOST_FAILING:
        add_named(page, "", Cell(f"… and {len(failing) - _MOST_FAILING} more", "muted"))


def _add_read(page: Page, state: AppState) -> None:
    files = state.files.value
    if files is None:
        return
    if not files.files:
        add_named(page, "read", Cell("no file differs from the baseline", "muted"))
        return
    read = sum(one.change.path in state.drafts.viewed for one in files.files)
    done = read == len(files.files)
    text = f"{read} of {plural(len(files.files), 'changed file')} read"
    comments = f", {plural(len(state.drafts.comments), 'comment')} not sent" if state.drafts.comments else ""
    add_named(page, "read", Cell(text + comments, "pass" if done else "warning"))


def _add_log(page: Page, state: AppState) -> None:
    log, repository = state.log.value, state.repository
    if repository is not None and repository.fatal:
        add_named(page, "log", Cell(f"✗ not intact: {render_safe(repository.fatal[0])}", "fail"))
    elif log is not None:
        add_named(
            page,
            "log",
            Cell("✓ intact  ", "pass"),
            Cell(plural(log.total, "signed entry")),
        )


def _add_budget(page: Page, view: PipelineView) -> None:
    if view.retry_budget is None:
        return
    spent = f"{view.spent} of {view.retry_budget}"
    back = f"; failed work goes back to {render_safe(view.failure_target)}" if view.failure_target else ""
    over = view.spent >= view.retry_budget
    note = "; a person must decide now" if over else ""
    add_named(page, "retries", Cell(f"{spent} used{note}{back}", "warning" if over else "text"))


def _add_attempts(page: Page, view: PipelineView, phase: str | None) -> None:
    wanted = [one for one in view.attempts if phase is None or one.phase.casefold() == phase.casefold()]
    if not wanted:
        return
    page.heading("Attempts" if phase is None else f"Attempts at {render_safe(phase)}", str(len(wanted)))
    for attempt in wanted:
        _add_attempt(page, attempt)


def _add_attempt(page: Page, attempt: AttemptView) -> None:
    signed = attempt.entry is not None
    role = _SIGNED.get(attempt.outcome, "text") if signed else "unverified"
    said = "signed" if signed else "claimed"
    words = [render_safe(word) for word in (attempt.phase, attempt.who, attempt.when) if word]
    page.line(
        Cell(f"{attempt.number:>2}  ", "muted"),
        Cell(f"{render_safe(attempt.outcome, 24)} ", role),
        Cell(f"({said})  {' · '.join(words)}", "muted"),
        Cell(f"  {render_safe(attempt.reason, _LONGEST_REASON)}" if attempt.reason else ""),
        indent=4,
    )
