"""The text of a document: rows with a cursor, a range, and marks in front."""

from __future__ import annotations

from rich.style import Style
from textual import events

from handoff_tui.core.text.page import Cell
from handoff_tui.tui.drawing.cells import find_ink
from handoff_tui.tui.views.documents.rows import LONGEST_LINE, DocumentText
from handoff_tui.tui.widgets.line_view import CursorView
from handoff_tui.tui.widgets.page_view import mark_found


class DocumentLines(CursorView):
    """The cursor stays on its line of the document, whatever happens to the rows around it."""

    DEFAULT_CSS = """
    DocumentLines { scrollbar-gutter: stable; }
    """
    sideways = 8
    furthest = LONGEST_LINE
    _text: DocumentText | None = None
    _found = ""

    @property
    def line_count(self) -> int:
        return 0 if self._text is None else self._text.count

    @property
    def place(self) -> int:
        """The line of the document under the cursor."""
        return 1 if self._text is None else self._text.find_line(self._index)

    def show(self, text: DocumentText | None, *, line: int | None = None) -> None:
        """Shows a new text, or the same one changed; the line under the cursor stays where it is on the screen."""
        before = self._index - self.scroll_offset.y
        target = self.place if line is None else line
        self._text = text
        self._index = 0 if text is None else min(text.find_row(target), max(0, text.count - 1))
        if line is not None:
            self._anchor, self._offset = None, 0
            before = 2 if line > 1 else 0
        self.lines_changed()
        self.scroll_to(y=max(0, self._index - max(0, before)), animate=False, force=True)

    def go_to(self, line: int) -> None:
        """Puts the cursor on a line, with a little context above it."""
        if self._text is not None:
            self.go(self._text.find_row(line))
            top = max(0, self._index - 2)
            self.scroll_to(y=top, animate=False, force=True)

    def find(self, text: str, *, backwards: bool = False, again: bool = False) -> bool:
        """Goes to the next row with the text; tells whether there is one. An empty text ends the search."""
        self._found = text.casefold()
        self.lines_changed()
        if not text or self._text is None:
            return not text
        start = self._index + ((-1 if backwards else 1) if again else 0)
        found = self._text.find(self._found, start, backwards=backwards)
        if found is not None:
            self.go(found)
        return found is not None

    def build_line(self, index: int, width: int) -> tuple[Cell, ...]:
        if self._text is None:
            return ()
        here = index == self._index
        row = self._text.build_row(index, max(1, width - 2), self._offset)
        mark = Cell("▸ " if here else "  ", "accent")
        return (mark, *(mark_found(row, self._found) if self._found else row))

    def find_ground(self, index: int) -> Style | None:
        if self._text is None or not self.has_focus:
            return None
        if self._anchor is None:
            return find_ink(self).selection if index == self._index else None
        first, last = self.range
        return find_ink(self).selection if first <= self._text.find_line(index) <= last else None

    def on_click(self, event: events.Click) -> None:
        self.go(self.scroll_offset.y + event.y)
