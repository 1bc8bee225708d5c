"""Cuts cells to terminal columns: a wide character takes two, a combining one none."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from handoff_tui.core.text.page import Cell

_WIDE = frozenset({"W", "F"})


def compute_width(text: str) -> int:
    """Returns how many columns a text takes."""
    return len(text) if text.isascii() else sum(map(_character_width, text))


def wrap_cells(cells: Iterable[Cell], width: int) -> list[tuple[Cell, ...]]:
    """Returns lines of exactly this many columns (at least two), padded with blanks; at least one line."""
    width = max(width, 2)  # room for any character
    lines: list[tuple[Cell, ...]] = []
    current: list[Cell] = []
    room = width
    for cell in cells:
        text = cell.text
        while text:
            piece, taken = _take(text, room)
            if not piece:
                lines.append(_fill(current, room))
                current, room = [], width
                continue
            current.append(Cell(piece, cell.role))
            text, room = text[len(piece) :], room - taken
    return [*lines, _fill(current, room)] if current or not lines else lines


def take_columns(text: str, room: int) -> str:
    """Returns as much of a text as fits."""
    return _take(text, max(0, room))[0]


def _take(text: str, room: int) -> tuple[str, int]:
    """Returns as much of a text as fits."""
    if text.isascii():
        piece = text[:room]
        return piece, len(piece)
    taken = 0
    for place, character in enumerate(text):
        width = _character_width(character)
        if taken + width > room:
            return text[:place], taken
        taken += width
    return text, taken


def _fill(cells: list[Cell], room: int) -> tuple[Cell, ...]:
    return (*cells, Cell(" " * room)) if room else tuple(cells)


def _character_width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1
