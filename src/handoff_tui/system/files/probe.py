"""Looks into named folders directly: tools often have git ignore their own state."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable
from pathlib import Path

from handoff_tui.system.processes.programs import build_search_path

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
"""Places that are looked at even when git ignores them."""

_MOST_ENTRIES = 2_000
_DEEPEST = 6


def list_named(root: Path, names: Iterable[str]) -> list[str]:
    """Files at or below the given names, as repository paths; links to folders are not entered.

    The limit is for each name, so that one full folder does not hide the others.
    """
    found: list[str] = []
    for name in names:
        place = root / name
        if place.is_dir() and not place.is_symlink():
            found.extend(_list_below(root, place))
        elif os.path.lexists(place):
            found.append(name)
    return found


def is_present(root: Path, path: str) -> bool:
    """Whether something is at this path, be it a link to nothing."""
    return os.path.lexists(root / path)


def is_link(root: Path, path: str) -> bool:
    return (root / path).is_symlink()


def read_size(root: Path, path: str) -> int | None:
    """The size of a regular file; a link is not followed, and neither it nor a folder has one."""
    try:
        status = os.lstat(root / path)
    except (OSError, ValueError):  # no such file, or no name that a file can have
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


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
    return found[:_MOST_ENTRIES]


def can_execute(place: Path) -> bool:
    return place.is_file() and os.access(place, os.X_OK)


def can_write(place: Path) -> bool:
    return os.access(place, os.W_OK)


def find_program(name: str) -> str | None:
    """Where a program is on the search path, relative entries of which do not count."""
    return shutil.which(name, path=build_search_path())


def is_inside(root: Path, place: str) -> bool:
    """Whether a place of this machine lies in a repository, links followed."""
    return Path(place).resolve().is_relative_to(root.resolve())
