"""Runs one command and leaves nothing behind: its own session, no stdin, a time limit, bounded output.

A child that leaves its session is found by a mark in its inherited environment. Survivors are killed.
"""

from __future__ import annotations

import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.system.processes.identity import MARK, find_marked, is_living

if TYPE_CHECKING:
    import subprocess

_MAX_BYTES = 256 * 1024 * 1024


_CHUNK = 1 << 16
_TICK_SECONDS = 0.01
_HEAD_BYTES = 64 * 1024
_SWEEP_SECONDS = 5.0
"""A killed process that waits for a dead disk never ends, so waiting has a limit."""
_LOOK_AGAIN_SECONDS = 0.001


class Bounds(NamedTuple):
    """How long a command may run, how long it may take to end when told to, and how much of its output is kept."""

    seconds: float
    grace_seconds: float
    keep_bytes: int


class CommandEnd(NamedTuple):
    """How a command ended. `code` is None if it couldn't be started."""

    code: int | None
    output: bytes
    """The beginning and the end of what it printed."""
    printed: int
    """How many bytes it printed in all."""
    seconds: float
    timed_out: bool = False
    cancelled: bool = False
    failure: str | None = None
    """Why it couldn't be started."""
    swept: int = 0
    """How many processes it left running."""


@dataclass(slots=True)
class OutputKeeper:
    """Keeps the beginning and the end of an output of any length."""

    tail_bytes: int
    head: bytearray = field(default_factory=bytearray)
    tail: deque[bytes] = field(default_factory=deque)
    tail_size: int = 0
    printed: int = 0

    def add(self, chunk: bytes) -> None:
        self.printed += len(chunk)
        room = _HEAD_BYTES - len(self.head)
        if room > 0:
            self.head += chunk[:room]
            chunk = chunk[room:]
        if chunk:
            self.tail.append(chunk)
            self.tail_size += len(chunk)
            while self.tail_size - len(self.tail[0]) >= self.tail_bytes:
                self.tail_size -= len(self.tail.popleft())

    def build(self) -> bytes:
        left_out = self.printed - len(self.head) - self.tail_size
        note = f"\n[... {left_out:,} bytes left out ...]\n".encode() if left_out > 0 else b""
        return bytes(self.head) + note + b"".join(self.tail)


def run_command(
    argv: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    bounds: Bounds,
    cancel: Event | None = None,
    on_output: Callable[[bytes], None] | None = None,
    mark: str | None = None,
) -> CommandEnd:
    """Runs until the end, the time limit or a cancel; returns once no process of it is left.

    With `mark`, a later process can find what is left of it if this one is killed.
    """
    import subprocess  # noqa: PLC0415 - who looks imports this module, and runs nothing

    mark = mark or os.urandom(16).hex()
    started = time.monotonic()
    try:
        process = subprocess.Popen(
            list(argv),
            cwd=folder,
            env={**environment, MARK: mark},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except (OSError, ValueError) as refused:
        reason = refused.strerror if isinstance(refused, OSError) else str(refused)
        return CommandEnd(None, b"", 0, time.monotonic() - started, failure=f"{argv[0]}: {reason}")
    keeper = OutputKeeper(bounds.keep_bytes)
    with process:
        timed_out, cancelled = follow(process, keeper, started + bounds.seconds, cancel, on_output)
        swept = stop_all(process, mark, bounds.grace_seconds if timed_out or cancelled else 0)
        drain(process, keeper, on_output)
    seconds = time.monotonic() - started
    return CommandEnd(process.returncode, keeper.build(), keeper.printed, seconds, timed_out, cancelled, None, swept)


def follow(
    process: subprocess.Popen[bytes],
    keeper: OutputKeeper,
    deadline: float,
    cancel: Event | None,
    on_output: Callable[[bytes], None] | None,
) -> tuple[bool, bool]:
    """Reads output until the command ends; tells whether it timed out, and whether it was cancelled."""
    assert process.stdout is not None  # noqa: S101 - opened as a pipe
    descriptor = process.stdout.fileno()
    os.set_blocking(descriptor, False)
    import selectors  # noqa: PLC0415

    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        open_pipe = True
        while process.poll() is None:
            if time.monotonic() >= deadline:
                return True, False
            if cancel is not None and cancel.is_set():
                return False, True
            if not open_pipe:
                time.sleep(_TICK_SECONDS)
                continue
            if selector.select(_TICK_SECONDS):
                open_pipe = _read_some(descriptor, keeper, on_output)
                if not open_pipe:
                    selector.unregister(descriptor)
    return False, False


def _read_some(descriptor: int, keeper: OutputKeeper, on_output: Callable[[bytes], None] | None) -> bool:
    """Reads what is there; returns False if the other end is closed."""
    try:
        chunk = os.read(descriptor, _CHUNK)
    except BlockingIOError:
        return True
    if not chunk:
        return False
    keeper.add(chunk)
    if on_output is not None:
        on_output(chunk)
    return True


def drain(process: subprocess.Popen[bytes], keeper: OutputKeeper, on_output: Callable[[bytes], None] | None) -> None:
    """Reads what is left in the pipe; all writers are gone."""
    assert process.stdout is not None  # noqa: S101 - opened as a pipe
    before = -1
    while before != keeper.printed:
        before = keeper.printed
        if not _read_some(process.stdout.fileno(), keeper, on_output):
            return


def stop_all(process: subprocess.Popen[bytes], mark: str, grace: float) -> int:
    """Ends the command's session and everything that left it; returns how many were found by their mark."""
    import subprocess  # noqa: PLC0415

    if process.poll() is None and grace > 0:
        signal_group(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(grace)
    signal_group(process.pid, signal.SIGKILL)
    process.wait()
    return end_marked(mark)


def end_marked(mark: str) -> int:
    """Kills every process with a mark, and waits until it has ended; returns how many there were."""
    swept: set[int] = set()
    deadline = time.monotonic() + _SWEEP_SECONDS
    while (survivors := find_marked(mark)) and time.monotonic() < deadline:
        swept.update(survivors)
        for pid in survivors:
            _signal_one(pid)
    # a dying process has already lost its environment, but is still there for a moment
    while any(is_living(pid) for pid in swept) and time.monotonic() < deadline:
        time.sleep(_LOOK_AGAIN_SECONDS)
    return len(swept)


def signal_group(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):  # nobody is left in it
        os.killpg(pid, number)


def _signal_one(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # it ended by itself
        os.kill(pid, signal.SIGKILL)


class OwnFolders(NamedTuple):
    """What a command has to itself, outside the repository."""

    root: Path
    report: Path
    """Where it may write its report; nothing is there yet."""
    home: Path
    temporary: Path
    cache: Path
    bytecode: Path
    git: Path
    """Where it sees the repository's git folder, if it stands behind walls."""


@contextmanager
def offer_own_folders() -> Iterator[OwnFolders]:
    """Offers folders for one command, and removes them afterwards."""
    import tempfile  # noqa: PLC0415 - running a program in a folder of its own is rare

    with tempfile.TemporaryDirectory(prefix="handoff-tui-check-", ignore_cleanup_errors=True) as name:
        root = Path(name).resolve()
        own = OwnFolders(root, *(root / part for part in OwnFolders._fields[1:]))
        for folder in own[2:]:
            folder.mkdir(mode=0o700)
        yield own


def read_report(place: Path) -> bytes | None:
    """Returns the report; None if there is none, or it can't be read."""
    try:
        if place.is_symlink() or not place.is_file() or place.stat().st_size > _MAX_BYTES:
            return None
        return place.read_bytes()
    except OSError:
        return None
