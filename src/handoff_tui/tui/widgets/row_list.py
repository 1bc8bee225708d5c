"""A list of rows with a cursor that holds on to what it stands on while the list changes around it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rich.style import Style
from textual import events
from textual.message import Message

from handoff_tui.core.text.page import Cell
from handoff_tui.tui.drawing.cells import find_ink
from handoff_tui.tui.widgets.line_view import LineView


class RowSource(Protocol):
    """A list of any length. `keys` stay the same over refreshes: the cursor holds on to a key, not to a number."""

    @property
    def keys(self) -> Sequence[str]:
        """One for each row. An empty key: the cursor passes over that row (a rule, a heading)."""
        ...

    def build_row(self, index: int, width: int) -> tuple[Cell, ...]:
        """The cells of one row, for that many columns; what is longer is cut by whoever draws."""
        ...


class EmptyRows:
    """Nothing to list: a sentence in its place."""

    def __init__(self, *words: Cell) -> None:
        self._words = words

    @property
    def keys(self) -> Sequence[str]:
        return ("",) if self._words else ()

    def build_row(self, index: int, width: int) -> tuple[Cell, ...]:  # noqa: ARG002 - there is one
        return self._words


class RowList(LineView):
    """Rows from a source. The cursor's row is marked by a glyph and by the theme's selection."""

    draws_by_line = True

    class Highlighted(Message):
        """The cursor stands on another row, or its row came to be."""

        def __init__(self, rows: RowList, key: str) -> None:
            super().__init__()
            self.rows, self.key = rows, key

        @property
        def control(self) -> RowList:
            return self.rows

    class RoomChanged(Message):
        """The scroll bar came or went: a row has another width."""

    class Opened(Message):
        """Enter, or a click on the row under the cursor."""

        def __init__(self, rows: RowList, key: str) -> None:
            super().__init__()
            self.rows, self.key = rows, key

        @property
        def control(self) -> RowList:
            return self.rows

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - as in the framework
        super().__init__(id=id, classes=classes)
        self._source: RowSource = EmptyRows()
        self._index = -1
        self._key = ""

    @property
    def line_count(self) -> int:
        return len(self._source.keys)

    @property
    def key(self) -> str:
        """What the cursor stands on; nothing in an empty list."""
        return self._key

    @property
    def index(self) -> int:
        return self._index

    def show(self, source: RowSource) -> None:
        """Another list, or the same one changed. The cursor and the place on the screen stay where they were."""
        before = self._index - self.scroll_offset.y
        self._source = source
        keys = source.keys
        found = keys.index(self._key) if self._key and self._key in keys else -1
        moved = found >= 0 and found != self._index
        if found < 0:
            found = self._find_near(max(0, self._index))
        self._index = found
        self._set_key(keys[found] if found >= 0 else "")
        self.lines_changed()
        if moved and before >= 0:
            self.scroll_to(y=max(0, found - before), animate=False, force=True)

    def choose(self, key: str) -> None:
        """Puts the cursor on a row, where there is such a row."""
        if key in self._source.keys:
            self._go(self._source.keys.index(key))

    def move(self, by: int) -> None:
        target = min(max(self._index + by, 0), self.line_count - 1)
        self._go(self._find_near(target, -1 if by < 0 else 1))

    def navigate(self, action: str) -> None:
        if action == "app.open":
            if self._key:
                self.post_message(self.Opened(self, self._key))
        else:
            super().navigate(action)

    def build_line(self, index: int, width: int) -> tuple[Cell, ...]:
        here = index == self._index and bool(self._key)
        mark = Cell("▸ ", "accent") if here else Cell("  ")
        return (mark, *self._source.build_row(index, max(1, width - 2)))

    def find_ground(self, index: int) -> Style | None:
        return find_ink(self).selection if index == self._index and self._key and self.has_focus else None

    def on_click(self, event: events.Click) -> None:
        index = self.scroll_offset.y + event.y
        if not 0 <= index < self.line_count or not self._source.keys[index]:
            return
        if index == self._index and event.chain > 1:
            self.post_message(self.Opened(self, self._key))
        self._go(index)

    def on_resize(self) -> None:
        """The framework calls those of the classes below too; here only the cursor is kept on the screen."""
        if self._index >= 0:
            self._keep_in_view()

    def watch_show_vertical_scrollbar(self) -> None:
        """The framework tells no size then."""
        self.post_message(self.RoomChanged())

    def on_focus(self) -> None:
        self.lines_changed()

    def on_blur(self) -> None:
        self.lines_changed()

    def _find_near(self, index: int, step: int = 1) -> int:
        """The next row that the cursor may stand on, first in one direction, then in the other."""
        keys = self._source.keys
        for places in (
            range(index, len(keys) if step > 0 else -1, step),
            range(index, -1 if step > 0 else len(keys), -step),
        ):
            for place in places:
                if 0 <= place < len(keys) and keys[place]:
                    return place
        return -1

    def _go(self, index: int) -> None:
        if index < 0:
            return
        self._index = index
        self._set_key(self._source.keys[index])
        self.lines_changed()
        self._keep_in_view()

    def _keep_in_view(self) -> None:
        height = self.scrollable_content_region.height
        if height <= 0:  # not laid out yet
            return
        top = self.scroll_offset.y
        first = 0 if not any(self._source.keys[: self._index]) else self._index  # a heading above comes along
        if first < top:
            self.scroll_to(y=first, animate=False, force=True)
        elif self._index >= top + height:
            self.scroll_to(y=self._index - height + 1, animate=False, force=True)

    def _set_key(self, key: str) -> None:
        if key != self._key:
            self._key = key
            self.post_message(self.Highlighted(self, key))
