"""Old contents of files, asked for one after another: one `git cat-file` answers them all.

Whatever is unusual (git ends, is late, or says something odd) is asked again in a call of its own, which explains it.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import weakref
from contextlib import ExitStack
from typing import IO, Protocol

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.git.command import TIMEOUT_SECONDS, Git
from handoff_tui.git.history.commits import can_be_asked, read_blobs, read_trees
from handoff_tui.git.objects.integrity import matches_id

_FOUND = compile_later(rb"([0-9a-f]{40,64}) ([a-z]+) ([0-9]+)")
_CHUNK = 1 << 16
_MOST_SKIPPED = 1 << 20
"""More than this of what nobody wants is not read: ending git costs less."""


class _ReadAlone(Protocol):
    """Reads some objects in calls of their own."""

    def __call__(self, git: Git, names: list[str], max_bytes: int, /) -> dict[str, bytes | None]: ...


class ObjectReader:
    """Reads objects by name (`<id>` or `<commit>:<path>`). For one thread; git is ended with it, or by `close`."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._running: _Running | None = None

    def read(self, name: str, max_bytes: int) -> bytes | None:
        """The content; nothing for what is missing, too large, no file, or not what its name says."""
        return self._read(name, max_bytes, b"blob", read_blobs)

    def read_tree(self, name: str, max_bytes: int) -> bytes | None:
        """A folder as git stores it; nothing for what is missing, too large, no folder, or not what its name says."""
        return self._read(name, max_bytes, b"tree", read_trees)

    def _read(self, name: str, max_bytes: int, kind: bytes, read_alone: _ReadAlone) -> bytes | None:
        if not can_be_asked(name):
            return None
        try:
            if self._running is None:
                self._running = _Running(self._git)
            return self._running.ask(name, max_bytes, kind)
        except (OSError, _OddAnswerError):
            self.close()
            return read_alone(self._git, [name], max_bytes)[name]

    def close(self) -> None:
        if self._running is not None:
            self._running.end()
            self._running = None


class _OddAnswerError(Exception):
    """Git did not answer as it should."""


class _Running:
    """The process, and what of its output is not used yet."""

    def __init__(self, git: Git) -> None:
        with ExitStack() as stack:
            argv, environment = stack.enter_context(git.prepare("cat-file", "--batch"))
            process = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,
                bufsize=0,
            )
            self._stdin, self._stdout = _require(process.stdin), _require(process.stdout)
            self._poll = select.poll()
            self._poll.register(self._stdout.fileno(), select.POLLIN)
            self._rest = b""
            self.end = weakref.finalize(self, _end, process, stack.pop_all())

    def ask(self, name: str, max_bytes: int, wanted_kind: bytes) -> bytes | None:
        self._stdin.write(os.fsencode(name) + b"\n")
        while b"\n" not in self._rest:
            self._rest += self._read()
        header, _, self._rest = self._rest.partition(b"\n")
        found = _FOUND.fullmatch(header)
        if found is None:
            if header.endswith(b" missing"):
                return None
            raise _OddAnswerError
        identifier, kind, size = found.group(1).decode("ascii"), found.group(2), int(found.group(3))
        wanted = kind == wanted_kind and size <= max_bytes
        if not wanted and size > _MOST_SKIPPED:
            raise _OddAnswerError
        content = self._read_content(size)
        return content if wanted and matches_id(identifier, kind, content) else None

    def _read_content(self, size: int) -> bytes:
        """That many bytes, after which git ends the line."""
        parts, missing = [self._rest], size + 1 - len(self._rest)
        while missing > 0:
            parts.append(self._read())
            missing -= len(parts[-1])
        content = b"".join(parts)
        self._rest = content[size + 1 :]
        return content[:size]

    def _read(self) -> bytes:
        if not self._poll.poll(TIMEOUT_SECONDS * 1000):
            raise _OddAnswerError
        chunk = os.read(self._stdout.fileno(), _CHUNK)
        if not chunk:
            raise _OddAnswerError
        return chunk


def _require(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise _OddAnswerError
    return pipe


def _end(process: subprocess.Popen[bytes], prepared: ExitStack) -> None:
    with prepared, process:
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
