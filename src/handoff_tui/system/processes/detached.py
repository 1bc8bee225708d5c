"""Processes that survive the one that started them, and leaving the current one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

_STARTED: dict[int, subprocess.Popen[bytes]] = {}
"""Kept, so that Python doesn't warn that nobody waited for them."""
_GRACE_SECONDS = 5.0


def start_detached(arguments: Sequence[str], output: Path) -> int:
    """Starts this program again with other arguments: in a new session, without a terminal, with output to a file.

    It starts in the root folder, which isn't on the import path: a repository could contain planted modules.
    """
    words = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "handoff_tui", *arguments],
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=words,
            stderr=words,
            start_new_session=True,
        )
    finally:
        os.close(words)
    _STARTED[process.pid] = process
    return process.pid


def has_ended(pid: int) -> bool:
    """Tells whether a process that was started here has ended."""
    return _STARTED[pid].poll() is not None


def end_detached(pid: int) -> None:
    """Ends a process that was started here, first politely, then by force, and waits for it."""
    process = _STARTED.pop(pid)
    process.terminate()
    try:
        process.wait(_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def leave_at_once(code: int) -> NoReturn:
    """Ends this process without waiting for its threads, which may sleep for days."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def on_polite_end(act: Callable[[], object]) -> None:
    """Calls a function if the process is asked to end."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: act())
