"""Settings of other programs, which we change for a person: in one step, with the mode they had."""

from __future__ import annotations

import stat
from pathlib import Path

from handoff_tui.core.errors import StoreWriteError
from handoff_tui.system.files.named_files import write_named_file

_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def write_settings_file(place: Path, content: bytes) -> None:
    """Replaces a file, through a link if it is one; makes missing folders."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        mode = _read_mode(place)
        file = place.resolve()
    except OSError as refused:
        raise _build_error(place, refused) from refused
    write_named_file(file, content)
    if mode is not None:
        file.chmod(mode)


def remove_settings_file(place: Path, base: Path) -> None:
    """Removes a file, and every folder below `base` that is empty then."""
    try:
        _read_mode(place)
        place.unlink()
        folder = place.parent
        while folder != base and folder.is_relative_to(base) and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent
    except OSError as refused:
        raise _build_error(place, refused) from refused


def _read_mode(place: Path) -> int | None:
    """Returns the mode of a file that may be written, None if it isn't there; whoever made it read-only meant it."""
    mode = stat.S_IMODE(place.stat().st_mode) if place.exists() else None
    if mode is not None and not mode & _WRITABLE:
        raise StoreWriteError(f"{place} is read-only; it is left alone", "Make it writable first, if it may change.")
    return mode


def _build_error(place: Path, refused: OSError) -> StoreWriteError:
    return StoreWriteError(f"{place} can't be changed: {refused.strerror}", "It is as it was before.")
