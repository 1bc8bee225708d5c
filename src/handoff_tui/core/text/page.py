"""A page as data: what a front end draws. Every text in it is already safe to show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


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


@dataclass(slots=True)
class Page:
    """Headings, lines and grids in order."""

    parts: list[Line | Grid] = field(default_factory=list)

    def heading(self, text: str, note: str = "") -> None:
        """Adds a heading, with a blank line before it except at the top."""
        if self.parts:
            self.blank()
        cells = (Cell(text, "heading"),) if not note else (Cell(text, "heading"), Cell(f"  {note}", "muted"))
        self.parts.append(Line(cells))

    def line(self, *cells: Cell, indent: int = 0) -> None:
        self.parts.append(Line(cells, indent))

    def blank(self) -> None:
        self.parts.append(Line(()))

    def grid(self, columns: tuple[Column, ...], rows: Sequence[tuple[Cell, ...]]) -> None:
        if rows:
            self.parts.append(Grid(columns, tuple(rows)))
