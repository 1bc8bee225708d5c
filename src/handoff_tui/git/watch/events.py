"""Sorts what the operating system reports into paths of the work tree, git's own files, and noise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from handoff_tui.system.files.atomic_write import TEMPORARY_PREFIX
from handoff_tui.system.files.git_private_files import LOCAL_FOLDER
from handoff_tui.system.files.own_folder import is_below_own_folder

ADDED, MODIFIED, DELETED = 1, 2, 3
Event = tuple[int, str]

_NOISE_OF_GIT = frozenset({
    "COMMIT_EDITMSG", "FETCH_HEAD", "TAG_EDITMSG", "gc.log", "gc.pid", "logs", "objects", "packed-refs.new",
    LOCAL_FOLDER,
})  # fmt: skip
_REFS = ("refs", "reftable", "packed-refs")
_IGNORE_RULES = ".gitignore"


class Places(NamedTuple):
    """Absolute folders, without a slash at the end."""

    root: str
    git: tuple[str, ...]
    """The git folder and the one that linked work trees share; the more special first."""
    cache: str
    """Our cache. It lies outside, unless the home folder itself is a repository."""


class Sorted(NamedTuple):
    """What a batch of events is about."""

    paths: frozenset[str]
    """Paths of the work tree, from its root."""
    appeared: frozenset[str]
    """Absolute paths that are new or changed; a folder among them isn't watched yet."""
    deleted: frozenset[str]
    """Absolute."""
    refs: bool
    """A ref, HEAD, the index or git's configuration."""
    reconcile: bool
    """Something that may affect any path: HEAD, the index, configuration, ignore rules."""
    root_gone: bool


def sort_events(events: Iterable[Event], places: Places) -> Sorted:
    """Leaves noise out: git's locks and messages, our cache and half-written files."""
    paths: set[str] = set()
    appeared: set[str] = set()
    deleted: set[str] = set()
    refs = reconcile = root_gone = False
    for kind, path in events:
        git_name = _find_git_name(path, places.git)
        if git_name is None:
            name = _find_name(path, places)
            if name is None:
                continue
            paths.add(name)
            reconcile |= name.rpartition("/")[2] == _IGNORE_RULES or name == ".git"
            root_gone |= kind == DELETED and not name
        elif _is_noise(git_name):
            continue
        else:
            refs = True
            reconcile |= git_name.partition("/")[0] not in _REFS
            root_gone |= kind == DELETED and not git_name
        (deleted if kind == DELETED else appeared).add(path)
    return Sorted(frozenset(paths - {""}), frozenset(appeared), frozenset(deleted), refs, reconcile, root_gone)


def _find_git_name(path: str, git: tuple[str, ...]) -> str | None:
    """Returns a path relative to the git folder it is in."""
    return next((path[len(top) + 1 :] for top in git if path == top or path.startswith(f"{top}/")), None)


def _find_name(path: str, places: Places) -> str | None:
    """Returns a path relative to the root of the work tree; None if it is outside or ours."""
    if path == places.root:
        return ""
    if not path.startswith(f"{places.root}/") or path == places.cache or path.startswith(f"{places.cache}/"):
        return None
    name = path[len(places.root) + 1 :]
    if is_below_own_folder(name) and name.rpartition("/")[2].startswith(TEMPORARY_PREFIX):
        return None
    return name


def _is_noise(name: str) -> bool:
    return name.endswith(".lock") or name.partition("/")[0] in _NOISE_OF_GIT
