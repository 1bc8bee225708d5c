"""Cells cut to terminal columns, and columns fitted into a width: the least important go first, the rest share it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.text.page import Cell, Column, Grid

_WIDE = frozenset({"W", "F"})
GAP = 2
ALWAYS = 99
"""The rank of a column that is never left out."""
_LONGEST_WORD = 24
"""Longer words may break, so that they don't push other columns out."""


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


Row = tuple[Cell, ...]


class Field(NamedTuple):
    """A column. If there is no room, the lowest rank goes first; `grows` takes the room that is left."""

    name: str
    heading: str
    width: int
    rank: int = ALWAYS
    right: bool = False
    grows: int = 0
    """How much wider it may become."""


_NOTHING = frozenset({"", "–"})


def narrow_fields(fields: Iterable[Field], rows: Sequence[Mapping[str, Row]]) -> tuple[Field, ...]:
    """Leaves out columns that say nothing in any row, and lets none grow wider than what it shows."""
    kept: list[Field] = []
    for field in fields:
        texts = ["".join(cell.text for cell in row.get(field.name, ())) for row in rows]
        if field.rank < ALWAYS and _NOTHING.issuperset(text.strip() for text in texts):
            continue
        need = max(map(compute_width, (field.heading, *texts)))
        kept.append(field._replace(grows=min(field.grows, max(0, need - field.width))))
    return tuple(kept)


class PlacedColumn(NamedTuple):
    """A column with its width."""

    field: Field
    width: int


@lru_cache(maxsize=64)
def choose_columns(fields: tuple[Field, ...], width: int) -> tuple[PlacedColumn, ...]:
    """Returns the columns that fit, in order. Those that are never left out may be cut when drawn."""
    kept = list(fields)
    while _measure(kept) > width:
        weakest = min(kept, key=lambda field: field.rank)
        if weakest.rank == ALWAYS:
            break
        kept.remove(weakest)
    room = max(0, width - _measure(kept))
    more = share_room(room, [field.grows for field in kept])
    return tuple(PlacedColumn(field, field.width + extra) for field, extra in zip(kept, more, strict=True))


def share_room(room: int, wishes: list[int]) -> list[int]:
    """Shares room evenly among columns that want more; none gets more than it wants."""
    given = [0] * len(wishes)
    while room > 0 and (open_ones := [place for place, wish in enumerate(wishes) if given[place] < wish]):
        each = max(1, room // len(open_ones))
        for place in open_ones:
            extra = min(each, wishes[place] - given[place], room)
            given[place] += extra
            room -= extra
    return given


def build_headings(fields: tuple[Field, ...], width: int) -> Row:
    """Returns the names of the columns that fit."""
    names = {field.name: (Cell(field.heading, "muted"),) for field in fields}
    return build_cells(fields, names, width)


def build_cells(fields: tuple[Field, ...], values: Mapping[str, Row], width: int) -> Row:
    """Builds one row: each value in its column, the last one at full length."""
    row: list[Cell] = []
    places = choose_columns(fields, width)
    for number, place in enumerate(places, start=1):
        cells = fit(values.get(place.field.name, ()), place.width, right=place.field.right)
        row += cells
        if number < len(places):
            row.append(Cell(" " * GAP))
    return tuple(row)


def fit(cells: Iterable[Cell], width: int, *, right: bool = False) -> Row:
    """Fits cells to exactly this many columns: cut with an ellipsis, or padded."""
    row = tuple(cells)
    taken = sum(compute_width(cell.text) for cell in row)
    if taken <= width:
        blank = (Cell(" " * (width - taken)),) if taken < width else ()
        return (*blank, *row) if right else (*row, *blank)
    return _cut(row, width)


def _cut(row: Row, width: int) -> Row:
    kept: list[Cell] = []
    room = width - 1
    for cell in row:
        piece = take_columns(cell.text, room)
        kept.append(Cell(piece, cell.role))
        room -= compute_width(piece)
        if piece != cell.text:
            break
    role = kept[-1].role if kept else "text"
    return (*kept, Cell("…", role), *((Cell(" " * room),) if room else ()))


def _measure(fields: list[Field]) -> int:
    return sum(field.width + GAP for field in fields) - GAP


class _ColumnWidth(NamedTuple):
    least: int
    most: int


def fit_grid(grid: Grid, width: int) -> tuple[Grid, tuple[int, ...] | None]:
    """Returns the columns that fit, and their widths; None if the drawing code decides the widths."""
    if all(column.rank is None for column in grid.columns):
        return grid, None
    needs = [_measure_cells(column, cells) for column, cells in zip(grid.columns, _turn(grid), strict=True)]
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


def _measure_cells(column: Column, cells: tuple[Cell, ...]) -> _ColumnWidth:
    texts = [column.heading, *(cell.text for cell in cells)]
    most = max(map(compute_width, texts))
    if column.whole:
        return _ColumnWidth(most, most)
    words = [compute_width(word) for cell in cells for word in cell.text.split()]
    return _ColumnWidth(max(compute_width(column.heading), min(max(words, default=0), _LONGEST_WORD)), most)


def _add_up(widths: Iterator[int]) -> int:
    every = list(widths)
    return sum(every) + GAP * (len(every) - 1)
