"""Safe reads from a git tree, as if it were checked out: the same answers and errors as for files on disk."""

from __future__ import annotations

import os
from collections import deque
from pathlib import Path
from typing import Self

from handoff_tui.core.errors import FileUnreadableError, UnsafePathError
from handoff_tui.git.objects.log_trees import TreeLine
from handoff_tui.git.objects.tree_store import TreeStore, is_executable, is_link
from handoff_tui.system.files.reader import FileReader, refuse_git_folder, split_inside

_MOST_LINKS = 40
_LONGEST_LINK = 4096


class TreeReader(FileReader):
    """Reads files of a tree below the root of its repository, which itself is not looked at."""

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
        """Whether the tree says so of the file."""
        try:
            found, _ = self._follow(path)
        except UnsafePathError:
            return False
        return isinstance(found, TreeLine) and is_executable(found)

    def find_content(self, path: str) -> str | None:
        """The id of the content that reading a path gives, links followed; nothing where it gives none."""
        try:
            found, _ = self._follow(path)
        except UnsafePathError:
            return None
        return found.object if isinstance(found, TreeLine) and found.is_file else None

    def find_blob(self, path: str) -> str | None:
        """The id of the content that stands under just this path."""
        folder = self.store.read_folder(self.tree)
        *folders, name = path.split("/")
        for part in folders:
            line = folder.get(part)
            if line is None or not line.is_folder:
                return None
            folder = self.store.read_folder(line.object)
        line = folder.get(name)
        return None if line is None or line.is_folder else line.object

    def resolve(self, path: str) -> Path:
        """A file of a tree has no place on disk; asking for one is refused rather than answered with another file."""
        raise UnsafePathError(f"{path} is read from a commit, and is in no folder")

    def _follow(self, path: str) -> tuple[TreeLine | str | None, bool]:
        """What stands under a path, links followed inside the tree, and whether there was one; a folder is its id."""
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

    def _read_link(self, path: str, line: TreeLine, links: int) -> list[str]:
        if links > _MOST_LINKS:
            raise UnsafePathError(f"{path} is a link that leads in a circle or cannot be followed")
        target = os.fsdecode(self.store.read_content(path, line.object, _LONGEST_LINK))
        if target.startswith("/"):
            raise UnsafePathError(f"{path} is a link that leads out of the repository")
        parts = target.split("/")
        refuse_git_folder(path, tuple(parts))
        return parts
