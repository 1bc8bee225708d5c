"""A full scan of a repository: what git says about it, which folders to watch, and what changed since the last scan."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from handoff_tui.core.errors import RepositoryError
from handoff_tui.git.command import Git
from handoff_tui.git.repository import Repository, read_status
from handoff_tui.git.watch.folders import (
    read_git_folders,
    read_tracked_folders,
    read_unknown_folders,
    read_work_folders,
)
from handoff_tui.git.work_tree.status import Status, parse_status
from handoff_tui.system.background import Background
from handoff_tui.system.clock import read_monotonic
from handoff_tui.system.files.own_folder import OWN_FOLDER
from handoff_tui.system.files.probe import list_named

Stamp = tuple[int, int, int, int, int]
Entry = tuple[str, Stamp | None]


class StatusSnapshot(NamedTuple):
    """What `git status` said, with a stamp of each path it named, and the refs."""

    status: bytes
    headers: Mapping[str, str]
    refs: bytes
    entries: Mapping[str, Entry]
    """Path to git's line about it and a stamp that changes with the file. Clean files aren't included."""


class StateChange(NamedTuple):
    """What differs between two scans."""

    paths: frozenset[str]
    refs: bool


def read_status_snapshot(repository: Repository, git: Git, named: Iterable[str]) -> StatusSnapshot:
    """Runs one `git status` and lists the refs, in parallel. The names in `named` count even if git ignores them."""
    refs = Background(lambda: git.read("for-each-ref", "--format=%(objectname) %(refname)"))
    try:
        status = read_status(repository._replace(git=git))
    finally:
        refs.join()
    parsed = parse_status(status)
    lines = list_lines(parsed)
    for path in list_named(repository.root, named):
        lines.setdefault(path, "")
    entries = {path: (line, read_stamp(repository.root, path)) for path, line in lines.items()}
    return StatusSnapshot(status, parsed.headers, refs.finish(), entries)


def list_lines(status: Status) -> dict[str, str]:
    """Maps each path to git's line about it."""
    return {line.path.removesuffix("/"): line.text for line in status.lines}


def compare_states(old: StatusSnapshot, new: StatusSnapshot) -> StateChange:
    paths = {path for path, entry in new.entries.items() if old.entries.get(path) != entry}
    paths.update(path for path in old.entries if path not in new.entries)
    return StateChange(frozenset(paths), refs=(old.headers, old.refs) != (new.headers, new.refs))


def read_stamp(root: Path, path: str) -> Stamp | None:
    """Returns kind, location, size and times of a file; None if there is none."""
    try:
        found = os.lstat(f"{root}/{path}")
    except (OSError, ValueError):
        return None
    return found.st_mode, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


class FullScan(NamedTuple):
    """What a full scan found."""

    state: StatusSnapshot
    folders: frozenset[str]
    """All folders to watch, absolute."""
    complete: bool
    """False if there were more folders than allowed."""
    began: float
    seconds: float


class FailedScan(NamedTuple):
    """Why a scan found nothing."""

    message: str
    hint: str
    gone: bool
    began: float
    seconds: float


class FolderReader:
    """Reads which folders to watch; those of the index only if it has changed."""

    def __init__(self, repository: Repository, named: Iterable[str]) -> None:
        self.repository = repository
        self._named = tuple(named)
        self._index: tuple[int, ...] | None = None
        self._tracked: frozenset[str] = frozenset()

    def read(self, git: Git) -> tuple[frozenset[str], bool]:
        """Returns the folders, absolute, and whether these are all."""
        unknown = Background(lambda: read_unknown_folders(git))
        try:
            index = self._read_index()
            if index is None or index != self._index:
                self._tracked = read_tracked_folders(git)
                self._index = index
        finally:
            unknown.join()
        root = self.repository.root
        walk = read_work_folders(root, git, self._tracked, unknown.finish(), self._named)
        work = {f"{root}/{folder}".removesuffix("/") for folder in walk.folders}
        return frozenset(work | read_git_folders(self.repository)), walk.complete

    def _read_index(self) -> tuple[int, ...] | None:
        try:
            found = os.lstat(self.repository.git_dir / "index")
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def reopen(repository: Repository) -> Git:
    """Opens git with the present configuration: an agent may have changed it."""
    if not os.path.lexists(repository.root / ".git"):
        raise RepositoryError(f"{repository.root} is gone", "It is looked for every few seconds.")
    return Git.open(repository.root, repository.git_dir, repository.common_dir)


def scan_repository(repository: Repository, folders: FolderReader, named: Iterable[str]) -> FullScan:
    """Reads state and folders in parallel; writes nothing."""
    began = read_monotonic()
    git = reopen(repository)
    found = Background(lambda: folders.read(git))
    try:
        state = read_status_snapshot(repository, git, (*named, OWN_FOLDER))
    finally:
        found.join()
    watched, complete = found.finish()
    return FullScan(state, watched, complete, began, read_monotonic() - began)
