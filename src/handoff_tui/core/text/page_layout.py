"""Lays a page out for a width: lines of cells, wrapped between words if possible."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.text.columns import compute_width, take_columns, wrap_cells
from handoff_tui.core.text.page import Cell, Column, Grid, Line, Page

Row = tuple[Cell, ...]

_NOTHING = "–"
_GAP = 2
_LEAST_FOLDED = 24
"""A wrapping column that would be narrower goes below its row instead."""
_WORDS = compile_later(r" *[^ ]+ *| +")


def lay_out(page: Page, width: int, place_grid: Callable[[Grid, int], list[Row]] | None = None) -> list[Row]:
    """Returns every line of a page, none wider than `width`. A front end may place grids in its own way."""
    place = place_grid or lay_out_grid
    rows: list[Row] = []
    for part in page.parts:
        rows += lay_out_line(part, width) if isinstance(part, Line) else place(part, width)
    return rows


def lay_out_line(line: Line, width: int) -> list[Row]:
    """Lays out one line; wrapped parts continue at its indent. List items are indented by two."""
    lead = 2 if line.indent == 2 else 0  # noqa: PLR2004 - as on the command line
    hang = min(line.indent, max(0, width // 3))
    first, *rest = wrap_words(line.cells, width - lead, width - hang)
    return [_indent(first, lead), *(_indent(row, hang) for row in rest)]


def wrap_words(cells: Iterable[Cell], first_width: int, width: int | None = None) -> list[Row]:
    """Breaks cells between words, or anywhere in a word longer than a line. Returns at least one row."""
    limit, later = max(2, first_width), max(2, first_width if width is None else width)
    cells = [cell for cell in cells if cell.text]
    if sum([compute_width(cell.text) for cell in cells]) <= limit:
        return [tuple(cells)]
    rows: list[Row] = []
    current: list[Cell] = []
    room = limit
    for cell in cells:
        for word in _WORDS.findall(cell.text):
            taken = compute_width(word.rstrip(" ")) if word.strip(" ") else 0
            if taken > room and current:
                is_begun = _is_blank(current) or 2 * room >= later  # a short name before it stays beside it
                kept = take_columns(word, room) if taken > later and is_begun else ""
                rows.append((*current, Cell(kept, cell.role)) if kept else _end(current))
                current, room, limit = [], later, later
                word = word[len(kept) :].lstrip(" ")  # noqa: PLW2901 - the break stands for the blanks
                taken = compute_width(word.rstrip(" "))
            if taken > limit:
                *full, last = wrap_cells([Cell(word.rstrip(" "), cell.role)], limit)
                rows += full
                word = last[0].text + " " * (len(word) - len(word.rstrip(" ")))  # noqa: PLW2901
                current, room, limit = [], later, later
            current.append(Cell(word, cell.role))
            room -= compute_width(word)
    last = _end(current) if current and room < 0 else tuple(current)
    return [*rows, last] if current or not rows else rows


def _is_blank(cells: list[Cell]) -> bool:
    """Tells whether a row would be empty if it ended here."""
    return not any(cell.text.strip(" ") for cell in cells)


def _end(cells: list[Cell]) -> Row:
    """Drops the blanks at the break: they would make the row too wide."""
    return (*cells[:-1], Cell(cells[-1].text.rstrip(" "), cells[-1].role))


def _indent(row: Row, by: int) -> Row:
    return (Cell(" " * by), *row) if by else row


def lay_out_grid(grid: Grid, width: int) -> list[Row]:
    """Lays out a table if its columns fit, else one row below the other."""
    natural = [_find_width(grid, index) for index in range(len(grid.columns))]
    folded = [index for index, column in enumerate(grid.columns) if column.fold]
    gaps = _GAP * (len(natural) - 1)
    fixed = sum(size for index, size in enumerate(natural) if index not in folded) + gaps
    room = (width - fixed) // len(folded) if folded else width
    if sum(natural) + gaps <= width:
        return lay_out_table(grid, natural)
    if folded and room >= _LEAST_FOLDED and fixed <= width:
        return lay_out_table(grid, [room if index in folded else size for index, size in enumerate(natural)])
    return stack_rows(grid, width)


def stack_rows(grid: Grid, width: int) -> list[Row]:
    """Lays out each row of a grid as lines of its own."""
    return [row for cells in grid.rows for row in _stack(grid.columns, cells, width)]


def _find_width(grid: Grid, index: int) -> int:
    return max([len(grid.columns[index].heading), *(compute_width(row[index].text) for row in grid.rows)])


def lay_out_table(grid: Grid, widths: Sequence[int]) -> list[Row]:
    """Lays out rows under their headings, in columns of these widths."""
    headings = tuple(Cell(column.heading, "muted") for column in grid.columns)
    rows: list[Row] = []
    for cells in (headings, *grid.rows) if any(column.heading for column in grid.columns) else grid.rows:
        wrapped = [wrap_words([cell], size) for cell, size in zip(cells, widths, strict=True)]
        for number in range(max(map(len, wrapped))):
            pieces = [lines[number] if number < len(lines) else () for lines in wrapped]
            rows.append(_join(pieces, widths, grid.columns))
    return rows


def _join(pieces: list[Row], widths: Sequence[int], columns: tuple[Column, ...]) -> Row:
    row: list[Cell] = []
    for piece, width, column in zip(pieces, widths, columns, strict=True):
        blank = Cell(" " * max(0, width - sum(compute_width(cell.text) for cell in piece)))
        gap = [Cell(" " * _GAP)] if row else []
        row += [*gap, blank, *piece] if column.right else [*gap, *piece, blank]
    return tuple(row)


def _stack(columns: tuple[Column, ...], cells: Row, width: int) -> list[Row]:
    """Shows a row as one line of its short columns, named from the third on, with the long ones below."""
    pairs = [(column, cell) for column, cell in zip(columns, cells, strict=True) if cell.text not in {"", _NOTHING}]
    short = [(column, cell) for column, cell in pairs if not column.fold]
    first = [Cell(f"{cell.text}  ", cell.role) for _, cell in short[:2]]
    named = " · ".join(f"{column.heading} {cell.text}".strip() for column, cell in short[2:])
    rows = lay_out_line(Line((*first, Cell(named, "muted")), indent=4), width)
    for column, cell in pairs:
        if column.fold:
            rows += [_indent(row, 4) for row in wrap_words([cell], width - 4)]
    return rows
