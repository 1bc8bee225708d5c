"""A view with a list under headings, and below it a page about the selected row."""

from __future__ import annotations

from textual.app import ComposeResult

from handoff_tui.core.text.page import Cell, Page
from handoff_tui.tui.views.view import View
from handoff_tui.tui.widgets.bars import Bar, Rule
from handoff_tui.tui.widgets.page_view import PageView
from handoff_tui.tui.widgets.row_list import RowList, RowSource

_TICK_SECONDS = 20.0
"""Ages change by the minute; refreshing more often would show nothing new."""
_MARK = 2
"""The width of the cursor mark, left of every row."""


class ListedView(View):
    """The base of the list views."""

    DEFAULT_CSS = """
    ListedView RowList { height: 3fr; min-height: 3; }
    ListedView PageView { height: 2fr; min-height: 3; }
    """
    title = ""
    """What the page below is about."""
    _text = ""
    """The current filter."""

    def compose(self) -> ComposeResult:
        yield Bar(id="heading")
        yield RowList()
        yield Rule()
        yield PageView()

    def on_mount(self) -> None:
        self.set_interval(_TICK_SECONDS, self._tick)

    @property
    def rows(self) -> RowList:
        return self.query_one(RowList)

    @property
    def page(self) -> PageView:
        return self.query_one(PageView)

    def redraw(self) -> None:
        """Draws the list again with the current time."""
        raise NotImplementedError

    def build_page(self) -> Page:
        """Builds the page about the selected row."""
        raise NotImplementedError

    def show_rows(self, source: RowSource, heading: tuple[Cell, ...] = ()) -> None:
        """Shows another list under its headings; the cursor stays where it was."""
        self.query_one("#heading", Bar).show(Cell(" " * _MARK), *heading)
        self.rows.show(source)

    def show_page(self, *, from_top: bool = False) -> None:
        self.query_one(Rule).show_title(*self.describe_page())
        self.page.show(self.build_page(), from_top=from_top)

    def describe_page(self) -> tuple[Cell, ...]:
        return (Cell(self.title, "muted"),)

    @property
    def room(self) -> int:
        """The width of a row."""
        return max(1, self.rows.room - _MARK)

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if event.key == self.rows.key:  # else the cursor has moved on
            self.highlight(event.key)
            self.show_page(from_top=True)

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        event.stop()
        self.open(event.key)

    def on_row_list_room_changed(self, event: RowList.RoomChanged) -> None:
        """Keeps the headings above their columns."""
        event.stop()
        self.call_after_refresh(self.redraw)

    def find(self, text: str, *, backwards: bool = False, again: bool = False) -> str:
        """Filters the list; asked again, moves to the next match."""
        if again:
            self.rows.move(-1 if backwards else 1)
            return ""
        self._text = text
        self.redraw()
        return self.describe_found() if text else ""

    def describe_found(self) -> str:
        """Says how many rows match."""
        raise NotImplementedError

    def highlight(self, key: str) -> None:
        """Called when another row is selected."""

    def open(self, key: str) -> None:  # noqa: ARG002 - most read on
        """Handles Enter on a row: moves to the page below."""
        self.page.focus(scroll_visible=False)

    def on_resize(self) -> None:
        self.call_after_refresh(self._redraw_whole)

    def _redraw_whole(self) -> None:
        self.redraw()
        self.show_page()

    def _tick(self) -> None:
        if self.display and self.is_attached:
            self.redraw()
