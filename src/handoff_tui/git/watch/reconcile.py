"""A full scan of a repository: what git says about it, which folders to watch, and what changed since the last scan.

Watched are folders with tracked files, those git neither knows nor ignores, and git's own. Links are never entered, so
nothing outside the repository is watched.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import RepositoryError
from handoff_tui.git.command import Git
from handoff_tui.git.repository import Repository, read_status
from handoff_tui.git.watch.noticed import Touched
from handoff_tui.git.work_tree.listing import Status, parse_status
from handoff_tui.system.background import Background
from handoff_tui.system.clock import read_monotonic
from handoff_tui.system.files.own_folder import OWN_FOLDER
from handoff_tui.system.files.probe import list_named

MOST_FOLDERS = 50_000
_DEEPEST_NAMED = 6
_GIT = ".git"


class Walk(NamedTuple):
    """Folders that were found. `complete` is False if there were more than allowed."""

    folders: frozenset[str]
    complete: bool


def read_tracked_folders(git: Git) -> frozenset[str]:
    """Returns the folders of files in the index, whether they exist or not."""
    paths = os.fsdecode(git.read("ls-files", "-z")).split("\0")
    return build_ancestors(path.rpartition("/")[0] for path in paths)


def build_ancestors(folders: Iterable[str]) -> frozenset[str]:
    """Returns folders and all their parents; the root is the empty name."""
    found = {""}
    for folder in set(folders):
        inner = folder
        while inner not in found:
            found.add(inner)
            inner = inner.rpartition("/")[0]
    return frozenset(found)


def read_unknown_folders(git: Git) -> list[str]:
    """Returns the outermost folders in which git knows no file and which it doesn't ignore, including empty ones."""
    listing = os.fsdecode(git.read("ls-files", "--others", "--directory", "--exclude-standard", "-z"))
    return [path.removesuffix("/") for path in listing.split("\0") if path.endswith("/")]


def read_work_folders(
    root: Path, git: Git, tracked: Collection[str], unknown: Iterable[str], named: Iterable[str]
) -> Walk:
    """Returns all folders of the work tree that can contain files git doesn't ignore, or files to look for.

    The names in `named`, and our own folder, are included even if git ignores them.
    """
    found = set(keep_folders(root, tracked))
    below = walk_folders(root, git, [path for path in unknown if path not in found], MOST_FOLDERS)
    found |= below.folders
    found |= read_named_folders(root, (*named, OWN_FOLDER))
    return Walk(frozenset(found), below.complete)


def keep_folders(root: Path, folders: Iterable[str]) -> Iterator[str]:
    """Keeps folders that exist and are reached without a link."""
    kept: set[str] = set()
    for folder in sorted(folders):
        if (not folder or folder.rpartition("/")[0] in kept) and is_folder(f"{root}/{folder}"):
            kept.add(folder)
            yield folder


def walk_folders(root: Path, git: Git, tops: Iterable[str], most: int) -> Walk:
    """Returns folders and everything below them that git doesn't ignore; skips other repositories."""
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
    """Keeps folders whose parents are all folders too."""
    tops = list(tops)
    real = set(keep_folders(root, build_ancestors(tops)))
    return (top for top in dict.fromkeys(tops) if top in real and _GIT not in top.split("/"))


def read_ignored(git: Git, folders: list[str]) -> frozenset[str]:
    """Returns those that git ignores."""
    stdin = b"".join(os.fsencode(folder) + b"/\0" for folder in folders)
    answer = git.run("check-ignore", "-z", "--stdin", stdin=stdin)
    return frozenset(path.removesuffix("/") for path in os.fsdecode(answer.stdout).split("\0") if path)


def read_named_folders(root: Path, names: Iterable[str]) -> frozenset[str]:
    """Returns the folders at and below given names, and their parents."""
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
    """Returns, as absolute paths, the git folder and the shared one, their `info`, and all folders of refs."""
    tops = {str(repository.git_dir), str(repository.common_dir)}
    level = [f"{top}/{name}" for top in tops for name in ("refs", "reftable")]
    found = {*tops, *(f"{top}/info" for top in tops)}
    while level:
        level = [folder for folder in level if is_folder(folder)]
        found.update(level)
        level = [f"{folder}/{name}" for folder in level for name in _list_folders(folder)]
    return frozenset(folder for folder in found if is_folder(folder))


def is_folder(place: str) -> bool:
    """Tells whether it is a folder, not a link to one."""
    try:
        return stat.S_ISDIR(os.lstat(place).st_mode)
    except (OSError, ValueError):
        return False


def _list_folders(place: str) -> list[str]:
    """Returns the folders in a folder; none if another repository begins there, or it isn't readable."""
    try:
        with os.scandir(place) as entries:
            names = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    except OSError:
        return []
    if any(name == _GIT for name, _ in names):
        return []
    return [name for name, is_a_folder in names if is_a_folder]


Stamp = tuple[int, int, int, int, int]
Entry = tuple[str, Stamp | None]


class StatusSnapshot(NamedTuple):
    """What `git status` said, with a stamp of each path it named, and the refs."""

    status: bytes
    headers: Mapping[str, str]
    refs: bytes
    entries: Mapping[str, Entry]
    """Path to git's line about it and a stamp that changes with the file. Clean files aren't included."""


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


def compare_states(old: StatusSnapshot, new: StatusSnapshot) -> Touched:
    """Returns what differs between two scans."""
    paths = {path for path, entry in new.entries.items() if old.entries.get(path) != entry}
    paths.update(path for path in old.entries if path not in new.entries)
    return Touched(frozenset(paths), refs=(old.headers, old.refs) != (new.headers, new.refs))


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
        raise RepositoryError(f"{repository.root} is gone", "It is checked every few seconds.")
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
