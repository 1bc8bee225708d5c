"""A list of rows whose cursor stays on its row while the list changes around it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Generic, Protocol, TypeVar

from rich.style import Style
from textual import events
from textual.message import Message

from handoff_tui.core.text.columns import Field, build_cells, build_headings, narrow_fields
from handoff_tui.core.text.page import Cell
from handoff_tui.tui.drawing.cells import find_ink
from handoff_tui.tui.widgets.line_view import LineView

Item = TypeVar("Item")
_SHORT = 200
"""Rows of a list that are all looked at before it is drawn."""


class RowSource(Protocol):
    """A list of any length. `keys` stay the same across refreshes: the cursor follows a key, not a number."""

    @property
    def keys(self) -> Sequence[str]:
        """One key per row. The cursor skips rows with an empty key (a rule, a heading)."""
        ...

    def build_row(self, index: int, width: int) -> tuple[Cell, ...]:
        """Builds the cells of one row for a width; longer rows are cut when drawn."""
        ...


class EmptyRows:
    """An empty list: a sentence in its place."""

    def __init__(self, *words: Cell) -> None:
        self._words = words

    @property
    def keys(self) -> Sequence[str]:
        return ("",) if self._words else ()

    def build_row(self, index: int, width: int) -> tuple[Cell, ...]:  # noqa: ARG002 - there is one
        return self._words


class TableRows(Generic[Item]):
    """Rows of columns, each about one item. The cursor skips rows with an empty key."""

    fields: tuple[Field, ...] = ()

    def __init__(self, items: Iterable[tuple[str, Item]]) -> None:
        rows = list(items)
        self.keys: Sequence[str] = [key for key, _ in rows]
        self.items: Sequence[Item] = [item for _, item in rows]
        self._by_key = dict(rows)

    def find(self, key: str) -> Item | None:
        """Returns the item of a row; None if there is none."""
        return self._by_key.get(key) if key else None

    def narrow(self) -> None:
        """Fits the columns of a short list to what its rows say; a long one keeps them all."""
        if 0 < len(self.items) <= _SHORT:
            self.fields = narrow_fields(self.fields, [row for item in self.items if (row := self.describe(item))])

    def build_heading(self, width: int) -> tuple[Cell, ...]:
        return build_headings(self.fields, width)

    def build_row(self, index: int, width: int) -> tuple[Cell, ...]:
        return build_cells(self.fields, self.describe(self.items[index]), width)

    def describe(self, item: Item) -> Mapping[str, tuple[Cell, ...]]:
        """Returns what each column shows of an item."""
        raise NotImplementedError


def has_words(told: str, text: str) -> bool:
    """Tells whether every word of a search text is in what is told, in any order."""
    folded = told.casefold()
    return all(word in folded for word in text.casefold().split())


class RowMessage(Message):
    """About one row of a list."""

    def __init__(self, rows: RowList, key: str) -> None:
        super().__init__()
        self.rows, self.key = rows, key

    @property
    def control(self) -> RowList:
        return self.rows


class RowList(LineView):
    """Rows from a source. A glyph and the theme's selection mark the cursor's row."""

    draws_by_line = True

    class Highlighted(RowMessage):
        """The cursor moved to another row, or its row appeared."""

    class Opened(RowMessage):
        """Enter, or a click on the selected row."""

    class RoomChanged(Message):
        """The scroll bar came or went, so rows have another width."""

    _source: RowSource = EmptyRows()
    _index = -1
    _key = ""
    _own = 0
    """How many lines without a key follow every row: they belong to it, more of them are a heading."""

    @property
    def line_count(self) -> int:
        return len(self._source.keys)

    @property
    def key(self) -> str:
        """The key of the selected row; empty in an empty list."""
        return self._key

    @property
    def index(self) -> int:
        return self._index

    def show(self, source: RowSource) -> None:
        """Shows another list, or the same one changed. Cursor and scroll position stay."""
        before = self._index - self.scroll_offset.y
        self._source = source
        keys = source.keys
        self._own = _count_own(keys)
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
        """Selects a row, if it exists."""
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
        """Keeps the cursor on the screen, and the first rows too, if there is room: it may have been tiny before.

        The framework calls the handlers of base classes as well.
        """
        if 0 <= self._index < self.scrollable_content_region.height:
            self.scroll_to(y=0, animate=False, force=True)
        if self._index >= 0:
            self._keep_in_view()

    def watch_show_vertical_scrollbar(self) -> None:
        """The framework reports no new size here."""
        self.post_message(self.RoomChanged())

    def _find_near(self, index: int, step: int = 1) -> int:
        """Returns the nearest row the cursor can be on, first in one direction, then in the other."""
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
        top, keys = self.scroll_offset.y, self._source.keys
        first = self._index - max(0, self._count_above() - self._own)  # a heading above scrolls along
        last = self._index  # and so do the lines that belong to the row
        while last + 1 < min(len(keys), self._index + height) and not keys[last + 1]:
            last += 1
        first = max(first, min(last - height + 1, self._index))
        if first < top:
            self.scroll_to(y=first, animate=False, force=True)
        elif last >= top + height:
            self.scroll_to(y=min(last - height + 1, self._index), animate=False, force=True)

    def _count_above(self) -> int:
        """Returns how many lines without a key are right above the cursor."""
        keys, place = self._source.keys, self._index
        while place > 0 and not keys[place - 1]:
            place -= 1
        return self._index - place

    def _set_key(self, key: str) -> None:
        if key != self._key:
            self._key = key
            self.post_message(self.Highlighted(self, key))


def _count_own(keys: Sequence[str]) -> int:
    """Returns the smallest number of lines without a key that follow a row."""
    places = [place for place, key in enumerate(keys) if key]
    return min((after - before - 1 for before, after in pairwise([*places, len(keys)])), default=0)
