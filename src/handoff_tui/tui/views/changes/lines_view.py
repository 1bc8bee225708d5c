"""The lines of a changed file, with a cursor, a range, sideways scrolling and wrapping; builds only what is visible."""

from __future__ import annotations

from rich.style import Style
from textual import events
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.text.columns import compute_width, wrap_cells
from handoff_tui.core.text.page import Cell
from handoff_tui.tui.drawing.cells import draw_cells, find_ink
from handoff_tui.tui.drawing.theming import Ink
from handoff_tui.tui.views.changes.row_map import NO_LINE, DiffRow
from handoff_tui.tui.views.changes.rows import DiffRows, Pane, shift_cells
from handoff_tui.tui.widgets.line_view import CursorView
from handoff_tui.tui.widgets.page_view import mark_found

_KEPT = 1_000
"""How many drawn rows are cached."""
_LEAD = 1
"""The width of the cursor mark."""


class _Anchor(NamedTuple):
    """The line under the cursor, by position and by line numbers."""

    line: int
    old: int | None
    new: int | None


class Position(NamedTuple):
    """Where the cursor was in a file, and how many rows were above it on the screen."""

    anchor: _Anchor
    above: int


class DiffLinesView(CursorView):
    """The cursor stays on its line when rows are folded, wrapped, extended or laid out again."""

    sideways = 8

    class Opened(Message):
        """Enter, or a second click, on the selected row."""

    class Resized(Message):
        """The width changed: rows may need a new layout."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as in the framework
        super().__init__(id=id)
        self._rows: DiffRows | None = None
        self._found = ""
        self.wrap = True
        self._layout: tuple[object, list[tuple[int, int]]] = (None, [])
        self._rows_drawn: LRUCache[tuple[object, ...], tuple[Strip, ...]] = LRUCache(_KEPT)

    # content

    @property
    def line_count(self) -> int:
        """The number of rows. With wrapping, each counts once, and the last can be scrolled to the top."""
        height = self.scrollable_content_region.height
        if not self.wrap or not self.row_count or self._fits(height):
            return self.row_count
        return self.row_count + max(0, height - 1)

    def _fits(self, height: int) -> bool:
        """Whether all rows are on the screen, also where they are wrapped."""
        room = self.room
        if room <= _LEAD or self.row_count > height:
            return False
        return sum(len(self._draw_row(index, room)) for index in range(self.row_count)) <= height

    @property
    def row_count(self) -> int:
        return 0 if self._rows is None else len(self._rows)

    @property
    def rows(self) -> DiffRows | None:
        return self._rows

    @property
    def index(self) -> int:
        return self._index

    @property
    def row(self) -> DiffRow | None:
        return self._rows.map.find_row(self._index) if self._rows is not None and self.row_count else None

    def show(self, rows: DiffRows | None, *, anew: bool = False) -> None:
        """Shows other rows. For the same file, the line under the cursor stays where it is on the screen."""
        anchor = None if anew else self._find_anchor()
        before = self._index - self.scroll_offset.y
        same = self._rows is not None and rows is not None and self._rows.file.change == rows.file.change
        self._rows = rows
        if anew:
            self._anchor, self._offset = None, 0
        self._index = 0 if anchor is None or rows is None else _find_again(rows, anchor, same=same)
        self._index = min(self._index, max(0, self.row_count - 1))
        self.lines_changed()
        if anew or anchor is not None:
            self.scroll_to(y=max(0, self._index - max(0, before)) if anchor else 0, animate=False, force=True)
            self._keep_in_view()

    def get_position(self) -> Position | None:
        """Returns where the cursor is, to come back to; None at the beginning."""
        anchor = self._find_anchor()
        return Position(anchor, self._index - self.scroll_offset.y) if anchor is not None else None

    def restore(self, position: Position) -> None:
        """Puts the cursor where it was, at the same height on the screen."""
        if self._rows is not None and self.row_count:
            self.go(_find_again(self._rows, position.anchor, same=False), above=max(0, position.above))

    def _find_anchor(self) -> _Anchor | None:
        if self._rows is None or not self.row_count or self._index == 0:
            return None
        line = self._rows.map.find_line_at(self._index)
        if line == NO_LINE:
            return None
        read = self._rows.file.lines.read_line(line)
        return _Anchor(line, read.old_number, read.new_number)

    # position

    def go_to_line(self, line: int, *, above: int = 3) -> None:
        """Puts the cursor on a line of the patch, with some rows visible above it."""
        if self._rows is not None:
            self.go(self._rows.map.find_line(line), above=above)

    def go(self, index: int, *, above: int | None = None) -> None:
        """Puts the cursor on a row; with `above`, scrolls so that this many rows are above it."""
        self._index = min(max(0, index), max(0, self.row_count - 1))
        if above is not None:
            self.scroll_to(y=max(0, self._index - above), animate=False, force=True)
        self._keep_in_view()
        self.refresh()
        self.post_message(self.Moved())

    def navigate(self, action: str) -> None:
        if action == "app.open":
            self.post_message(self.Opened())
        elif not (self.wrap and action in {"nav.left", "nav.right"}):
            super().navigate(action)

    def set_wrap(self, *, wrap: bool) -> None:
        self.wrap = wrap
        self._offset = 0
        self.lines_changed()
        self._keep_in_view()

    def mark(self, text: str) -> None:
        """Marks a text wherever it is shown."""
        if self._found != text.casefold():
            self._found = text.casefold()
            self.lines_changed()

    def find(self, text: str, *, backwards: bool = False, again: bool = False, changed: bool = False) -> int | None:
        """Finds the next line of the patch with the text, from the cursor on, wrapping around.

        With `changed`, only among changed lines, and not beyond the last.
        """
        self.mark(text)
        if not text or self._rows is None or not len(self._rows.file.lines):
            return None
        lines = self._rows.file.lines
        here = max(0, self._rows.map.find_line_at(self._index))
        start = here + ((-1 if backwards else 1) if again else 0)
        is_inside = 0 <= start < len(lines)
        found = lines.find_text(text, start, backwards=backwards, changed=changed) if is_inside else None
        if found is None and not changed:
            found = lines.find_text(text, len(lines) - 1 if backwards else 0, backwards=backwards)
        return found

    def on_click(self, event: events.Click) -> None:
        index = self._find_index_at(event.y)
        if index is None:
            return
        if index == self._index and event.chain > 1:
            self.post_message(self.Opened())
        self.go(index)

    def on_resize(self) -> None:
        self.lines_changed()
        self.post_message(self.Resized())

    def _find_index_at(self, y: int) -> int | None:
        if self.wrap:
            layout = self._lay_out(self.room)
            return layout[y][0] if y < len(layout) else None
        index = self.scroll_offset.y + y
        return index if index < self.row_count else None

    def _keep_in_view(self) -> None:
        height, top = self.scrollable_content_region.height, self.scroll_offset.y
        if not self.wrap or self._index < top or not height or not self.row_count:
            super()._keep_in_view()
        elif (first := self._find_highest_top(height)) > top:
            self.scroll_to(y=first, animate=False, force=True)

    def _find_highest_top(self, height: int) -> int:
        """With wrapping, returns the first row that can be at the top with the cursor's row fully visible."""
        index, taken = self._index, len(self._draw_row(self._index, self.room))
        while index > 0:
            taken += len(self._draw_row(index - 1, self.room))
            if taken > height:
                break
            index -= 1
        return index

    # drawing

    def lines_changed(self) -> None:
        self._version += 1
        self._layout = (None, [])
        self.virtual_size = Size(self.room, self.line_count)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        if self.wrap:
            layout = self._lay_out(width)
            if y >= len(layout):
                return Strip.blank(width, find_ink(self).background)
            index, part = layout[y]
            return self._draw_row(index, width)[part]
        index = self.scroll_offset.y + y
        if index >= self.row_count:
            return Strip.blank(width, find_ink(self).background)
        return self._draw_row(index, width)[0]

    def _lay_out(self, width: int) -> list[tuple[int, int]]:
        """With wrapping, maps each line of the screen to a part of a row."""
        height, top = self.scrollable_content_region.height, self.scroll_offset.y
        key = (top, width, height, self._version)
        if self._layout[0] != key:
            layout: list[tuple[int, int]] = []
            for index in range(top, self.row_count):
                layout += [(index, part) for part in range(len(self._draw_row(index, width)))]
                if len(layout) >= height:
                    break
            self._layout = (key, layout)
        return self._layout[1]

    def _draw_row(self, index: int, width: int) -> tuple[Strip, ...]:
        here = index == self._index
        first, last = self.range
        mark = "▸" if here else "┃" if self.has_range and first <= index <= last else " "
        key = (index, width, self._version, mark, self.has_focus)
        strips = self._rows_drawn.get(key)
        if strips is None:
            strips = self._draw_anew(index, width, mark)
            self._rows_drawn.set(key, strips)
        return strips

    def _draw_anew(self, index: int, width: int, mark: str) -> tuple[Strip, ...]:
        ink = find_ink(self)
        ground = None if mark == " " else ink.selection if self.has_focus else ink.surface
        lead = draw_cells((Cell(mark, "accent"),), _LEAD, ink, ground)
        panes = self._rows.build(index) if self._rows is not None else ()
        if len(panes) == 1:
            return tuple(Strip.join((lead, row)) for row in self._draw_pane(panes[0], width - _LEAD, ink, ground))
        left = (width - _LEAD - 1) // 2
        sides = [
            self._draw_pane(pane, room, ink, ground)
            for pane, room in zip(panes, (left, width - _LEAD - 1 - left), strict=True)
        ]
        between = draw_cells((Cell("│", "border"),), 1, ink, ground)
        blanks = [Strip.blank(side[0].cell_length, ground or ink.background) for side in sides]
        rows: list[Strip] = []
        for place in range(max(map(len, sides))):
            one, other = (
                side[place] if place < len(side) else blank for side, blank in zip(sides, blanks, strict=True)
            )
            rows.append(Strip.join((lead, one, between, other)))
        return tuple(rows)

    def _draw_pane(self, pane: Pane, width: int, ink: Ink, ground: Style | None) -> list[Strip]:
        under = ground if ground is not None else {"added": ink.added, "removed": ink.removed}.get(pane.ground)
        content = mark_found(pane.content, self._found) if self._found else pane.content
        if not pane.gutter:
            room = width - sum(compute_width(cell.text) for cell in content)
            return [draw_cells((*content, Cell(pane.fill * max(0, room), "border")), width, ink, under)]
        if not self.wrap:
            return [draw_cells((*pane.gutter, *shift_cells(content, self._offset)), width, ink, under)]
        taken = sum(compute_width(cell.text) for cell in pane.gutter)
        first, *rest = wrap_cells(content, width - taken)
        blank = Cell(" " * taken)
        return [
            draw_cells((*pane.gutter, *first), width, ink, under),
            *(draw_cells((blank, *row), width, ink, under) for row in rest),
        ]


def _find_again(rows: DiffRows, anchor: _Anchor, *, same: bool) -> int:
    if same and anchor.line < len(rows.file.lines):
        return rows.map.find_line(anchor.line)
    number, old = (anchor.new, False) if anchor.new is not None else (anchor.old or 1, True)
    line = rows.file.lines.find_numbered(number, old=old)
    return 0 if line is None else rows.map.find_line(line)
