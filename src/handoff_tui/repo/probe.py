"""Looks into named folders directly: tools often have git ignore their own state."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

_MOST_ENTRIES = 2_000
_DEEPEST = 6


def list_named(root: Path, names: Iterable[str]) -> list[str]:
    """Files at or below the given names, as repository paths; links to folders are not entered."""
    found: list[str] = []
    for name in names:
        place = root / name
        if place.is_dir() and not place.is_symlink():
            found.extend(_list_below(root, place))
        elif os.path.lexists(place):
            found.append(name)
    return found[:_MOST_ENTRIES]


def is_present(root: Path, path: str) -> bool:
    """Whether something is at this path, be it a link to nothing."""
    return os.path.lexists(root / path)


def is_link(root: Path, path: str) -> bool:
    return (root / path).is_symlink()


def read_size(root: Path, path: str) -> int | None:
    """The size of a regular file; a link is not followed."""
    try:
        status = os.lstat(root / path)
    except OSError:
        return None
    return status.st_size


def _list_below(root: Path, folder: Path) -> list[str]:
    found: list[str] = []
    base = len(folder.parts)
    for parent, folders, files in os.walk(folder, followlinks=False):
        folders[:] = (
            sorted(name for name in folders if name != ".git") if len(Path(parent).parts) - base < _DEEPEST else []
        )
        found.extend((Path(parent) / name).relative_to(root).as_posix() for name in sorted(files))
        if len(found) >= _MOST_ENTRIES:
            break
    return found
