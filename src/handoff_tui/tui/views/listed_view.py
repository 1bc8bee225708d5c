"""A view that is a list under its headings, and below it a page about what the cursor stands on."""

from __future__ import annotations

from textual.app import ComposeResult

from handoff_tui.core.text.page import Cell, Page
from handoff_tui.tui.views.view import View
from handoff_tui.tui.widgets.bars import Bar, Rule
from handoff_tui.tui.widgets.page_view import PageView
from handoff_tui.tui.widgets.row_list import RowList, RowSource

_TICK_SECONDS = 20.0
"""Ages on the screen grow by minutes; more often would cost and show nothing."""
_MARK = 2
"""The columns of the cursor's mark, left of every row."""


class ListedView(View):
    """What the list views have in common."""

    DEFAULT_CSS = """
    ListedView RowList { height: 3fr; min-height: 3; }
    ListedView PageView { height: 2fr; min-height: 3; }
    """
    title = ""
    """What the page below is about."""
    _text = ""
    """What the list is filtered by."""

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
        """Draws the list anew, with the time as it is now."""
        raise NotImplementedError

    def build_page(self) -> Page:
        """The page about what the cursor stands on."""
        raise NotImplementedError

    def show_rows(self, source: RowSource, heading: tuple[Cell, ...] = ()) -> None:
        """Another list under its headings; the cursor stays on what it stood on."""
        self.query_one("#heading", Bar).show(Cell(" " * _MARK), *heading)
        self.rows.show(source)

    def show_page(self, *, from_top: bool = False) -> None:
        self.query_one(Rule).show_title(*self.describe_page())
        self.page.show(self.build_page(), from_top=from_top)

    def describe_page(self) -> tuple[Cell, ...]:
        return (Cell(self.title, "muted"),)

    @property
    def room(self) -> int:
        """Columns that a row has."""
        return max(1, self.rows.room - _MARK)

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if event.key == self.rows.key:  # else the cursor has gone on meanwhile
            self.highlight(event.key)
            self.show_page(from_top=True)

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        event.stop()
        self.open(event.key)

    def on_row_list_room_changed(self, event: RowList.RoomChanged) -> None:
        """Headings stand over their columns."""
        event.stop()
        self.call_after_refresh(self.redraw)

    def find(self, text: str, *, backwards: bool = False, again: bool = False) -> str:
        """Filters the list; asked again, the cursor goes on."""
        if again:
            self.rows.move(-1 if backwards else 1)
            return ""
        self._text = text
        self.redraw()
        return self.describe_found() if text else ""

    def describe_found(self) -> str:
        """How many rows the filter leaves."""
        raise NotImplementedError

    def highlight(self, key: str) -> None:
        """The cursor stands on another row."""

    def open(self, key: str) -> None:  # noqa: ARG002 - most read on
        """Enter on a row: the page below is to be read."""
        self.page.focus(scroll_visible=False)

    def on_resize(self) -> None:
        self.call_after_refresh(self._redraw_whole)

    def _redraw_whole(self) -> None:
        self.redraw()
        self.show_page()

    def _tick(self) -> None:
        if self.display and self.is_attached:
            self.redraw()
