"""A document as rows, rendered or raw, with its claims and comments at their lines."""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.text.labels import Label, label_verdict
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.page_layout import wrap_words
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.handoffs.claim import Verdict, VerdictState
from handoff_tui.log.review_record import Comment
from handoff_tui.tui.views.documents.markdown_blocks import TextRow, build_safe_cells

Row = tuple[Cell, ...]
LONGEST_LINE = 2_000
"""How many characters of a line are shown; the rest is counted."""
_WORST = (VerdictState.CONTRADICTED, VerdictState.UNVERIFIED, VerdictState.WAS_TRUE, VerdictState.HOLDS)
_NOTE_WIDTH = 76
_MARKDOWN = (".md", ".markdown", ".mdx", ".mdown")


class LineNotes(NamedTuple):
    """What is said about the lines of one document: verdicts and comments."""

    verdicts: Mapping[int, tuple[Verdict, ...]] = {}
    comments: Mapping[int, tuple[Comment, ...]] = {}
    """Comments by the line they are shown after."""

    @property
    def lines(self) -> list[int]:
        """Lines that have something shown below them."""
        worth_a_row = {line for line, some in self.verdicts.items() if _is_contradicted(some)}
        return sorted(worth_a_row | self.comments.keys())


class DocumentText(Protocol):
    """Any number of rows; only the visible ones are built."""

    @property
    def count(self) -> int: ...

    def build_row(self, index: int, width: int, offset: int) -> Row:
        """Builds the cells of a row; raw lines begin at column `offset`."""
        ...

    def find_line(self, index: int) -> int:
        """Returns the line of the document that a row shows."""
        ...

    def find_row(self, line: int) -> int:
        """Returns the row where a line begins."""
        ...

    def find(self, text: str, start: int, *, backwards: bool) -> int | None:
        """Returns the next row from `start` on with a text (in lower case), wrapping around; None if there is none."""
        ...


def is_markdown(path: str) -> bool:
    """Tells whether a path can be rendered as Markdown; text in git (`notes:`) and the packet can."""
    return path.casefold().endswith(_MARKDOWN) or ":" in path


def build_line_notes(path: str, verdicts: Iterable[Verdict], comments: Iterable[Comment]) -> LineNotes:
    """Returns the verdicts and comments on lines of one document."""
    by_line: dict[int, tuple[Verdict, ...]] = {}
    for verdict in verdicts:
        where = verdict.claim.where
        if where.path == path and where.line is not None:
            by_line[where.line] = (*by_line.get(where.line, ()), verdict)
    by_last_line: dict[int, tuple[Comment, ...]] = {}
    for comment in comments:
        if comment.path == path:
            last = comment.end_line or comment.line or 1
            by_last_line[last] = (*by_last_line.get(last, ()), comment)
    return LineNotes(by_line, by_last_line)


def describe_verdict(verdict: Verdict) -> str:
    """Returns, for example, `false: measured 41 (counted in …)`."""
    measured = "" if verdict.measured is None else f": measured {verdict.measured}"
    evidence = f" ({verdict.evidence})" if verdict.evidence else ""
    return render_safe(f"{label_verdict(verdict.state).word}{measured}{evidence}")


def describe_verdicts(verdicts: Sequence[Verdict]) -> str:
    """Describes all claims of a line, the worst first: the mark stands for that one."""
    return "; ".join(map(describe_verdict, sorted(verdicts, key=lambda verdict: _WORST.index(verdict.state))))


def find_worst(verdicts: Sequence[Verdict]) -> Label:
    """Returns one mark for all claims of a line."""
    states = {verdict.state for verdict in verdicts}
    return label_verdict(next(state for state in _WORST if state in states))


class RenderedText:
    """Rows of a rendered document, with verdicts and comments between them."""

    def __init__(self, rows: Sequence[TextRow], line_notes: LineNotes, width: int) -> None:
        self._rows: list[tuple[TextRow, Row]] = []
        self._lines: list[int] = []
        pending = line_notes.lines
        marked: set[int] = set()
        starts = sorted({row.line for row in rows})
        for number, row in enumerate(rows):
            following = rows[number + 1].line if number + 1 < len(rows) else None
            after = next(iter(starts[bisect_right(starts, row.line) :]), sys.maxsize)
            fresh = [line for line in line_notes.verdicts if row.line <= line < after and line not in marked]
            marked.update(fresh)
            self._add(row, _build_mark([one for line in fresh for one in line_notes.verdicts[line]]))
            while pending and (following is None or pending[0] < following):
                line = pending.pop(0)
                for note in build_notes(line_notes, line, width - 2):
                    self._add(TextRow(note, max(line, row.line)), (Cell("  "),))

    def _add(self, row: TextRow, gutter: Row) -> None:
        self._rows.append((row, gutter))
        self._lines.append(max(row.line, self._lines[-1] if self._lines else 0))

    @property
    def count(self) -> int:
        return len(self._rows)

    def build_row(self, index: int, width: int, offset: int) -> Row:  # noqa: ARG002 - laid out for a width already
        row, gutter = self._rows[index]
        return (*gutter, *row.cells)

    def find_line(self, index: int) -> int:
        return self._rows[index][0].line if 0 <= index < len(self._rows) else 1

    def find_row(self, line: int) -> int:
        place = bisect_left(self._lines, line)
        if place < len(self._lines) and self._lines[place] == line:
            return place
        return max(0, min(place, len(self._lines)) - 1)

    def find(self, text: str, start: int, *, backwards: bool) -> int | None:
        for index in _go_round(start, len(self._rows), backwards=backwards):
            if text in "".join(cell.text for cell in self._rows[index][0].cells).casefold():
                return index
        return None


class RawText:
    """Lines as written, with numbers, and verdicts and comments between them; each is built when visible."""

    def __init__(self, text: str, line_notes: LineNotes) -> None:
        self._lines = text.removesuffix("\n").split("\n")
        self._line_notes = line_notes
        self._notes: list[tuple[int, int, Row]] = []
        """Line, row, and what is said there."""
        for line in line_notes.lines:
            at = min(line, len(self._lines))
            for note in build_notes(line_notes, line, _NOTE_WIDTH):
                self._notes.append((at, at + len(self._notes), note))
        self._note_rows = [row for _, row, _ in self._notes]
        self._note_lines = [line for line, _, _ in self._notes]
        self.digits = len(str(len(self._lines)))

    @property
    def count(self) -> int:
        return len(self._lines) + len(self._notes)

    @property
    def line_count(self) -> int:
        return len(self._lines)

    def build_row(self, index: int, width: int, offset: int) -> Row:
        place = bisect_left(self._note_rows, index)
        if place < len(self._note_rows) and self._note_rows[place] == index:
            return (Cell(" " * (self.digits + 4)), *self._notes[place][2])
        number = self.find_line(index)
        mark = _build_mark(self._line_notes.verdicts.get(number, ()))
        lead = (*mark, Cell(f"{number:>{self.digits}} ", "muted"), Cell("│", "border"))
        return (*lead, *_build_raw_line(self._lines[number - 1], offset, width))

    def find_line(self, index: int) -> int:
        place = bisect_left(self._note_rows, index)
        if place < len(self._note_rows) and self._note_rows[place] == index:
            return self._note_lines[place]
        return min(max(1, index - place + 1), len(self._lines))

    def find_row(self, line: int) -> int:
        line = min(max(line, 1), len(self._lines))
        return line - 1 + bisect_right(self._note_lines, line - 1)

    def find(self, text: str, start: int, *, backwards: bool) -> int | None:
        if not self.count:
            return None
        first = self.find_line(start % self.count) - 1
        for index in _go_round(first, len(self._lines), backwards=backwards):
            if text in self._lines[index].casefold():
                return self.find_row(index + 1)
        return None


def build_notes(line_notes: LineNotes, line: int, width: int) -> list[Row]:
    """Lists what is shown below a line: false claims, then comments."""
    notes: list[Row] = []
    for verdict in line_notes.verdicts.get(line, ()):
        if verdict.state is VerdictState.CONTRADICTED:
            words = f"{label_verdict(verdict.state).glyph} {describe_verdict(verdict)}"
            notes += _hang((Cell(words, "contradicted"),), width)
    for comment in line_notes.comments.get(line, ()):
        where = f"lines {comment.line}-{comment.end_line}: " if comment.end_line not in {None, comment.line} else ""
        for number, words in enumerate(comment.text.split("\n")):
            said = (Cell("you  " if number == 0 else "     ", "human"), Cell(where * (number == 0), "muted"))
            notes += _hang((*said, *build_safe_cells(words)), width)
    return notes


def _hang(cells: Row, width: int) -> list[Row]:
    return [(Cell("┊ ", "border"), *row) for row in wrap_words(cells, max(12, width - 2))]


def _build_mark(verdicts: Sequence[Verdict]) -> Row:
    if not verdicts:
        return (Cell("  "),)
    label = find_worst(verdicts)
    return (Cell(f"{label.glyph} ", label.role),)


def _build_raw_line(line: str, offset: int, width: int) -> Row:
    """Draws a line from a column on, making safe only the visible part."""
    seen = line[offset : min(offset + width, LONGEST_LINE)]
    cells = build_safe_cells(seen)
    if len(line) > LONGEST_LINE and offset + width >= LONGEST_LINE:
        cells.append(Cell(f" … and {len(line) - LONGEST_LINE:,} more characters", "warning"))
    elif len(line) > LONGEST_LINE:
        cells = [Cell(f"({len(line):,} characters) ", "warning"), *cells] if offset == 0 else cells
    return tuple(cells)


def _go_round(start: int, count: int, *, backwards: bool) -> Iterable[int]:
    step = -1 if backwards else 1
    return ((start + step * number) % count for number in range(count)) if count else ()


def _is_contradicted(verdicts: Iterable[Verdict]) -> bool:
    return any(verdict.state is VerdictState.CONTRADICTED for verdict in verdicts)
