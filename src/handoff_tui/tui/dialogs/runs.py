"""Everything that runs in the repository: agents, what they share, pipelines and procedures, and workers."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical

from handoff_tui.agents.procedures.page import build_at_work_page
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.app import AppState
from handoff_tui.tui.actions import Keys
from handoff_tui.tui.dialogs.box import LEAVING, Box, keep_key
from handoff_tui.tui.messages import AtWorkWanted
from handoff_tui.tui.widgets.bars import Bar, Divider
from handoff_tui.tui.widgets.page_view import PageView

_LOOK_SECONDS = 2.0
_FRAME, _LEAST_LINES = 4, 4
"""The lines around the page, and the fewest of the page."""


class RunsScreen(Box[None]):
    """A page that is read again while it is open."""

    DEFAULT_CSS = """
    RunsScreen { align: center middle; background: $background 60%; }
    #at-work { width: 94%; height: 94%; background: $surface; border: heavy $border; }
    #at-work PageView { height: 1fr; }
    """

    def __init__(self, keys: Keys, state: AppState) -> None:
        super().__init__()
        self._keymap, self._state = keys, state

    def compose(self) -> ComposeResult:
        with Vertical(id="at-work"):
            yield Divider(id="at-work-title")
            yield PageView()
            yield Bar(id="at-work-keys", raised=True)

    def on_mount(self) -> None:
        name = render_safe(self._state.repository.name) if self._state.repository is not None else ""
        self.query_one("#at-work-title", Divider).show_title(
            Cell("Runs and workers of ", "heading"), Cell(name, "path")
        )
        self.query_one("#at-work-keys", Bar).show(Cell(" esc", "key"), Cell(" leave"))
        self.query_one(PageView).focus(scroll_visible=False)
        self._draw()
        self.post_message(AtWorkWanted())
        self.set_interval(_LOOK_SECONDS, lambda: self.post_message(AtWorkWanted()))

    def show(self, state: AppState) -> None:
        """Shows what is known so far; the position stays."""
        before, self._state = self._state, state
        if self.is_mounted and state.at_work is not before.at_work:
            self._draw()

    def _draw(self) -> None:
        part, page = self._state.at_work, Page()
        if part.trouble is not None:
            page.line(Cell(f"✗ {render_safe(part.trouble.message)}. {render_safe(part.trouble.hint)}", "fail"))
        elif part.value is None:
            page.line(Cell("Reading the runs…", "muted"))
        else:
            page = build_at_work_page(part.value)
        view = self.query_one(PageView)
        view.show(page)
        self.query_one("#at-work").styles.max_height = max(view.line_count, _LEAST_LINES) + _FRAME

    def on_key(self, event: events.Key) -> None:
        keep_key(event)
        action = self._keymap.find(event, ("nav", "app")) or ""
        if action in LEAVING or action == "app.runs":
            self.dismiss(None)
        elif action.startswith("nav."):
            self.query_one(PageView).navigate(action)
