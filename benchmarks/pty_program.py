"""A program in a terminal of its own: what it writes is read as it comes, and keys can be sent."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

_LONGEST_SECONDS = 60.0


class PtyProgram:
    """The near end of the terminal."""

    def __init__(self, pid: int, descriptor: int) -> None:
        self.pid = pid
        self._descriptor = descriptor
        self.written = 0
        """Bytes so far."""

    def read_until(self, marker: bytes) -> float:
        """The moment at which the marker was complete on the terminal."""
        seen = b""
        deadline = time.perf_counter() + _LONGEST_SECONDS
        while marker not in seen:
            if not select.select([self._descriptor], [], [], max(0.0, deadline - time.perf_counter()))[0]:
                raise TimeoutError(f"{marker!r} never came; last: {seen[-300:]!r}")
            piece = os.read(self._descriptor, 65_536)
            self.written += len(piece)
            seen = seen[-len(marker) :] + piece
        return time.perf_counter()

    def drain(self, quiet_seconds: float) -> None:
        """Reads until nothing was written for a while."""
        while select.select([self._descriptor], [], [], quiet_seconds)[0]:
            self.written += len(os.read(self._descriptor, 65_536))

    def read_to_the_end(self) -> None:
        """Reads until the program has ended; a terminal that nobody writes to can't be read."""
        with suppress(OSError):
            while piece := os.read(self._descriptor, 65_536):
                self.written += len(piece)

    def read_for(self, seconds: float) -> None:
        """Reads for a while, whether it is quiet or not."""
        late = time.perf_counter() + seconds
        while select.select([self._descriptor], [], [], max(0.0, late - time.perf_counter()))[0]:
            self.written += len(os.read(self._descriptor, 65_536))

    def send(self, keys: bytes) -> float:
        os.write(self._descriptor, keys)
        return time.perf_counter()

    def read_memory(self) -> int:
        """The bytes that it has in memory and shares with nobody, and its part of what it shares."""
        lines = Path(f"/proc/{self.pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
        return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))

    def read_cpu_seconds(self) -> float:
        """Of the program itself and of the children it has waited for."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def run_in_pty(
    words: Sequence[str], environment: Mapping[str, str], size: tuple[int, int] = (80, 24)
) -> Iterator[PtyProgram]:
    """Starts a program in a new terminal and ends it afterwards."""
    pid, descriptor = pty.fork()
    if pid == 0:
        os.execvpe(words[0], list(words), dict(environment))  # noqa: S606 - a program of ours, by its words
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    try:
        yield PtyProgram(pid, descriptor)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(descriptor)
