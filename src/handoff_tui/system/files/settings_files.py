"""Settings of other programs, which we change for a person: in one step, with the mode they had."""

from __future__ import annotations

import stat
from pathlib import Path

from handoff_tui.core.errors import StoreWriteError
from handoff_tui.system.files.named_files import write_named_file


def write_settings_file(place: Path, content: bytes) -> None:
    """Replaces a file, through a link if it is one; makes missing folders."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        mode = stat.S_IMODE(place.stat().st_mode) if place.exists() else None
        file = place.resolve()
    except OSError as refused:
        raise _build_error(place, refused) from refused
    write_named_file(file, content)
    if mode is not None:
        file.chmod(mode)


def remove_settings_file(place: Path, base: Path) -> None:
    """Removes a file, and every folder below `base` that is empty then."""
    try:
        place.unlink()
        folder = place.parent
        while folder != base and folder.is_relative_to(base) and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent
    except OSError as refused:
        raise _build_error(place, refused) from refused


def _build_error(place: Path, refused: OSError) -> StoreWriteError:
    return StoreWriteError(f"{place} can't be changed: {refused.strerror}", "It is as it was before.")
