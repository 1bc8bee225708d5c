"""Plots of plain characters: bars and sparklines, one line each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_FULL, _EMPTY = "█", "░"
_EIGHTHS: Final = "▁▂▃▄▅▆▇█"
_GAP = "·"


def render_bar(value: float | None, most: float, width: int) -> str:
    """A bar of `width` cells; nothing measured is a row of gaps. What is more than nothing has one cell at least."""
    if value is None:
        return _GAP * width
    share = 0.0 if most <= 0 else min(1.0, max(0.0, value / most))
    cells = round(share * width)
    if value > 0 and cells == 0:
        cells = 1
    return _FULL * cells + _EMPTY * (width - cells)


def render_sparkline(values: Sequence[float | None], width: int, most: float | None = None) -> str:
    """One cell a value, the newest `width` of them; the lowest mark is nothing, a dot is a week without a value."""
    shown = values[-width:] if width > 0 else ()
    top = max((value for value in shown if value is not None), default=0.0) if most is None else most
    return "".join(_GAP if value is None else _EIGHTHS[_find_step(value, top)] for value in shown)


def _find_step(value: float, top: float) -> int:
    share = 0.0 if top <= 0 else min(1.0, max(0.0, value / top))
    return round(share * (len(_EIGHTHS) - 1))
