"""Bytes of an output, as they come, to events; any bytes, torn and huge lines included."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from handoff_tui.agents.transcript import aider, claude, codex, gemini, goose, opencode
from handoff_tui.agents.transcript.event import Event, plain

_READERS: Final[Mapping[str, Callable[[Mapping[str, object]], Iterator[Event]]]] = {
    "claude": claude.read, "codex": codex.read, "gemini": gemini.read, "goose": goose.read, "opencode": opencode.read,
}  # fmt: skip
LONGEST_LINE: Final = 4 * 1024 * 1024
"""A longer line is skipped: no event needs that much."""


class TranscriptReader:
    """The events of one output, fed in parts of any size."""

    def __init__(self, stream: str) -> None:
        self.stream = stream
        self._rest = b""
        self._skipped = 0

    def feed(self, part: bytes) -> Iterator[Event]:
        """Returns the events of the lines that are complete now."""
        *lines, rest = part.split(b"\n")
        for line in lines:
            whole, self._rest = self._rest + line, b""
            if self._skipped or len(whole) > LONGEST_LINE:
                yield plain(f"(a line of {self._skipped + len(whole):,} bytes)")
                self._skipped = 0
            else:
                yield from self._read(whole)
        self._rest += rest
        if len(self._rest) > LONGEST_LINE:
            self._skipped += len(self._rest)
            self._rest = b""

    def end(self) -> Iterator[Event]:
        """Returns the events of a last line without an end."""
        if self._skipped or self._rest:
            yield from self.feed(b"\n")

    def _read(self, line: bytes) -> Iterator[Event]:
        text = line.decode("utf-8", "replace").rstrip("\r")
        if not text.strip():
            return
        reader = _READERS.get(self.stream)
        if reader is None:
            yield from aider.read_line(text) if self.stream == "aider" else [plain(text)]
            return
        try:
            value = json.loads(text) if text.startswith("{") else None
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            yield from reader(value)
        else:
            yield plain(text)
