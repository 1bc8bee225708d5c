"""Reads the files of a git tree as if it were checked out, with the same answers and errors as for files on disk.

One `git cat-file` serves every tree that is read, and what two trees share is read once.
"""

from __future__ import annotations

import os
from collections import OrderedDict, deque
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Self

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import FileUnreadableError, ObjectMissingError, UnsafePathError
from handoff_tui.git.command import Git
from handoff_tui.git.history.commits import find_last_commit
from handoff_tui.git.objects.log_trees import DropOwnFiles, TreeEntry, parse_tree
from handoff_tui.git.objects.reader import MISSING_HINT, build_object_id, can_be_committed
from handoff_tui.git.session import RepositorySession, session_of
from handoff_tui.system.files.reader import FileReader, refuse_git_folder, split_inside

_MOST_KEPT_BYTES = 64 * 1024 * 1024
"""How much content is cached."""
_MOST_KEPT_NAMES = 500_000
"""This many names of folders, and this many paths of listings, are kept: thousands of commits may be visited."""
_SHA1_BYTES = 20
_MOST_FOLLOWED = 300
"""How many commits are followed to find the last change of a path; for more, git is faster."""
_SUBMODULE = b"160000"
_LINK = b"120000"
_EXECUTABLE = b"100755"

Folder = dict[str, TreeEntry]


class Listing(NamedTuple):
    """The paths below a folder, relative to it; a link counts as a file."""

    files: tuple[str, ...]
    submodules: tuple[str, ...]


class TreeStore:
    """The trees of one repository. For a single thread."""

    def __init__(self, git: Git, object_format: str) -> None:
        self._objects = session_of(git).read_objects()
        self._id_bytes = _SHA1_BYTES if object_format == "sha1" else 32
        self._folders: OrderedDict[str, Folder] = OrderedDict()
        self._listings: OrderedDict[str, Listing] = OrderedDict()
        self._kept_names = 0
        self._kept_paths = 0
        self._contents: OrderedDict[str, bytes] = OrderedDict()
        self._kept_bytes = 0

    def close(self) -> None:
        """Ends the git process; it is started again on demand."""
        self._objects.close()

    def read_folder(self, tree: str) -> Folder:
        """Returns the names in a folder."""
        found = self._folders.get(tree)
        if found is None:
            content = self._objects.require_tree(tree)
            found = self._folders[tree] = {line.name: line for line in parse_tree(content, self._id_bytes)}
            self._kept_names += len(found)
            while self._kept_names > _MOST_KEPT_NAMES and len(self._folders) > 1:
                self._kept_names -= len(self._folders.popitem(last=False)[1])
        return found

    def find_entry(self, tree: str, path: str) -> TreeEntry | None:
        """Returns what is at exactly this path."""
        entry: TreeEntry | None = None
        for name in path.split("/"):
            if entry is not None and not entry.is_folder:
                return None
            entry = self.read_folder(tree if entry is None else entry.object).get(name)
            if entry is None:
                return None
        return entry

    def list_files(self, tree: str) -> Listing:
        """Lists every file below a folder, in git's order."""
        known = self._listings.get(tree)
        if known is not None:
            return known
        files: list[str] = []
        submodules: list[str] = []
        for line in self.read_folder(tree).values():
            if line.is_folder:
                below = self.list_files(line.object)
                files += [f"{line.name}/{path}" for path in below.files]
                submodules += [f"{line.name}/{path}" for path in below.submodules]
            else:
                (submodules if line.mode == _SUBMODULE else files).append(line.name)
        listing = self._listings[tree] = Listing(tuple(files), tuple(submodules))
        self._kept_paths += len(files)
        while self._kept_paths > _MOST_KEPT_NAMES and len(self._listings) > 1:
            self._kept_paths -= len(self._listings.popitem(last=False)[1].files)
        return listing

    def read_content(self, path: str, blob: str, max_bytes: int) -> bytes:
        """Returns the content of a file; raises an error if this clone lacks it, instead of calling it empty."""
        known = self._contents.get(blob)
        if known is None:
            known = self._objects.read(blob, max_bytes)
            if known is None:
                raise self._explain(path, blob, max_bytes)
            self._keep(blob, known)
        if len(known) > max_bytes:
            raise _build_size_error(path, len(known), max_bytes)
        return known

    def build_work_tree(self, tree: str) -> str:
        """Returns the id of a tree without our own files, as the log binds it; writes nothing."""
        build = partial(build_object_id, b"tree", id_width=len(tree))
        return DropOwnFiles(self._objects.require_tree, build, self._id_bytes).drop(tree)

    def _keep(self, blob: str, content: bytes) -> None:
        self._contents[blob] = content
        self._kept_bytes += len(content)
        while self._kept_bytes > _MOST_KEPT_BYTES:
            self._kept_bytes -= len(self._contents.popitem(last=False)[1])

    def _explain(self, path: str, blob: str, max_bytes: int) -> Exception:
        """Says why there is no content: it is too large, which is normal, or it isn't here."""
        info = self._objects.describe([blob])[blob]
        if info is not None and info.size > max_bytes:
            return _build_size_error(path, info.size, max_bytes)
        message = f"the content {blob} of {path} is not in this repository, or is not what its name says"
        return ObjectMissingError(message, MISSING_HINT)


def find_files_in(git: Git, commit: str, paths: Sequence[str]) -> dict[str, TreeEntry]:
    """Returns what a commit has at these paths, links and submodules too; folders are left out."""
    session = session_of(git)

    def find() -> dict[str, TreeEntry]:
        root = session.read_objects().describe([commit], "^{tree}")[commit]
        if root is None:
            raise ObjectMissingError(f"the commit {commit} is not in this repository", MISSING_HINT)
        store = _share_store(session, root.id)
        entries = ((path, store.find_entry(root.id, path)) for path in paths)
        return {path: entry for path, entry in entries if entry is not None and not entry.is_folder}

    return session.once(("files in", commit, tuple(paths)), find)


def find_last_change(git: Git, path: str) -> str | None:
    """Returns the newest commit that touched a path, as `git log -1 -- path` does; None if no commit has it."""
    session = session_of(git)
    return session.once(("last change", path), lambda: _find_last_change(session, path))


def _find_last_change(session: RepositorySession, path: str) -> str | None:
    """Follows the history of one path without a git process, a few hundred commits far.

    Git goes from a commit to the first parent that has the same under the path, so there is but one way to go.
    """
    history = session.read_history()
    commit = next(iter(history.parents), None)
    is_plain = can_be_committed(path) and not {"", ".", ".."} & set(path.split("/"))
    if not is_plain or commit is None:
        return find_last_commit(session, path)
    store = _share_store(session, history.trees[commit])
    try:
        here = store.find_entry(history.trees[commit], path)
        for _ in range(_MOST_FOLLOWED):
            parents = history.parents[commit]
            if not parents:
                return None if here is None else commit
            same = (parent for parent in parents if store.find_entry(history.trees[parent], path) == here)
            before, commit = commit, next(same, "")
            if not commit:
                return before
    except (ObjectMissingError, KeyError):  # a partial clone, or more commits than are listed
        pass
    return find_last_commit(session, path)


def _share_store(session: RepositorySession, tree: str) -> TreeStore:
    """Returns the session's store, which reads what trees share once; only used under the lock of `once`."""
    object_format = "sha1" if len(tree) == 2 * _SHA1_BYTES else "sha256"
    return session.once("trees", lambda: TreeStore(session, object_format))


def is_link(line: TreeEntry) -> bool:
    return line.mode == _LINK


def is_executable(line: TreeEntry) -> bool:
    return line.mode == _EXECUTABLE


_MOST_LINKS = 40
_LONGEST_LINK = 4096


class TreeReader(FileReader):
    """Reads files of a tree below the root of its repository, without reading the work tree."""

    store: TreeStore
    tree: str

    @classmethod
    def open(cls, root: Path, max_bytes: int, store: TreeStore, tree: str) -> Self:
        reader = cls(root, max_bytes)
        reader.store = store
        reader.tree = tree
        return reader

    def read_bytes(self, path: str) -> bytes:
        found, _ = self._follow(path)
        if found is None:
            raise FileUnreadableError(f"{path} does not exist")
        if isinstance(found, str):
            raise FileUnreadableError(f"{path} is a folder, not a regular file")
        if not found.is_file:
            raise FileUnreadableError(f"{path} is a submodule, not a regular file")
        return self.store.read_content(path, found.object, self.max_bytes)

    def exists(self, path: str) -> bool:
        try:
            return self._follow(path)[0] is not None
        except UnsafePathError:
            return False

    def is_linked(self, path: str) -> bool:
        try:
            return self._follow(path)[1]
        except UnsafePathError:
            return True

    def is_executable(self, path: str) -> bool:
        """Tells whether the tree marks the file as executable."""
        try:
            found, _ = self._follow(path)
        except UnsafePathError:
            return False
        return isinstance(found, TreeEntry) and is_executable(found)

    def find_content(self, path: str) -> str | None:
        """Returns the id of the content at a path, with links followed; None if there is none."""
        try:
            found, _ = self._follow(path)
        except UnsafePathError:
            return None
        return found.object if isinstance(found, TreeEntry) and found.is_file else None

    def find_blob(self, path: str) -> str | None:
        """Returns the id of the content at exactly this path."""
        line = self.store.find_entry(self.tree, path)
        return None if line is None or line.is_folder else line.object

    def resolve(self, path: str) -> Path:
        """Refuses: a file of a tree has no place on disk."""
        raise UnsafePathError(f"{path} is read from a commit, and is in no folder")

    def _follow(self, path: str) -> tuple[TreeEntry | str | None, bool]:
        """Returns what a path leads to inside the tree (a folder as its id), and whether there was a link."""
        waiting = deque(split_inside(path))
        refuse_git_folder(path, tuple(waiting))
        folders = [self.tree]
        links = 0
        while waiting:
            part = waiting.popleft()
            if part in {"", "."}:
                continue
            if part == "..":
                if len(folders) == 1:
                    raise UnsafePathError(f"{path} is a link that leads out of the repository")
                folders.pop()
                continue
            line = self.store.read_folder(folders[-1]).get(part)
            if line is None:
                return None, links > 0
            if is_link(line):
                links += 1
                waiting.extendleft(reversed(self._read_link(path, line, links)))
            elif line.is_folder:
                folders.append(line.object)
            else:
                rest = [part for part in waiting if part not in {"", "."}]
                return (None if rest else line), links > 0
        return folders[-1], links > 0

    def _read_link(self, path: str, line: TreeEntry, links: int) -> list[str]:
        if links > _MOST_LINKS:
            raise UnsafePathError(f"{path} is a link that leads in a circle or cannot be followed")
        target = os.fsdecode(self.store.read_content(path, line.object, _LONGEST_LINK))
        if target.startswith("/"):
            raise UnsafePathError(f"{path} is a link that leads out of the repository")
        parts = target.split("/")
        refuse_git_folder(path, tuple(parts))
        return parts


def _build_size_error(path: str, size: int, max_bytes: int) -> FileUnreadableError:
    return FileUnreadableError(
        f"{path} is too large: {size:,} bytes; the limit is {max_bytes:,}",
        "Raise limits.file_bytes in handoff-tui.toml if this file must be read.",
    )
