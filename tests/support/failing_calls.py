"""System calls that fail or kill the process at the n-th one, and are the real ones otherwise."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class FailingCalls:
    """Stands in for the `os` module. `strike` is asked before every call; what it raises, the call raises.

    With `only_changes`, calls that leave the disk as it is are not counted: dying before or after them is the same.
    """

    strike: Callable[[int, str], None] = lambda _number, _name: None
    made: list[str] = field(default_factory=list)
    only_changes: bool = False

    def open(self, path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        self._count("open", changes=bool(flags & os.O_CREAT))
        return os.open(path, flags, mode, dir_fd=dir_fd)

    def close(self, fd: int, /) -> None:
        os.close(fd)  # always: a test that fails calls by the hundred must not run out of descriptors
        self._count("close", changes=False)

    def read(self, fd: int, length: int, /) -> bytes:
        self._count("read", changes=False)
        return os.read(fd, length)

    def write(self, fd: int, data: bytes, /) -> int:
        """In two halves, so that there is a boundary inside."""
        self._count("write")
        return os.write(fd, data[: len(data) // 2 + 1])

    def fsync(self, fd: int) -> None:
        self._count("fsync")
        os.fsync(fd)

    def mkdir(self, path: str, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        self._count("mkdir")
        os.mkdir(path, mode, dir_fd=dir_fd)

    def unlink(self, path: str, *, dir_fd: int | None = None) -> None:
        self._count("unlink")
        os.unlink(path, dir_fd=dir_fd)

    def rename(self, src: str, dst: str, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None) -> None:
        self._count("rename")
        os.rename(src, dst, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    def link(
        self,
        src: str,
        dst: str,
        *,
        src_dir_fd: int | None = None,
        dst_dir_fd: int | None = None,
        follow_symlinks: bool = True,
    ) -> None:
        self._count("link")
        os.link(src, dst, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd, follow_symlinks=follow_symlinks)

    def _count(self, name: str, *, changes: bool = True) -> None:
        if self.only_changes and not changes:
            return
        self.made.append(name)
        self.strike(len(self.made), name)


def fail_at(place: int, number: int) -> FailingCalls:
    """The call at a place fails with an error number, all others work."""

    def strike(made: int, name: str) -> None:
        if made == place:
            raise OSError(number, os.strerror(number), name)

    return FailingCalls(strike)


def fail_all(wanted: str, number: int) -> FailingCalls:
    """Every call of a name fails."""

    def strike(_made: int, name: str) -> None:
        if name == wanted:
            raise OSError(number, os.strerror(number), name)

    return FailingCalls(strike)


def die_at(place: int) -> FailingCalls:
    """The process ends at once before the changing call at a place, without any cleaning up, as by kill -9."""

    def strike(made: int, _name: str) -> None:
        if made == place:
            os._exit(137)

    return FailingCalls(strike, only_changes=True)
