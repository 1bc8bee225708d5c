"""Writes files completely or not at all: a temporary file, fsync, then link() or rename(). No step follows a link."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Protocol

from handoff_tui.core.errors import HandoffError, RollbackError, StoredFileDamagedError, StoreWriteError
from handoff_tui.core.file_modes import FILE, LINK, PROGRAM

TEMPORARY_PREFIX = ".tmp-"
FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_ROOT_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
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


class Folder:
    """An open folder. Nothing in it is reached through a link."""

    def __init__(self, calls: Calls, descriptor: int) -> None:
        self.calls = calls
        self.descriptor = descriptor

    def open(self, name: str, shown: str, *, create: bool = False) -> Folder:
        """Opens a folder inside; refuses a link, or anything but a folder."""
        try:
            return Folder(self.calls, self.calls.open(name, FOLDER_FLAGS, dir_fd=self.descriptor))
        except FileNotFoundError:
            if not create:
                raise
        except OSError as refused:
            if refused.errno in {errno.ENOTDIR, errno.ELOOP}:
                raise _build_folder_error(shown) from refused
            raise
        with suppress(FileExistsError):
            self.calls.mkdir(name, dir_fd=self.descriptor)
        return self.open(name, shown)

    def close(self) -> None:
        """Closes it, ignoring errors: it was only read."""
        with suppress(OSError):
            self.calls.close(self.descriptor)

    def sync(self) -> None:
        """Makes the names in it durable; ignores file systems that can't."""
        try:
            self.calls.fsync(self.descriptor)
        except OSError as refused:
            if refused.errno not in _WITHOUT_FOLDER_SYNC:
                raise

    def read(self, name: str, max_bytes: int, shown: str) -> bytes:
        """Reads a regular file of a known size; checks it before opening, so that no named pipe is touched."""
        _refuse_unsuitable(os.stat(name, dir_fd=self.descriptor, follow_symlinks=False), max_bytes, shown)
        descriptor = self.calls.open(name, _OLD_FILE, dir_fd=self.descriptor)
        try:
            status = os.fstat(descriptor)
            _refuse_unsuitable(status, max_bytes, shown)
            content = self.calls.read(descriptor, max_bytes + 1)
            if len(content) != status.st_size:  # read in parts, or changed in the meantime
                content += read_up_to(descriptor, max_bytes + 1 - len(content), self.calls)
        finally:
            Folder(self.calls, descriptor).close()
        if len(content) > max_bytes:
            raise _build_size_error(shown, len(content), max_bytes)
        return content

    def write_once(self, name: str, content: bytes, temporaries: Folder | None = None) -> bool:
        """Writes a file that doesn't exist yet; returns False if it exists, whatever its content."""
        with (temporaries or self).hold_temporary(content, 0o666, lasting=True) as temporary:
            return self._give_name(temporaries or self, temporary, name)

    def replace(self, name: str, content: bytes, *, lasting: bool = True, mode: int = 0o600) -> None:
        """Replaces a file, or a link in its place, in one step: readers see the old content or the new one."""
        with self.hold_temporary(content, mode, lasting=lasting) as temporary:
            self.calls.rename(temporary, name, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)
        if lasting:
            self.sync()

    @contextmanager
    def hold_temporary(self, content: bytes, mode: int, *, lasting: bool) -> Iterator[str]:
        """Offers the name of a new file; what is left of it is removed. Every reader ignores it, and so does git."""
        temporary = TEMPORARY_PREFIX + os.urandom(16).hex()
        descriptor = self.calls.open(temporary, _NEW_FILE, mode, dir_fd=self.descriptor)
        try:
            try:
                remaining = content
                while remaining:
                    remaining = remaining[self.calls.write(descriptor, remaining) :]
                if lasting:
                    self.calls.fsync(descriptor)
            finally:
                self.calls.close(descriptor)
            yield temporary
        finally:
            with suppress(OSError):
                self.calls.unlink(temporary, dir_fd=self.descriptor)

    def _give_name(self, temporaries: Folder, temporary: str, name: str) -> bool:
        source, target = temporaries.descriptor, self.descriptor
        try:
            self.calls.link(temporary, name, src_dir_fd=source, dst_dir_fd=target, follow_symlinks=False)
        except FileExistsError:
            return False
        except OSError as refused:
            if refused.errno not in _WITHOUT_LINKS:
                raise
            # a file system without hard links; anyone who slips in between check and rename writes the same content
            with suppress(FileNotFoundError):
                os.stat(name, dir_fd=target, follow_symlinks=False)
                return False
            self.calls.rename(temporary, name, src_dir_fd=source, dst_dir_fd=target)
        return True


@contextmanager
def open_folders(
    calls: Calls, root: Path, *names: str, shown: str = "", create: bool = False
) -> Iterator[list[Folder]]:
    """Opens a folder and one after the other below it. Only the first may be reached through links.

    `shown` is how error messages begin the path.
    """
    with ExitStack() as opened:
        folders = [Folder(calls, calls.open(str(root), _ROOT_FLAGS))]
        opened.callback(folders[0].close)
        for name in names:
            shown = f"{shown}/{name}" if shown else name
            folders.append(folders[-1].open(name, shown, create=create))
            opened.callback(folders[-1].close)
        yield folders


def read_up_to(descriptor: int, limit: int, calls: Calls = SYSTEM) -> bytes:
    """Reads a file to its end, or to a limit; one call may return less than is there."""
    parts: list[bytes] = []
    while limit > 0 and (part := calls.read(descriptor, limit)):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)


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


def write_file(root: Path, path: str, content: bytes, mode: str = FILE) -> None:
    """Puts a file or a link in its place in one step; creates missing folders."""
    with _open_parent(root, path, create=True) as folder:
        name = PurePosixPath(path).name
        temporary = TEMPORARY_PREFIX + os.urandom(8).hex()
        if mode == LINK:
            os.symlink(os.fsdecode(content), temporary, dir_fd=folder)
        else:
            permissions = 0o777 if mode == PROGRAM else 0o666
            with os.fdopen(os.open(temporary, _NEW_FILE, permissions, dir_fd=folder), "wb") as file:
                file.write(content)
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)


def delete_file(root: Path, path: str) -> None:
    """Deletes a file, and folders that are then empty; a missing file is fine."""
    try:
        with _open_parent(root, path, create=False) as folder:
            os.unlink(PurePosixPath(path).name, dir_fd=folder)
    except (FileNotFoundError, NotADirectoryError):
        return
    for parent in PurePosixPath(path).parents:
        if parent == PurePosixPath():
            return
        try:
            (root / parent).rmdir()
        except OSError:
            return


@contextmanager
def _open_parent(root: Path, path: str, *, create: bool) -> Iterator[int]:
    """Opens the folder of a path, step by step."""
    parts = PurePosixPath(path).parts
    if not parts or ".." in parts or parts[0] in {"/", ".git"}:
        raise RollbackError(f"{path!r} is not a path inside the work tree")
    with ExitStack() as opened:
        folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        opened.callback(os.close, folder)
        for part in parts[:-1]:
            if create:
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=folder)
            folder = os.open(part, FOLDER_FLAGS, dir_fd=folder)
            opened.callback(os.close, folder)
        yield folder
