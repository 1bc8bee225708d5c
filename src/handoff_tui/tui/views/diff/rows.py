"""The changed file in view as rows of cells: unified or side by side, folded, with what was said of its lines.

Rows are built one by one when they are drawn; everything in them is safe to show.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from handoff_tui.changes.files.lines import LineRow, Paint, build_line_row
from handoff_tui.changes.files.patch_lines import LONGEST_LINE
from handoff_tui.changes.files.shown_file import ShownFile
from handoff_tui.changes.files.words import WordSpans, find_word_spans
from handoff_tui.core.text.cell_width import compute_width, take_columns
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.page_layout import wrap_words
from handoff_tui.core.text.safe_text import render_safe_lines
from handoff_tui.git.file_diff import DiffLine, FileKind
from handoff_tui.log.review_record import Comment
from handoff_tui.tui.views.diff.head import HeadRow, build_head, has_many_changes
from handoff_tui.tui.views.diff.row_map import NO_LINE, DiffRow, FixedRows, Folding, RowKind, RowMap
from handoff_tui.tui.views.diff.syntax import Highlighter

_KEPT_PAIRS = 1_000
_NO_SPANS = WordSpans()

Cells = tuple[Cell, ...]


class Pane(NamedTuple):
    """One side of a row, or all of it: a gutter that stays where it is, and content that can be moved sideways."""

    gutter: Cells
    content: Cells
    ground: str = ""
    """`added`, `removed`, or nothing."""
    fill: str = ""
    """What the rest of the row is filled with, in place of blanks."""


class DiffLook(NamedTuple):
    """How the file is shown."""

    split: bool = False
    folding: Folding = Folding()
    colours: bool = True
    """Whether the words of a program are coloured."""
    tinted: bool = True
    """Whether changed lines have a ground of their own; else their words are coloured by the change alone."""
    expanded: bool = False
    """Whether a file that is folded as a whole is shown all the same."""


class DiffRows:
    """All rows of one file. Building it costs little; a row costs when it is asked for."""

    def __init__(self, file: ShownFile, look: DiffLook, comments: Sequence[Comment] = (), width: int = 80) -> None:
        self.file = file
        self.look = look
        self._head = build_head(file, width, expanded=look.expanded)
        shown = self._head.shows_lines
        many = has_many_changes(file)
        self.split = look.split and not many
        self._said = _lay_out_comments(file, comments, width)
        fixed = [FixedRows(NO_LINE, len(self._head.rows)), *(one.fixed for one in self._said)]
        folding = look.folding._replace(context=None) if many else look.folding
        lines = file.lines if shown else type(file.lines)()
        self.map = RowMap(lines, folding, tuple(fixed), split=self.split)
        self._highlighter = Highlighter(file.change.path, file.lines) if look.colours else None
        self._numbers = max(4, len(str(max(file.lines.find_last_numbers()))))
        self._find_spans = lru_cache(_KEPT_PAIRS)(self._compare)

    def __len__(self) -> int:
        return self.map.count

    def build(self, index: int) -> tuple[Pane, ...]:
        """The panes of a row: two side by side, or one."""
        row = self.map.find_row(index)
        if row.kind is RowKind.FIXED:
            return (Pane((), self._build_fixed(row)),)
        if row.kind is RowKind.GAP:
            return (Pane((), _build_gap(row), fill="⋯"),)
        if not self.split:
            return (self._build_unified(row.left),)
        return (self._build_side(row.left, old=True), self._build_side(row.right, old=False))

    def find_comment(self, index: int) -> Comment | None:
        """The comment that a row belongs to."""
        row = self.map.find_row(index) if index < len(self) else None
        if row is None or row.kind is not RowKind.FIXED or row.block == 0:
            return None
        return self._said[row.block - 1].comment

    def find_head(self, index: int) -> HeadRow | None:
        """The row of the head that stands there."""
        row = self.map.find_row(index) if index < len(self) else None
        if row is None or row.kind is not RowKind.FIXED or row.block != 0:
            return None
        return self._head.rows[row.part]

    def find_line(self, index: int) -> DiffLine | None:
        """The line that a row shows; the new one of two."""
        row = self.map.find_row(index) if index < len(self) else None
        if row is None or row.kind in {RowKind.FIXED, RowKind.GAP}:
            return None
        return self.file.lines.read_line(row.line)

    def _build_fixed(self, row: DiffRow) -> Cells:
        return self._head.rows[row.part].cells if row.block == 0 else self._said[row.block - 1].rows[row.part]

    def _build_unified(self, index: int) -> Pane:
        row = self._build_line(index)
        line = row.line
        old, new = line.old_number or "", line.new_number or ""
        gutter = Cell(f"{old:>{self._numbers}} {new:>{self._numbers}} │ ", "muted")
        return _build_pane((gutter,), row)

    def _build_side(self, index: int, *, old: bool) -> Pane:
        if index == NO_LINE:
            return Pane((), (), fill="╲")
        row = self._build_line(index)
        number = row.line.old_number if old else row.line.new_number
        return _build_pane((Cell(f"{number or '':>{self._numbers}} ", "muted"),), row)

    def _build_line(self, index: int) -> LineRow:
        lines = self.file.lines
        line = lines.read_line(index)
        if self.file.kind is FileKind.SYMLINK:  # a link's target never ends with a newline
            line = line._replace(ends_without_newline=False)
        changed = line.mark != " "
        length = lines.count_bytes(index)
        coloured = self._highlighter is not None and (self.look.tinted or not changed)
        tokens = self._highlighter.find_tokens(index) if self._highlighter is not None and coloured else ()
        role = "text" if changed and coloured and self.look.tinted else None
        spans = self._find_word_spans(index, line.mark) if changed else ()
        return build_line_row(line, spans, Paint(role, tokens, max(0, length - LONGEST_LINE)))

    def _find_word_spans(self, index: int, mark: str) -> tuple[tuple[int, int], ...]:
        run = self.file.lines.runs.find(index)
        if run is None:
            return ()
        if mark == "-":
            partner = run.middle + index - run.start
            return self._find_spans(index, partner).old if partner < run.end else ()
        partner = run.start + index - run.middle
        return self._find_spans(partner, index).new if partner < run.middle else ()

    def _compare(self, old: int, new: int) -> WordSpans:
        lines = self.file.lines
        if max(lines.count_bytes(old), lines.count_bytes(new)) > LONGEST_LINE:
            return _NO_SPANS
        return find_word_spans(lines.read_line(old).text, lines.read_line(new).text)


class _Said(NamedTuple):
    """A comment laid out."""

    comment: Comment
    fixed: FixedRows
    rows: tuple[Cells, ...]


def _build_pane(numbers: Cells, row: LineRow) -> Pane:
    mark = row.line.mark
    role = {"+": "added", "-": "removed"}.get(mark, "muted")
    warning = (Cell("  ! hidden character", "warning"),) if row.hidden else ()
    beside = Cell("!", "hidden") if row.hidden else Cell(" ")
    return Pane((*numbers, Cell(mark, role), beside), (*row.cells, *warning), role if role != "muted" else "")


def _build_gap(row: DiffRow) -> Cells:
    return (Cell(f" ⋯ {plural(row.part, 'line')} hidden (↵ shows them) ", "muted"),)


def _lay_out_comments(file: ShownFile, comments: Sequence[Comment], width: int) -> list[_Said]:
    """Comments on lines stand under their last line; those on the whole file under its head."""
    said: list[_Said] = []
    for comment in comments:
        if comment.path != file.change.path:
            continue
        number = comment.end_line or comment.line
        after = NO_LINE if number is None else file.lines.find_numbered(number)
        if after is None:
            continue
        place = "the file" if comment.line is None else comment.place.removeprefix(f"{comment.path}:")
        rows: list[Cells] = []
        for text in render_safe_lines(comment.text):
            lead = f"{'':>13}┊ " + (f"your draft on {place}: " if not rows else "")
            wrapped = wrap_words([Cell(lead, "human"), Cell(text)], max(20, width - 1), max(20, width - 16))
            rows += [wrapped[0], *((Cell(f"{'':>13}┊ ", "human"), *row) for row in wrapped[1:])]
        said.append(_Said(comment, FixedRows(after, len(rows)), tuple(rows)))
    return said


def shift_cells(cells: Cells, columns: int) -> Cells:
    """Cells without their first columns; of a wide character that is cut in two, a blank is left."""
    left: list[Cell] = []
    for cell in cells:
        if columns <= 0:
            left.append(cell)
            continue
        gone = take_columns(cell.text, columns)
        rest = cell.text[len(gone) :]
        columns -= compute_width(gone)
        if rest and columns > 0:
            rest, columns = f" {rest[1:]}", 0
        if rest:
            left.append(Cell(rest, cell.role))
    return tuple(left)
