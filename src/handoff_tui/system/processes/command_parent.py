"""The parent of one command: adopts whatever the command leaves behind, ends it, and reports how it went.

Runs as a process of its own, inside the command's namespace if it has one. It ends everything as soon as whoever
started it closes the socket, or is killed.
"""

from __future__ import annotations

import os
import select
import signal
import sys

from handoff_tui.system.processes.agent_process import AgentProcess, ask_for_orphans, start_session

BOOT = "import sys; sys.path.append(sys.argv[1]); from handoff_tui.system.processes.command_parent import main; main()"
STOP = b"s"
"""What the parent is sent to ask the command to stop."""


def main() -> None:
    """Arguments: where this package lies, the socket's number, the mark, the folder, and the command."""
    _, _, number, mark, folder, *argv = sys.argv
    socket = int(number)
    os.set_inheritable(socket, False)  # noqa: FBT003 - its only argument
    has_orphans = ask_for_orphans()
    woken = _wake_on_child()
    try:
        pid = start_session(argv, folder, dict(os.environ), sys.stdout.fileno())
    except OSError as refused:
        os.write(socket, f"refused {refused.errno or 0}".encode())
        return
    process = AgentProcess(pid, mark)
    process.has_orphans = has_orphans
    _wait(process, socket, woken)
    left = process.find_living() if process.code is not None else []
    process.kill_all()
    os.write(socket, f"ended {process.code if process.code is not None else -signal.SIGKILL} {len(left)}".encode())


def _wake_on_child() -> int:
    """Returns what can be read from as soon as a child has ended."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    return reading


def _wait(process: AgentProcess, socket: int, woken: int) -> None:
    """Returns when the command has ended, or the process that started it is gone."""
    while process.code is None:
        ready, _, _ = select.select([socket, woken], [], [])
        if woken in ready:
            os.read(woken, 1 << 12)
        if socket in ready:
            if os.read(socket, 1) != STOP:
                return
            process.send(signal.SIGTERM)
        process.reap()
