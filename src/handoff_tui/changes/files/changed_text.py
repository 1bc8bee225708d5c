"""Every changed line of a comparison, to search in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from handoff_tui.core.classes import NamedTuple
from handoff_tui.git.file_diff import DiffOptions

if TYPE_CHECKING:
    from handoff_tui.changes.diff import FilesDiff

MOST_LINES = 200_000
"""Lines that are searched; of larger changes, the first."""


class ChangedLine(NamedTuple):
    """A deleted or added line. Deleted ones have the number of the old side."""

    folded: str
    number: int
    old: bool


class Matches(NamedTuple):
    """Where a text is, in the order of the files."""

    files: tuple[tuple[str, ChangedLine, ChangedLine], ...]
    """Each file with its first and its last match."""
    lines: int
    """How many lines have it."""

    def find_beyond(self, path: str, order: dict[str, int], *, backwards: bool) -> tuple[str, ChangedLine] | None:
        """Returns the match in the next or previous file, around the end; None without any."""
        here, step = order.get(path, -1), -1 if backwards else 1
        ranked = sorted(self.files, key=lambda file: ((order.get(file[0], -1) - here) * step - 1) % (len(order) + 1))
        if not ranked:
            return None
        name, first, last = ranked[0]
        return name, last if backwards else first


class ChangedText(NamedTuple):
    """The changed lines, file by file."""

    files: tuple[tuple[str, tuple[ChangedLine, ...]], ...]
    is_cut: bool = False

    def find(self, text: str) -> Matches:
        """Finds the lines with a text, ignoring case."""
        wanted = text.casefold()
        found = [(path, [line for line in lines if wanted in line.folded]) for path, lines in self.files]
        return Matches(tuple((path, hits[0], hits[-1]) for path, hits in found if hits), sum(len(h) for _, h in found))


def read_changed_text(files: FilesDiff, is_unwanted: Callable[[], bool]) -> ChangedText:
    """Reads the changed lines of all files, until there are too many or nobody wants them."""
    found: list[tuple[str, tuple[ChangedLine, ...]]] = []
    left = MOST_LINES
    for change in files.listed.changes:
        if is_unwanted() or left <= 0:
            break
        hunks = files.read_file(change, DiffOptions(context=0, most_lines=left)).hunks
        lines = tuple(
            ChangedLine(line.text.casefold(), line.new_number or line.old_number or 1, line.new_number is None)
            for hunk in hunks
            for line in hunk.lines
            if line.mark != " "
        )
        found.append((change.path, lines))
        left -= len(lines)
    return ChangedText(tuple(found), is_cut=left <= 0)
