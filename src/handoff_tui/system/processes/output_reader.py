"""Lines of an output of any length, even while it grows: line ends are counted block by block, once.

Memory stays small: one number per block is kept, and a window of the file is read on demand.
"""

from __future__ import annotations

import hashlib
import os
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Lock, Thread
from typing import BinaryIO

_BLOCK = 64 * 1024
_AT_ONCE = 8 * 1024 * 1024
_LONGEST_LINE = 16 * 1024
"""Only the beginning of a longer line is shown."""
_TAIL_BYTES = 256 * 1024


class OutputReader:
    """A window into a file of lines. `advance` reads what is new; `follow` does so in the background."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._lock = Lock()
        self._ended = Event()
        self._thread: Thread | None = None
        self._forget()

    def _forget(self) -> None:
        self._before = array("Q")
        """The number of line ends before each block."""
        self._newlines = 0
        self._indexed = 0
        self._ends_open = False

    @property
    def line_count(self) -> int:
        """The number of lines known so far, including an unfinished last one."""
        with self._lock:
            return self._newlines + self._ends_open

    @property
    def size(self) -> int:
        """The size in bytes, even if not all lines are known yet."""
        return read_length(self.place)

    @property
    def is_complete(self) -> bool:
        """Whether all lines present now are known."""
        return self._indexed >= self.size

    def advance(self, at_most: int | None = None) -> bool:
        """Reads what is new, up to a number of bytes; tells whether there is more."""
        try:
            with self.place.open("rb") as file, self._lock:
                size = os.fstat(file.fileno()).st_size
                if size < self._indexed:  # it was truncated: start again
                    self._forget()
                file.seek(self._indexed)
                goal = size if at_most is None else min(size, self._indexed + at_most)
                while self._indexed < goal and (part := file.read(self._find_room(goal))):
                    self._note(part)
                return self._indexed < size
        except OSError:
            return False

    def follow(self, every_seconds: float = 0.1) -> None:
        """Keeps the count up to date on a separate thread until `close`."""
        if self._thread is None:
            self._thread = Thread(target=self._follow, args=(every_seconds,), daemon=True)
            self._thread.start()

    def close(self) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def read_lines(self, start: int, count: int) -> list[str]:
        """Returns lines by number, from 0; fewer at the end. Bytes that aren't UTF-8 are kept as they are."""
        if count <= 0 or start < 0 or start >= self.line_count:
            return []
        try:
            with self.place.open("rb") as file:
                offset, end = self._find_line(file, start), self._indexed
                return [decode(line) for line, _ in zip(_iterate_lines(file, offset, end), range(count), strict=False)]
        except OSError:
            return []

    def find(self, text: str, start: int = 0) -> int | None:
        """Returns the first line from `start` on that contains a text, ignoring case; None if none does."""
        wanted = text.encode("utf-8", "surrogateescape").lower()
        if not wanted or b"\n" in wanted or start >= self.line_count:
            return None
        number = max(start, 0)
        try:
            with self.place.open("rb") as file:
                file.seek(self._find_line(file, number))
                kept = b""
                while part := file.read(_BLOCK):
                    block = kept + part.lower()
                    position = block.find(wanted)
                    if position >= 0:
                        return number + block.count(b"\n", 0, position)
                    # the kept part contains no counted line end: the text may begin in it
                    kept = block[-len(wanted) + 1 :].rpartition(b"\n")[2] if len(wanted) > 1 else b""
                    number += block.count(b"\n")
        except OSError:
            return None
        return None

    def _find_room(self, goal: int) -> int:
        """Returns the end of the current block."""
        return min(goal - self._indexed, _BLOCK - self._indexed % _BLOCK)

    def _note(self, part: bytes) -> None:
        if self._indexed % _BLOCK == 0:
            self._before.append(self._newlines)
        self._newlines += part.count(b"\n")
        self._indexed += len(part)
        self._ends_open = not part.endswith(b"\n")

    def _find_line(self, file: BinaryIO, number: int) -> int:
        """Returns where a line begins: after the line end before it, searched from the block that contains it."""
        if number == 0:
            return 0
        with self._lock:
            block = max(0, bisect_left(self._before, number) - 1)
            left = number - self._before[block]
        return _pass_line_ends(file, block * _BLOCK, left)

    def _follow(self, every_seconds: float) -> None:
        while not self._ended.is_set():
            if not self.advance(_AT_ONCE):
                self._ended.wait(every_seconds)


def read_last_lines(place: Path, count: int) -> list[str]:
    """Returns the last lines of a file of any length."""
    try:
        with place.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - _TAIL_BYTES))
            lines = file.read(_TAIL_BYTES).split(b"\n")
    except OSError:
        return []
    if lines and not lines[-1]:
        lines.pop()
    return [decode(line[:_LONGEST_LINE]) for line in lines[-count:]] if count > 0 else []


def read_ends(place: Path, head_bytes: int, tail_bytes: int) -> str:
    """Returns the beginning and the end of a file as text: enough to search for words."""
    try:
        with place.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            head = file.read(head_bytes)
            file.seek(max(len(head), size - tail_bytes))
            return (head + b"\n" + file.read(tail_bytes)).decode("utf-8", "replace")
    except OSError:
        return ""


def hash_output(path: str) -> str | None:
    """Returns the SHA-256 of a file of any length; None if it can't be read."""
    digest = hashlib.sha256()
    try:
        with Path(path).open("rb") as file:
            while part := file.read(_AT_ONCE):
                digest.update(part)
    except OSError:
        return None
    return digest.hexdigest()


def read_length(place: Path) -> int:
    try:
        return place.stat().st_size
    except OSError:
        return 0


def decode(line: bytes) -> str:
    return line.rstrip(b"\r").decode("utf-8", "surrogateescape")


def _pass_line_ends(file: BinaryIO, offset: int, count: int) -> int:
    """Returns the position after this many line ends."""
    file.seek(offset)
    while part := file.read(_BLOCK):
        here = part.count(b"\n")
        if here >= count:
            position = -1
            for _ in range(count):
                position = part.find(b"\n", position + 1)
            return offset + position + 1
        count -= here
        offset += len(part)
    return offset


def _iterate_lines(file: BinaryIO, offset: int, end: int) -> Iterator[bytes]:
    """Yields lines from a position on, each up to a length; skips the rest of a longer one."""
    file.seek(offset)
    line = b""
    while offset < end and (part := file.read(min(_BLOCK, end - offset))):
        offset += len(part)
        *whole, rest = part.split(b"\n")
        for piece in whole:
            yield (line + piece)[:_LONGEST_LINE]
            line = b""
        line = (line + rest)[:_LONGEST_LINE]
    if line:
        yield line
