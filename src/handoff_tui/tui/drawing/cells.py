"""Turns cells into what the framework draws, never through markup, and keeps control characters from the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, cast

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter
from textual.strip import Strip
from textual.widget import Widget

from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import find_hidden, render_safe
from handoff_tui.tui.drawing.theming import ASCII_GLYPHS, Ink


class SafeFilter(LineFilter):
    """Shows control characters instead of sending them; a line keeps its width."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - the framework's way to call it
        if all(segment.control or (segment.text.isascii() and segment.text.isprintable()) for segment in segments):
            return segments
        if not any(_is_suspect(segment) for segment in segments):
            return segments
        width = sum(cell_len(segment.text) for segment in segments if not segment.control)
        safe = [
            Segment(render_safe(segment.text), segment.style) if _is_suspect(segment) else segment
            for segment in segments
        ]
        return Segment.adjust_line_length(safe, width)


class AsciiFilter(LineFilter):
    """Spells every glyph in ASCII, whatever draws it: cells, frames, scroll bars, and text that has the same ones."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - as above
        if all(segment.control or segment.text.isascii() for segment in segments):
            return segments
        width = sum(cell_len(segment.text) for segment in segments if not segment.control)
        spelled = [
            segment if segment.control else Segment(segment.text.translate(ASCII_GLYPHS), segment.style)
            for segment in segments
        ]
        return Segment.adjust_line_length(spelled, width)


def _is_suspect(segment: Segment) -> bool:
    if segment.control:
        return False
    return any(character in segment.text for character in "\t\n") or bool(find_hidden(segment.text))


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
        return Strip([*strip.crop(0, width - 1), Segment("…", more)]).simplify()
    return strip.extend_cell_length(width, under).simplify()  # fewer escape codes, for slow ssh connections


def _draw_cell(cell: Cell, ink: Ink, under: Style) -> list[Segment]:
    """Draws a cell. Padding around a word in reverse video belongs to the background."""
    text, style = cell.text, ink.get_on(cell.role, under)
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
