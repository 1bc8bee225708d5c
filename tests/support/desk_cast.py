"""`make cast`: the tour of the demo in a real terminal, recorded as an asciinema v2 file."""

from __future__ import annotations

import codecs
import fcntl
import json
import os
import pty
import re
import select
import struct
import sys
import tempfile
import termios
import time
from pathlib import Path

_PLACE = Path(__file__).resolve().parents[2] / "docs" / "pictures" / "tour.cast"
_COLUMNS, _ROWS = 100, 30
_LONGEST_SECONDS = 60.0
_LOOK_SECONDS = 2.5
"""A person reads before the next key."""
_BY_LETTER = 0.04
_CONTROL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])")
_REASON = "Two tests are skipped and five are gone. Bring them back."
_STEPS: tuple[tuple[str, str], ...] = (
    ("whose hash the manifest", "\r"),
    ("2 of 7", "x"),
    ("give a reason", _REASON),
    ("", "\t"),
    ("Ready: ^s signs", "\x13"),
    ("4 of 7", "\r"),
    ("5 of 7", "\r"),
    ("6 of 7", " "),
    ("1 of 12 looked at", "a"),
    ("Ready: ^s signs", "\x13"),
    ("7 of 7", "\r"),
    ("verifies this log", "q"),
)
"""What must have been painted since the last key, and the keys that are pressed then."""


class _Recording:
    """Everything that the terminal was sent, with its time."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self._began = time.monotonic()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._recent = ""
        self.events: list[tuple[float, str, str]] = []

    def read(self, seconds: float) -> bool:
        """Takes what comes within a time; False at the end."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if not select.select([self._terminal], [], [], left)[0]:
                return True
            try:
                text = self._decoder.decode(os.read(self._terminal, 65536))
            except OSError:  # the program has ended
                return False
            self.events.append((round(time.monotonic() - self._began, 3), "o", text))
            self._recent += text
        return True

    def wait_for(self, words: str) -> None:
        deadline = time.monotonic() + _LONGEST_SECONDS
        while words not in _CONTROL.sub("", self._recent):
            if not self.read(0.1) or time.monotonic() > deadline:
                raise RuntimeError(f"{words!r} was never painted:\n{_CONTROL.sub('', self._recent)[-3000:]}")

    def press(self, keys: str) -> None:
        self.read(_LOOK_SECONDS)
        self._recent = ""
        for key in keys:
            os.write(self._terminal, key.encode())
            self.read(_BY_LETTER)


def record(target: Path) -> None:
    """Runs the demo, takes the tour, and writes what was on the screen."""
    with tempfile.TemporaryDirectory(prefix="handoff-tui-cast-") as folder:
        child, terminal = pty.fork()
        if child == 0:
            environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
            command = [sys.executable, "-m", "handoff_tui", "demo", "--dir", str(Path(folder) / "demo")]
            os.execve(sys.executable, command, environment)  # noqa: S606 - our own program, in a terminal of its own
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
        recording = _Recording(terminal)
        for words, keys in _STEPS:
            recording.wait_for(words)
            recording.press(keys)
        while recording.read(1.0):
            pass
        os.waitpid(child, 0)
    header = {"version": 2, "width": _COLUMNS, "height": _ROWS, "title": "handoff-tui demo"}
    lines = [json.dumps(header), *(json.dumps(event, ensure_ascii=False) for event in recording.events)]
    told = "\n".join(lines).replace(folder, "/tmp").replace(f"{Path(sys.executable).parent}/", "")  # noqa: S108 - a name
    target.write_text(f"{told}\n", encoding="utf-8")


if __name__ == "__main__":
    record(_PLACE)
