"""What was done to the hooks: as the public JSON shape, and as a page."""

from __future__ import annotations

from handoff_tui.checks.hooks.hook import HookDeed, HookReport
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe

SCHEMA = "handoff-tui/hooks/v1"


def build_hooks_json(report: HookReport) -> dict[str, object]:
    """The shape promised to scripts; fields may be added, never renamed."""
    return {"schema": SCHEMA, **report.model_dump(mode="json")}


def build_hooks_page(report: HookReport) -> Page:
    """One line a hook: what was done, or would be."""
    page = Page()
    for step in report.steps:
        nothing = step.deed is HookDeed.NOTHING
        glyph, role = ("·", "muted") if nothing else ("○", "accent") if report.dry_run else ("✓", "pass")
        page.line(Cell(f"{glyph} {step.name.value}  ", role), Cell(render_safe(step.text)), indent=4)
    for note in report.notes:
        page.line(Cell("! ", "warning"), Cell(render_safe(note)), indent=4)
    if report.dry_run:
        page.line(Cell("Nothing was changed: this was a dry run.", "muted"))
    elif report.verb == "install":
        page.line(
            Cell("`git commit --no-verify` skips hooks; `handoff-tui doctor` shows what else is wired in.", "muted")
        )
    return page
