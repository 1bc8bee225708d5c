"""Cells to what the framework draws. The only place where a text becomes a segment: never through markup."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, cast

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from handoff_tui.presentation.page import Cell
from handoff_tui.tui.theming import ASCII_GLYPHS, Ink


class Inked(Protocol):
    """An app that says how cells are drawn."""

    @property
    def ink(self) -> Ink: ...


def find_ink(widget: Widget) -> Ink:
    return cast("Inked", widget.app).ink


def draw_cells(cells: Iterable[Cell], width: int, ink: Ink, ground: Style | None = None) -> Strip:
    """One line, exactly `width` columns: cut with an ellipsis, or filled up."""
    under = ink.background if ground is None else ground
    segments = [Segment(_spell(cell.text, ink), under + ink.get(cell.role)) for cell in cells if cell.text]
    strip = Strip(segments)
    if strip.cell_length > width > 0:
        more = segments[-1].style if segments else under
        return Strip([*strip.crop(0, width - 1), Segment(_spell("…", ink), more)]).simplify()
    return strip.extend_cell_length(width, under).simplify()  # fewer escape codes: they travel over ssh


def _spell(text: str, ink: Ink) -> str:
    return text.translate(ASCII_GLYPHS) if ink.ascii_only else text
