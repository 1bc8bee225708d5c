"""A page to read: wrapped to the width, scrolled, searched."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.page_layout import lay_out
from handoff_tui.tui.widgets.line_view import LineView

Rows = Sequence[tuple[Cell, ...]]


class PageView(LineView):
    """Shows a page."""

    DEFAULT_CSS = """
    PageView { padding: 0 0 0 1; }
    """
    draws_by_line = True

    _page = Page()
    rows: Rows = ()
    _width = -1
    _found = ""

    @property
    def line_count(self) -> int:
        return len(self.rows)

    def show(self, page: Page, *, from_top: bool = False) -> None:
        """Shows another page; the position stays unless the page is about something else."""
        self._page = page
        self._width = -1
        if from_top:
            self.scroll_to(y=0, animate=False, force=True)
        self._lay_out()

    def on_resize(self) -> None:
        self._lay_out()

    def watch_show_vertical_scrollbar(self) -> None:
        """The scroll bar takes a column, but the framework reports no new size."""
        self.call_after_refresh(self._lay_out)

    def build_line(self, index: int, width: int) -> tuple[Cell, ...]:  # noqa: ARG002 - laid out for it already
        return mark_found(self.rows[index], self._found) if self._found else self.rows[index]

    def find(self, text: str, *, backwards: bool = False, again: bool = False) -> bool:
        """Scrolls to the next line with the text; tells whether there is one. An empty text ends the search."""
        self._found = text.casefold()
        self.lines_changed()
        if not text:
            return True
        hits = [index for index, row in enumerate(self.rows) if self._found in join(row).casefold()]
        if not hits:
            return False
        top = self.scroll_offset.y
        ahead = [hit for hit in hits if (hit < top if backwards else hit > top or (hit == top and not again))]
        target = (ahead[-1] if ahead else hits[-1]) if backwards else (ahead[0] if ahead else hits[0])
        self.scroll_to(y=target, animate=False, force=True)
        return True

    def _lay_out(self) -> None:
        width = self.room
        if width > 0 and width != self._width:
            place = self.scroll_offset.y / max(1, len(self.rows))
            changed = self._width > 0
            self._width = width
            self.rows = lay_out(self._page, width)
            self.lines_changed()
            if changed:  # another width: go to about the same place in the text
                self.scroll_to(y=round(place * len(self.rows)), animate=False, force=True)
        else:
            self.lines_changed()


def join(row: Sequence[Cell]) -> str:
    return "".join(cell.text for cell in row)


def mark_found(row: Sequence[Cell], text: str) -> tuple[Cell, ...]:
    """Marks every match in the row, except those that span two cells."""
    cells: list[Cell] = []
    for cell in row:
        folded = cell.text.casefold()
        if len(folded) != len(cell.text):  # a letter that folds into two: positions would be off
            cells.append(cell)
            continue
        start = 0
        while (place := folded.find(text, start)) >= 0:
            cells += [Cell(cell.text[start:place], cell.role), Cell(cell.text[place : place + len(text)], "waiting")]
            start = place + len(text)
        cells.append(Cell(cell.text[start:], cell.role))
    return tuple(cells)
