"""Turns cells into what the framework draws. The only place where text becomes a segment: never through markup."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, cast

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from handoff_tui.core.text.page import Cell
from handoff_tui.tui.drawing.theming import ASCII_GLYPHS, Ink

_FILLING = "  "
"""One blank separates words."""


class Inked(Protocol):
    """An app that knows how to draw cells."""

    @property
    def ink(self) -> Ink: ...


def find_ink(widget: Widget) -> Ink:
    return cast("Inked", widget.app).ink


def draw_cells(cells: Iterable[Cell], width: int, ink: Ink, ground: Style | None = None) -> Strip:
    """Draws one line of exactly `width` columns: cut with an ellipsis, or padded."""
    under = ink.background if ground is None else ground
    segments = [segment for cell in cells if cell.text for segment in _draw_cell(cell, ink, under)]
    strip = Strip(segments)
    if strip.cell_length > width > 0:
        more = segments[-1].style if segments else under
        return Strip([*strip.crop(0, width - 1), Segment(_spell("…", ink), more)]).simplify()
    return strip.extend_cell_length(width, under).simplify()  # fewer escape codes, for slow ssh connections


def _draw_cell(cell: Cell, ink: Ink, under: Style) -> list[Segment]:
    """Draws a cell. Padding around a word in reverse video belongs to the background."""
    text, style = _spell(cell.text, ink), ink.get_on(cell.role, under)
    if not style.reverse or under.reverse or _FILLING not in text:
        return [Segment(text, style)]
    start = len(text) - len(text.lstrip(" "))
    end = len(text.rstrip(" "))
    if end == 0:
        return [Segment(text, under)]
    start = start if start >= len(_FILLING) else 0
    end = end if len(text) - end >= len(_FILLING) else len(text)
    parts = ((text[:start], under), (text[start:end], style), (text[end:], under))
    return [Segment(part, one) for part, one in parts if part]


def _spell(text: str, ink: Ink) -> str:
    return text.translate(ASCII_GLYPHS) if ink.ascii_only else text
