"""Runs a command under a parent process that nothing it starts outlives, and behind the kernel's walls if it has them.

The parent is made the one that adopts orphans (Linux), so a child that leaves its session with a bare environment is
found and ended too. Behind walls, the kernel ends what is left.
"""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event

from handoff_tui.core.classes import NamedTuple
from handoff_tui.system.processes.command_parent import BOOT, STOP
from handoff_tui.system.processes.identity import MARK
from handoff_tui.system.processes.run import Bounds, CommandEnd, OutputKeeper, drain, end_marked, follow, signal_group

_PACKAGE = Path(__file__).resolve().parents[3]
_PARENT_SECONDS = 10.0
"""The parent needs no longer to end everything; if it does, it is killed itself."""


class _Report(NamedTuple):
    """What the parent said: how the command ended, or why it did not start."""

    code: int | None = None
    left: int = 0
    refused: int | None = None


def run_confined(
    argv: Sequence[str],
    folder: str,
    environment: Mapping[str, str],
    bounds: Bounds,
    cancel: Event | None = None,
    mark: str | None = None,
    walls: Sequence[str] = (),
) -> CommandEnd:
    """Runs until the end, the time limit or a cancel; returns once no process of it is left.

    `walls` is the program that puts the parent behind walls, with its arguments; `folder` is a path behind them.
    """
    mark = mark or uuid.uuid4().hex
    started = time.monotonic()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        parent = (sys.executable, "-I", "-S", "-c", BOOT, str(_PACKAGE), str(theirs.fileno()), mark, folder)
        try:
            process = subprocess.Popen(
                [*walls, *parent, *argv],
                cwd="/",
                env={**environment, MARK: mark},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                pass_fds=(theirs.fileno(),),
            )
        except (OSError, ValueError) as refused:
            reason = refused.strerror if isinstance(refused, OSError) else str(refused)
            return CommandEnd(None, b"", 0, time.monotonic() - started, failure=f"{argv[0]}: {reason}")
        theirs.close()
        keeper = OutputKeeper(bounds.keep_bytes)
        with process:
            timed_out, cancelled = follow(process, keeper, started + bounds.seconds, cancel, None)
            if timed_out or cancelled:
                _stop(process, ours, bounds.grace_seconds)
            signal_group(process.pid, signal.SIGKILL)
            process.wait()
            swept = end_marked(mark)
            drain(process, keeper, None)
        report = _read_report(ours)
    end = CommandEnd(None, keeper.build(), keeper.printed, time.monotonic() - started, timed_out, cancelled)
    return _describe(end, report, argv[0], swept)


def _stop(process: subprocess.Popen[bytes], parent: socket.socket, grace: float) -> None:
    """Asks the command to stop, and has the parent end everything after a while."""
    with suppress(OSError):  # it has just ended
        parent.send(STOP)
    with suppress(subprocess.TimeoutExpired):
        process.wait(grace)
    with suppress(OSError):
        parent.shutdown(socket.SHUT_WR)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_PARENT_SECONDS)


def _read_report(parent: socket.socket) -> _Report | None:
    """Returns None if the parent was killed, or never got to run."""
    parent.setblocking(False)  # noqa: FBT003 - its only argument
    try:
        words = parent.recv(64).split()
    except OSError:
        return None
    match words:
        case [b"ended", code, left]:
            return _Report(int(code), int(left))
        case [b"refused", number]:
            return _Report(refused=int(number))
    return None


def _describe(end: CommandEnd, report: _Report | None, program: str, swept: int) -> CommandEnd:
    if report is None:
        if end.timed_out or end.cancelled:
            return end._replace(code=-signal.SIGKILL, swept=swept)
        said = end.output.decode("utf-8", "replace").strip().splitlines()[-1:] or ["it ended without a word"]
        return end._replace(failure=f"what keeps it apart from you failed: {said[0]}")
    if report.refused is not None:
        from os import strerror  # noqa: PLC0415 - rare

        return end._replace(failure=f"{program}: {strerror(report.refused)}")
    return end._replace(code=report.code, swept=report.left + swept)
