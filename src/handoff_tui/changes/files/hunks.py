"""Reads the hunks of one file from a patch, line by line, and no further than asked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from handoff_tui.git.file_diff import DiffLine, Hunk

_HEADER = re.compile(rb"@@ -(\d{1,18})(?:,(\d{1,18}))? \+(\d{1,18})(?:,(\d{1,18}))? @@(?: (.*))?", re.DOTALL)
_BINARY = re.compile(rb"Binary files .* differ", re.DOTALL)


class FoundHunks(NamedTuple):
    """What a patch of one file says."""

    hunks: tuple[Hunk, ...]
    binary: bool = False
    truncated: bool = False


def parse_hunks(lines: Iterable[bytes], most_lines: int | None = None, most_bytes: int | None = None) -> FoundHunks:
    """Reads until the end, or until there are enough lines or bytes; then no further line is asked for."""
    hunks: list[Hunk] = []
    gathered: list[DiffLine] = []
    old_number = new_number = taken = size = 0
    for line in lines:
        header = _HEADER.match(line) if line[:1] == b"@" else None
        if header:
            _close_hunk(hunks, gathered)
            hunk = _parse_header(header)
            hunks.append(hunk)
            old_number, new_number = hunk.old_start, hunk.new_start
        elif not hunks:
            if _BINARY.fullmatch(line):
                return FoundHunks((), binary=True)
        elif line[:1] == b"\\" and gathered:
            gathered[-1] = gathered[-1]._replace(ends_without_newline=True)
        else:
            if _is_enough(taken, most_lines) or _is_enough(size, most_bytes):
                _close_hunk(hunks, gathered)
                return FoundHunks(tuple(hunks), truncated=True)
            mark, text = line[:1].decode("latin-1"), line[1:].decode("utf-8", "surrogateescape")
            in_old, in_new = mark != "+", mark != "-"
            gathered.append(DiffLine(mark, text, old_number if in_old else None, new_number if in_new else None))
            old_number, new_number = old_number + in_old, new_number + in_new
            taken, size = taken + 1, size + len(line)
    _close_hunk(hunks, gathered)
    return FoundHunks(tuple(hunks))


def find_first_lines(hunks: tuple[Hunk, ...], number: int, *, old: bool) -> bytes | None:
    """The first lines of a side, where the first hunk holds so many of them."""
    start = 0 if not hunks else hunks[0].old_start if old else hunks[0].new_start
    if start != 1:
        return None
    other = "+" if old else "-"
    lines = [line.text for line in hunks[0].lines if line.mark != other][:number]
    return "\n".join(lines).encode("utf-8", "surrogateescape") if len(lines) == number else None


def _is_enough(taken: int, most: int | None) -> bool:
    return most is not None and taken >= most


def _close_hunk(hunks: list[Hunk], gathered: list[DiffLine]) -> None:
    if hunks:
        hunks[-1] = hunks[-1]._replace(lines=tuple(gathered))
    gathered.clear()


def _parse_header(header: re.Match[bytes]) -> Hunk:
    old_start, old_count, new_start, new_count = (
        default if number is None else int(number)
        for number, default in zip(header.groups()[:4], (0, 1, 0, 1), strict=True)
    )
    # git cuts a heading at a number of bytes, in the middle of a character too
    heading = (header.group(5) or b"").decode("utf-8", "ignore").rstrip()
    return Hunk(old_start, old_count, new_start, new_count, heading, ())
