"""Reads all lines of the file in view, passing them on in parts while git still writes."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Mapping
from itertools import accumulate, islice

from handoff_tui.changes.files.file_diff import ComparedContents, open_contents
from handoff_tui.changes.files.file_kinds import GENERATED_LINES
from handoff_tui.changes.files.shown_file import PatchBlock, PatchLines, Runs, ShownFile
from handoff_tui.core.classes import replace
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.text.safe_text import has_hidden_characters
from handoff_tui.git.command import Git
from handoff_tui.git.file_diff import DiffOptions, FileChange, FileKind

BLOCK_BYTES = 64 * 1024
"""Lines are kept in blocks of about this size."""
_MOST_HIDDEN = 200
"""Only this many lines with hidden characters are listed; the rest are counted."""
_HEADER = compile_later(rb"@@ -(\d{1,18})(?:,(\d{1,18}))? \+(\d{1,18})(?:,(\d{1,18}))? @@")
_BINARY = compile_later(rb"^Binary files .* differ$", re.MULTILINE | re.DOTALL)
_RUN = compile_later(rb"-+\+*|\++")
_PLAIN = bytes(range(0x20, 0x7F)) + b"\t\n\r"
_NEWLINE = b"\n"


class PatchParser:
    """Parses a patch piece by piece; `build` gives what is there so far."""

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
        """How many lines were parsed."""
        return self._count

    def feed(self, piece: bytes) -> None:
        """Takes the next piece; parses lines once there is enough."""
        self._waiting.append(piece)
        self._waiting_bytes += len(piece)
        self.size += len(piece)
        if self._waiting_bytes >= BLOCK_BYTES and _NEWLINE in piece:
            self.flush()

    def flush(self, *, ended: bool = False) -> None:
        """Parses what is waiting; an unterminated line only at the end of the patch."""
        waiting = b"".join(self._waiting)
        cut = len(waiting) if ended else waiting.rfind(_NEWLINE) + 1
        self._waiting, self._waiting_bytes = [waiting[cut:]], len(waiting) - cut
        content = waiting[:cut]
        if not self._begun:
            content = self._skip_head(content)
        if content:
            self._take(content if content.endswith(_NEWLINE) else content + _NEWLINE)

    def build(self) -> PatchLines:
        """The lines so far; unaffected by later pieces."""
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
        """Skips the part before the first hunk, which may say that the file is binary."""
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
        """Handles a line of the patch that isn't part of the file."""
        if line.startswith(b"\\"):
            if self._count:
                self._unended.add(self._count - 1)
        elif (header := _HEADER.match(line)) is not None:
            old, old_count, new, new_count = header.groups()
            # for an empty side git names the line before it
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
    """The runs of changed lines: deleted ones with the added ones right after them."""
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
    """Quick check whether there can be hidden characters."""
    return bool(content.translate(None, _PLAIN)) or content.count(b"\r") != content.count(b"\r\n")


def _hides(line: bytes) -> bool:
    return has_hidden_characters(line.removesuffix(b"\r").decode("utf-8", "surrogateescape"))


MOST_BYTES = 1 << 30
"""No more than this of one file's patch is held in memory."""
_WHOLE_FILE = 100_000_000
"""Lines of context."""
_TOLD_AGAIN = 4
"""What was read is passed on whenever it has grown by this factor."""
Tell = Callable[[ShownFile], None]


def read_file_lines(
    git: Git,
    change: FileChange,
    options: DiffOptions,
    extra: Mapping[str, str] | None = None,
    tell: Tell | None = None,
    is_unwanted: Callable[[], bool] | None = None,
) -> ShownFile | None:
    """The complete file with its changes; the caller folds. None if it is no longer wanted.

    `tell` gets the first lines as soon as they are there, and more as they come.
    """
    with open_contents(git, change, options, extra) as contents:

        def build(lines: PatchLines, kind: FileKind, note: str | None, *, complete: bool = True) -> ShownFile:
            return ShownFile(change, options, kind, lines, complete, note=contents.join_notes(note))

        def tell_part(lines: PatchLines) -> None:
            if tell is not None:
                kind = contents.find_kind(_find_head(contents, lines) or b"")
                tell(build(lines, kind, contents.note, complete=False))

        if contents.are_same:
            return build(PatchLines(), contents.find_kind(None), contents.note)
        parser = PatchParser()
        is_complete = _take_in(contents, parser, tell_part, is_unwanted or (lambda: False))
        if is_complete is None:
            return None
        if parser.binary:
            old, new = contents.read_facts()
            return replace(build(PatchLines(), FileKind.BINARY, contents.note), old_facts=old, new_facts=new)
        parser.flush(ended=True)
        lines, note = parser.build(), contents.note
        if not is_complete:
            note = f"only the first {len(lines):,} lines are shown: the patch is larger than {MOST_BYTES >> 20:,} MB"
        elif not len(lines):
            note = contents.describe_no_lines()
        return build(lines, contents.find_kind(_find_head(contents, lines)), note)


def _take_in(
    contents: ComparedContents,
    parser: PatchParser,
    tell: Callable[[PatchLines], None],
    is_unwanted: Callable[[], bool],
) -> bool | None:
    """Whether everything was read; None if it is no longer wanted."""
    told = 0
    with contents.open_patch(_WHOLE_FILE) as patch:
        for chunk in patch.chunks():
            if is_unwanted():
                return None
            parser.feed(chunk)
            if not told:
                parser.flush()
            if parser.count > told * _TOLD_AGAIN:
                told = parser.count
                tell(parser.build())
            if parser.size > MOST_BYTES:
                return False
            if parser.binary:
                return True
        contents.finish(patch)
    return True


def _find_head(contents: ComparedContents, lines: PatchLines) -> bytes | None:
    """The first lines of the new content, else of the old; None if no line is known."""
    other = "+" if contents.new is None else "-"
    known = (index for index in range(len(lines)) if lines.read_mark(index) != other)
    found = [lines.read_line(index).text for index in islice(known, GENERATED_LINES)]
    return "\n".join(found).encode("utf-8", "surrogateescape") if found else None
