"""Processes that live on without whoever started them, and the way out of one's own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

_STARTED: dict[int, subprocess.Popen[bytes]] = {}
"""Kept, so that none is complained about for not having been waited for."""
_GRACE_SECONDS = 5.0


def start_detached(arguments: Sequence[str], output: Path) -> int:
    """Starts this program anew with other arguments: a session of its own, no terminal, its words to a file.

    It begins in the root folder and puts none of it on the import path: a repository could have modules planted.
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
    """Whether a process that was started here is gone."""
    return _STARTED[pid].poll() is not None


def end_detached(pid: int) -> None:
    """Ends a process that was started here, politely and then not, and waits for it."""
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
    """Has a function called when the process is asked to end."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: act())
