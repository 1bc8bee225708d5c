"""Git hooks: what is in place of one, what is done to it, and how that is shown."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.core.model import Model
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe

SCHEMA = "handoff-tui/hooks/v1"


class HookName(StrEnum):
    """The hooks that can be installed."""

    PRE_COMMIT = "pre-commit"
    PRE_PUSH = "pre-push"


class HookCondition(StrEnum):
    """What git finds in place of a hook."""

    ABSENT = "absent"
    CURRENT = "current"
    """Ours, exactly as it would be written now."""
    OUTDATED = "outdated"
    """Ours and unchanged, but of another version, for another Python, or not executable."""
    EDITED = "edited"
    """Ours, but changed by somebody."""
    FOREIGN = "foreign"
    """Not ours."""
    UNUSABLE = "unusable"
    """Not a readable file: a folder, a pipe, or something else."""


class HookDeed(StrEnum):
    """What is done to one hook."""

    INSTALL = "install"
    """There was none: write ours."""
    CHAIN = "chain"
    """There was another: keep it beside ours and run it first."""
    RENEW = "renew"
    """Write ours again."""
    REMOVE = "remove"
    """Remove ours; there was none before."""
    RESTORE = "restore"
    """Put the earlier hook back."""
    CLEAN = "clean"
    """Remove what an interrupted installation left behind; the earlier hook is still in place."""
    NOTHING = "nothing"
    """Nothing to do."""


class HookStep(Model):
    """One hook, what is done to it, and why."""

    name: HookName
    path: str
    earlier: str | None
    """Where the earlier hook is kept."""
    deed: HookDeed
    text: str


class HookReport(Model):
    """What was done, or would be done, to the hooks of a repository."""

    repo: str
    folder: str
    shared: bool
    dry_run: bool
    verb: str
    steps: tuple[HookStep, ...]
    notes: tuple[str, ...] = ()


def build_hooks_json(report: HookReport) -> dict[str, object]:
    """Builds the promised JSON shape; fields may be added, never renamed."""
    return {"schema": SCHEMA, **report.model_dump(mode="json")}


def build_hooks_page(report: HookReport) -> Page:
    """Builds one line per hook: what was done, or would be."""
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
            Cell(
                "`git commit --no-verify` skips hooks; `handoff-tui doctor` shows what else enforces the checks.",
                "muted",
            )
        )
    return page
