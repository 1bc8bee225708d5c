"""Follows a run of the checks: progress on stderr, stopped by Ctrl-C or a closed terminal."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

from handoff_tui.checks.report import CheckResult
from handoff_tui.checks.run.check import ProgressCallbacks
from handoff_tui.cli.diagnostics import clear_progress, write_progress
from handoff_tui.core.text.safe_text import render_safe

_BAR = 20
_LONGEST_NAME = 40


@contextmanager
def following(*, keeps_partial: bool = False) -> Iterator[ProgressCallbacks]:
    """Stops the running commands, and then the verb, on Ctrl-C, SIGTERM or a closed terminal.

    With `keeps_partial` the verb goes on: it prints the results so far and asks whether it was cancelled.
    """
    progress = ProgressCallbacks(on_result=_tell)
    with stopping(progress.cancel):
        yield progress
    if progress.cancel.is_set() and not keeps_partial:
        raise KeyboardInterrupt


@contextmanager
def stopping(cancel: Event) -> Iterator[None]:
    """Sets `cancel` on Ctrl-C, SIGTERM or a closed terminal, and clears the progress line at the end.

    A closed terminal is ignored if the process was started to outlive it (`nohup`).
    """

    def stop(*_: object) -> None:
        cancel.set()

    heard = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        heard.append(signal.SIGHUP)
    before = {number: signal.signal(number, stop) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        clear_progress()


def build_progress_line(done: int, total: int, current: str | None = None) -> str:
    """Builds a bar, the numbers, and the name of the current check."""
    filled = _BAR * min(done, total) // total if total > 0 else _BAR
    bar = "█" * filled + "░" * (_BAR - filled)
    name = f"  {render_safe(current, _LONGEST_NAME)}" if current else ""
    return f"checks {bar} {done}/{total}{name}"


def _tell(result: CheckResult, done: int, total: int) -> None:
    write_progress(build_progress_line(done, total, result.id))
