"""Lines of one row: title, tabs, status, key hints, and the rule above a panel. Parts of them can be clicked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.style import Style
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

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


class Divider(Bar):
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


class FindLine(Horizontal):
    """A field that reacts to every letter. Enter keeps the result and returns; escape cancels."""

    DEFAULT_CSS = """
    FindLine { height: 1; }
    FindLine Bar { width: 3; }
    FindLine Input { border: none; height: 1; padding: 0; background: $background; color: $foreground; }
    """

    class Changed(Message):
        """The search text changed."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Left(Message):
        """The field was left, with or without keeping the result."""

        def __init__(self, *, kept: bool) -> None:
            super().__init__()
            self.kept = kept

    def compose(self) -> ComposeResult:
        yield Bar()
        yield Input(compact=True, select_on_focus=False)

    def on_mount(self) -> None:
        self.query_one(Bar).show(Cell(" / ", "key"))

    @property
    def text(self) -> str:
        return self.query_one(Input).value

    def open(self) -> None:
        self.display = True
        field = self.query_one(Input)
        field.can_focus = True
        field.value = ""
        self.screen.set_focus(field)  # at once: the letters that follow belong to it

    @on(Input.Changed)
    def tell_change(self, event: Input.Changed) -> None:
        event.stop()
        if self.display:
            self.post_message(self.Changed(event.value))

    @on(Input.Submitted)
    def keep(self, event: Input.Submitted) -> None:
        event.stop()
        event.input.can_focus = False  # the text stays on the screen, but isn't a pane to step to
        self.post_message(self.Left(kept=bool(event.value)))

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape":
            event.stop()
            event.prevent_default()
            self.post_message(self.Left(kept=False))
