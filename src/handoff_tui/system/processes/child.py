"""Starts a program that is asked often, such as git: Python's `subprocess` spends three times as much on it."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Self

_FIRST = 3
"""Below are the numbers by which a program reads, writes and complains."""
_CHUNK = 1 << 16
_DEFAULTS = (signal.SIGPIPE, signal.SIGXFSZ)
"""Python ignores these signals; no other program expects that."""


class Child:
    """A running program in a session of its own. When the block is left, it ends, with all that it started."""

    def __init__(
        self, argv: list[str], environment: Mapping[str, str], *, stdin: int | None = None, complains: bool = True
    ) -> None:
        """`stdin` is an open file to read from; without `complains`, its error output is lost."""
        self._ours: set[int] = set()
        self._code: int | None = None
        try:
            reading, self.stdin = self._open_pipe() if stdin is None else (stdin, -1)
            self.stdout, writing = self._open_pipe()
            actions: list[tuple[int, ...] | tuple[int, int, str, int, int]]
            actions = [(os.POSIX_SPAWN_DUP2, reading, 0), (os.POSIX_SPAWN_DUP2, writing, 1)]
            if complains:
                self.stderr, complaining = self._open_pipe()
                actions.append((os.POSIX_SPAWN_DUP2, complaining, 2))
            else:
                self.stderr = complaining = -1
                actions.append((os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0))
            self.pid = os.posix_spawn(
                argv[0], argv, environment, file_actions=actions, setsid=True, setsigdef=_DEFAULTS
            )
        except BaseException:
            self._close(*self._ours)
            raise
        self._close(*self._ours.intersection((reading, writing, complaining)))
        self._unread = {end for end in (self.stdout, self.stderr) if end != -1}
        self._parts: dict[int, list[bytes]] = {end: [] for end in self._unread}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def say(self, content: bytes) -> None:
        """Writes its whole input, which must fit into a pipe."""
        with suppress(BrokenPipeError):  # it has ended, or wants no input
            os.write(self.stdin, content)
        self._close(self.stdin)

    def listen(self, seconds: float) -> bool:
        """Reads until the program has closed its output; returns False if it hasn't within that time."""
        late = time.monotonic() + seconds
        poll = select.poll()
        for end in self._unread:
            poll.register(end, select.POLLIN)
        while self._unread:
            ready = poll.poll(max(0.0, late - time.monotonic()) * 1000)
            if not ready:
                return False
            for end, _ in ready:
                chunk = os.read(end, _CHUNK)
                self._parts[end].append(chunk)
                if not chunk:
                    poll.unregister(end)
                    self._unread.discard(end)
        return True

    def read_output(self) -> tuple[bytes, bytes]:
        """Returns what it wrote, and its complaints."""
        return b"".join(self._parts[self.stdout]), b"".join(self._parts.get(self.stderr, ()))

    def wait(self) -> int:
        """Waits for its end; returns its exit code, negative if a signal ended it."""
        if self._code is None:
            self._code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._code

    def end(self) -> None:
        """Ends it if it still runs: it and its children are one group, and none is left."""
        self._close(*self._ours)
        if self._code is None:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                self._code = os.waitstatus_to_exitcode(status)
                return
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            self.wait()

    def _open_pipe(self) -> tuple[int, int]:
        ends = os.pipe()
        self._ours.update(ends)
        if min(ends) < _FIRST:
            moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _FIRST) for end in ends]
            self._ours.update(moved)
            self._close(*ends)
            return moved[0], moved[1]
        return ends

    def _close(self, *ends: int) -> None:
        for end in ends:
            self._ours.discard(end)
            os.close(end)
