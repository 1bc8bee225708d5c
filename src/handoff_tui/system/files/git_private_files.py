"""Our small files next to git's, in `<git-common-dir>/handoff-tui/`: never committed, replaced in one step."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from handoff_tui.core.errors import StoreWriteError
from handoff_tui.system.files.atomic_write import (
    SYSTEM,
    Calls,
    Folder,
    build_write_error,
    open_folders,
)
from handoff_tui.system.files.noted import note

LOCAL_FOLDER = "handoff-tui"
RUNS_FOLDER = "runs"
_MAX_BYTES = 64 * 1024 * 1024
_GROWING_FILE = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class GitPrivateFolder:
    """`<git-common-dir>/handoff-tui/`, shared by all worktrees of a repository.

    With `make_outer`, a missing folder around it is created too; a git folder must already exist.
    """

    def __init__(self, common_dir: Path, calls: Calls = SYSTEM, *, make_outer: bool = False) -> None:
        self.common_dir = common_dir
        self._calls = calls
        self._make_outer = make_outer

    def read(self, name: str) -> bytes | None:
        """Returns the content of a file; None if it doesn't exist. A link or a pipe in its place is an error."""
        note(self._show(name))
        try:
            with self.open(create=False) as folder:
                return folder.read(name, _MAX_BYTES, self._show(name))
        except FileNotFoundError:
            return None
        except OSError as refused:
            raise StoreWriteError(f"{self._show(name)} cannot be read: {refused.strerror}") from refused

    def write(self, name: str, content: bytes, *, lasting: bool = True) -> None:
        """Replaces a file in one step: readers see the old content or the new one. Lasting ones survive a power cut."""
        try:
            with self.open(create=True) as folder:
                folder.replace(name, content, lasting=lasting)
        except OSError as refused:
            raise build_write_error(refused, self._show(name)) from refused

    def append(self, name: str, content: bytes) -> None:
        """Appends to a file in one call; after a power cut, only a part may be there."""
        try:
            with self.open(create=True) as folder:
                descriptor = self._calls.open(name, _GROWING_FILE, 0o600, dir_fd=folder.descriptor)
                try:
                    self._calls.write(descriptor, content)
                finally:
                    self._calls.close(descriptor)
        except OSError as refused:
            raise build_write_error(refused, self._show(name)) from refused

    def remove(self, name: str) -> None:
        """Deletes a file, if there is one."""
        try:
            with self.open(create=False) as folder, suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder.descriptor)
        except FileNotFoundError:
            return
        except OSError as refused:
            raise build_write_error(refused, self._show(name)) from refused

    @contextmanager
    def open(self, *, create: bool) -> Iterator[Folder]:
        """Opens the folder."""
        if create and self._make_outer:
            self.common_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        shown = str(self.common_dir)
        with open_folders(self._calls, self.common_dir, LOCAL_FOLDER, shown=shown, create=create) as folders:
            yield folders[-1]

    def _show(self, name: str) -> str:
        return str(self.common_dir / LOCAL_FOLDER / name)
