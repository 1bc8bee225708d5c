"""A log that is not sound takes the whole screen: it cannot be overlooked, and it is said once."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType

from handoff_tui.core.text.page import Cell
from handoff_tui.tui.dialogs.alert_page import Alarm, build_alert_page
from handoff_tui.tui.dialogs.box import Box
from handoff_tui.tui.widgets.bars import Bar
from handoff_tui.tui.widgets.page_view import PageView

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
    """`l` goes to the log, escape back to where one was; nothing else is answered. It gives back an offer to take."""

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
            Cell(" l", "key"), Cell(" go to the log  "), Cell("esc", "key"), Cell(" read on; the gates stay closed")
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
