"""The system calls that writing needs, behind one object: what wraps it can make each of them fail, one at a time."""

from __future__ import annotations

import os
from typing import Protocol


class Calls(Protocol):
    """The part of the `os` module that changes files; the module itself is the real one."""

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
