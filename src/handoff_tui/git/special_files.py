"""Finds pipes and devices in place of files that git reads: git would open them and wait for ever."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from handoff_tui.core.errors import RepositoryError

_READ_IN_FOLDERS = (".gitattributes", ".gitignore")
_READ_AT_THE_ROOT = (*_READ_IN_FOLDERS, ".gitmodules", ".mailmap")
_READ_OF_GIT = (
    *("HEAD", "config", "config.worktree", "index", "packed-refs", "commondir", "gitdir", "shallow"),
    *("info/attributes", "info/exclude", "info/sparse-checkout", "info/grafts", "objects/info/alternates"),
)
_GIT = ".git"
_LONGEST_NAME = 8192
_LONGEST_SEARCH_SECONDS = 10.0
_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def refuse_special_files(start: Path) -> None:
    """Checks the few places that git reads first, around a folder. Takes a few calls and opens nothing."""
    for folder in (start.absolute(), *start.absolute().parents):
        git_dir = folder / _GIT
        if os.path.lexists(git_dir):
            _refuse(folder, (_GIT, *_READ_AT_THE_ROOT))
            for place in _find_git_folders(git_dir):
                _refuse(place, _READ_OF_GIT)
            return


def refuse_special_files_below(folder: Path) -> None:
    """Checks every folder of the work tree, if git is silent; this may take a while."""
    refuse_special_files(folder)
    late = time.monotonic() + _LONGEST_SEARCH_SECONDS
    for place, folders, names in os.walk(folder):
        if _GIT in folders:
            folders.remove(_GIT)
        _refuse(place, tuple(name for name in _READ_IN_FOLDERS if name in names))
        if time.monotonic() > late:
            return


def _find_git_folders(git_dir: Path) -> Iterator[Path]:
    """Yields the git folder, or the one that a linked work tree names, and the folder it shares with others."""
    if git_dir.is_file():
        git_dir = git_dir.parent / _read_name(git_dir).removeprefix("gitdir: ")
    yield git_dir
    shared = git_dir / "commondir"
    if shared.is_file():
        yield git_dir / _read_name(shared)


def _read_name(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return os.fsdecode(file.read(_LONGEST_NAME)).rstrip("\n").replace("\0", "")
    except OSError:
        return ""


def _refuse(folder: Path | str, names: tuple[str, ...]) -> None:
    beginning = f"{folder}{os.sep}"  # a path object a name would cost more than the question itself
    for name in names:
        path = beginning + name
        kind = _find_kind(path)
        if kind is not None:
            raise RepositoryError(
                f"{path} is {kind}, and git would wait for it without end",
                "Remove it, or put a regular file in its place; nothing was read.",
            )


def _find_kind(path: str) -> str | None:
    """Returns the kind of special file a path leads to; None for files, folders and missing paths."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - see above
    except (OSError, ValueError):
        return None
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return None
    return next((words for is_kind, words in _KINDS if is_kind(mode)), None)
