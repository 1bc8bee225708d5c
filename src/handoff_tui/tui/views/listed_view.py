"""A view with a list under headings, and below it a page about the selected row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar

from textual.app import ComposeResult

from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.app import AppState, Loaded, Trouble, Value
from handoff_tui.tui.views.view import View, describe_freshness, read_now
from handoff_tui.tui.widgets.bars import Bar, Divider
from handoff_tui.tui.widgets.page_view import PageView
from handoff_tui.tui.widgets.row_list import EmptyRows, RowList, TableRows

_TICK_SECONDS = 20.0
"""Ages change by the minute; refreshing more often would show nothing new."""
_MARK = 2
"""The width of the cursor mark, left of every row."""

Rows = TypeVar("Rows", bound=TableRows[Any])


class ListedView(View, Generic[Rows]):
    """The base of the list views."""

    DEFAULT_CSS = """
    ListedView RowList { height: auto; max-height: 60%; min-height: 3; }
    ListedView PageView { height: 1fr; min-height: 3; }
    """
    listed: ClassVar[str]
    """The part of the state whose value is listed."""
    shown: ClassVar[tuple[str, ...]]
    """The parts of the state that are drawn; a change of any other is ignored."""
    waiting: ClassVar[str] = "reading…"
    """What is shown until there is a value to list."""
    of_handoff: ClassVar[bool] = True
    """Whether the list is about the current handoff, not the repository."""
    title = ""
    """What the page below is about."""
    table: Rows | None = None
    """The rows drawn now; None until there is something to list."""
    _text = ""
    """The current filter."""

    def compose(self) -> ComposeResult:
        yield Bar(id="heading")
        yield RowList(id="rows")
        yield Divider()
        yield PageView()

    def on_mount(self) -> None:
        self.set_interval(_TICK_SECONDS, self._tick)

    @property
    def rows(self) -> RowList:
        return self.query_one("#rows", RowList)

    @property
    def page(self) -> PageView:
        return self.query_one(PageView)

    @property
    def part(self) -> Loaded[Any]:
        part: Loaded[Any] = getattr(self._state, self.listed)
        return part

    def show(self, state: AppState) -> None:
        before, self._state = self._state, state
        if any(getattr(state, name) is not getattr(before, name) for name in self.shown):
            self.update_from(before)

    def update_from(self, before: AppState) -> None:  # noqa: ARG002 - for those who compare
        """Draws what changed since an earlier state."""
        self.redraw()
        self.show_page()

    def redraw(self) -> None:
        """Draws the list again with the current time; the cursor stays where it was."""
        self.table = rows = self.build_rows(self.part.value) if self.part.value is not None else None
        if rows is not None:
            rows.narrow()
        heading = rows.build_heading(self.room) if rows is not None and rows.keys else ()
        self.query_one("#heading", Bar).show(Cell(" " * _MARK), *heading)
        self.rows.show(rows if rows is not None and rows.keys else EmptyRows(self.explain_empty()))

    def build_rows(self, value: Any) -> Rows:  # noqa: ANN401 - of the listed part's own type
        """Builds the rows of the value to list."""
        raise NotImplementedError

    def explain_empty(self) -> Cell:
        """Says why there is no row."""
        trouble, repository = self.part.trouble, self._state.repository
        if trouble is None and not self.of_handoff and repository is not None:
            trouble = repository.state.trouble
        if trouble is not None:
            return describe_trouble(trouble)
        if self.of_handoff and self._state.item is None:
            return Cell("No handoff selected. 1 shows the inbox.", "muted")
        if self.part.value is None:
            return Cell(self.describe_waiting(), "muted")
        return Cell(f'No matches for "{render_safe(self._text)}"', "muted") if self._text else self.describe_nothing()

    def describe_waiting(self) -> str:
        return self.waiting

    def describe_nothing(self) -> Cell:
        """Says that there is nothing to list, although everything was read."""
        raise NotImplementedError

    def describe_freshness(self) -> Cell:
        """Says how current the list is."""
        repository = self._state.repository
        return describe_freshness(self.part, repository.watching, read_now()) if repository is not None else Cell("")

    def build_page(self) -> Page:
        """Builds the page about the selected row."""
        raise NotImplementedError

    def show_page(self, *, from_top: bool = False) -> None:
        self.query_one(Divider).show_title(Cell(self.describe_page(), "muted"))
        self.page.show(self.build_page(), from_top=from_top)

    def describe_page(self) -> str:
        return self.title

    @property
    def room(self) -> int:
        """The width of a row."""
        return max(1, self.rows.room - _MARK)

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if event.rows is self.rows and event.key == self.rows.key:  # else the cursor has moved on
            self.highlight(event.key)
            self.show_page(from_top=True)

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        event.stop()
        self.open(event)

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

    def open(self, event: RowList.Opened) -> None:  # noqa: ARG002 - most read on
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


def build_answer(part: Loaded[Value], build: Callable[[Value], Page], waiting: str) -> Page:
    """Builds the page of something that was asked for; says that it is being read, or why it couldn't be."""
    if part.value is not None and not part.loading:
        return build(part.value)
    page = Page()
    if part.trouble is not None:
        page.line(Cell(f"✗ {render_safe(part.trouble.message)}", "fail"), indent=2)
        page.line(Cell(render_safe(part.trouble.hint), "muted"), indent=2)
    else:
        page.line(Cell(waiting, "muted"))
    return page


def describe_trouble(trouble: Trouble) -> Cell:
    """Says why something could not be read, and what to do about it, in one line."""
    return Cell(f"✗ {render_safe(trouble.message)}. {render_safe(trouble.hint)}", "fail")
