"""Windows into what a run printed, and searches in it, while it grows. One reader is kept: that of the try in view."""

from __future__ import annotations

import threading
from pathlib import Path

from handoff_tui.agents.runs.files import OUTPUT
from handoff_tui.agents.runs.reports import PROMPT
from handoff_tui.agents.runs.run import RunKey
from handoff_tui.agents.runs.state import find_run_folder
from handoff_tui.live.state.agents import OutputPlace, OutputSource, OutputWindow
from handoff_tui.system.processes.output_reader import OutputReader

_AT_ONCE = 16 * 1024 * 1024
"""So many bytes are counted before lines are shown again."""
_SEARCHED_LINES = 2_000
_FILES = {OutputSource.OUTPUT: OUTPUT, OutputSource.PROMPT: PROMPT}


class OutputWindows:
    """Reads the lines that are wanted, and a page more on both sides."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._place: Path | None = None
        self._reader: OutputReader | None = None

    def read(self, common_dir: Path, wanted: OutputPlace) -> OutputWindow:
        """What is there now; `complete` is false while there is more to count."""
        reader = self._find_reader(common_dir, wanted.run, wanted.source)
        is_more = reader.advance(_AT_ONCE)
        total, count = reader.line_count, max(1, wanted.height)
        first = max(0, total - 2 * count) if wanted.first is None else max(0, wanted.first - count)
        lines = reader.read_lines(first, 3 * count)
        return OutputWindow(wanted.run, wanted.source, first, tuple(lines), total, reader.size, not is_more)

    def find(self, common_dir: Path, wanted: OutputPlace, text: str, cancel: threading.Event) -> int | None:
        """The line that has the text, from `first` on; with a negative height, the last one up to there."""
        reader = self._find_reader(common_dir, wanted.run, wanted.source)
        while reader.advance(_AT_ONCE) and not cancel.is_set():
            pass
        start = wanted.first or 0
        return reader.find(text, start) if wanted.height >= 0 else _find_backwards(reader, text, start, cancel)

    def _find_reader(self, common_dir: Path, run: RunKey, source: OutputSource) -> OutputReader:
        place = find_run_folder(common_dir, run) / _FILES[source]
        with self._lock:
            if self._reader is None or self._place != place:
                self._place, self._reader = place, OutputReader(place)
            return self._reader


def _find_backwards(reader: OutputReader, text: str, start: int, cancel: threading.Event) -> int | None:
    wanted = text.encode("utf-8", "surrogateescape").lower()
    end = min(start + 1, reader.line_count)
    while wanted and end > 0 and not cancel.is_set():
        first = max(0, end - _SEARCHED_LINES)
        lines = reader.read_lines(first, end - first)
        for number in range(len(lines) - 1, -1, -1):
            if wanted in lines[number].encode("utf-8", "surrogateescape").lower():
                return first + number
        end = first
    return None
