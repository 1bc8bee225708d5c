"""Writes trees and contents that no commit has, so that git can compare them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import CaptureError
from handoff_tui.git.objects.private_objects import offer_objects, write_own_object
from handoff_tui.git.repository import Repository
from handoff_tui.git.session import session_of

_FOLDER, _LINK, _SUBMODULE = "40000", "120000", "160000"
_NOBODY = "handoff-tui <> 0 +0000"


class WrittenEntry(NamedTuple):
    """The mode and blob of one path in a tree that we write."""

    mode: str
    blob: str


class WrittenTree(NamedTuple):
    """A tree that we wrote."""

    id: str
    left_out: tuple[str, ...] = ()
    """Paths below another path that is a file: no tree can hold both."""


class OwnObjects:
    """Writes objects to the cache folder; the user's own are only read."""

    def __init__(self, repository: Repository, cache_folder: Path) -> None:
        self._repository = repository
        self._cache_folder = cache_folder
        self._width = repository.id_width
        self.variables = offer_objects(repository, cache_folder)
        """With these, git sees the user's objects and ours."""

    def write_tree(self, files: Mapping[str, WrittenEntry]) -> WrittenTree:
        """Writes a tree of just these files."""
        left_out = tuple(path for path in sorted(files) if any(folder in files for folder in _list_folders(path)))
        folders: dict[str, dict[str, WrittenEntry]] = {"": {}}
        for path in files.keys() - set(left_out):
            for folder in _list_folders(path):
                folders.setdefault(folder, {})
            above, _, name = path.rpartition("/")
            folders[above][name] = files[path]
        for folder in sorted(folders, key=lambda folder: folder.count("/"), reverse=True):
            if folder:  # the innermost first: a folder needs the ids of those in it
                above, _, name = folder.rpartition("/")
                folders[above][name] = WrittenEntry(_FOLDER, self._write_folder(folders[folder]))
        return WrittenTree(self._write_folder(folders[""]), left_out)

    def write_contents(self, files: Iterable[tuple[str, WrittenEntry]]) -> None:
        """Writes contents that no object has yet, from the work tree."""
        wanted = {entry.blob: (path, entry) for path, entry in files if entry.mode != _SUBMODULE}
        known = session_of(self._repository.git).read_objects(self.variables).describe(wanted)
        for blob, (path, entry) in wanted.items():
            if known[blob] is None and self._write(b"blob", self._read(path, entry)) != blob:
                raise CaptureError(f"{path} changed while it was read", "Try again.")

    def write_commit(self, tree: str, parent: str | None = None) -> str:
        """Writes a commit without an author, with or without a parent."""
        above = f"parent {parent}\n" if parent is not None else ""
        text = f"tree {tree}\n{above}author {_NOBODY}\ncommitter {_NOBODY}\n\nnot committed\n"
        return self._write(b"commit", text.encode("ascii"))

    def _write_folder(self, entries: Mapping[str, WrittenEntry]) -> str:
        rows = []
        for name, entry in entries.items():
            encoded = os.fsencode(name)
            row = entry.mode.encode() + b" " + encoded + b"\0" + bytes.fromhex(entry.blob)
            rows.append((encoded + b"/" if entry.mode == _FOLDER else encoded, row))  # so git sorts them
        return self._write(b"tree", b"".join(row for _, row in sorted(rows)))

    def _read(self, path: str, entry: WrittenEntry) -> bytes:
        place = self._repository.root / path
        try:
            return os.fsencode(place.readlink()) if entry.mode == _LINK else place.read_bytes()
        except OSError as refused:
            raise CaptureError(f"{path} can't be read: {refused.strerror}", "Try again.") from refused

    def _write(self, kind: bytes, content: bytes) -> str:
        return write_own_object(self._cache_folder, kind, content, self._width)


def _list_folders(path: str) -> Iterator[str]:
    """Yields the folders around a path, innermost first."""
    folder = path.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
