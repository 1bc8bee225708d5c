"""The changed file in view: what it is, its lines as far as they were read, and the changed lines to search in.

Lines are kept as git wrote them, and decoded when asked for.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING

from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.git.file_diff import BlobFacts, DiffLine, DiffOptions, FileChange, FileKind

if TYPE_CHECKING:
    from handoff_tui.changes.diff import FilesDiff


LONGEST_LINE = 64 * 1024
"""Only this many bytes of a line are decoded."""
_ADDED, _DELETED = b"+", b"-"
_SAME = ord(" ")
MOST_LINES = 200_000
"""Lines that are searched; of larger changes, the first."""


class PatchBlock(NamedTuple):
    """Some complete lines, each with its mark in front. `starts` has one more element than there are lines."""

    content: bytes
    starts: array[int]
    old_number: int
    """Of the first line on the old side."""
    new_number: int


class ChangedRun(NamedTuple):
    """Changed lines: deleted from `start`, added from `middle`, up to `end`."""

    start: int
    middle: int
    end: int


class Runs(NamedTuple):
    """All changes of a file in order, as arrays: there may be a hundred thousand."""

    starts: array[int]
    middles: array[int]
    ends: array[int]

    def get(self, number: int) -> ChangedRun:
        return ChangedRun(self.starts[number], self.middles[number], self.ends[number])

    def find(self, line: int) -> ChangedRun | None:
        """The change a line belongs to; None if it didn't change."""
        number = bisect_right(self.starts, line) - 1
        return self.get(number) if number >= 0 and line < self.ends[number] else None


def build_runs() -> Runs:
    """No changes."""
    return Runs(array("I"), array("I"), array("I"))


@dataclass(frozen=True, slots=True, eq=False)
class PatchLines:
    """The file in patch order, as far as it was read: context, deleted and added lines by index."""

    blocks: tuple[PatchBlock, ...] = ()
    firsts: array[int] = field(default_factory=lambda: array("I"))
    """The index of each block's first line."""
    marks: bytes = b""
    """One per line: ` `, `+` or `-`."""
    runs: Runs = field(default_factory=build_runs)
    hidden: tuple[int, ...] = ()
    """Added lines with hidden characters, as far as listed."""
    hidden_count: int = 0
    unended: frozenset[int] = frozenset()
    """Lines without a newline at the end."""

    def __len__(self) -> int:
        return len(self.marks)

    def read_mark(self, index: int) -> str:
        return chr(self.marks[index])

    def read_line(self, index: int) -> DiffLine:
        """One line with its numbers; very long ones are truncated."""
        place = bisect_right(self.firsts, index) - 1
        block = self.blocks[place]
        first = self.firsts[place]
        start = block.starts[index - first] + 1
        end = block.starts[index - first + 1] - 1
        text = block.content[start : min(end, start + LONGEST_LINE)].decode("utf-8", "surrogateescape")
        mark = chr(self.marks[index])
        old = None if mark == "+" else block.old_number + index - first - self.marks.count(_ADDED, first, index)
        new = None if mark == "-" else block.new_number + index - first - self.marks.count(_DELETED, first, index)
        return DiffLine(mark, text, old, new, index in self.unended)

    def count_bytes(self, index: int) -> int:
        """The length of a line in bytes, without mark and newline."""
        place = bisect_right(self.firsts, index) - 1
        starts = self.blocks[place].starts
        local = index - self.firsts[place]
        return starts[local + 1] - starts[local] - 2

    def find_numbered(self, number: int, *, old: bool = False) -> int | None:
        """The index of a line by number, or of the last line before it; None without lines."""
        numbers = [block.old_number if old else block.new_number for block in self.blocks]
        place = max(bisect_right(numbers, number) - 1, 0)
        if not self.blocks:
            return None
        other = _ADDED[0] if old else _DELETED[0]
        first = self.firsts[place]
        last = self.firsts[place + 1] if place + 1 < len(self.blocks) else len(self)
        current, found = numbers[place], first
        for index in range(first, last):
            if self.marks[index] == other:
                continue
            if current > number:
                break
            found, current = index, current + 1
        return found

    def find_last_numbers(self) -> tuple[int, int]:
        """The last line numbers, old and new."""
        if not self.blocks:
            return 0, 0
        first, block = self.firsts[-1], self.blocks[-1]
        count = len(self) - first
        added, deleted = self.marks.count(_ADDED, first), self.marks.count(_DELETED, first)
        return block.old_number + count - added - 1, block.new_number + count - deleted - 1

    def find_text(self, text: str, start: int, *, backwards: bool = False, changed: bool = False) -> int | None:
        """The next line from `start` with the text, ignoring case, or the next changed one; None if there is none."""
        wanted, raw = text.casefold(), text.lower().encode("utf-8", "surrogateescape")
        place = max(bisect_right(self.firsts, start) - 1, 0)
        for number in range(place, -1, -1) if backwards else range(place, len(self.blocks)):
            block, first = self.blocks[number], self.firsts[number]
            if raw.isascii() and raw not in block.content.lower():  # quick: most blocks have no such line
                continue
            last = first + len(block.starts) - 1
            lines = range(min(start, last - 1), first - 1, -1) if backwards else range(max(start, first), last)
            looked_at = (index for index in lines if not changed or self.marks[index] != _SAME)
            found = next((index for index in looked_at if wanted in self.read_line(index).text.casefold()), None)
            if found is not None:
                return found
        return None


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A file as shown. Two are equal if they show the same contents in the same way."""

    change: FileChange
    options: DiffOptions
    kind: FileKind
    lines: PatchLines = field(default_factory=PatchLines, compare=False)
    complete: bool = True
    """Whether all lines were read; otherwise more are on the way."""
    old_facts: BlobFacts | None = None
    new_facts: BlobFacts | None = None
    note: str | None = None
    """Why there are no lines, or what is missing."""


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
