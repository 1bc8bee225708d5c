"""How the engine stood a reliability profile: as the public JSON shape, and as a page."""

from __future__ import annotations

from handoff_tui.agents.procedures.report import ProfileReport
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe

SCHEMA = "handoff-tui/profile/v1"
_NAMES = 18


def build_profile_json(report: ProfileReport) -> dict[str, object]:
    """The shape promised to scripts; a rate of nothing is null."""
    return {
        "schema": SCHEMA,
        **report.model_dump(mode="json"),
        "success_rate": report.success_rate,
        "rollback_rate": report.rollback_rate,
        "held": report.held,
    }


def build_profile_page(report: ProfileReport) -> Page:
    page = Page()
    glyph, word, role = ("✓", "held", "pass") if report.held else ("✗", "did not hold", "fail")
    page.line(Cell(f"{glyph} {word}  ", role), Cell(render_safe(f"{report.profile} · {report.procedure}"), "heading"))
    load = f"{report.iterations} runs, up to {report.concurrent} at once, on {report.engine}, in {report.seconds:.1f} s"
    _add(page, "load", load)
    if report.failure_rate:
        made = f"{report.failure_rate:.0%} of the steps, which concerned {report.injected} of the runs"
        _add(page, "made to fail", made)
    _add(page, "success rate", f"{report.success_rate:.1%} ({report.completed} completed)")
    _add(page, "rollback success", _describe_rollbacks(report))
    _add(page, "ended as they had to", f"{report.as_expected} of {report.iterations}")
    _add(page, "done twice", f"{report.repeated} finished steps")
    if report.timed_out:
        _add(page, "out of time", f"{report.timed_out} runs")
    if report.latency is not None:
        latency = report.latency
        words = f"median {latency.median:.2f} s · p90 {latency.p90:.2f} · p95 {latency.p95:.2f} · p99 {latency.p99:.2f}"
        _add(page, "latency", f"{words} · longest {latency.longest:.2f}")
    return page


def _describe_rollbacks(report: ProfileReport) -> str:
    if report.rollback_rate is None:
        return "nothing had to be undone"
    early = f"; {report.failed} failed before there was anything to undo" if report.failed else ""
    return f"{report.rollback_rate:.1%} ({report.rolled_back} undone, {report.stopped} not{early})"


def _add(page: Page, name: str, value: str) -> None:
    page.line(Cell(f"{name:<{_NAMES + 4}}", "muted"), Cell(render_safe(value)), indent=_NAMES + 4)
