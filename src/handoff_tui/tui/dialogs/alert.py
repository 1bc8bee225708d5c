"""A log that is not intact, or an entry in your name that you did not make, takes over the screen, once."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.app import AppState
from handoff_tui.tui.actions import Keys
from handoff_tui.tui.dialogs.box import LEAVING, Box, keep_key
from handoff_tui.tui.widgets.bars import Bar
from handoff_tui.tui.widgets.page_view import PageView

_MOST = 12


class LogAlarm(NamedTuple):
    """What is wrong with the log of one repository."""

    root: str
    fatal: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    """Entries that carry the user's signature and were not made on this machine."""


Alarm = tuple[LogAlarm, ...]


def find_alarm(state: AppState) -> Alarm:
    parts = (part for part in state.repositories if part.fatal or part.foreign)
    return tuple(LogAlarm(part.root, part.fatal, part.foreign) for part in parts)


def build_alert_page(alarm: Alarm) -> Page:
    """Says what is wrong, what it means, and what to do."""
    page = Page()
    _add_foreign(page, [one for one in alarm if one.foreign])
    broken = [one for one in alarm if one.fatal]
    if not broken:
        return page
    page.line(Cell("✗ THE SIGNED LOG IS NOT INTACT", "critical"))
    page.blank()
    page.line(
        Cell("Every gate of this repository is closed until it is. Nothing can be decided, and no earlier approval "),
        Cell("counts. You can still read everything."),
    )
    for root, fatal, _ in broken:
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


def _add_foreign(page: Page, alarms: list[LogAlarm]) -> None:
    if not alarms:
        return
    page.line(Cell("✗ SIGNED WITH YOUR KEY, BUT NOT ON THIS MACHINE", "critical"))
    for alarm in alarms:
        page.heading(render_safe(alarm.root), plural(len(alarm.foreign), "entry"))
        for text in alarm.foreign[:_MOST]:
            page.line(Cell("✗ ", "fail"), Cell(render_safe(text)), indent=4)
    page.heading("What to do")
    steps = (
        "If it was you, on another machine: handoff-tui log pin, in a terminal.",
        "If it was not: withdraw it (A), find out who can use your key, and have the key dropped from the policy.",
    )
    for step in steps:
        page.line(Cell("- ", "muted"), Cell(step), indent=4)
    page.blank()


_LOG = "view.2"
"""The tab of the log, in a repository."""


class AlertScreen(Box[str | None]):
    """`2` opens the log, escape goes back; keys that move scroll, all others are ignored. Returns what was taken."""

    CSS = """
    AlertScreen { background: $background; padding: 1 2; border: heavy $error; }
    #alert-page { height: 1fr; }
    """

    def __init__(self, alarm: Alarm, keys: Keys) -> None:
        super().__init__()
        self._alarm, self._keymap = alarm, keys

    def compose(self) -> ComposeResult:
        yield PageView(id="alert-page")
        yield Bar(id="alert-keys", raised=True)

    def on_mount(self) -> None:
        self.query_one(PageView).show(build_alert_page(self._alarm))
        self.query_one("#alert-keys", Bar).show(
            Cell(f" {self._keymap.show(_LOG)}", "key"),
            Cell(" open the log  "),
            Cell(self._keymap.show("app.back"), "key"),
            Cell(" keep reading; gates stay closed"),
        )

    def show(self, state: AppState) -> None:
        """Closes by itself when the log is repaired; shows what is wrong now if that is something else."""
        alarm = find_alarm(state)
        if not alarm:
            self.dismiss(None)
        elif alarm != self._alarm and self.is_mounted:
            self._alarm = alarm
            self.query_one(PageView).show(build_alert_page(alarm))

    def on_key(self, event: events.Key) -> None:
        keep_key(event)
        action = self._keymap.find(event, ("app", "nav", "view")) or ""
        if action in LEAVING:
            self.dismiss(None)
        elif action == _LOG:
            self.dismiss("action:view.log")
        elif action.startswith("nav."):
            self.query_one(PageView).navigate(action)
