"""The lock that makes writers of the log wait for each other. It ends with the process that holds it."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from handoff_tui.core.errors import LogLockedError, StoreWriteError
from handoff_tui.system.files.atomic_write import build_write_error
from handoff_tui.system.files.git_private_files import LOCAL_FOLDER, GitPrivateFolder

LOCK_NAME = "lock"
TIMEOUT_SECONDS = 30.0
_PAUSE_SECONDS = 0.005
_LONGEST_PAUSE_SECONDS = 0.05
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_BUSY = frozenset({errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES})
_NOTE_BYTES = 512


class LogLock:
    """The one lock of a repository's log, for all its worktrees."""

    def __init__(self, local: GitPrivateFolder, timeout: float = TIMEOUT_SECONDS) -> None:
        self.local = local
        self.timeout = timeout

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Waits for the lock and holds it; the error names who would not let go."""
        descriptor = self._take()
        try:
            yield
        finally:
            os.close(descriptor)

    def _take(self) -> int:
        deadline = time.monotonic() + self.timeout
        pause = _PAUSE_SECONDS
        while True:
            descriptor = self._try_once(deadline)
            if descriptor is not None:
                return descriptor
            time.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_PAUSE_SECONDS)

    def _try_once(self, deadline: float) -> int | None:
        """Returns the lock; None if another holds it and there is time left."""
        descriptor: int | None = None
        try:
            with self.local.open(create=True) as folder:
                descriptor = os.open(LOCK_NAME, _FLAGS, 0o600, dir_fd=folder.descriptor)
                locked = _lock(descriptor) and _is_still_there(descriptor, folder.descriptor)
                if locked:
                    _write_note(descriptor)
                holder = os.pread(descriptor, _NOTE_BYTES, 0)
        except BaseException as refused:
            if descriptor is not None:
                os.close(descriptor)
            if isinstance(refused, OSError):
                shown = str(self.local.common_dir / LOCAL_FOLDER / LOCK_NAME)
                raise build_write_error(refused, shown) from refused
            raise
        if locked:
            return descriptor
        os.close(descriptor)
        if time.monotonic() >= deadline:
            raise _build_locked_error(holder, self.timeout)
        return None


def _lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as refused:
        if refused.errno in _BUSY:
            return False
        raise StoreWriteError(
            f"the log cannot be locked: {refused.strerror}", "Is the repository on a file system without locks?"
        ) from refused
    return True


def _is_still_there(descriptor: int, folder: int) -> bool:
    """Whether the locked file is the one that others would lock: it may have been deleted while we waited."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(LOCK_NAME, dir_fd=folder, follow_symlinks=False))
    except FileNotFoundError:
        return False


def _write_note(descriptor: int) -> None:
    note = f"{os.getpid()} {os.uname().nodename}\n".encode()
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, note, 0)


def _build_locked_error(note: bytes, waited: float) -> LogLockedError:
    pid, _, host = note.decode("utf-8", "replace").strip().partition(" ")
    holder = f"process {pid} on {host}" if pid.isdigit() and host else "another process"
    return LogLockedError(
        f"{holder} has been writing to the log for more than {waited:g} seconds",
        "Try again when it is done. A process that was killed holds no lock.",
    )
