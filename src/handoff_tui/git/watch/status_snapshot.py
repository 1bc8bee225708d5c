"""The last full look at a repository, and what differs from it now."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from handoff_tui.git.command import Git
from handoff_tui.git.repository import Repository, read_status
from handoff_tui.system.background import Background
from handoff_tui.system.files.probe import list_named

_PATH_BEHIND = {"1": 8, "2": 9, "u": 10, "?": 1}
"""After how many spaces a line of porcelain v2 names its path."""

Stamp = tuple[int, int, int, int, int]
Entry = tuple[str, Stamp | None]


class KnownState(NamedTuple):
    """What `git status` said, with a stamp of each path it named, and the refs."""

    status: bytes
    headers: tuple[str, ...]
    refs: bytes
    entries: Mapping[str, Entry]
    """Path to git's line about it and a stamp that changes when the file does. Clean files are not among them."""


class Difference(NamedTuple):
    """What differs between two looks."""

    paths: frozenset[str]
    refs: bool


def read_known_state(repository: Repository, git: Git, named: Iterable[str]) -> KnownState:
    """One `git status` and one list of refs, side by side. The names of `named` count even when git ignores them."""
    refs = Background(lambda: git.read("for-each-ref", "--format=%(objectname) %(refname)"))
    try:
        status = read_status(repository._replace(git=git))
    finally:
        refs.join()
    headers, lines = parse_lines(status)
    for path in list_named(repository.root, named):
        lines.setdefault(path, "")
    entries = {path: (line, read_stamp(repository.root, path)) for path, line in lines.items()}
    return KnownState(status, headers, refs.finish(), entries)


def parse_lines(status: bytes) -> tuple[tuple[str, ...], dict[str, str]]:
    """Headers, and path to line, of porcelain v2 with -z; the old name of a renamed path has its line, too."""
    headers: list[str] = []
    lines: dict[str, str] = {}
    fields = iter(os.fsdecode(status).split("\0"))
    for field in fields:
        kind = field[:1]
        if kind == "#":
            headers.append(field)
        elif kind in _PATH_BEHIND:
            lines[field.split(" ", _PATH_BEHIND[kind])[-1].removesuffix("/")] = field
            if kind == "2":
                lines[next(fields, "")] = field
    return tuple(headers), lines


def compare_states(old: KnownState, new: KnownState) -> Difference:
    paths = {path for path, entry in new.entries.items() if old.entries.get(path) != entry}
    paths.update(path for path in old.entries if path not in new.entries)
    return Difference(frozenset(paths), refs=(old.headers, old.refs) != (new.headers, new.refs))


def read_stamp(root: Path, path: str) -> Stamp | None:
    """Kind, place, size and times of a file; nothing where there is none."""
    try:
        found = os.lstat(f"{root}/{path}")
    except (OSError, ValueError):
        return None
    return found.st_mode, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
