"""Writes the work tree as a git tree, without touching the repository.

`git status` on a private index says what differs, and that is added to the index. When a further status finds nothing
to add, the tree is right: every file had the tree's content when that status began.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection
from pathlib import Path

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import CaptureError, GitError, TreeMovedError
from handoff_tui.core.file_modes import LINK, REGULAR
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.git.command import Git
from handoff_tui.git.objects.private_objects import (
    build_commit_tree,
    make_folder,
    offer_objects,
    offer_own_objects,
    write_without_own_folder,
)
from handoff_tui.git.objects.reader import ObjectReader
from handoff_tui.git.repository import Repository
from handoff_tui.git.session import session_of
from handoff_tui.git.work_tree.content import has_link_above
from handoff_tui.git.work_tree.listing import Status, parse_status
from handoff_tui.git.work_tree.private_index import IndexEntry, PrivateIndex
from handoff_tui.system.files.own_folder import is_below_own_folder, is_own


def write_contents(root: Path, git: Git, paths: list[IndexEntry], objects: ObjectReader, cache_folder: Path) -> bool:
    """Writes missing contents; returns False if a file no longer has the content that the index names."""
    wanted = {found.object_id: found for found in paths if found.mode in REGULAR or found.mode == LINK}
    missing = [wanted[name] for name, info in objects.describe(wanted).items() if info is None]
    files = [found for found in missing if found.mode in REGULAR]
    links = [found for found in missing if found.mode == LINK]
    return _write_files(git, files, cache_folder) and _write_links(root, git, links, cache_folder)


def _write_files(git: Git, files: list[IndexEntry], cache_folder: Path) -> bool:
    """Converts line ends and the like, as git does; if that gives another id, git stored the file unchanged."""
    left = _hash_files(git, (), files, cache_folder)
    return not _hash_files(git, ("--no-filters",), left, cache_folder)


def _hash_files(git: Git, options: tuple[str, ...], files: list[IndexEntry], cache_folder: Path) -> list[IndexEntry]:
    """Writes files as blobs; returns those that got another id, or none."""
    if not files:
        return []
    stdin = b"".join(_quote(os.fsencode(found.path)) + b"\n" for found in files)
    writing = offer_own_objects(cache_folder)
    answer = git.run("hash-object", "-w", *options, "--stdin-paths", stdin=stdin, extra=writing)
    made = answer.text.split("\n") if answer.ok else []
    return [
        found for number, found in enumerate(files) if number >= len(made) or made[number].strip() != found.object_id
    ]


def _write_links(root: Path, git: Git, links: list[IndexEntry], cache_folder: Path) -> bool:
    """Writes the targets of links. Git reads each from a file, so that one call writes all of them."""
    if not links:
        return True
    import tempfile  # noqa: PLC0415 - it imports half a dozen modules, and reading commands capture little

    with tempfile.TemporaryDirectory(prefix="links-", dir=make_folder(cache_folder)) as name:
        texts: list[IndexEntry] = []
        for number, found in enumerate(links):
            place = root / found.path
            try:
                if not stat.S_ISLNK(place.lstat().st_mode):
                    return False
                target = os.fsencode(place.readlink())
            except OSError:
                return False
            text = Path(name) / str(number)
            text.write_bytes(target)
            texts.append(found._replace(path=str(text)))
        return not _hash_files(git, ("--no-filters",), texts, cache_folder)


def _quote(path: bytes) -> bytes:
    """Quotes a path for git's input if it contains a newline or begins with a quote."""
    if b"\n" not in path and not path.startswith(b'"'):
        return path
    escaped = path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + escaped + b'"'


class PendingPath(NamedTuple):
    """A path of the work tree that differs from the index."""

    path: str
    untracked: bool = False
    unmerged: bool = False
    deleted: bool = False


def list_pending(status: Status) -> list[PendingPath]:
    pending: list[PendingPath] = []
    for line in status.lines:
        if line.kind == "?":
            pending.append(PendingPath(line.path.removesuffix("/"), untracked=True))
        elif line.kind == "u":
            pending.append(PendingPath(line.path, unmerged=True))
        elif line.kind == "1" and line.work_tree_change is not None:
            pending.append(PendingPath(line.path, deleted=line.work_tree_change == "D"))
    return pending


__all__ = ["CapturedTree", "UncapturedPath", "offer_objects", "write_work_tree"]

_STATUS = (
    *("status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--no-renames", "--untracked-files=all"),
    *("--ignored=matching", "--ignore-submodules=dirty"),
)
_UPDATE = ("update-index", "--add", "--remove", "--replace", "--info-only", "-z", "--stdin")
_LOOKS = 3
"""The first, one after what it found was added, and one more after a retry."""
_UNREADABLE = compile_later(
    r"^(?:warning: could not open directory '(.+?)/?'|(?!warning: )(.+)): Permission denied$", re.MULTILINE
)
_REFUSED_NAME = compile_later(r"^Ignoring path (.+)$", re.MULTILINE)
_KINDS = {stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}
_FIT = frozenset({0, stat.S_IFREG, stat.S_IFLNK, stat.S_IFDIR})


class UncapturedPath(NamedTuple):
    """Something in the work tree that no git tree can hold."""

    path: str
    reason: str


class CapturedTree(NamedTuple):
    """The work tree as a git tree, without `.handoff-tui/`, and HEAD at that moment."""

    tree: str
    objects: Path
    """The folder of objects that the repository doesn't have; see `offer_objects`."""
    head_tree: str | None
    """The tree of HEAD, also without `.handoff-tui/`; equal to `tree` if nothing is uncommitted."""
    commit: str | None
    branch: str | None
    upstream: str | None
    ignored: tuple[str, ...]
    """Ignored files, and ignored folders, which end with a slash."""
    left_out: tuple[UncapturedPath, ...]


def write_work_tree(repository: Repository, cache_folder: Path, needed: Collection[str] | None = None) -> CapturedTree:
    """Writes a tree of all tracked and untracked files, without ignored ones, to the cache."""
    index = PrivateIndex(repository, cache_folder)
    with index.hold():
        if index.load():
            try:
                return _Capture(repository, cache_folder, index, needed).run()
            except GitError:
                pass  # a cache may be damaged or half deleted; what is wrong with the repository shows again
        index.copy()
        return _Capture(repository, cache_folder, index, needed).run()


class _Capture:
    """One capture; the caller holds the index."""

    def __init__(
        self, repository: Repository, cache_folder: Path, index: PrivateIndex, needed: Collection[str] | None
    ) -> None:
        self._repository = repository
        self._needed = needed
        self._cache_folder = cache_folder
        self._index = index
        self._left_out: dict[str, str] = {}
        self._inner_cache = _find_inner_cache(repository.root, cache_folder)
        self._complaint = ""
        self._objects = session_of(repository.git).read_objects(offer_objects(repository, cache_folder))

    def run(self) -> CapturedTree:
        for _ in range(_LOOKS):
            look = self._look()
            pending = [found for found in list_pending(look) if self._is_pending(found)]
            if not pending:
                return self._build(look)
            self._index.forget()
            self._apply(pending)
        if self._complaint:
            raise CaptureError(f"the work tree cannot be captured: {self._complaint}", "`git add -A -n` may say more.")
        if self._needed is not None and not any(found.path in self._needed for found in pending):
            return self._build_without(pending, look)
        shown = ", ".join(found.path for found in pending[:3]) or "a file"
        raise TreeMovedError(
            f"the work tree kept changing while it was captured: {shown}",
            "Wait until nothing writes to the repository any more, then try again.",
        )

    def _build_without(self, restless: list[PendingPath], look: Status) -> CapturedTree:
        """Leaves out files that keep changing and that the caller doesn't need."""
        self._left_out |= dict.fromkeys((found.path for found in restless), "kept changing while it was captured")
        self._remove(restless)
        return self._build(look)

    def _look(self) -> Status:
        answer = self._index.git.run(*_STATUS, extra=self._index.variables)
        if not answer.ok:
            raise answer.to_error("status")
        forbidden = _UNREADABLE.search(answer.stderr)
        if forbidden:
            raise _build_unreadable_error(forbidden[1] or forbidden[2])
        return parse_status(answer.stdout)

    def _is_pending(self, found: PendingPath) -> bool:
        if self._is_own(found.path):
            return found.unmerged  # no tree can be written while a conflict is left
        return found.path not in self._left_out

    def _is_own(self, path: str) -> bool:
        return is_own(path) or path.startswith(self._inner_cache)

    def _apply(self, pending: list[PendingPath]) -> None:
        files: list[PendingPath] = []
        folders: list[PendingPath] = []
        gone: list[PendingPath] = []
        for found in pending:
            mode = self._read_mode(found.path)
            if mode is None or found.deleted or self._is_own(found.path):
                gone.append(found)
            elif stat.S_ISDIR(mode):
                folders.append(found)
            elif stat.S_ISREG(mode) or stat.S_ISLNK(mode):
                files.append(found)
            else:
                gone.append(found)
        self._remove([found for found in gone if not found.untracked])
        self._add_files(files)
        for found in folders:
            self._add_folder(found)

    def _remove(self, gone: list[PendingPath]) -> None:
        self._index.remove(found.path for found in gone)
        for found in gone:
            self._index.note_removed(found.path)

    def _add_files(self, files: list[PendingPath]) -> None:
        if not files:
            return
        stdin = b"".join(os.fsencode(found.path) + b"\0" for found in files)
        answer = self._index.git.run(*_UPDATE, stdin=stdin, extra=self._index.variables)
        self._complaint = "" if answer.ok else answer.complaint
        for path in _REFUSED_NAME.findall(answer.stderr):
            self._left_out[path] = "has a name that git refuses"
        self._index.notes.added.update(found.path for found in files if found.untracked)
        # before the next look, which may have to read them; one that has changed by now is found by that look
        entries = self._index.list_entries([found.path for found in files])
        write_contents(self._repository.root, self._index.git, entries, self._objects, self._cache_folder)

    def _add_folder(self, found: PendingPath) -> None:
        """Adds the commit that is checked out in a submodule or a nested repository."""
        stdin = os.fsencode(found.path) + b"\0"
        answer = self._index.git.run(*_UPDATE, stdin=stdin, extra=self._index.variables)
        if not answer.ok:
            self._left_out[found.path] = "is a repository without a commit; what is in it cannot be told"
        elif found.untracked:
            self._index.notes.added.add(found.path)

    def _read_mode(self, path: str) -> int | None:
        place = self._repository.root / path
        try:
            mode = place.lstat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as refused:
            raise _build_unreadable_error(path) from refused
        if stat.S_ISREG(mode) and not os.access(place, os.R_OK):
            raise _build_unreadable_error(path)
        return None if has_link_above(self._repository.root, path) else mode

    def _write_tree(self, look: Status) -> str:
        """Writes the tree of the index; returns that of HEAD if they don't differ."""
        notes, git = self._index.notes, self._index.git
        if notes.head_tree is not None and not self._has_staged(look):
            return notes.head_tree
        writing = offer_own_objects(self._cache_folder)
        tree = git.read("write-tree", "--missing-ok", extra={**self._index.variables, **_ALONE, **writing})
        return write_without_own_folder(self._objects, tree.decode("ascii").strip(), self._cache_folder)

    def _has_staged(self, look: Status) -> bool:
        """Whether the index differs from HEAD outside our own folder."""
        return any(line.kind == "1" and line.is_staged and not self._is_own(line.path) for line in look.lines)

    def _read_head_tree(self, commit: str | None) -> str | None:
        return None if commit is None else build_commit_tree(self._repository, commit, self._cache_folder)

    def _build(self, look: Status) -> CapturedTree:
        notes = self._index.notes
        if notes.head != look.commit:
            notes.head, notes.head_tree = look.commit, self._read_head_tree(look.commit)
        notes.tree = notes.tree or self._write_tree(look)
        self._index.save()
        left_out = self._left_out | self._find_unfit(notes.removed)
        return CapturedTree(
            tree=notes.tree,
            objects=Path(self._index.variables["GIT_OBJECT_DIRECTORY"]),
            head_tree=notes.head_tree,
            commit=look.commit,
            branch=look.branch,
            upstream=look.upstream,
            ignored=tuple(
                sorted(
                    line.path
                    for line in look.lines
                    if line.kind == "!" and not self._is_own(line.path) and not is_below_own_folder(line.path)
                )
            ),
            left_out=tuple(UncapturedPath(path, reason) for path, reason in sorted(left_out.items())),
        )

    def _find_unfit(self, removed: set[str]) -> dict[str, str]:
        """Finds tracked paths that are now something that no git tree can hold."""
        kinds = {path: stat.S_IFMT(self._read_mode(path) or 0) for path in removed}
        return {
            path: f"is {_KINDS.get(kind, 'a device')}, which git cannot hold"
            for path, kind in kinds.items()
            if kind not in _FIT
        }


_ALONE = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": ""}


def _find_inner_cache(root: Path, cache_folder: Path) -> tuple[str, ...]:
    """Returns our cache folder if it is inside the work tree, as in a home folder; its files aren't changes."""
    real_root, real_cache = root.resolve(), cache_folder.resolve()
    if not real_cache.is_relative_to(real_root) or real_cache == real_root:
        return ()
    return (f"{real_cache.relative_to(real_root).as_posix()}/",)


def _build_unreadable_error(path: str) -> CaptureError:
    return CaptureError(
        f"{path} may not be read by this user, so the work tree cannot be told apart from another",
        "Make it readable, or have git ignore it.",
    )
