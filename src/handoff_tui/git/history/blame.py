"""Which commit each line of a file comes from."""

from __future__ import annotations

import os
from collections.abc import Mapping

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.git.command import Git

_ENTRY = compile_later(r"([0-9a-f]{40,64}) [0-9]+ ([0-9]+) ([0-9]+)")
_FILE = "filename "
_ESCAPE = compile_later(r'\\([0-7]{3}|[abtnvfr"\\])')
_LETTERS = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}


class BlamedLine(NamedTuple):
    """The commit that brought a line in, and the name that the file had there."""

    commit: str
    path: str


def blame_lines(git: Git, commit: str, path: str, extra: Mapping[str, str] | None = None) -> list[BlamedLine]:
    """Returns the origin of every line of a file at a commit. White space counts, and no commit is skipped.

    `extra` may name further object folders, as git's variables do.
    """
    words = ("blame", "--incremental", "--no-textconv", "--ignore-revs-file=", commit, "--", path)
    return parse_blame(git.read(*words, extra=extra))


def parse_blame(output: bytes) -> list[BlamedLine]:
    """Reads `git blame --incremental`: a range of lines, what git knows of the commit, and last the file's name."""
    lines: dict[int, BlamedLine] = {}
    first = number = 0
    commit = ""
    for row in os.fsdecode(output).split("\n"):
        entry = _ENTRY.fullmatch(row)
        if entry is not None:
            commit, first, number = entry[1], int(entry[2]), int(entry[3])
        elif row.startswith(_FILE):
            origin = BlamedLine(commit, _unquote(row.removeprefix(_FILE)))
            lines.update(dict.fromkeys(range(first, first + number), origin))
    return [lines[place] for place in sorted(lines)]


def _unquote(name: str) -> str:
    """Decodes a name that git put in quotes because of special characters."""
    if not (name.startswith('"') and name.endswith('"')):
        return name
    pieces = _ESCAPE.split(name[1:-1])
    parts = [os.fsencode(piece) if place % 2 == 0 else _read_escape(piece) for place, piece in enumerate(pieces)]
    return os.fsdecode(b"".join(parts))


def _read_escape(written: str) -> bytes:
    return bytes([_LETTERS[written] if written in _LETTERS else int(written, 8)])
