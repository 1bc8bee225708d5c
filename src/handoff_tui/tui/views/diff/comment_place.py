"""Where a remark on some rows of a diff belongs: the lines as they are now, which the next attempt will find."""

from __future__ import annotations

from typing import NamedTuple

from handoff_tui.git.file_diff import DiffLine
from handoff_tui.log.review_record import Comment
from handoff_tui.tui.views.diff.row_map import RowKind
from handoff_tui.tui.views.diff.rows import DiffRows


class RemarkPlace(NamedTuple):
    """The lines a remark is about; `text` to begin with, and the remark that is written anew."""

    path: str
    line: int | None = None
    end_line: int | None = None
    text: str = ""
    instead_of: Comment | None = None


def build_remark_place(rows: DiffRows, first: int, last: int) -> RemarkPlace | str:
    """The place of a remark on some rows, or why there is none."""
    path = rows.file.change.path
    if not len(rows) or (first == last and rows.find_head(first) is not None):
        return RemarkPlace(path)
    if first == last and (comment := rows.find_comment(first)) is not None:
        return RemarkPlace(path, comment.line, comment.end_line, comment.text, comment)
    if first == last and rows.map.find_row(first).kind is RowKind.GAP:
        return "these lines are hidden; ↵ shows them"
    return _find_lines(rows, first, last) or "there is no line to remark on"


def _find_lines(rows: DiffRows, first: int, last: int) -> RemarkPlace | None:
    path = rows.file.change.path
    lines = [line for index in (first, last) if (line := _find_near(rows, index)) is not None]
    if not lines:
        return None
    numbers = [line.new_number for line in lines if line.new_number is not None]
    if numbers:
        start, end = min(numbers), max(numbers)
        return RemarkPlace(path, start, end if end != start else None)
    # only deleted lines: the remark stands where they were, and says which they were
    old = sorted(line.old_number for line in lines if line.old_number is not None)
    named = f"line {old[0]}" if old[0] == old[-1] else f"lines {old[0]}-{old[-1]}"
    return RemarkPlace(path, _find_new_number(rows, last), None, f"(deleted {named}) ")


def _find_near(rows: DiffRows, index: int) -> DiffLine | None:
    """The line of a row; of a row that is no line, the one above it."""
    line = rows.map.find_line_at(index)
    shown = rows.find_line(index)
    return shown if shown is not None else None if line < 0 else rows.file.lines.read_line(line)


def _find_new_number(rows: DiffRows, index: int) -> int | None:
    """The number of the line that stands where a deleted one was; the last one where nothing follows."""
    lines = rows.file.lines
    start = rows.map.find_line_at(index)
    run = lines.runs.find(start)
    following = run.middle if run is not None else start
    if following < len(lines):
        return lines.read_line(following).new_number
    return lines.find_last_numbers()[1] or None
