"""Writes and deletes single files of a work tree, without following links on the way."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath

from handoff_tui.core.errors import RollbackError
from handoff_tui.system.files.atomic_write import FOLDER_FLAGS, TEMPORARY_PREFIX

_LINK, _PROGRAM = "120000", "100755"
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def write_file(root: Path, path: str, mode: str, content: bytes) -> None:
    """Puts a file or a link in its place in one step; creates missing folders."""
    with _open_parent(root, path, create=True) as folder:
        name = PurePosixPath(path).name
        temporary = TEMPORARY_PREFIX + os.urandom(8).hex()
        if mode == _LINK:
            os.symlink(os.fsdecode(content), temporary, dir_fd=folder)
        else:
            permissions = 0o777 if mode == _PROGRAM else 0o666
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
        raise RollbackError(f"{path!r} is no path inside the work tree")
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
