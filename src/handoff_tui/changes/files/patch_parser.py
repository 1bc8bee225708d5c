"""The patch of one file, taken in as it comes: kept as bytes, with the places of its lines and changes."""

from __future__ import annotations

import re
from array import array
from itertools import accumulate

from handoff_tui.changes.files.patch_lines import PatchBlock, PatchLines, Runs
from handoff_tui.core.text.hidden_characters import HIDDEN

BLOCK_BYTES = 64 * 1024
"""Lines are kept in pieces of about this size."""
_MOST_HIDDEN = 200
"""So many lines with hidden characters are listed; the others are counted."""
_HEADER = re.compile(rb"@@ -(\d{1,18})(?:,(\d{1,18}))? \+(\d{1,18})(?:,(\d{1,18}))? @@")
_BINARY = re.compile(rb"^Binary files .* differ$", re.MULTILINE | re.DOTALL)
_RUN = re.compile(rb"-+\+*|\++")
_PLAIN = bytes(range(0x20, 0x7F)) + b"\t\n\r"
_NEWLINE = b"\n"


class PatchParser:
    """Feed it the pieces of a patch; ask for what is there at any time."""

    def __init__(self) -> None:
        self.binary = False
        self.size = 0
        self._begun = False
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._blocks: list[PatchBlock] = []
        self._firsts = array("I")
        self._marks: list[bytes] = []
        self._count = 0
        self._numbers = (1, 1)
        self._hidden: list[int] = []
        self._hidden_count = 0
        self._unended: set[int] = set()

    @property
    def count(self) -> int:
        """How many lines were taken in."""
        return self._count

    def feed(self, piece: bytes) -> None:
        """Takes the next piece in; it is cut into lines when there is enough of it."""
        self._waiting.append(piece)
        self._waiting_bytes += len(piece)
        self.size += len(piece)
        if self._waiting_bytes >= BLOCK_BYTES and _NEWLINE in piece:
            self.flush()

    def flush(self, *, ended: bool = False) -> None:
        """Cuts what waits into lines; of the last one only when the patch has ended."""
        waiting = b"".join(self._waiting)
        cut = len(waiting) if ended else waiting.rfind(_NEWLINE) + 1
        self._waiting, self._waiting_bytes = [waiting[cut:]], len(waiting) - cut
        whole = waiting[:cut]
        if not self._begun:
            whole = self._skip_head(whole)
        if whole:
            self._take(whole if whole.endswith(_NEWLINE) else whole + _NEWLINE)

    def build(self) -> PatchLines:
        """What is there now. It does not change when more is taken in."""
        marks = b"".join(self._marks)
        return PatchLines(
            blocks=tuple(self._blocks),
            firsts=array("I", self._firsts),
            marks=marks,
            runs=find_runs(marks),
            hidden=tuple(self._hidden),
            hidden_count=self._hidden_count,
            unended=frozenset(self._unended),
        )

    def _skip_head(self, whole: bytes) -> bytes:
        """What stands before the first hunk names the files, or says that they are binary."""
        start = 0 if whole.startswith(b"@@ ") else whole.find(b"\n@@ ") + 1
        if start == 0 and not whole.startswith(b"@@ "):
            self.binary = self.binary or _BINARY.search(whole) is not None
            return b""
        self._begun = True
        return whole[start:]

    def _take(self, whole: bytes) -> None:
        lines = whole[:-1].split(_NEWLINE)
        marks = b"".join([line[:1] or b" " for line in lines])
        special = [place for place, mark in enumerate(marks) if mark in b"@\\"] if _has_special(marks) else []
        if not special:
            self._add_block(whole, lines, marks)
            return
        start = 0
        for place in [*special, len(lines)]:
            some = lines[start:place]
            if some:
                self._add_block(_NEWLINE.join(some) + _NEWLINE, some, marks[start:place])
            if place < len(lines):
                self._obey(lines[place])
            start = place + 1

    def _obey(self, line: bytes) -> None:
        """A line of the patch that is none of the file."""
        if line.startswith(b"\\"):
            if self._count:
                self._unended.add(self._count - 1)
        elif (header := _HEADER.match(line)) is not None:
            old, old_count, new, new_count = header.groups()
            # of an empty side git names the line before it
            self._numbers = (int(old) + (old_count == b"0"), int(new) + (new_count == b"0"))

    def _add_block(self, content: bytes, lines: list[bytes], marks: bytes) -> None:
        old, new = self._numbers
        starts = array("I", accumulate((len(line) + 1 for line in lines), initial=0))
        self._blocks.append(PatchBlock(content, starts, old, new))
        self._firsts.append(self._count)
        self._marks.append(marks)
        if _may_hide(content):
            self._note_hidden(lines, marks)
        added, deleted = marks.count(b"+"), marks.count(b"-")
        self._count += len(lines)
        self._numbers = (old + len(lines) - added, new + len(lines) - deleted)

    def _note_hidden(self, lines: list[bytes], marks: bytes) -> None:
        for place, line in enumerate(lines):
            if marks[place] == ord("+") and _may_hide(line) and _hides(line[1:]):
                self._hidden_count += 1
                if len(self._hidden) < _MOST_HIDDEN:
                    self._hidden.append(self._count + place)


def find_runs(marks: bytes) -> Runs:
    """Where lines changed: deleted ones and the added ones right after them belong together."""
    runs = Runs(array("I"), array("I"), array("I"))
    for found in _RUN.finditer(marks):
        start, end = found.span()
        middle = marks.find(b"+", start, end)
        runs.starts.append(start)
        runs.middles.append(end if middle < 0 else middle)
        runs.ends.append(end)
    return runs


def _has_special(marks: bytes) -> bool:
    return b"@" in marks or b"\\" in marks


def _may_hide(content: bytes) -> bool:
    """Quick: whether there can be anything in it that does not show."""
    return bool(content.translate(None, _PLAIN)) or content.count(b"\r") != content.count(b"\r\n")


def _hides(line: bytes) -> bool:
    text = line.removesuffix(b"\r").decode("utf-8", "surrogateescape")
    return any(found.group() != "\t" for found in HIDDEN.finditer(text))
