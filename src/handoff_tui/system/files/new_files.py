"""Files that the user asked for, at places of their choice: only ever new ones, nothing is overwritten."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from handoff_tui.core.errors import StoreWriteError
from handoff_tui.system.files.atomic_write import build_write_error


def write_bug_report(text: str) -> str:
    """Writes a new file in the temporary folder, readable by this user only, and returns its path."""
    with tempfile.NamedTemporaryFile(
        "w", prefix="handoff-tui-report-", suffix=".txt", delete=False, encoding="utf-8", errors="backslashreplace"
    ) as file:
        file.write(text)
    return file.name


_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def write_new_file(place: Path, pieces: Iterable[bytes]) -> int:
    """Writes a file piece by piece; its size. Where that fails nothing is left of it; one that is there stays."""
    descriptor = _create(place)
    try:
        with os.fdopen(descriptor, "wb") as file:
            return sum(file.write(piece) for piece in pieces)
    except BaseException as stopped:
        with suppress(OSError):
            place.unlink()
        if isinstance(stopped, OSError):
            raise build_write_error(stopped, str(place)) from stopped
        raise


def write_new_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Writes files into a folder, made if it is missing; when one of them is there already, none is written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as refused:
        raise build_write_error(refused, str(folder)) from refused
    taken = sorted(name for name in files if os.path.lexists(folder / name))
    if taken:
        raise _build_taken_error(folder / taken[0])
    for name, content in files.items():
        write_new_file(folder / name, (content,))


def _create(place: Path) -> int:
    try:
        return os.open(place, _NEW_FILE, 0o666)
    except FileExistsError as taken:
        raise _build_taken_error(place) from taken
    except OSError as refused:
        raise build_write_error(refused, str(place)) from refused


def _build_taken_error(place: Path) -> StoreWriteError:
    return StoreWriteError(f"{place} is there already", "It is left alone; name another place.")
