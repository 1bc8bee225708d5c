"""What is said when a log is not sound: it takes the whole screen, once for each set of problems."""

from __future__ import annotations

from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.desk import DeskState

_MOST = 12

Alarm = tuple[tuple[str, tuple[str, ...]], ...]
"""Repositories whose logs are not sound, each with what is wrong."""


def find_alarm(state: DeskState) -> Alarm:
    return tuple((part.root, part.fatal) for part in state.repositories if part.fatal)


def build_alert_page(alarm: Alarm) -> Page:
    """What is wrong, what follows from it, and what to do."""
    page = Page()
    page.line(Cell("✗ THE SIGNED LOG IS NOT SOUND", "critical"))
    page.blank()
    page.line(
        Cell("Every gate of this repository is closed until it is. Nothing can be decided, and no earlier approval "),
        Cell("counts. What is shown can still be read."),
    )
    for root, fatal in alarm:
        page.heading(render_safe(root), plural(len(fatal), "problem"))
        for text in fatal[:_MOST]:
            page.line(Cell("✗ ", "fail"), Cell(render_safe(text)), indent=4)
        if len(fatal) > _MOST:
            page.line(Cell(f"… and {len(fatal) - _MOST:,} more; the log view lists them", "muted"), indent=2)
    page.heading("What to do")
    page.line(Cell("- ", "muted"), Cell("Approve nothing by other means because of this screen."), indent=4)
    verify = (Cell("handoff-tui log verify", "key"), Cell(" tells every problem, with its code."))
    page.line(Cell("- ", "muted"), *verify, indent=4)
    page.line(
        Cell("- ", "muted"),
        Cell("Ask who changed the log: git log -- .handoff-tui/log. A copy on another branch or in a backup mends it."),
        indent=4,
    )
    return page
