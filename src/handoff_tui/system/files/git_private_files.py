"""Our small files next to git's, in `<git-common-dir>/handoff-tui/`: never committed, replaced in one step."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from handoff_tui.core.errors import StoreWriteError
from handoff_tui.system.files.atomic_write import (
    SYSTEM,
    TEMPORARY_PREFIX,
    Calls,
    build_write_error,
    close_looked_at,
    open_folder,
    read_regular,
    replace_file,
)
from handoff_tui.system.files.cache_files import find_state_folder

LOCAL_FOLDER = "handoff-tui"
_MAX_BYTES = 64 * 1024 * 1024
_ROOT_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_GROWING_FILE = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_SECRET_NAME = "cache-secret"
_SECRET_BYTES = 32


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
        try:
            with self.open(create=False) as folder:
                return read_regular(self._calls, folder, name, _MAX_BYTES, self._show(name))
        except FileNotFoundError:
            return None
        except OSError as refused:
            raise StoreWriteError(f"{self._show(name)} cannot be read: {refused.strerror}") from refused

    def write(self, name: str, content: bytes, *, lasting: bool = True) -> None:
        """Replaces a file in one step: readers see the old content or the new one. Lasting ones survive a power cut."""
        try:
            with self.open(create=True) as folder:
                replace_file(self._calls, folder, name, content, lasting=lasting)
        except OSError as refused:
            raise build_write_error(refused, self._show(name)) from refused

    def append(self, name: str, content: bytes) -> None:
        """Appends to a file in one call; after a power cut, only a part may be there."""
        try:
            with self.open(create=True) as folder:
                descriptor = self._calls.open(name, _GROWING_FILE, 0o600, dir_fd=folder)
                try:
                    self._calls.write(descriptor, content)
                finally:
                    self._calls.close(descriptor)
        except OSError as refused:
            raise build_write_error(refused, self._show(name)) from refused

    @contextmanager
    def open(self, *, create: bool) -> Iterator[int]:
        """Opens the folder."""
        if create and self._make_outer:
            self.common_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        with ExitStack() as opened:
            outer = self._calls.open(str(self.common_dir), _ROOT_FLAGS)
            opened.callback(close_looked_at, self._calls, outer)
            folder = open_folder(self._calls, LOCAL_FOLDER, outer, self._show(""), create=create)
            opened.callback(close_looked_at, self._calls, folder)
            yield folder

    def _show(self, name: str) -> str:
        return str(self.common_dir / LOCAL_FOLDER / name)


def load_cache_secret() -> bytes | None:
    """Returns a secret of this user, kept outside every repository and created if missing; None if it can't be kept.

    An agent can write to `.git`; only handoff-tui can seal something with this secret.
    """
    place = find_state_folder() / _SECRET_NAME
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with suppress(FileExistsError):
            _write_secret(place)
        secret = place.read_bytes()
    except OSError:
        return None
    return secret if len(secret) == _SECRET_BYTES else None


def _write_secret(place: Path) -> None:
    """Writes it in full before it gets its name, so that two first runs at once agree on one secret."""
    if place.exists():
        return
    temporary = place.with_name(TEMPORARY_PREFIX + os.urandom(16).hex())
    descriptor = os.open(temporary, _NEW_FILE, 0o600)
    try:
        os.write(descriptor, os.urandom(_SECRET_BYTES))
        os.close(descriptor)
        place.hardlink_to(temporary)
    finally:
        temporary.unlink()
