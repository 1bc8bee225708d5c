"""A log that is not intact takes over the screen: nobody can overlook it, and it is shown once."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType

from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.app import AppState
from handoff_tui.tui.dialogs.box import Box
from handoff_tui.tui.widgets.bars import Bar
from handoff_tui.tui.widgets.page_view import PageView

_MOST = 12

Alarm = tuple[tuple[str, tuple[str, ...]], ...]
"""Repositories whose logs are not intact, with the problems of each."""


def find_alarm(state: AppState) -> Alarm:
    return tuple((part.root, part.fatal) for part in state.repositories if part.fatal)


def build_alert_page(alarm: Alarm) -> Page:
    """Says what is wrong, what it means, and what to do."""
    page = Page()
    page.line(Cell("✗ THE SIGNED LOG IS NOT INTACT", "critical"))
    page.blank()
    page.line(
        Cell("Every gate of this repository is closed until it is. Nothing can be decided, and no earlier approval "),
        Cell("counts. You can still read everything."),
    )
    for root, fatal in alarm:
        page.heading(render_safe(root), plural(len(fatal), "problem"))
        for text in fatal[:_MOST]:
            page.line(Cell("✗ ", "fail"), Cell(render_safe(text)), indent=4)
        if len(fatal) > _MOST:
            page.line(Cell(f"… and {len(fatal) - _MOST:,} more; the Log view lists them", "muted"), indent=2)
    page.heading("What to do")
    page.line(Cell("- ", "muted"), Cell("Don't approve anything by other means because of this screen."), indent=4)
    verify = (Cell("handoff-tui log verify", "key"), Cell(" lists every problem with its code."))
    page.line(Cell("- ", "muted"), *verify, indent=4)
    page.line(
        Cell("- ", "muted"),
        Cell("Find out who changed the log: git log -- .handoff-tui/log. Restore it from another branch or a backup."),
        indent=4,
    )
    return page


_MOVES = {
    "down": "nav.down",
    "j": "nav.down",
    "up": "nav.up",
    "k": "nav.up",
    "pagedown": "nav.page-down",
    "space": "nav.page-down",
    "pageup": "nav.page-up",
}


class AlertScreen(Box[str | None], inherit_bindings=False):
    """`l` opens the log, escape goes back; every other key is ignored. Returns the offer that was taken."""

    CSS_PATH = "alert.tcss"
    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self, alarm: Alarm) -> None:
        super().__init__()
        self._alarm = alarm

    def compose(self) -> ComposeResult:
        yield PageView(id="alert-page")
        yield Bar(id="alert-keys", raised=True)

    def on_mount(self) -> None:
        self.query_one(PageView).show(build_alert_page(self._alarm))
        self.query_one("#alert-keys", Bar).show(
            Cell(" l", "key"), Cell(" open the log  "), Cell("esc", "key"), Cell(" keep reading; gates stay closed")
        )

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        if event.key in {"escape", "q"}:
            self.dismiss(None)
        elif event.key == "l":
            self.dismiss("action:view.log")
        elif event.key in _MOVES:
            self.query_one(PageView).navigate(_MOVES[event.key])
