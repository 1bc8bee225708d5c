"""A grid in a width: columns are left out before a word breaks, and the rest share the room."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from handoff_tui.core.text.cell_width import compute_width
from handoff_tui.core.text.columns import share_room
from handoff_tui.core.text.page import Cell, Column, Grid

GAP = 2
_LONGEST_WORD = 24
"""A longer one may break: it must not push all others out."""


class _Need(NamedTuple):
    least: int
    most: int


def fit_grid(grid: Grid, width: int) -> tuple[Grid, tuple[int, ...] | None]:
    """The columns that have room, and how wide each is; nothing where that is left to who draws."""
    if all(column.rank is None for column in grid.columns):
        return grid, None
    needs = [_measure(column, cells) for column, cells in zip(grid.columns, _turn(grid), strict=True)]
    kept = list(range(len(needs)))
    while _add_up(needs[place].least for place in kept) > width:
        ranked = [(rank, place) for place in kept if (rank := grid.columns[place].rank) is not None]
        if not ranked:
            return _choose(grid, kept), None
        kept.remove(min(ranked)[1])
    chosen = [needs[place] for place in kept]
    room = width - _add_up(need.least for need in chosen)
    more = share_room(room, [need.most - need.least for need in chosen])
    return _choose(grid, kept), tuple(need.least + extra for need, extra in zip(chosen, more, strict=True))


def _turn(grid: Grid) -> Iterator[tuple[Cell, ...]]:
    yield from zip(*grid.rows, strict=True)


def _choose(grid: Grid, kept: list[int]) -> Grid:
    return Grid(
        tuple(grid.columns[place] for place in kept), tuple(tuple(row[place] for place in kept) for row in grid.rows)
    )


def _measure(column: Column, cells: tuple[Cell, ...]) -> _Need:
    texts = [column.heading, *(cell.text for cell in cells)]
    most = max(map(compute_width, texts))
    if column.whole:
        return _Need(most, most)
    words = [compute_width(word) for cell in cells for word in cell.text.split()]
    return _Need(max(compute_width(column.heading), min(max(words, default=0), _LONGEST_WORD)), most)


def _add_up(widths: Iterator[int]) -> int:
    every = list(widths)
    return sum(every) + GAP * (len(every) - 1)
