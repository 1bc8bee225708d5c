"""Looks into named folders directly: tools often make git ignore their state."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from handoff_tui.system.files.noted import note
from handoff_tui.system.processes.programs import find_executable

OFTEN_IGNORED = (
    ".ai-agents",
    ".claude/HANDOFF.md",
    ".claude/handoff.json",
    ".continue-here.md",
    ".handoff",
    ".handoff.json",
    ".mosaic",
    ".planning",
    ".tdd-queue.log",
    ".tdd-state.json",
    ".tdd-state.yaml",
    ".tdd.lock",
    "HANDOFF.json",
    "HANDOFF.md",
)
"""Places that are read even if git ignores them."""

_MOST_ENTRIES = 2_000
_DEEPEST = 6


def list_matching(folder: Path, pattern: str) -> list[str]:
    """The names in a folder that match a pattern, sorted."""
    return sorted(path.name for path in folder.glob(pattern))


def list_named(root: Path, names: Iterable[str]) -> list[str]:
    """Lists files at or below the given names, as repository paths; doesn't follow links to folders.

    The limit is per name, so that one full folder doesn't hide the others.
    """
    found: list[str] = []
    for name in names:
        place = root / name
        note(place)
        if place.is_dir() and not place.is_symlink():
            found.extend(_list_below(root, place))
        elif os.path.lexists(place):
            found.append(name)
    return found


def is_present(root: Path, path: str) -> bool:
    """Tells whether something is at this path, even a broken link."""
    note(root / path)
    return os.path.lexists(root / path)


def is_link(root: Path, path: str) -> bool:
    note(root / path)
    return (root / path).is_symlink()


def read_size(root: Path, path: str) -> int | None:
    """Returns the size of a regular file; None for links and folders."""
    note(root / path)
    try:
        status = os.lstat(root / path)
    except (OSError, ValueError):  # no such file, or not a valid file name
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _list_below(root: Path, folder: Path) -> list[str]:
    found: list[str] = []
    base = len(folder.parts)
    for parent, folders, files in os.walk(folder, followlinks=False):
        note(parent)
        folders[:] = (
            sorted(name for name in folders if name != ".git") if len(Path(parent).parts) - base < _DEEPEST else []
        )
        found.extend((Path(parent) / name).relative_to(root).as_posix() for name in sorted(files))
        if len(found) >= _MOST_ENTRIES:
            break
    return found[:_MOST_ENTRIES]


def can_execute(place: Path) -> bool:
    note(place)
    return place.is_file() and os.access(place, os.X_OK)


def can_write(place: Path) -> bool:
    return os.access(place, os.W_OK)


def find_program(name: str) -> str | None:
    """Finds a program on the search path, ignoring relative folders."""
    return find_executable(name)


def is_inside(root: Path, place: str) -> bool:
    """Tells whether a path of this machine is inside a repository, with links followed."""
    return Path(place).resolve().is_relative_to(root.resolve())
