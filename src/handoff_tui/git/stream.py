"""The output of a git command, read while it runs; leaving early ends the command."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING

from handoff_tui.git.command import TIMEOUT_SECONDS, Git, GitAnswer, build_start_error, build_timeout_error

if TYPE_CHECKING:
    import subprocess

_CHUNK = 1 << 16


class GitStream:
    """A running git command. Only waiting for git has a time limit: a reader may be as slow as a person."""

    def __init__(self, command: str, process: subprocess.Popen[bytes], complaints: IO[bytes]) -> None:
        self.command = command
        self._process = process
        self._complaints = complaints

    def chunks(self) -> Iterator[bytes]:
        """Yields output as it comes, to the end."""
        assert self._process.stdout is not None  # noqa: S101 - opened as a pipe
        descriptor = self._process.stdout.fileno()
        poll = select.poll()
        poll.register(descriptor, select.POLLIN | select.POLLHUP)
        while True:
            if not poll.poll(TIMEOUT_SECONDS * 1000):
                raise build_timeout_error(self.command)
            chunk = os.read(descriptor, _CHUNK)
            if not chunk:
                return
            yield chunk

    def lines(self, end: bytes = b"\n") -> Iterator[bytes]:
        """Yields output line by line, without the line ends."""
        rest = b""
        for chunk in self.chunks():
            first, *following = (rest + chunk if rest else chunk).split(end)
            for line in following:
                yield first
                first = line
            rest = first
        if rest:
            yield rest

    def finish(self) -> GitAnswer:
        """Returns how the command ended, without its output; call it after reading everything."""
        import subprocess  # noqa: PLC0415

        _await_end(self._process.pid)
        try:
            code = self._process.wait(TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired as late:
            raise build_timeout_error(self.command) from late
        self._complaints.seek(0)
        return GitAnswer(code, b"", self._complaints.read().decode("utf-8", "replace"))

    def stop(self) -> None:
        """Ends git and its children."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


def _await_end(pid: int) -> None:
    """Waits until a child has ended, if the system can tell; `Popen.wait` would poll."""
    if not hasattr(os, "pidfd_open"):
        return
    with suppress(OSError):
        descriptor = os.pidfd_open(pid)
        try:
            end = select.poll()
            end.register(descriptor, select.POLLIN)
            end.poll(TIMEOUT_SECONDS * 1000)
        finally:
            os.close(descriptor)


@contextmanager
def open_stream(git: Git, *arguments: str, extra: Mapping[str, str] | None = None) -> Iterator[GitStream]:
    """Starts git; it has ended when the block is left, however that happens."""
    import subprocess  # noqa: PLC0415 - these import a dozen modules
    import tempfile  # noqa: PLC0415

    with git.prepare(*arguments, extra=extra) as (argv, environment), tempfile.TemporaryFile() as complaints:
        try:
            process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=complaints,  # a file: a full pipe that nobody reads would stop git
                env=environment,
                start_new_session=True,
            )
        except (OSError, UnicodeEncodeError) as refused:
            raise build_start_error(arguments[0], refused) from refused
        stream = GitStream(arguments[0], process, complaints)
        try:
            yield stream
        finally:
            stream.stop()
