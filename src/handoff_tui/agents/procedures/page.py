"""Runs of procedures and metrics over them: as the public JSON shapes, and as pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from handoff_tui.agents.engine.listing import AtWork
from handoff_tui.agents.procedures import report
from handoff_tui.agents.runs.run import AGENT_STEP, RunState
from handoff_tui.agents.step.page import add_overlaps, describe_seconds
from handoff_tui.agents.step.page import label_run as label_agent
from handoff_tui.core.place import Severity
from handoff_tui.core.text.labels import Label, plural
from handoff_tui.core.text.page import Cell, Column, Page
from handoff_tui.core.text.safe_text import render_safe

SCHEMA = "handoff-tui/run/v1"
LIST_SCHEMA = "handoff-tui/runs/v1"

_STATES = {
    report.ProcedureState.PENDING: Label("○", "pending", "muted"),
    report.ProcedureState.IN_PROGRESS: Label("▶", "in progress", "accent"),
    report.ProcedureState.VALIDATING: Label("▶", "validating", "accent"),
    report.ProcedureState.WAITING: Label("●", "needs you", "human"),
    report.ProcedureState.ROLLBACK: Label("↶", "rolling back", "warning"),
    report.ProcedureState.COMPLETED: Label("✓", "completed", "pass"),
    report.ProcedureState.FAILED: Label("✗", "failed", "fail"),
}
_ROLLED_BACK = Label("↶", "rolled back", "warning")
_NEEDS_HUMAN = Label("■", "stopped, needs you", "fail")
_RESULTS = {
    report.TryResult.PASS: Label("✓", "pass", "pass"),
    report.TryResult.FAIL: Label("✗", "fail", "fail"),
    report.TryResult.ERROR: Label("!", "error", "error"),
    report.TryResult.TIMEOUT: Label("⌛", "timeout", "timeout"),
    report.TryResult.WITHDRAWN: Label("↶", "withdrawn", "muted"),
    report.TryResult.WAITING: Label("●", "waiting", "human"),
    report.TryResult.EXPIRED: Label("⌛", "expired", "warning"),
    report.TryResult.STOPPED: Label("⊘", "stopped", "cancelled"),
    report.TryResult.NEEDS_HUMAN: Label("●", "needs you", "human"),
}


def label_run(run: report.ProcedureRun) -> Label:
    if run.needs_human:
        return _NEEDS_HUMAN
    return _ROLLED_BACK if run.rolled_back else _STATES[run.state]


def build_run_json(run: report.ProcedureRun) -> dict[str, object]:
    """Returns the shape promised to scripts."""
    return {"schema": SCHEMA, **_build_fields(run), "tries": [one.model_dump(mode="json") for one in run.tries]}


def build_runs_json(overview: report.RunOverview) -> dict[str, object]:
    return {
        "schema": LIST_SCHEMA,
        "runs": [{**_build_fields(run), "worker": run.worker, "since": run.since} for run in overview.runs],
        "workers": [worker.model_dump(mode="json") for worker in overview.workers],
        "figures": build_metrics(overview.runs).model_dump(mode="json"),
    }


def build_run_page(run: report.ProcedureRun) -> Page:
    """Shows the state and why, every step with its attempts, and what was not undone."""
    page = Page()
    _add_heading(page, run)
    rows = [_build_row(one) for one in fold_gate_readings(run.tries)]
    if rows:
        page.blank()
        columns = (Column(""), Column("what"), Column("name"), Column("no."), Column("s", right=True))
        page.grid((*columns, Column("", fold=True)), rows)
    if run.state is report.ProcedureState.WAITING and run.request is not None:
        phase = "" if run.request.is_pipeline else f" --phase {run.request.phase}"
        words = f"handoff-tui decide approve {run.request.handoff}{phase}"
        page.blank()
        page.line(Cell("Needs you: ", "muted"), Cell(render_safe(words), "accent"))
    for name in run.left:
        page.line(Cell("! ", "warning"), Cell(f"{render_safe(name)} did not run: undo by hand what it would undo"))
    return page


def build_at_work_page(work: AtWork) -> Page:
    """Shows the agents that run, who started them where and when, what they share; then the runs and the workers."""
    page = Page()
    page.heading("Agents at work", "" if work.agents else "none")
    columns = ("", "handoff", "run", "agent", "since", "took", "started by", "on")
    page.grid(tuple(map(Column, columns)), [_build_agent_row(state) for state in work.agents])
    add_overlaps(page, work.overlaps)
    page.heading("Pipelines and procedures")
    _add_runs(page, work.engine)
    return page


def _build_agent_row(state: RunState) -> tuple[Cell, ...]:
    label, key, plan, process = label_agent(state.status), state.key, state.plan, state.process
    step = "" if key.step == AGENT_STEP else f" ({key.step})"
    words = (
        f"{key.handoff} · {key.phase}{step}", f"{key.attempt}.{key.number}", plan.agent if plan else "",
        _format(process.since if process else None), describe_seconds(state.elapsed), plan.owner if plan else "",
        process.host if process else "",
    )  # fmt: skip
    return Cell(str(label), label.role), *(Cell(render_safe(word)) for word in words)


def build_runs_page(overview: report.RunOverview) -> Page:
    """Shows one row per run: since when it is where, and for whom it waits; then the workers and the metrics."""
    page = Page()
    _add_runs(page, overview)
    if overview.runs:
        _add_metrics(page, overview.runs)
    return page


def _add_runs(page: Page, overview: report.RunOverview) -> None:
    if not overview.runs:
        page.line(Cell("No procedure has run here", "muted"))
        return
    columns = (Column(""), Column("state"), Column("run"), Column("since"), Column("at"), Column("why", fold=True))
    page.grid(columns, [_build_run_row(run) for run in overview.runs])
    page.heading("Workers", "" if overview.workers else "none; the next run starts one")
    for worker in overview.workers:
        host = render_safe(worker.host) or "an unknown host"
        process = "" if worker.pid is None else f" (process {worker.pid})"
        page.line(Cell(f"{worker.name}  ", "key"), Cell(f"on {host}{process} since {_format(worker.since)}"), indent=2)


def _format(moment: float | None) -> str:
    return "–" if moment is None else datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def build_follow_line(run: report.ProcedureRun) -> str:
    """Builds one line of progress."""
    done = sum(one.kind is report.TryKind.STEP and one.passed for one in run.tries)
    total = f"/{len(run.plan.steps)}" if run.plan else ""
    return f"{label_run(run).word}: {done}{total} steps{f', at {run.current}' if run.current else ''}"


def fold_gate_readings(tries: Sequence[report.ProcedureTry]) -> list[report.ProcedureTry]:
    """Folds repeated readings of a gate that found nothing new into the last one."""
    folded: list[report.ProcedureTry] = []
    for one in tries:
        before = folded[-1] if folded else None
        repeats = (
            before is not None
            and before.kind is one.kind is report.TryKind.GATE
            and before.name == one.name
            and before.result is report.TryResult.WAITING
        )
        if repeats:
            folded.pop()
        folded.append(one)
    return folded


def _build_fields(run: report.ProcedureRun) -> dict[str, object]:
    asked = ("procedure", "handoff", "phase", "attempt", "commit")
    ran = ("state", "finished", "needs_human", "withdrawn", "reason", "current", "left", "seconds")
    return {
        "id": run.id,
        **{name: getattr(run.request, name, None) for name in asked},
        **{name: getattr(run, name) for name in ran},
    }


def _add_heading(page: Page, run: report.ProcedureRun) -> None:
    label = label_run(run)
    page.line(Cell(f"{label}  ", label.role), Cell(render_safe(run.id), "heading"))
    if run.reason:
        page.line(Cell("  "), Cell(render_safe(run.reason)), indent=4)
    if run.withdrawn and not run.finished:
        page.line(Cell("  "), Cell("Somebody asked it to end", "muted"), indent=4)


def _build_row(one: report.ProcedureTry) -> tuple[Cell, ...]:
    label = _RESULTS[one.result]
    what = f"{one.kind.value}, at the end" if one.final else one.kind.value
    return (
        Cell(label.glyph, label.role),
        Cell(what, "muted"),
        Cell(render_safe(one.name)),
        Cell(str(one.number), "muted"),
        Cell(f"{one.seconds:.1f}", "muted"),
        Cell(render_safe(one.detail)),
    )


def _build_run_row(run: report.ProcedureRun) -> tuple[Cell, ...]:
    label = label_run(run)
    return (
        Cell(label.glyph, label.role),
        Cell(label.word, label.role),
        Cell(render_safe(run.id)),
        Cell(_format(run.since), "muted"),
        Cell(render_safe(run.current or "–"), "muted"),
        Cell(render_safe(run.reason)),
    )


def _add_metrics(page: Page, runs: Sequence[report.ProcedureRun]) -> None:
    metrics = build_metrics(runs)
    page.heading("By procedure")
    for kind in metrics.types:
        mean = "" if kind.mean_seconds is None else f", {kind.mean_seconds:.1f} s on average"
        words = f"{plural(kind.runs, 'run')}: {kind.completed} completed, {kind.rolled_back} rolled back"
        page.line(
            Cell(f"{render_safe(kind.procedure)}  ", "key"),
            Cell(f"{words}, {kind.failed} failed, {kind.open} open{mean}"),
            indent=2,
        )
    if metrics.rules:
        page.heading("By rule")
    for rule in metrics.rules:
        severity = f" ({rule.severity.value})" if rule.severity else ""
        page.line(
            Cell(f"{render_safe(rule.rule)}{severity}  ", "key"),
            Cell(f"held {rule.held} of {rule.judged} times"),
            indent=2,
        )


def build_metrics(runs: Sequence[report.ProcedureRun]) -> report.ProcedureMetrics:
    """Counts the runs by procedure and by rule; leaves out those that can't be read."""
    known = [run for run in runs if run.request is not None]
    names = sorted({run.request.procedure for run in known if run.request is not None})
    return report.ProcedureMetrics(
        types=tuple(
            _count_type(name, [run for run in known if run.request is not None and run.request.procedure == name])
            for name in names
        ),
        rules=_count_rules(known),
    )


def _count_type(name: str, runs: Sequence[report.ProcedureRun]) -> report.TypeMetrics:
    taken = [run.seconds for run in runs if run.seconds is not None]
    return report.TypeMetrics(
        procedure=name,
        runs=len(runs),
        completed=sum(run.state is report.ProcedureState.COMPLETED for run in runs),
        rolled_back=sum(run.rolled_back for run in runs),
        failed=sum(run.state is report.ProcedureState.FAILED for run in runs),
        open=sum(not run.finished for run in runs),
        mean_seconds=sum(taken) / len(taken) if taken else None,
    )


def _count_rules(runs: Iterable[report.ProcedureRun]) -> tuple[report.RuleMetrics, ...]:
    """Counts every check of a rule, including retries."""
    judged: dict[str, list[bool]] = {}
    severities: dict[str, Severity] = {}
    for run in runs:
        for rule in run.plan.rules if run.plan else ():
            severities[rule.id] = rule.severity
        for one in run.tries:
            if one.kind is report.TryKind.RULE:
                judged.setdefault(one.name, []).append(one.passed)
    return tuple(
        report.RuleMetrics(rule=rule, severity=severities.get(rule), judged=len(found), held=sum(found))
        for rule, found in sorted(judged.items())
    )
