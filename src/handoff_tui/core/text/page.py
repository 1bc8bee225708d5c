"""A page as data: what a front end draws. Every text in it is safe to show; `fact` and `warn` make it so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.text.safe_text import render_safe


class Cell(NamedTuple):
    """A piece of text and the theme role that colours it."""

    text: str
    role: str = "text"


class Line(NamedTuple):
    """Cells on one line; it may wrap, and then continues at `indent`."""

    cells: tuple[Cell, ...]
    indent: int = 0


class Column(NamedTuple):
    """A column of a grid. One that can `fold` takes the room that is left and wraps."""

    heading: str
    fold: bool = False
    right: bool = False
    rank: int | None = None
    """If words would break, columns are dropped, lowest rank first; one without a rank stays."""
    whole: bool = False
    """Whether it never wraps."""


class Grid(NamedTuple):
    """Rows under headings."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


_Item = TypeVar("_Item")
TableColumns = Sequence[tuple[Column, Callable[[_Item], Cell]]]
"""Columns, each with what builds its cell for an item."""


@dataclass(slots=True)
class Page:
    """Headings, lines and grids in order."""

    parts: list[Line | Grid] = field(default_factory=list)
    names: int = 9
    """How many columns the names of facts take; with 9, a digest with its prefix just fits into 80 columns."""

    def heading(self, text: str, note: str = "") -> None:
        """Adds a heading, with a blank line before it except at the top."""
        if self.parts:
            self.blank()
        cells = (Cell(text, "heading"),) if not note else (Cell(text, "heading"), Cell(f"  {note}", "muted"))
        self.parts.append(Line(cells))

    def line(self, *cells: Cell, indent: int = 0) -> None:
        self.parts.append(Line(cells, indent))

    def fact(self, name: str, value: str, role: str = "text") -> None:
        """Adds a name and its value."""
        self.line(
            Cell(f"{render_safe(name):<{self.names}}", "muted"), Cell(render_safe(value), role), indent=self.names
        )

    def warn(self, text: str, role: str = "text") -> None:
        """Adds a warning."""
        self.line(Cell("! ", "warning"), Cell(render_safe(text), role), indent=2)

    def blank(self) -> None:
        self.parts.append(Line(()))

    def grid(self, columns: tuple[Column, ...], rows: Sequence[tuple[Cell, ...]]) -> None:
        if rows:
            self.parts.append(Grid(columns, tuple(rows)))

    def more(self, number: int, what: str = "more", lead: str = "    ") -> None:
        """Adds how many rows are left out, if any are; without a lead as an item of a list."""
        if number > 0:
            self.line(Cell(f"{lead}… and {number:,} {what}; --all shows them", "muted"), indent=0 if lead else 2)

    def some(self, items: Sequence[_Item], most: int, *, everything: bool, lead: str = "    ") -> Iterator[_Item]:
        """Yields the items to show, all or the first `most`; then adds how many are left out."""
        shown = items if everything else items[:most]
        yield from shown
        self.more(len(items) - len(shown), lead=lead)

    def table(self, columns: TableColumns[_Item], items: Sequence[_Item]) -> None:
        """Adds a grid with a row per item."""
        rows = [tuple(build(item) for _, build in columns) for item in items]
        self.grid(tuple(column for column, _ in columns), rows)
