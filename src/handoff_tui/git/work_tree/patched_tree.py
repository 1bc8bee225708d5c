"""The work tree after a few files were saved: the known listing is kept, and only these paths are read.

Most saves need no git: the content of a tracked file is hashed and compared with the index. If anything is out of the
ordinary, the answer is None, and everything is read again.
"""

from __future__ import annotations

import os
import stat
from bisect import bisect_left
from collections.abc import Iterable
from pathlib import Path

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import FileUnreadableError, UnsafePathError
from handoff_tui.core.file_modes import PROGRAM, REGULAR
from handoff_tui.git.objects.reader import build_object_id
from handoff_tui.git.repository import Repository, WorkTree
from handoff_tui.git.session import session_of
from handoff_tui.git.watch.reconcile import list_lines, reopen
from handoff_tui.git.work_tree.listing import parse_status
from handoff_tui.system.files.own_folder import is_below_own_folder
from handoff_tui.system.files.reader import FileReader

_SYSTEM_FILE = Path("/etc/gitattributes")
_CONVERTING = (b"filter", b"ident", b"working-tree-encoding")
"""Attributes that change more than line ends; if one of these words is there, git is asked."""
_MOST_ATTRIBUTE_BYTES = 1024 * 1024


_MOST_BYTES = 4 * 1024 * 1024
_GIT_FILES = frozenset({".git", ".gitattributes", ".gitignore", ".gitmodules"})
_STATUS = ("status", "--porcelain=v2", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=dirty", "--")


class SavedPaths(NamedTuple):
    """The files saved between one state of a work tree and the next, if nothing else changed."""

    paths: frozenset[str]
    """Paths whose content may have changed."""
    presence: bool = False
    """Whether a file came or went, or may have."""


class PatchedTree(NamedTuple):
    """A work tree after some of its files changed."""

    tree: WorkTree
    saved: SavedPaths
    vanished: frozenset[str]
    """Those of the saved paths that are missing and in no list; git may have ignored them."""
    gone: frozenset[str]
    """Tracked paths that are missing."""


class _Change(NamedTuple):
    """The state of one path now."""

    is_changed: bool = False
    is_untracked: bool = False
    presence: bool = False


def find_gone(repository: Repository, tree: WorkTree) -> frozenset[str]:
    """Finds tracked paths that are missing."""
    return frozenset(path for path in tree.facts.changed if _read_mode(repository, path) is None)


def patch_work_tree(
    repository: Repository, tree: WorkTree, gone: frozenset[str], paths: Iterable[str]
) -> PatchedTree | None:
    """Returns the tree as it is now if only these paths changed since it was read; None if that is hard to tell.

    `gone` are the tracked paths that were missing.
    """
    found: dict[str, _Change | None] = {}
    vanished: set[str] = set()
    for path in paths:
        if not _is_ordinary(tree, path):
            return None
        mode = _read_mode(repository, path)
        if mode is not None and not stat.S_ISREG(mode):
            return None
        known = is_listed(tree.paths, path)
        if mode is None and not known:
            vanished.add(path)  # it came and went: the new file of an editor that saves by renaming
            continue
        found[path] = _look(repository, tree, path, mode) if known else None
    unsettled = [path for path, change in found.items() if change is None]
    settled = {path: change for path, change in found.items() if change is not None}
    if unsettled:
        settled |= _ask_git(repository, tree, unsettled)
    now_gone = frozenset(path for path in settled if settled[path].is_changed and _read_mode(repository, path) is None)
    presence = any(one.presence for one in settled.values()) or not gone.isdisjoint(settled)
    still_gone = (gone - settled.keys()) | now_gone
    saved = SavedPaths(frozenset(settled) | vanished, presence)
    return PatchedTree(_apply(tree, settled), saved, frozenset(vanished), still_gone)


def _is_ordinary(tree: WorkTree, path: str) -> bool:
    """Tells whether a path is neither ours nor git's configuration, not hidden from git, and in no submodule."""
    if is_below_own_folder(path) or _GIT_FILES.intersection(path.split("/")) or path in tree.overlooked:
        return False
    return not any(path == module or path.startswith(f"{module}/") for module in tree.facts.submodules)


def _read_mode(repository: Repository, path: str) -> int | None:
    try:
        return os.lstat(repository.root / path).st_mode
    except (OSError, ValueError):
        return None


def is_listed(paths: tuple[str, ...], path: str) -> bool:
    """Tells whether sorted paths contain a path."""
    place = bisect_left(paths, path)
    return place < len(paths) and paths[place] == path


def _look(repository: Repository, tree: WorkTree, path: str, mode: int | None) -> _Change | None:
    """Judges a known path without git; None if only git can tell."""
    if path in tree.facts.untracked:
        return _Change(is_untracked=mode is not None, presence=mode is None)
    if mode is None:
        return _Change(is_changed=True, presence=True)
    line = tree.tracked.find_line(path)
    if line is None or path in tree.facts.changed:
        # what is changed already may be staged: that it equals the index again does not make it unchanged
        is_other = line is not None and _is_other(repository, path, mode, line)
        return _Change(is_changed=True) if is_other else None
    is_other = _is_other(repository, path, mode, line)
    return None if is_other is None else _Change(is_changed=is_other)


def _is_other(repository: Repository, path: str, mode: int, line: tuple[str, str]) -> bool | None:
    """Tells whether a file differs from the index; None if git wouldn't store its bytes unchanged."""
    listed_mode, blob = line
    if listed_mode not in REGULAR:
        return None
    if read_content_rules(repository).modes_count and bool(mode & stat.S_IXUSR) != (listed_mode == PROGRAM):
        return True
    try:
        content = FileReader(repository.root, _MOST_BYTES).read_bytes(path)
    except (FileUnreadableError, UnsafePathError):
        return None
    if not is_stored_as_is(repository, path, content):
        return None
    return build_object_id(b"blob", content, len(blob)) != blob


def _ask_git(repository: Repository, tree: WorkTree, paths: list[str]) -> dict[str, _Change]:
    """Runs `git status` for these paths, with the configuration read again."""
    lines = list_lines(parse_status(reopen(repository).read(*_STATUS, *paths)))
    found: dict[str, _Change] = {}
    for path in paths:
        line = lines.get(path, "")
        was_there = is_listed(tree.paths, path)
        is_untracked = line.startswith("?")
        # what git does not name, and is in no list, is ignored: there may be less or more of it now
        is_there = is_untracked or (was_there and path not in tree.facts.untracked)
        found[path] = _Change(
            is_changed=bool(line) and not is_untracked,
            is_untracked=is_untracked,
            presence=not (was_there and is_there and _read_mode(repository, path) is not None),
        )
    return found


def _apply(tree: WorkTree, changes: dict[str, _Change]) -> WorkTree:
    facts = tree.facts
    kept = {path for path in facts.changed if path not in changes}
    changed = tuple(sorted(kept | {path for path, change in changes.items() if change.is_changed}))
    untracked = _replace_untracked(facts.untracked, changes)
    if changed == facts.changed and untracked == facts.untracked:
        return tree
    update: dict[str, object] = {"changed": changed, "untracked": untracked}
    paths = tree.paths if untracked == facts.untracked else _replace_paths(tree, untracked)
    return tree._replace(facts=facts.model_copy(update=update), paths=paths)


def _replace_untracked(before: tuple[str, ...], changes: dict[str, _Change]) -> tuple[str, ...]:
    gone = {path for path, change in changes.items() if not change.is_untracked}
    new = {path for path, change in changes.items() if change.is_untracked}.difference(before)
    if not new and gone.isdisjoint(before):
        return before
    return tuple(sorted({*before, *new} - gone, key=os.fsencode))  # as git sorts them


def _replace_paths(tree: WorkTree, untracked: tuple[str, ...]) -> tuple[str, ...]:
    paths = list(tree.paths)
    for path in set(tree.facts.untracked) - set(untracked):
        del paths[bisect_left(paths, path)]
    for path in set(untracked) - set(tree.facts.untracked):
        paths.insert(bisect_left(paths, path), path)
    return tuple(paths)


class ContentRules(NamedTuple):
    """What the configuration said about content when it was read."""

    modes_count: bool
    """Whether git looks at the executable bit."""
    attribute_files: tuple[Path, ...]
    """The attribute files that apply to every path."""


def read_content_rules(repository: Repository) -> ContentRules:
    """Returns the rules of the session."""
    return session_of(repository.git).once("content rules", lambda: _read_content_rules(repository))


def _read_content_rules(repository: Repository) -> ContentRules:
    git = repository.git
    modes = git.run("config", "--type=bool", "--get", "core.fileMode")
    named = git.run("config", "--type=path", "--get", "core.attributesFile")
    own = Path(named.text) if named.ok and named.text else _find_usual_file()
    return ContentRules(
        modes_count=not modes.ok or modes.text != "false",
        attribute_files=(_SYSTEM_FILE, *([own] if own else []), repository.common_dir / "info" / "attributes"),
    )


def is_stored_as_is(repository: Repository, path: str, content: bytes) -> bool:
    """Tells whether git would store exactly these bytes. Without a carriage return, no line-end rule changes them."""
    if b"\r" in content:
        return False
    folders = [repository.root]
    for name in path.split("/")[:-1]:
        folders.append(folders[-1] / name)
    files = (*read_content_rules(repository).attribute_files, *(folder / ".gitattributes" for folder in folders))
    return not any(_may_convert(place) for place in files)


def _find_usual_file() -> Path | None:
    base = os.environ.get("XDG_CONFIG_HOME") or (os.environ.get("HOME") and f"{os.environ['HOME']}/.config")
    return Path(base) / "git" / "attributes" if base else None


def _may_convert(place: Path) -> bool:
    """Tells whether an attribute file may convert content; True if it can't be read."""
    try:
        with place.open("rb") as file:
            content = file.read(_MOST_ATTRIBUTE_BYTES + 1)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return len(content) > _MOST_ATTRIBUTE_BYTES or any(word in content for word in _CONVERTING)
