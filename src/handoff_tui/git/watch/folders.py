"""Which folders are to be watched: those with tracked files, those git does not know or ignore, and git's own.

Links are never entered, so nothing outside the repository is watched.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from handoff_tui.git.command import Git
from handoff_tui.git.repository import Repository
from handoff_tui.system.files.own_folder import OWN_FOLDER

MOST_FOLDERS = 50_000
_DEEPEST_NAMED = 6
_GIT = ".git"


class Walk(NamedTuple):
    """Folders that were found. `complete` is false when there were more than were wanted."""

    folders: frozenset[str]
    complete: bool


def read_tracked_folders(git: Git) -> frozenset[str]:
    """Folders that the index has files in, whether they are there or not."""
    paths = os.fsdecode(git.read("ls-files", "-z")).split("\0")
    return build_ancestors(path.rpartition("/")[0] for path in paths)


def build_ancestors(folders: Iterable[str]) -> frozenset[str]:
    """Folders and all that they are in; the root is the empty name."""
    found = {""}
    for folder in set(folders):
        inner = folder
        while inner not in found:
            found.add(inner)
            inner = inner.rpartition("/")[0]
    return frozenset(found)


def read_unknown_folders(git: Git) -> list[str]:
    """The outermost folders in which git knows no file, empty ones among them, that it does not ignore."""
    listing = os.fsdecode(git.read("ls-files", "--others", "--directory", "--exclude-standard", "-z"))
    return [path.removesuffix("/") for path in listing.split("\0") if path.endswith("/")]


def read_work_folders(
    root: Path, git: Git, tracked: Collection[str], unknown: Iterable[str], named: Iterable[str]
) -> Walk:
    """All folders of the work tree that can hold something git does not ignore, or something that is looked for.

    The names of `named`, and our own folder, are looked at even when git ignores them.
    """
    found = set(keep_folders(root, tracked))
    below = walk_folders(root, git, [path for path in unknown if path not in found], MOST_FOLDERS)
    found |= below.folders
    found |= read_named_folders(root, (*named, OWN_FOLDER))
    return Walk(frozenset(found), below.complete)


def keep_folders(root: Path, folders: Iterable[str]) -> Iterator[str]:
    """Those that are there and reached without a link."""
    kept: set[str] = set()
    for folder in sorted(folders):
        if (not folder or folder.rpartition("/")[0] in kept) and is_folder(f"{root}/{folder}"):
            kept.add(folder)
            yield folder


def walk_folders(root: Path, git: Git, tops: Iterable[str], most: int) -> Walk:
    """Folders and all below them that git does not ignore; another repository is not entered."""
    found: set[str] = set()
    level = list(keep_folders_below(root, tops))
    while level:
        ignored = read_ignored(git, level)
        level = [folder for folder in level if folder not in ignored]
        found.update(level)
        if len(found) > most:
            return Walk(frozenset(found), complete=False)
        level = [f"{folder}/{name}" for folder in level for name in _list_folders(f"{root}/{folder}")]
    return Walk(frozenset(found), complete=True)


def keep_folders_below(root: Path, tops: Iterable[str]) -> Iterator[str]:
    """Those that are folders, and so is everything above them."""
    tops = list(tops)
    real = set(keep_folders(root, build_ancestors(tops)))
    return (top for top in dict.fromkeys(tops) if top in real and _GIT not in top.split("/"))


def read_ignored(git: Git, folders: list[str]) -> frozenset[str]:
    """Those that git passes over."""
    stdin = b"".join(os.fsencode(folder) + b"/\0" for folder in folders)
    answer = git.run("check-ignore", "-z", "--stdin", stdin=stdin)
    return frozenset(path.removesuffix("/") for path in os.fsdecode(answer.stdout).split("\0") if path)


def read_named_folders(root: Path, names: Iterable[str]) -> frozenset[str]:
    """The folders at and below given names, and those that the names are in."""
    found: set[str] = set()
    for name in names:
        above = name.rpartition("/")[0]
        found.update(keep_folders_below(root, [above] if above else []))
        level = list(keep_folders_below(root, [name]))
        for _ in range(_DEEPEST_NAMED):
            found.update(level)
            level = [f"{folder}/{inner}" for folder in level for inner in _list_folders(f"{root}/{folder}")]
    return frozenset(found)


def read_git_folders(repository: Repository) -> frozenset[str]:
    """Absolute: the top of the git folder and of the shared one, what is ignored, and all folders of refs."""
    tops = {str(repository.git_dir), str(repository.common_dir)}
    level = [f"{top}/{name}" for top in tops for name in ("refs", "reftable")]
    found = {*tops, *(f"{top}/info" for top in tops)}
    while level:
        level = [folder for folder in level if is_folder(folder)]
        found.update(level)
        level = [f"{folder}/{name}" for folder in level for name in _list_folders(folder)]
    return frozenset(folder for folder in found if is_folder(folder))


def is_folder(place: str) -> bool:
    """Whether it is a folder itself, and no link to one."""
    try:
        return stat.S_ISDIR(os.lstat(place).st_mode)
    except (OSError, ValueError):
        return False


def _list_folders(place: str) -> list[str]:
    """The folders in a folder; none where another repository begins, or where nothing may be read."""
    try:
        with os.scandir(place) as entries:
            names = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    except OSError:
        return []
    if any(name == _GIT for name, _ in names):
        return []
    return [name for name, is_a_folder in names if is_a_folder]
