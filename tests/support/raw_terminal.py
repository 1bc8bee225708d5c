"""A terminal that keeps every byte it is sent: what a program really writes, not what a screen makes of it."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from tests.support.waiting import LONGEST_SECONDS

_QUIET_SECONDS = 0.4
_LONGEST_UNREST = 3.0
"""A cursor that blinks is never quiet."""


class RawTerminal:
    """Runs `handoff-tui` at a pseudo-terminal of a size. Use as a context; whatever happens, the process ends."""

    def __init__(
        self, *arguments: str | Path, environment: Mapping[str, str], size: tuple[int, int] = (80, 24)
    ) -> None:
        self.written = b""
        self._process, self._terminal = pty.fork()
        if self._process == 0:
            words = [sys.executable, "-m", "handoff_tui", *map(str, arguments)]
            variables = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8", **environment}
            os.execve(sys.executable, words, {**os.environ, **variables})  # noqa: S606 - no shell is meant
        columns, rows = size
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.kill(self._process, signal.SIGWINCH)
        self._ended: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._ended is None:
            os.kill(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)
        os.close(self._terminal)

    def press(self, keys: str | bytes) -> None:
        """Keys as a terminal sends them; then waits until nothing more is written."""
        os.write(self._terminal, keys if isinstance(keys, bytes) else keys.encode())
        self.settle()

    def answer(self, line: str) -> None:
        """Types a line until the program goes on: what comes before its question has stood a while is thrown away."""
        deadline = time.monotonic() + LONGEST_SECONDS
        self.settle()  # else the rest of the question passes for a reply
        while time.monotonic() < deadline:
            before = len(self.written)
            os.write(self._terminal, f"{line}\n".encode())
            self.settle()
            *_, reply = self.written[before:].rpartition(f"{line}\r\n".encode())
            if self._is_gone() or reply.strip():
                return
        raise AssertionError(f"{line!r} was never taken; the end is {self.written[-2000:]!r}")

    def send(self, number: signal.Signals) -> None:
        """A signal to the program, as from a closed window."""
        os.kill(self._process, number)

    def wait_for(self, text: str) -> None:
        """Until a text was written, in one piece."""
        deadline = time.monotonic() + LONGEST_SECONDS
        while text.encode() not in self.written:
            came = self._read(_QUIET_SECONDS)
            if time.monotonic() > deadline or (not came and self._is_gone()):
                raise AssertionError(f"{text!r} was never written; the end is {self.written[-2000:]!r}")

    def settle(self) -> None:
        """Until nothing was written for a while."""
        deadline = time.monotonic() + _LONGEST_UNREST
        while time.monotonic() < deadline and self._read(_QUIET_SECONDS):
            pass

    def wait_for_end(self) -> int:
        """The exit code."""
        deadline = time.monotonic() + LONGEST_SECONDS
        while time.monotonic() < deadline:
            self._read(_QUIET_SECONDS)
            if self._is_gone():
                assert self._ended is not None
                return self._ended
        raise AssertionError("the program does not end")

    def quit(self) -> int:
        """Presses ctrl+c twice, as a person would, and again if the program took that for something else."""
        deadline = time.monotonic() + LONGEST_SECONDS
        while time.monotonic() < deadline and not self._is_gone():
            self.press("\x03\x03")
            patience = time.monotonic() + _LONGEST_UNREST * 5  # it is on its way out; ctrl+c would now be a signal
            while time.monotonic() < patience and not self._is_gone():
                self._read(_QUIET_SECONDS)
        return self.wait_for_end()

    def _is_gone(self) -> bool:
        if self._ended is None:
            found, status = os.waitpid(self._process, os.WNOHANG)
            if found:
                self._ended = os.waitstatus_to_exitcode(status)
        return self._ended is not None

    def _read(self, seconds: float) -> bool:
        """Whether something came."""
        if not select.select([self._terminal], [], [], seconds)[0]:
            return False
        try:
            came = os.read(self._terminal, 1 << 20)
        except OSError:  # the other end is gone
            return False
        self.written += came
        return bool(came)
