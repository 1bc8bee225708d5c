"""Blocks of a document laid out for a width; each row knows the line it begins on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.text.columns import compute_width, wrap_cells
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.page_layout import wrap_words
from handoff_tui.tui.views.documents.markdown_blocks import Block, Cells, Piece, Prose, Ruler, Table, Verbatim

_LEAST_COLUMN = 6
_LEAST_ROOM = 12
_BETWEEN = Cell(" │ ", "border")


class TextRow(NamedTuple):
    """One row on the screen, and the line of the text it begins on."""

    cells: Cells
    line: int


def lay_out_blocks(blocks: Iterable[Block], width: int) -> list[TextRow]:
    """Returns all rows, none wider than `width` if at all possible; keeps blank lines."""
    rows: list[TextRow] = []
    end = 0
    for block in blocks:
        first, last = _find_span(block)
        if rows and (first > end + 1 or (isinstance(block, Prose) and block.level)):
            rows.append(TextRow((), min(end + 1, first)))
        rows += _lay_out(block, width)
        end = max(end, last)
    return rows


def _find_span(block: Block) -> tuple[int, int]:
    if isinstance(block, Ruler):
        return block.line, block.line
    if isinstance(block, Table):
        return block.rows[0][0], block.rows[-1][0]
    if not block.pieces:
        return 0, 0
    fence = 1 if isinstance(block, Verbatim) and block.code else 0  # the fence below it has no row
    return block.pieces[0].line, block.pieces[-1].line + fence


def _lay_out(block: Block, width: int) -> list[TextRow]:
    hang = sum(compute_width(cell.text) for cell in block.hang)
    room = max(_LEAST_ROOM, width - hang)
    if isinstance(block, Ruler):
        rows = [TextRow((Cell("─" * room, "border"),), block.line)]
    elif isinstance(block, Table):
        rows = _lay_out_table(block, room)
    elif isinstance(block, Verbatim):
        rows = _lay_out_lines(block, room)
    else:
        rows = _flow(block.pieces, room)
    return [TextRow((*(block.hang if number else block.lead), *row.cells), row.line) for number, row in enumerate(rows)]


def _flow(pieces: Sequence[Piece], room: int) -> list[TextRow]:
    """Joins lines and breaks them again. Counting non-blank characters tells which line a row begins on."""
    cells: list[Cell] = []
    for before, piece in zip((None, *pieces), pieces, strict=False):
        if before is not None and before.line != piece.line:
            cells.append(Cell(" "))
        cells += piece.cells
    ends: list[tuple[int, int]] = []
    count = 0
    for piece in pieces:
        count += _count(piece.cells)
        ends.append((count, piece.line))
    rows: list[TextRow] = []
    seen = 0
    for row in wrap_words(cells, room):
        line = next((line for end, line in ends if end > seen), ends[-1][1])
        rows.append(TextRow(row, line))
        seen += _count(row)
    return rows


def _count(cells: Iterable[Cell]) -> int:
    return sum(len(cell.text) - cell.text.count(" ") for cell in cells)


def _lay_out_lines(block: Verbatim, room: int) -> list[TextRow]:
    mark = (Cell("┊ ", "border"),) if block.code else ()
    inner = max(_LEAST_ROOM, room - 2 * len(mark))
    return [TextRow((*mark, *row), piece.line) for piece in block.pieces for row in wrap_cells(piece.cells, inner)]


def _lay_out_table(table: Table, room: int) -> list[TextRow]:
    count = max(len(cells) for _, cells in table.rows)
    padded = [(line, [*cells, *[()] * (count - len(cells))]) for line, cells in table.rows]
    widths = _fit([max(_measure(cells[place]) for _, cells in padded) for place in range(count)], room)
    rows: list[TextRow] = []
    for number, (line, cells) in enumerate(padded):
        rows += [TextRow(row, line) for row in _join_columns(cells, widths)]
        if number == 0:
            rule = "─┼─".join("─" * width for width in widths)
            rows.append(TextRow((Cell(rule, "border"),), line + 1))
    return rows


def _measure(cells: Iterable[Cell]) -> int:
    return sum(compute_width(cell.text) for cell in cells)


def _fit(natural: list[int], room: int) -> list[int]:
    """Shrinks the widest columns first, down to a few letters, until all fit."""
    widths = [max(1, width) for width in natural]
    over = sum(widths) + 3 * (len(widths) - 1) - room
    while over > 0 and max(widths) > _LEAST_COLUMN:
        widest = max(widths)
        second = max([_LEAST_COLUMN, *(width for width in widths if width < widest)])
        places = [place for place, width in enumerate(widths) if width == widest]
        step = min(widest - second, -(-over // len(places)))
        for place in places:
            widths[place] -= max(1, step)
        over = sum(widths) + 3 * (len(widths) - 1) - room
    return widths


def _join_columns(cells: Sequence[Cells], widths: Sequence[int]) -> list[Cells]:
    wrapped = [wrap_words(cell, width) for cell, width in zip(cells, widths, strict=True)]
    rows: list[Cells] = []
    for number in range(max(map(len, wrapped))):
        row: list[Cell] = []
        for place, (lines, width) in enumerate(zip(wrapped, widths, strict=True)):
            piece = lines[number] if number < len(lines) else ()
            blank = Cell(" " * max(0, width - _measure(piece)))
            row += [*([_BETWEEN] if place else []), *piece, blank]
        rows.append(tuple(row))
    return rows
