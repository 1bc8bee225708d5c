"""An agent as processes: starts them in a new session, finds all of them again, ends all of them.

Imports only the lightest part of the standard library: an agent's supervisor uses it and must start quickly.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

from handoff_tui.system.processes.identity import MARK, find_descendants, find_marked

_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER: orphaned processes become our children, whatever they did to their environment."""
_SWEEP_SECONDS = 5.0
_LOOK_AGAIN_SECONDS = 0.005
_CHANGED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


class AgentProcess:
    """The agent and everything it started."""

    def __init__(self, pid: int, mark: str) -> None:
        self.pid = pid
        self.mark = mark
        self.code: int | None = None
        """Its exit code, or the negative number of the signal that ended it; None while it runs."""
        self.has_orphans = False
        """Whether orphans become our children: then no children means that nothing is left."""

    def reap(self) -> None:
        """Notes every child that has ended: the agent, and adopted ones."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            if pid == self.pid:
                self.code = os.waitstatus_to_exitcode(status)

    def find_living(self) -> list[int]:
        """Returns every process of the agent that is still alive."""
        if self.has_orphans and self._is_alone():
            return []
        return sorted({*find_descendants(os.getpid()), *find_marked(self.mark)} - {os.getpid()})

    def send(self, number: signal.Signals) -> None:
        """Signals its process group, and everything that left the group."""
        with suppress(ProcessLookupError, PermissionError):
            if self.code is None:
                os.killpg(self.pid, number)
        for pid in self.find_living():
            _send(pid, number)

    def kill_all(self) -> None:
        deadline = time.monotonic() + _SWEEP_SECONDS
        while (living := self.find_living()) and time.monotonic() < deadline:
            for pid in living:
                _send(pid, signal.SIGKILL)
            self.reap()
            time.sleep(_LOOK_AGAIN_SECONDS)
        self.reap()

    def _is_alone(self) -> bool:
        self.reap()
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return True
        return False


def start_agent(argv: list[str], folder: str, mark: str, output: str, reading: int | None = None) -> AgentProcess:
    """Starts a command with its output in a file; it reads from an open file, or nothing.

    An OSError says why it couldn't be started.
    """
    if not argv or any("\0" in word for word in argv):
        raise ValueError("there is no such command")
    printed = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        return AgentProcess(start_session(argv, folder, {**os.environ, MARK: mark}, printed, reading), mark)
    finally:
        os.close(printed)


def start_session(
    argv: list[str], folder: str, environment: dict[str, str], printed: int, given: int | None = None
) -> int:
    """Starts a command in a new session, printing to an open file; returns its pid. An OSError says why it can't."""
    reading, writing = os.pipe()  # closed by a successful start; otherwise it says what was wrong
    pid = os.fork()
    if not pid:
        _become(argv, folder, environment, (given, printed), writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        refused = told.read()
    if refused:
        os.waitpid(pid, 0)
        raise OSError(int(refused), os.strerror(int(refused)))
    return pid


def ask_for_orphans() -> bool:
    """Makes orphaned descendants our children from now on; returns False if the system can't do that."""
    try:
        import ctypes  # noqa: PLC0415 - not every build of Python has it

        return bool(ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0) == 0)
    except (ImportError, OSError, AttributeError):
        return False


def _become(
    argv: list[str], folder: str, environment: dict[str, str], files: tuple[int | None, int], writing: int
) -> None:
    """Runs in the new process: a new session, default signals, its input and output; then the command itself."""
    given, printed = files
    try:
        signal.set_wakeup_fd(-1)
        for number in _CHANGED_BY_PYTHON:
            signal.signal(number, signal.SIG_DFL)
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY) if given is None else given, 0)
        os.dup2(printed, 1)
        os.dup2(printed, 2)
        os.chdir(folder)
        os.execvpe(argv[0], argv, environment)  # noqa: S606 - no shell is what is wanted
    except OSError as refused:
        os.write(writing, str(refused.errno or 0).encode())
    finally:
        os._exit(127)


def _send(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
