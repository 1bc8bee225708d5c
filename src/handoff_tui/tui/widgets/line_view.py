"""Any number of lines of cells: only the visible ones are built and drawn."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from handoff_tui.core.text.page import Cell
from handoff_tui.tui.drawing.cells import draw_cells, find_ink

_KEPT = 1_000
"""How many drawn lines are cached."""


class LineView(ScrollView, can_focus=True, inherit_bindings=False):
    """The base of lists, pages and diffs. Keys reach it as `nav` actions, through the screen."""

    DEFAULT_CSS = """
    LineView { background: $background; scrollbar-size: 1 1; overflow-x: hidden; }
    """
    draws_by_line: ClassVar[bool] = False
    """Whether each screen row is one line as drawn here; then only rows that differ are drawn again."""
    sideways: ClassVar[int] = 0
    """How many columns one step to the side moves; 0 if lines are never longer than the screen."""
    furthest: ClassVar[int] = 2_000
    _offset = 0
    """How far it is scrolled sideways."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as in the framework
        super().__init__(id=id)
        self._drawn: LRUCache[tuple[object, ...], Strip] = LRUCache(_KEPT)
        self._by_content: LRUCache[tuple[object, ...], Strip] = LRUCache(_KEPT)
        """Strips by cells: for the same strip, the framework reuses what it sent to the terminal."""
        self._painted: dict[int, tuple[int, Strip]] = {}
        """What each screen row shows, and the scroll position at that time."""
        self._version = 0

    @property
    def line_count(self) -> int:
        """The number of lines."""
        raise NotImplementedError

    def build_line(self, index: int, width: int) -> tuple[Cell, ...]:
        """Builds the cells of one line."""
        raise NotImplementedError

    def find_ground(self, index: int) -> Style | None:  # noqa: ARG002 - for those who mark lines
        """Returns the background style of a line; None for the default."""
        return None

    @property
    def room(self) -> int:
        """The columns to draw in, without the scroll bar."""
        return self.scrollable_content_region.width

    def lines_changed(self) -> None:
        """Redraws; the position stays."""
        self._version += 1
        before, self.virtual_size = self.virtual_size, Size(self.room, self.line_count)
        rows = self._find_changed_rows() if before == self.virtual_size else None
        if rows is None:
            self.refresh()
        elif rows:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in rows))

    def _find_changed_rows(self) -> list[int] | None:
        """Returns the screen rows that would look different now; None if that isn't known."""
        if not self.draws_by_line:
            return None
        offset, region = self.scroll_offset.y, self.scrollable_content_region
        changed: list[int] = []
        for y in range(region.height):
            painted = self._painted.get(y)
            if painted is None or painted[0] != offset:
                return None
            if self._find_strip(offset + y, region.width) is not painted[1]:
                changed.append(y)
        return changed

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._version += 1
        self._by_content.clear()
        self._painted.clear()

    def on_resize(self) -> None:
        self.lines_changed()

    def render_line(self, y: int) -> Strip:
        offset = self.scroll_offset.y
        strip = self._find_strip(offset + y, self.scrollable_content_region.width)
        self._painted[y] = (offset, strip)
        return strip

    def _find_strip(self, index: int, width: int) -> Strip:
        if index >= self.line_count:
            return self._find_drawn((), width, None)
        ground = self.find_ground(index)
        key = (index, width, self._version, ground)
        strip = self._drawn.get(key)
        if strip is None:
            strip = self._draw(index, width, ground)
            self._drawn.set(key, strip)
        return strip

    def _draw(self, index: int, width: int, ground: Style | None) -> Strip:
        return self._find_drawn(self.build_line(index, width), width, ground)

    def _find_drawn(self, cells: tuple[Cell, ...], width: int, ground: Style | None) -> Strip:
        key = (cells, width, ground)
        strip = self._by_content.get(key)
        if strip is None:
            strip = draw_cells(cells, width, find_ink(self), ground)
            self._by_content.set(key, strip)
        return strip

    def on_focus(self) -> None:
        self.lines_changed()

    def on_blur(self) -> None:
        self.lines_changed()

    def navigate(self, action: str) -> None:
        """Performs one of the `nav` actions."""
        if self.sideways and action in {"nav.left", "nav.right"}:
            by = self.sideways if action == "nav.right" else -self.sideways
            self._offset = min(max(0, self._offset + by), self.furthest)
            self.lines_changed()
            return
        page = max(1, self.scrollable_content_region.height - 1)
        moves = {
            "nav.down": 1,
            "nav.up": -1,
            "nav.page-down": page,
            "nav.page-up": -page,
            "nav.half-page-down": page // 2,
            "nav.half-page-up": -(page // 2),
            "nav.top": -self.line_count,
            "nav.bottom": self.line_count,
        }
        if action in moves:
            self.move(moves[action])

    def move(self, by: int) -> None:
        self.scroll_to(y=self.scroll_offset.y + by, animate=False)


class CursorView(LineView):
    """Lines with a cursor. A range reaches from the place where it was begun to the cursor."""

    class Moved(Message):
        """The cursor moved to another line."""

    _index = 0
    _anchor: int | None = None

    @property
    def place(self) -> int:
        """Where the cursor is, by a number that outlives a new layout."""
        return self._index

    @property
    def has_range(self) -> bool:
        return self._anchor is not None

    @property
    def range(self) -> tuple[int, int]:
        """The first and last selected place."""
        first, last = sorted((self.place, self.place if self._anchor is None else self._anchor))
        return first, last

    def toggle_range(self) -> None:
        self._anchor = None if self._anchor is not None else self.place
        self.lines_changed()

    def move(self, by: int) -> None:
        self.go(self._index + by)

    def go(self, index: int) -> None:
        self._index = min(max(0, index), max(0, self.line_count - 1))
        self.lines_changed()
        self._keep_in_view()
        self.post_message(self.Moved())

    def _keep_in_view(self) -> None:
        height, top = self.scrollable_content_region.height, self.scroll_offset.y
        if self._index < top:
            self.scroll_to(y=self._index, animate=False, force=True)
        elif height and self._index >= top + height:
            self.scroll_to(y=self._index - height + 1, animate=False, force=True)
