"""Following a run of the checks: progress on stderr, and an end on Ctrl-C or when the terminal is closed."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

from handoff_tui.checks.output.table import build_progress_line
from handoff_tui.checks.result import CheckResult
from handoff_tui.checks.run.check import Telling
from handoff_tui.cli.diagnostics import clear_progress, write_progress


@contextmanager
def following(*, keeps_partial: bool = False) -> Iterator[Telling]:
    """Ctrl-C, a polite end and a closed terminal stop the running commands, and then the verb.

    With `keeps_partial` they do not stop the verb, which prints the results so far and asks by itself whether it was
    stopped.
    """
    telling = Telling(on_result=_tell)
    with stopping(telling.cancel):
        yield telling
    if telling.cancel.is_set() and not keeps_partial:
        raise KeyboardInterrupt


@contextmanager
def stopping(cancel: Event) -> Iterator[None]:
    """Ctrl-C and their like only say so, and whatever runs ends by itself; the line of progress goes with it.

    A closed terminal is one of them, but not for who was started so as to outlive it (`nohup`).
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


def _tell(result: CheckResult, done: int, total: int) -> None:
    write_progress(build_progress_line(done, total, result.id))
