"""An agent as processes: started in a session of its own, all of them found again, all of them ended.

Imports only the lightest part of the standard library: the supervisor of an agent uses it, and starts quickly.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

from handoff_tui.system.processes.identity import MARK, find_descendants, find_marked

_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER: what loses its parent becomes our child, whatever it did to its environment."""
_SWEEP_SECONDS = 5.0
_LOOK_AGAIN_SECONDS = 0.005
_CHANGED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


class AgentProcess:
    """The agent and everything that it started."""

    def __init__(self, pid: int, mark: str) -> None:
        self.pid = pid
        self.mark = mark
        self.code: int | None = None
        """Its exit code, or the negative number of the signal that ended it; nothing while it runs."""
        self.has_orphans = False
        """Whether what loses its parent comes to us: then who has no children is alone."""

    def reap(self) -> None:
        """Takes note of every child that has ended: the agent, and those that we inherited."""
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
        """Every process of the agent that is still there."""
        if self.has_orphans and self._is_alone():
            return []
        return sorted({*find_descendants(os.getpid()), *find_marked(self.mark)} - {os.getpid()})

    def send(self, number: signal.Signals) -> None:
        """To its group, and to whoever has left it."""
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


def start_agent(argv: list[str], folder: str, mark: str, output: str) -> AgentProcess:
    """Starts a command; what it prints goes to a file. An OSError says why it could not be started."""
    if not argv or any("\0" in word for word in argv):
        raise ValueError("there is no such command")
    environment = {**os.environ, MARK: mark}
    printed = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    reading, writing = os.pipe()  # closed by a successful start; else it says what was wrong
    pid = os.fork()
    if not pid:
        _become(argv, folder, environment, printed, writing)
    os.close(writing)
    os.close(printed)
    with os.fdopen(reading, "rb") as told:
        refused = told.read()
    if refused:
        os.waitpid(pid, 0)
        raise OSError(int(refused), os.strerror(int(refused)))
    return AgentProcess(pid, mark)


def ask_for_orphans() -> bool:
    """From now on, what loses its parent below us becomes our child; false where the system cannot do that."""
    try:
        import ctypes  # noqa: PLC0415 - not every build of Python has it

        return bool(ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0) == 0)
    except (ImportError, OSError, AttributeError):
        return False


def _become(argv: list[str], folder: str, environment: dict[str, str], printed: int, writing: int) -> None:
    """In the new process: a session of its own, no input, signals as they usually are; then the command itself."""
    try:
        signal.set_wakeup_fd(-1)
        for number in _CHANGED_BY_PYTHON:
            signal.signal(number, signal.SIG_DFL)
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
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
