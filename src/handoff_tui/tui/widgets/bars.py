"""Lines of one row: title, tabs, status, key hints, and the rule above a panel. Parts of them can be clicked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from handoff_tui.core.text.columns import compute_width
from handoff_tui.core.text.page import Cell
from handoff_tui.tui.drawing.cells import draw_cells, find_ink

if TYPE_CHECKING:
    from handoff_tui.tui.actions import Hint

Row = tuple[Cell, ...]


class Bar(Widget):
    """One row of cells."""

    DEFAULT_CSS = """
    Bar { height: 1; width: 1fr; }
    """

    class Pressed(Message):
        """A part of the bar was clicked."""

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    def __init__(self, *, id: str | None = None, raised: bool = False) -> None:  # noqa: A002 - as in the framework
        super().__init__(id=id)
        self._parts: tuple[tuple[str, Row], ...] = ()
        self._raised = raised

    def show(self, *cells: Cell) -> None:
        self.show_parts([("", cells)])

    def show_parts(self, parts: Iterable[tuple[str, Row]]) -> None:
        """Shows cells with the action that a click on them performs."""
        now = tuple(parts)
        if now != self._parts:
            self._parts = now
            self.refresh()

    @property
    def cells(self) -> Row:
        return tuple(cell for _, row in self._parts for cell in row)

    def render_line(self, y: int) -> Strip:
        ink = find_ink(self)
        ground: Style = ink.surface if self._raised else ink.background
        return draw_cells(self.cells if y == 0 else (), self.size.width, ink, ground)

    def on_click(self, event: events.Click) -> None:
        end = 0
        for action, row in self._parts:
            end += sum(compute_width(cell.text) for cell in row)
            if event.x < end:
                if action:
                    self.post_message(self.Pressed(action))
                return


class KeyBar(Bar):
    """Key hints, as many as fit; one that can't be used now is dimmed, and says why when it is pressed."""

    def show_hints(self, hints: Sequence[Hint], width: int, pinned: str = "") -> None:
        """Shows the hints; `pinned` is an action that always keeps its place."""
        parts: list[tuple[str, Row]] = []
        kept = sum(_measure(_draw_hint(hint)) for hint in hints if hint.action == pinned and hint.key)
        room = width - 1 - kept
        for hint in hints:
            row = _draw_hint(hint, first=not parts)
            size = 0 if hint.action == pinned else _measure(row)
            if hint.key and size <= room:
                room -= size
                parts.append((hint.action, row))
        self.show_parts(parts)


def _draw_hint(hint: Hint, *, first: bool = False) -> Row:
    words = f" ({hint.words})" if hint.refusal else f" {hint.words}"
    roles = ("muted", "muted") if hint.refusal else ("key", "text")
    return (Cell(" " if first else "  "), Cell(hint.key, roles[0]), Cell(words, roles[1]))


def _measure(row: Row) -> int:
    return sum(compute_width(cell.text) for cell in row)


class Rule(Bar):
    """A line above a panel, with the panel's name in it."""

    def __init__(self, *, id: str | None = None, raised: bool = False) -> None:  # noqa: A002 - as in the framework
        super().__init__(id=id, raised=raised)
        self._title: Row = ()
        self._right = ""

    def show_title(self, *cells: Cell, right: str = "") -> None:
        self._title, self._right = cells, right
        self._lay_out()

    def on_resize(self) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        taken = sum(compute_width(cell.text) for cell in self._title) + compute_width(self._right)
        line = "─" * max(1, self.size.width - taken - 6)
        end = (Cell(f" {self._right} ", "muted"), Cell("─", "border")) if self._right else (Cell("──", "border"),)
        title = (Cell("─ ", "border"), *self._title, Cell(" ", "border")) if taken else (Cell("───", "border"),)
        self.show(*title, Cell(line, "border"), *end)
