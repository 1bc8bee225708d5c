"""Writes files completely or not at all: a temporary file, fsync, then link() or rename(). No step follows a link."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from typing import Protocol

from handoff_tui.core.errors import HandoffError, StoredFileDamagedError, StoreWriteError


class Calls(Protocol):
    """The part of the `os` module that changes files; the module itself is the real implementation."""

    def open(self, path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int: ...
    def close(self, fd: int, /) -> None: ...
    def read(self, fd: int, length: int, /) -> bytes: ...
    def write(self, fd: int, data: bytes, /) -> int: ...
    def fsync(self, fd: int) -> None: ...
    def mkdir(self, path: str, mode: int = 0o777, *, dir_fd: int | None = None) -> None: ...
    def unlink(self, path: str, *, dir_fd: int | None = None) -> None: ...
    def rename(self, src: str, dst: str, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None) -> None: ...
    def link(
        self,
        src: str,
        dst: str,
        *,
        src_dir_fd: int | None = None,
        dst_dir_fd: int | None = None,
        follow_symlinks: bool = True,
    ) -> None: ...


SYSTEM: Calls = os


TEMPORARY_PREFIX = ".tmp-"
FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OLD_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_WITHOUT_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
_WITHOUT_FOLDER_SYNC = frozenset({errno.EINVAL, errno.EOPNOTSUPP})
_REASONS = {
    errno.ENOSPC: ("the disk is full", "Free some space and try again."),
    errno.EDQUOT: ("your disk quota is used up", "Free some space and try again."),
    errno.EROFS: ("the file system is read-only", "Mount it writable, or work in a clone elsewhere."),
    errno.EACCES: ("this user may not write there", "Check who owns the folder."),
    errno.EPERM: ("this user may not write there", "Check who owns the folder."),
}


def open_folder(calls: Calls, name: str, inside: int, shown: str, *, create: bool = False) -> int:
    """Opens a folder inside another; refuses a link, or anything but a folder."""
    try:
        return calls.open(name, FOLDER_FLAGS, dir_fd=inside)
    except FileNotFoundError:
        if not create:
            raise
    except OSError as refused:
        if refused.errno in {errno.ENOTDIR, errno.ELOOP}:
            raise _build_folder_error(shown) from refused
        raise
    with suppress(FileExistsError):
        calls.mkdir(name, dir_fd=inside)
    return open_folder(calls, name, inside, shown)


def write_once(calls: Calls, temporaries: int, folder: int, name: str, content: bytes) -> bool:
    """Writes a file that doesn't exist yet; returns False if it exists, whatever its content."""
    temporary = TEMPORARY_PREFIX + os.urandom(16).hex()
    descriptor = calls.open(temporary, _NEW_FILE, 0o666, dir_fd=temporaries)
    try:
        try:
            _write_all(calls, descriptor, content)
            calls.fsync(descriptor)
        finally:
            calls.close(descriptor)
        return _give_name(calls, temporaries, temporary, folder, name)
    finally:
        with suppress(OSError):  # every reader ignores it, and so does git
            calls.unlink(temporary, dir_fd=temporaries)


def replace_file(
    calls: Calls, folder: int, name: str, content: bytes, *, lasting: bool = True, mode: int = 0o600
) -> None:
    """Replaces a file, or a link in its place, in one step: readers see the old content or the new one."""
    temporary = TEMPORARY_PREFIX + os.urandom(16).hex()
    descriptor = calls.open(temporary, _NEW_FILE, mode, dir_fd=folder)
    try:
        try:
            _write_all(calls, descriptor, content)
            if lasting:
                calls.fsync(descriptor)
        finally:
            calls.close(descriptor)
        calls.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        with suppress(OSError):
            calls.unlink(temporary, dir_fd=folder)
        raise
    if lasting:
        sync_folder(calls, folder)


def close_looked_at(calls: Calls, descriptor: int) -> None:
    """Closes a file that was only read, ignoring errors."""
    with suppress(OSError):
        calls.close(descriptor)


def sync_folder(calls: Calls, folder: int) -> None:
    """Makes names in a folder durable; ignores file systems that can't."""
    try:
        calls.fsync(folder)
    except OSError as refused:
        if refused.errno not in _WITHOUT_FOLDER_SYNC:
            raise


def read_regular(calls: Calls, folder: int, name: str, max_bytes: int, shown: str) -> bytes:
    """Reads a regular file of a known size; checks it before opening, so that no named pipe is touched."""
    _refuse_unsuitable(os.stat(name, dir_fd=folder, follow_symlinks=False), max_bytes, shown)
    descriptor = calls.open(name, _OLD_FILE, dir_fd=folder)
    try:
        status = os.fstat(descriptor)
        _refuse_unsuitable(status, max_bytes, shown)
        content = calls.read(descriptor, max_bytes + 1)
        if len(content) != status.st_size:  # read in parts, or changed in the meantime
            content += _read_all(calls, descriptor, max_bytes + 1 - len(content))
    finally:
        close_looked_at(calls, descriptor)
    if len(content) > max_bytes:
        raise _build_size_error(shown, len(content), max_bytes)
    return content


def build_write_error(refused: OSError, shown: str) -> HandoffError:
    """Explains a write that the system refused."""
    reason, hint = _REASONS.get(refused.errno or 0, (refused.strerror or str(refused), ""))
    return StoreWriteError(f"{shown} cannot be written: {reason}", hint)


def _build_folder_error(shown: str) -> StoredFileDamagedError:
    return StoredFileDamagedError(
        f"{shown} is a link or a file, not a folder",
        "handoff-tui follows no links there: move it aside, and put a real folder in its place.",
    )


def _build_size_error(shown: str, size: int, limit: int) -> StoredFileDamagedError:
    return StoredFileDamagedError(f"{shown} is too large: {size:,} bytes; the limit is {limit:,}")


def _refuse_unsuitable(status: os.stat_result, max_bytes: int, shown: str) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise StoredFileDamagedError(f"{shown} is a link, not a file", "Remove it; what it leads to is not read.")
    if not stat.S_ISREG(status.st_mode):
        raise StoredFileDamagedError(f"{shown} is not a regular file", "Remove it; it is not read.")
    if status.st_size > max_bytes:
        raise _build_size_error(shown, status.st_size, max_bytes)


def _write_all(calls: Calls, descriptor: int, content: bytes) -> None:
    remaining = content
    while remaining:
        remaining = remaining[calls.write(descriptor, remaining) :]


def _read_all(calls: Calls, descriptor: int, limit: int) -> bytes:
    parts: list[bytes] = []
    while limit > 0 and (part := calls.read(descriptor, limit)):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)


def _give_name(calls: Calls, temporaries: int, temporary: str, folder: int, name: str) -> bool:
    try:
        calls.link(temporary, name, src_dir_fd=temporaries, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        return False
    except OSError as refused:
        if refused.errno not in _WITHOUT_LINKS:
            raise
        return _rename_to_name(calls, temporaries, temporary, folder, name)
    return True


def _rename_to_name(calls: Calls, temporaries: int, temporary: str, folder: int, name: str) -> bool:
    """For file systems without hard links. Anyone who slips in between check and rename writes the same content."""
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        calls.rename(temporary, name, src_dir_fd=temporaries, dst_dir_fd=folder)
        return True
    return False
