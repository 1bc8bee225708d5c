"""A real terminal of a known size, and somebody who types at it: tmux, on a socket of its own."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.waiting import LONGEST_SECONDS

_FLUSHED_SECONDS = 0.6
"""A person reads a question before they type."""
_TICK_SECONDS = 0.05
_PAUSE_SECONDS = 0.4
"""A person looks before pressing; the app counts on it."""
_PATIENCE_SECONDS = 10.0
_TOO_FAST = "Too fast"
_ENDED = "ended with"


class Terminal:
    """One window. What is on it can be read, and keys can be typed."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket

    def start(self, environment: Mapping[str, str], *arguments: str | Path, width: int = 100, height: int = 60) -> None:
        """Runs `handoff-tui` in it, as its only program; how it ended stays on the screen."""
        words = shlex.join([sys.executable, "-m", "handoff_tui", *map(str, arguments)])
        variables = [word for name, value in environment.items() for word in ("-e", f"{name}={value}")]
        shell = f"trap : INT; {words}; echo {_ENDED} $?; exec cat"
        self._tmux("new-session", "-d", "-x", str(width), "-y", str(height), *variables, "sh", "-c", shell)

    def start_shell(self, environment: Mapping[str, str], width: int = 100, height: int = 30) -> None:
        """A shell at which somebody works, with job control."""
        variables = [word for name, value in environment.items() for word in ("-e", f"{name}={value}")]
        words = (*variables, "-e", "PS1=READY> ", "sh", "-i")
        self._tmux("new-session", "-d", "-x", str(width), "-y", str(height), *words)
        self.wait_for_shell()

    def wait_for_shell(self) -> None:
        """Until the shell waits for somebody to type."""
        deadline = time.monotonic() + LONGEST_SECONDS
        while not (shown := self.read_screen()).rstrip().endswith("READY>"):
            if time.monotonic() > deadline:
                raise AssertionError(f"the shell never came back; there is:\n{shown}")
            time.sleep(_TICK_SECONDS)

    def resize(self, width: int, height: int) -> None:
        """Another size of the window."""
        self._tmux("resize-window", "-x", str(width), "-y", str(height))

    def read_screen(self) -> str:
        """What is to be seen now, and nothing above it."""
        return self._tmux("capture-pane", "-p")

    def type(self, text: str) -> None:
        """Letters as they are, without a line end."""
        self._tmux("send-keys", "-l", "--", text)

    def press(self, key: str) -> None:
        """A key by its name: `Enter`, `C-c`."""
        self._tmux("send-keys", key)

    def press_slowly(self, *keys: str) -> None:
        """Keys as a person presses them, who looks in between."""
        for key in keys:
            time.sleep(_PAUSE_SECONDS)
            self.press(key)

    def type_slowly(self, text: str) -> None:
        """Letters by a person who has looked first."""
        time.sleep(_PAUSE_SECONDS)
        self.type(text)

    def answer(self, text: str, then: str = _ENDED) -> None:
        """Types a line until something comes of it: what is typed right after a question is thrown away."""
        deadline = time.monotonic() + LONGEST_SECONDS
        while True:
            time.sleep(_FLUSHED_SECONDS)
            self.type(text)
            self.press("Enter")
            patience = time.monotonic() + _PATIENCE_SECONDS
            while time.monotonic() < patience:
                if then in self.read():
                    return
                time.sleep(_TICK_SECONDS)
            assert time.monotonic() < deadline, f"{then!r} never came; there is:\n{self.read()}"

    def read(self) -> str:
        """The whole screen and what has gone above it, wrapped lines joined."""
        return self._tmux("capture-pane", "-p", "-J", "-S", "-")

    def wait_for(self, text: str) -> str:
        """The screen, as soon as a text is on it."""
        deadline = time.monotonic() + LONGEST_SECONDS
        while text not in (shown := self.read()):
            if time.monotonic() > deadline:
                raise AssertionError(f"{text!r} never came; there is:\n{shown}")
            time.sleep(_TICK_SECONDS)
        return shown

    def insist(self, key: str, text: str) -> str:
        """Presses a key until a text is there: a box that was painted a moment ago asks to press again."""
        deadline = time.monotonic() + LONGEST_SECONDS
        while True:
            time.sleep(_PAUSE_SECONDS)
            self.press(key)
            patience = time.monotonic() + _PATIENCE_SECONDS
            while time.monotonic() < patience:
                shown = self.read()
                if text in shown:
                    return shown
                if _TOO_FAST in shown:
                    break
                time.sleep(_TICK_SECONDS)
            if time.monotonic() > deadline:
                raise AssertionError(f"{text!r} never came; there is:\n{shown}")

    def wait_for_end(self) -> tuple[int, str]:
        """The exit code, and all that was shown."""
        shown = self.wait_for(f"{_ENDED} ")
        return int(shown.rpartition(f"{_ENDED} ")[2].split()[0]), shown

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-f", os.devnull, "-S", str(self._socket), *arguments],
            capture_output=True,
            check=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"},
        )
        return done.stdout.decode("utf-8", "replace")


@contextmanager
def open_terminal() -> Iterator[Terminal]:
    """A terminal that ends with the test; without tmux the test is skipped."""
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed, and a real terminal is needed")
    with tempfile.TemporaryDirectory(prefix="tmux-") as folder:  # a socket's path must be short
        terminal = Terminal(Path(folder) / "socket")
        try:
            yield terminal
        finally:
            subprocess.run(
                ["tmux", "-S", str(Path(folder) / "socket"), "kill-server"], check=False, capture_output=True
            )
