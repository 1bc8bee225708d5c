"""Maps rows to the lines of a file: unchanged parts folded, unified or side by side.

A row is found by a search among pieces, so a million lines cost what a thousand do. Rows that aren't lines (notices,
comments) go between the pieces.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Mapping
from enum import IntEnum

from handoff_tui.changes.files.shown_file import PatchLines
from handoff_tui.core.classes import NamedTuple

NO_LINE = -1
_LEAST_FOLDED = 2
"""A fold that hides one line would be as long as the line."""


class RowKind(IntEnum):
    """What a row shows."""

    LINES = 0
    """A line; side by side, the same line twice."""
    RUN = 1
    """Side by side: a deleted line, an added one, or both."""
    GAP = 2
    """Folded lines."""
    FIXED = 3
    """A row that isn't a line."""


class DiffRow(NamedTuple):
    """One row: a line of each side, if there is one."""

    kind: RowKind
    left: int
    right: int
    part: int = 0
    """Of a fixed row: its position in its piece. Of a gap: how many lines it hides."""
    block: int = NO_LINE
    """Of a fixed row: its owner. Of a gap: its number."""

    @property
    def line(self) -> int:
        """The line of the row; the new one of two."""
        return self.right if self.right != NO_LINE else self.left


class Folding(NamedTuple):
    """How much unchanged text is shown."""

    context: int | None = 3
    """Lines around each change; None for all."""
    opened: frozenset[int] = frozenset()
    """Gaps that were opened, by number; 0 is the one before the first change."""


class FixedRows(NamedTuple):
    """Rows that aren't lines: how many, and after which line (-1: at the top)."""

    after: int
    rows: int


class RowMap:
    """Pieces of rows, in order."""

    def __init__(self, lines: PatchLines, folding: Folding, fixed: tuple[FixedRows, ...] = (), *, split: bool) -> None:
        self._lines = lines
        self._kinds = bytearray()
        self._lefts, self._left_ends = array("I"), array("I")
        self._rights, self._right_ends = array("I"), array("I")
        self._numbers = array("i")
        self._rows = array("I")
        self.count = 0
        self._split = split
        self._fixed = _order_fixed(fixed)
        self._stops = sorted(self._fixed)
        self._add_fixed(NO_LINE, 0)
        self._fill(folding)

    def find_row(self, row: int) -> DiffRow:
        place = bisect_right(self._rows, row) - 1
        kind = RowKind(self._kinds[place])
        part = row - self._rows[place]
        left, right = self._lefts[place], self._rights[place]
        if kind is RowKind.LINES:
            return DiffRow(kind, left + part, left + part)
        if kind is RowKind.GAP:
            return DiffRow(kind, left, left, self._left_ends[place] - left, self._numbers[place])
        if kind is RowKind.FIXED:
            return DiffRow(kind, NO_LINE, NO_LINE, part, self._numbers[place])
        old = left + part if left + part < self._left_ends[place] else NO_LINE
        new = right + part if right + part < self._right_ends[place] else NO_LINE
        return DiffRow(kind, old, new)

    def find_line(self, line: int) -> int:
        """Returns the row of a line, or of the gap that hides it."""
        place = bisect_right(self._lefts, line) - 1
        while place >= 0:
            if self._kinds[place] != RowKind.FIXED:
                if self._lefts[place] <= line < self._left_ends[place]:
                    return self._rows[place] + (0 if self._kinds[place] == RowKind.GAP else line - self._lefts[place])
                if self._rights[place] <= line < self._right_ends[place]:
                    return self._rows[place] + line - self._rights[place]
            place -= 1
        return 0

    def find_change(self, row: int, *, backwards: bool = False) -> int | None:
        """Returns the row where the next or previous change begins; None if there is none."""
        runs = self._lines.runs
        here = self.find_line_at(row)
        if not len(runs.starts):
            return None
        if backwards:
            number = bisect_right(runs.starts, here - 1) - 1
            return self.find_line(runs.starts[number]) if number >= 0 else None
        number = bisect_right(runs.starts, here)
        return self.find_line(runs.starts[number]) if number < len(runs.starts) else None

    def find_change_number(self, row: int) -> int:
        """Returns how many changes begin at or before a row."""
        return bisect_right(self._lines.runs.starts, self.find_line_at(row))

    def find_line_at(self, row: int) -> int:
        """Returns the first line at or above a row; before all lines if there is none above."""
        while row >= 0 and self.count:
            found = self.find_row(min(row, self.count - 1))
            if found.kind is not RowKind.FIXED:
                return found.left if found.left != NO_LINE else found.right
            row -= found.part + 1
        return NO_LINE

    def _fill(self, folding: Folding) -> None:
        runs, total = self._lines.runs, len(self._lines)
        count = len(runs.starts)
        position = 0
        for number in range(count + 1):
            first = runs.ends[number - 1] if number else 0
            last = runs.starts[number] if number < count else total
            if folding.context is not None and number not in folding.opened:
                hidden_from = first + (folding.context if number else 0)
                hidden_to = last - (folding.context if number < count else 0)
                if hidden_to - hidden_from >= _LEAST_FOLDED:
                    self._add_lines(position, hidden_from)
                    self._add_gap(hidden_from, hidden_to, number)
                    position = hidden_to
            if number < count and self._split:
                self._add_lines(position, last)
                self._add_run(runs.starts[number], runs.middles[number], runs.ends[number])
                position = runs.ends[number]
        self._add_lines(position, total)

    def _add_lines(self, first: int, end: int) -> None:
        while first < end:
            stop = self._find_stop(first, end)
            cut = end if stop is None else stop + 1
            self._add(RowKind.LINES, (first, cut, first, cut), cut - first)
            if stop is not None:
                self._add_fixed(stop, cut)
            first = cut

    def _add_gap(self, first: int, end: int, number: int) -> None:
        self._add(RowKind.GAP, (first, end, first, end), 1, number)
        stop = self._find_stop(first, end)
        while stop is not None:  # a comment on a hidden line isn't hidden with it
            self._add_fixed(stop, end)
            stop = self._find_stop(stop + 1, end)

    def _add_run(self, first: int, middle: int, end: int) -> None:
        left, right = first, middle
        while left < middle or right < end:
            old, new = self._find_stop(left, middle), self._find_stop(right, end)
            parts = [stop - start + 1 for stop, start in ((old, left), (new, right)) if stop is not None]
            taken = min(parts, default=max(middle - left, end - right))
            left_end, right_end = min(left + taken, middle), min(right + taken, end)
            self._add(RowKind.RUN, (left, left_end, right, right_end), taken)
            for stop, last in ((old, left_end), (new, right_end)):
                if stop is not None and stop < last:
                    self._add_fixed(stop, left_end)
            left, right = left_end, right_end

    def _find_stop(self, first: int, end: int) -> int | None:
        """Returns the next of these lines that has a comment."""
        if not self._stops:
            return None
        place = bisect_right(self._stops, first - 1)
        return self._stops[place] if place < len(self._stops) and self._stops[place] < end else None

    def _add_fixed(self, after: int, position: int) -> None:
        for number, count in self._fixed.get(after, ()):
            self._add(RowKind.FIXED, (position, position, position, position), count, number)

    def _add(self, kind: RowKind, places: tuple[int, int, int, int], rows: int, number: int = NO_LINE) -> None:
        if rows <= 0:
            return
        self._kinds.append(kind)
        self._lefts.append(places[0])
        self._left_ends.append(places[1])
        self._rights.append(places[2])
        self._right_ends.append(places[3])
        self._numbers.append(number)
        self._rows.append(self.count)
        self.count += rows


def _order_fixed(fixed: tuple[FixedRows, ...]) -> Mapping[int, list[tuple[int, int]]]:
    ordered: dict[int, list[tuple[int, int]]] = {}
    for number, one in enumerate(fixed):
        ordered.setdefault(one.after, []).append((number, one.rows))
    return ordered
