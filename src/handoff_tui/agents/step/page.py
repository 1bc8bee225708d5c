"""Steps of agents, the list of them, and locks: as the public JSON shapes, and as pages."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from handoff_tui.agents.consent import ConfiguredPhase
from handoff_tui.agents.runs.run import AGENT_STEP, LeftWorktree, LockState, RunKey, RunStatus, RunUsage
from handoff_tui.agents.step.report import MergePreview, Notice, Overlap, RunView, StepOutcome, StepReport, TrailEntry
from handoff_tui.checks.report import ConsentState
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.place import Severity
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.text.labels import Label
from handoff_tui.core.text.page import Cell, Column, Page, TableColumns
from handoff_tui.core.text.safe_text import render_safe

SCHEMA = "handoff-tui/step/v1"
LIST_SCHEMA = "handoff-tui/step-list/v1"
MERGE_SCHEMA = "handoff-tui/step-merge/v1"
_MOST = 20
_LONGEST_LINE = 100
_MINUTE = 60

_OUTCOMES = {
    StepOutcome.READY: Label("○", "ready", "accent"),
    StepOutcome.FAILED: Label("✗", "failed", "fail"),
    StepOutcome.STOPPED: Label("⊘", "stopped", "cancelled"),
    StepOutcome.NEEDS_HUMAN: Label("●", "needs you", "human"),
}
_STATUSES = {
    RunStatus.ABSENT: Label("·", "absent", "muted"),
    RunStatus.PREPARED: Label("·", "prepared", "muted"),
    RunStatus.RUNNING: Label("»", "running", "agent"),
    RunStatus.PAUSED: Label("‖", "paused", "warning"),
    RunStatus.FINISHED: Label("·", "ended", "muted"),
    RunStatus.LOST: Label("?", "lost", "unknown"),
}
_HELD = Label("»", "held", "agent")
_SEVERITIES = {
    Severity.CRITICAL: Cell("■ ", "fail"),
    Severity.HIGH: Cell("✗ ", "fail"),
    Severity.MEDIUM: Cell("! ", "warning"),
    Severity.LOW: Cell("· ", "muted"),
}


def label_step(outcome: StepOutcome) -> Label:
    return _OUTCOMES[outcome]


def label_run(status: RunStatus) -> Label:
    return _STATUSES[status]


def build_step_json(report: StepReport) -> dict[str, object]:
    """The shape promised to scripts."""
    values = report.model_dump(mode="json")

    def pick(*names: str) -> dict[str, object]:
        return {name: values[name] for name in names}

    return {
        "schema": SCHEMA,
        "handoff": report.key.handoff,
        "phase": report.key.phase,
        "attempt": report.key.attempt,
        "try": report.key.number,
        **pick("outcome", "why"),
        "next": {
            "phase": report.next_phase,
            "direction": values["next_direction"],
            "by_person": report.next_by_person,
            "move": report.next_move,
        },
        "run": values["end"],
        **pick("notices", "files", "commits", "gate"),
        "checks": {"passed": report.checks_passed, "total": report.checks_total, "failing": values["failing"]},
        "fix_tasks": values["fix_tasks"],
        "budget": {"used": report.budget.used, "allowed": report.budget.allowed, "left": report.budget.left},
        **pick("trail", "agent", "route", "folder", "branch", "head_before", "head_after"),
        "proof": {"path": report.proof, "sha256": report.end.output_sha256},
        **pick("context_sha256", "prompt_sha256"),
    }


def build_step_page(report: StepReport, *, everything: bool = False) -> Page:
    """Shows the outcome and why, what counts against the run, what it did, and who is next."""
    page = Page()
    label = label_step(report.outcome)
    key = report.key
    page.line(Cell(f"{label.glyph} {label.word}  ", label.role), Cell(_name_run(report), "heading"))
    for reason in report.why:
        page.line(Cell("  "), Cell(render_safe(reason)), indent=4)
    page.blank()
    page.fact("agent", f"{report.agent}, {describe_end(report)}")
    if report.end.usage is not None:
        page.fact("used", describe_usage(report.end.usage))
    page.fact("checks", _describe_checks(report))
    page.fact("output", f"{report.end.output_bytes:,} bytes, sha256 {report.end.output_sha256[:SHORT_DIGEST]}")
    page.fact("", report.proof)
    if report.branch and report.route.source != key.phase and report.folder:
        page.fact("folder", report.folder)
    _add_notices(page, report.notices)
    most = None if everything else _MOST
    add_list(page, "Commits", [f"{one.id[:SHORT_DIGEST]} {one.subject}" for one in report.commits], most)
    add_list(page, "Files", [f"{one.change}  {one.path}" for one in report.files], most)
    add_list(page, "To fix", [_describe_task(report, number) for number in range(len(report.fix_tasks))], most)
    if report.outcome is StepOutcome.NEEDS_HUMAN or everything:
        _add_trail(page, report.trail)
    page.blank()
    page.fact("next", report.next_move)
    return page


def describe_end(report: StepReport) -> str:
    """Says how the agent ended, and after how long."""
    end = report.end
    words = {"exited": f"exit code {end.code}", "signalled": f"ended by signal {end.signal}"}
    ending = words.get(end.ending.value, end.ending.value.replace("-", " "))
    return f"{ending}, {describe_seconds(end.seconds)}"


def describe_usage(usage: RunUsage) -> str:
    """Says what a run used: model, turns, tokens, cost."""
    words = [
        usage.model,
        f"{usage.turns:,} turn{'' if usage.turns == 1 else 's'}",
        f"{usage.tokens_in + usage.tokens_out:,} tokens",
        "" if usage.cost is None else f"${usage.cost:.2f}",
        f"{len(usage.denials)} denied" if usage.denials else "",
    ]
    return ", ".join(word for word in words if word)


def describe_seconds(seconds: float) -> str:
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // _MINUTE} min {int(seconds) % _MINUTE:02d} s"


def build_following_line(view: RunView) -> str:
    """Builds one line while an agent works: how long, how much output, and its last line."""
    state = view.state
    label = label_run(state.status)
    last = render_safe(view.last_line, _LONGEST_LINE)
    return f"{label} · {describe_seconds(state.elapsed)} · {state.output_bytes:,} bytes · {last}"


class StepOverview(NamedTuple):
    """Agents that can be started, running agents and earlier runs."""

    views: tuple[RunView, ...] = ()
    locks: tuple[LockState, ...] = ()
    agents: Sequence[ConfiguredPhase] = ()
    consent: ConsentState | None = None
    """None if the repository brings no agents."""
    worktrees: tuple[LeftWorktree, ...] = ()
    overlaps: tuple[Overlap, ...] = ()


def build_step_list_json(overview: StepOverview) -> dict[str, object]:
    return {
        "schema": LIST_SCHEMA,
        "runs": [
            {
                **view.state.key.model_dump(mode="json"),
                "status": view.state.status.value,
                "outcome": view.report.outcome.value if view.report else None,
                "elapsed": view.state.elapsed,
                "output_bytes": view.state.output_bytes,
                "output": view.output,
                "edited": list(view.edited),
            }
            for view in overview.views
        ],
        "locks": [lock.model_dump(mode="json") for lock in overview.locks],
        "agents": [
            {
                "pipeline": phase.pipeline,
                "phase": phase.phase,
                "command": phase.agent.shown,
                "from_repository": phase.agent.from_repository,
            }
            for phase in overview.agents
        ],
        "trust": overview.consent.model_dump(mode="json") if overview.consent is not None else None,
        "worktrees": [worktree.model_dump(mode="json") for worktree in overview.worktrees],
        "overlaps": [overlap.model_dump(mode="json") for overlap in overview.overlaps],
    }


def build_step_list_page(overview: StepOverview) -> Page:
    """Shows which agents can be started, which are running, and what earlier runs came to."""
    page = Page()
    page.heading("Agents", "" if overview.agents else "none configured; docs/agents.md has examples")
    columns = (Column("pipeline"), Column("phase"), Column(""), Column("command", fold=True))
    page.grid(columns, [_build_agent_row(phase) for phase in overview.agents])
    consent = overview.consent
    if consent is not None and not consent.trusted:
        page.line(Cell("! ", "warning"), Cell("nobody has consented to run this repository's agents: ", "warning"))
        page.line(Cell(f"  handoff-tui step --trust {consent.digest}"))
    if overview.locks:
        page.heading("Locks")
        add_locks(page, overview.locks)
    if overview.views:
        page.heading("Runs")
        page.table(_RUN_COLUMNS, overview.views)
        for view in overview.views:
            if view.edited:
                key = view.state.key
                run = f"{render_safe(key.handoff)} · {_name_phase(key)} · run {key.attempt}.{key.number}"
                page.line(Cell("! ", "warning"), Cell(f"edited since {run} ended: {', '.join(view.edited)}", "warning"))
    add_overlaps(page, overview.overlaps)
    _add_worktrees(page, overview.worktrees)
    return page


def build_merge_json(preview: MergePreview, commit: str) -> dict[str, object]:
    """The shape promised to scripts."""
    return {"schema": MERGE_SCHEMA, **preview.model_dump(mode="json"), "commit": commit}


def build_merge_page(preview: MergePreview) -> Page:
    """Shows what a merge would bring."""
    page = Page()
    page.line(Cell(render_safe(f"{preview.handoff} · {preview.phase}"), "heading"))
    page.fact("branch", preview.branch)
    page.fact("gate", preview.gate)
    add_list(page, "Commits", [f"{one.id[:SHORT_DIGEST]} {one.subject}" for one in preview.commits], _MOST)
    add_list(page, "Conflicts", preview.conflicts, None)
    return page


def add_overlaps(page: Page, overlaps: Sequence[Overlap]) -> None:
    for overlap in overlaps:
        words = f"{overlap.path} is being changed by several agents: {', '.join(overlap.runs)}"
        page.warn(words, "warning")


def _add_worktrees(page: Page, worktrees: tuple[LeftWorktree, ...]) -> None:
    """Shows what keeps each, and the command that removes it."""
    if not worktrees:
        return
    page.heading("Work trees")
    for one in worktrees:
        branch = f" on {render_safe(one.branch)}" if one.branch else ""
        page.line(Cell("  "), Cell(f"{render_safe(one.folder)}{branch}"), indent=4)
        words = f"kept: {one.kept}" if one.kept else "holds no work of its own; removed when the next run starts"
        page.line(Cell("    "), Cell(render_safe(words), "muted"), indent=6)
        force = "--force " if one.kept else ""
        page.line(Cell("    "), Cell(f"git worktree remove {force}{shlex.quote(render_safe(one.folder))}", "muted"))


def add_locks(page: Page, locks: tuple[LockState, ...]) -> None:
    """Shows who holds which phase, and marks locks that were left behind."""
    for state in locks:
        lock = state.lock
        mark = Cell("? stale  ", "warning") if state.stale else Cell(f"{_HELD}  ", "agent")
        words = f"{lock.owner} on {lock.host} (process {lock.pid}) for {lock.handoff}, attempt {lock.attempt}"
        seen = f"; last seen {describe_seconds(state.age_seconds)} ago"
        page.line(mark, Cell(render_safe(f"{lock.phase}: {words}{seen}")), indent=2)


def _build_agent_row(phase: ConfiguredPhase) -> tuple[Cell, ...]:
    origin = "repository" if phase.agent.from_repository else "yours"
    words = (phase.pipeline, phase.phase, phase.agent.shown)
    pipeline, name, command = (Cell(render_safe(word)) for word in words)
    return pipeline, name, Cell(origin, "muted"), command


def _label_view(view: RunView) -> Cell:
    label = label_run(view.state.status) if view.report is None else label_step(view.report.outcome)
    return Cell(str(label), label.role)


def _name_phase(key: RunKey) -> str:
    return render_safe(key.phase if key.step == AGENT_STEP else f"{key.phase} ({key.step})")


def _explain(view: RunView) -> str:
    return render_safe("; ".join(view.report.why) if view.report else view.last_line, 2 * _LONGEST_LINE)


_RUN_COLUMNS: TableColumns[RunView] = (
    (Column(""), _label_view),
    (Column("handoff"), lambda view: Cell(render_safe(view.state.key.handoff))),
    (Column("phase"), lambda view: Cell(_name_phase(view.state.key))),
    (Column("run", right=True), lambda view: Cell(f"{view.state.key.attempt}.{view.state.key.number}")),
    (Column("took"), lambda view: Cell(describe_seconds(view.state.elapsed), "muted")),
    (Column("why", fold=True), lambda view: Cell(_explain(view))),
)


def _name_run(report: StepReport) -> str:
    key = report.key
    return render_safe(f"{key.handoff} · {key.phase} · attempt {key.attempt}, run {key.number}")


def _describe_checks(report: StepReport) -> str:
    if report.gate is None:
        return "not run"
    return f"{report.checks_passed} of {report.checks_total} pass; the gate is {report.gate}"


def _describe_task(report: StepReport, number: int) -> str:
    task = report.fix_tasks[number]
    return f"{task.priority:>2}  {task.title}" + (f"  ({task.place})" if task.place else "")


def _add_notices(page: Page, notices: tuple[Notice, ...]) -> None:
    if not notices:
        return
    page.heading("Noticed")
    for notice in notices:
        page.line(_SEVERITIES[notice.severity], Cell(render_safe(notice.text)), indent=2)
        for place in notice.places:
            page.line(Cell("    "), Cell(render_safe(place), "muted"), indent=4)


def add_list(page: Page, title: str, rows: Sequence[str], most: int | None) -> None:
    """Adds a list under its heading, cut after `most` rows; skips an empty one."""
    if not rows:
        return
    page.heading(title, f"{len(rows):,}")
    shown = rows if most is None else rows[:most]
    for row in shown:
        page.line(Cell("  "), Cell(render_safe(row)), indent=4)
    if len(shown) < len(rows):
        page.line(Cell(f"  and {len(rows) - len(shown)} more", "muted"))


def _add_trail(page: Page, trail: tuple[TrailEntry, ...]) -> None:
    page.heading("Trail", "since the last decision")
    for entry in trail:
        label = label_step(entry.outcome)
        words = f"{entry.phase}, attempt {entry.attempt}, run {entry.number}: {entry.why or 'no complaints'}"
        page.line(Cell(f"{label}  ", label.role), Cell(render_safe(words)), indent=4)


UNLOCK_SCHEMA = "handoff-tui/unlock/v1"


def build_unlock_json(locks: tuple[LockState, ...], broken: LockState | None) -> dict[str, object]:
    """Returns the shape promised to scripts: every lock now, and the one that was broken."""
    return {
        "schema": UNLOCK_SCHEMA,
        "locks": [state.model_dump(mode="json") for state in locks],
        "broken": broken.model_dump(mode="json") if broken is not None else None,
    }


def build_locks_page(locks: tuple[LockState, ...]) -> Page:
    page = Page()
    if not locks:
        page.line(Cell("No phase is locked", "muted"))
    add_locks(page, locks)
    return page
