"""Files that the user names, anywhere: read with a limit, written whole, never through a link in their place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handoff_tui.core.errors import FileUnreadableError, StoreWriteError
from handoff_tui.system.files.atomic_write import (
    build_write_error,
    close_looked_at,
    replace_file,
    sync_folder,
    write_once,
)
from handoff_tui.system.files.system_calls import SYSTEM, Calls
from handoff_tui.system.files.user_files import read_user_file

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_SHARED_MODE = 0o666


def read_named_file(file: Path, max_bytes: int) -> bytes:
    """The content of a file that must be there."""
    content = read_user_file(file, max_bytes)
    if content is None:
        raise FileUnreadableError(f"{file} is not there")
    return content


def read_named_texts(place: Path, names: tuple[str, ...], max_bytes: int) -> dict[str, str]:
    """The texts of a folder's files of these names, those that are there; a file stands for itself, by its own name."""
    if not place.is_dir():
        return {place.name: _decode(place, read_named_file(place, max_bytes))}
    found = {name: read_user_file(place / name, max_bytes) for name in names}
    return {name: _decode(place / name, content) for name, content in found.items() if content is not None}


def write_if_absent(file: Path, content: bytes, calls: Calls = SYSTEM) -> bool:
    """Writes a file that is not there yet; false where anything has its name, which is left alone."""
    with _open_folder(file, calls) as folder:
        written = write_once(calls, folder, folder, file.name, content)
        sync_folder(calls, folder)
    return written


def write_named_file(file: Path, content: bytes, calls: Calls = SYSTEM) -> None:
    """Replaces a file in one step."""
    with _open_folder(file, calls) as folder:
        replace_file(calls, folder, file.name, content, mode=_SHARED_MODE)


@contextmanager
def _open_folder(file: Path, calls: Calls) -> Iterator[int]:
    if not file.name:
        raise StoreWriteError(f"{file} is no name for a file")
    try:
        folder = calls.open(str(file.parent), _FOLDER_FLAGS)
        try:
            yield folder
        finally:
            close_looked_at(calls, folder)
    except OSError as refused:
        raise build_write_error(refused, str(file)) from refused


def _decode(file: Path, content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as wrong:
        raise FileUnreadableError(f"{file} is not UTF-8 at byte {wrong.start}") from wrong


def is_inside(file: Path, folder: Path) -> bool:
    """Whether a file would lie inside a folder, all links followed."""
    return file.parent.resolve().is_relative_to(folder.resolve())
