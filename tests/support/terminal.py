"""A real terminal for a command, and somebody who types at it."""

from __future__ import annotations

import os
import pty
import select
import sys
import time
from collections.abc import Mapping
from pathlib import Path

_LONGEST_SECONDS = 150.0
_QUIET_SECONDS = 0.5


def type_at(
    arguments: tuple[str | Path, ...], answers: Mapping[str, str], environment: Mapping[str, str]
) -> tuple[int, str]:
    """Runs `handoff-tui` at a terminal of its own: exit code and all that was shown.

    `answers` are questions and what is typed at them. Who types waits until nothing more appears, and types again
    while nothing happens: what is typed before a question can be read is thrown away.
    """
    process, terminal = pty.fork()
    if process == 0:
        words = [sys.executable, "-m", "handoff_tui", *map(str, arguments)]
        os.execve(sys.executable, words, {**os.environ, **environment})  # noqa: S606 - no shell is meant
    try:
        shown = _converse(terminal, answers)
    finally:
        os.close(terminal)
    _, status = os.waitpid(process, 0)
    return os.waitstatus_to_exitcode(status), shown


def _converse(terminal: int, answers: Mapping[str, str]) -> str:
    shown = ""
    deadline = time.monotonic() + _LONGEST_SECONDS
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], _QUIET_SECONDS)[0]:
            try:
                shown += os.read(terminal, 65536).decode("utf-8", "replace")
            except OSError:  # the other end is gone
                return shown
            continue
        asked = max(answers, key=shown.rfind, default="")
        if asked and asked in shown:
            os.write(terminal, f"{answers[asked]}\n".encode())
    raise AssertionError(f"nothing more happened after: {shown[-500:]}")
