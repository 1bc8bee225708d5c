"""Our objects beside a repository's: written to the cache folder, while the user's stay unchanged.

What git would write a second time it marks as fresh where it already lies, and in an alternate that sets the time of
the user's own file. So whatever writes sees our folder alone; whatever reads sees both.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import CaptureError, ObjectMissingError
from handoff_tui.core.file_modes import LINK, SUBMODULE
from handoff_tui.git.objects.log_trees import DropOwnFiles
from handoff_tui.git.objects.reader import ObjectReader, build_object_id
from handoff_tui.git.repository import Repository
from handoff_tui.git.session import session_of

_FOLDER = "objects"
_CACHE_HINT = "Give this user a cache folder that can be written; XDG_CACHE_HOME says where."
_NOBODY = "handoff-tui <> 0 +0000"


def offer_objects(repository: Repository, cache_folder: Path) -> dict[str, str]:
    """Returns the variables with which git reads the user's objects and ours."""
    return {
        **offer_own_objects(cache_folder),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": quote_folder(repository.common_dir / "objects"),
    }


def offer_own_objects(cache_folder: Path) -> dict[str, str]:
    """Returns the variable with which git writes objects and sees no others."""
    return {"GIT_OBJECT_DIRECTORY": str(make_folder(cache_folder / _FOLDER))}


def make_folder(folder: Path) -> Path:
    """Creates a folder in the cache, for this user only."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as refused:
        raise build_cache_error(folder, refused) from refused
    return folder


def build_cache_error(place: Path, refused: OSError) -> CaptureError:
    return CaptureError(f"{place} cannot be written: {refused.strerror}", _CACHE_HINT)


def quote_folder(folder: Path) -> str:
    """Returns a path as git's list of object folders takes it: quoted, as a colon would end it."""
    path = str(folder)
    if os.pathsep not in path and not path.startswith('"'):
        return path
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def build_commit_tree(repository: Repository, commit: str, cache_folder: Path) -> str:
    """Returns the tree of a commit without `.handoff-tui/`, as the log binds it."""
    reader = session_of(repository.git).read_objects()
    tree = reader.describe([commit], "^{tree}")[commit]
    if tree is None:
        raise ObjectMissingError(
            f"the commit {commit} is not in this repository",
            "A shallow clone may lack it (git fetch --unshallow), or it was removed by git gc after a rewrite.",
        )
    return write_without_own_folder(reader, tree.id, cache_folder)


def write_without_own_folder(reader: ObjectReader, tree: str, cache_folder: Path) -> str:
    """Returns the tree without our own files; the tree itself if it has none."""
    write = partial(write_own_object, cache_folder, b"tree", id_width=len(tree))
    return DropOwnFiles(reader.require_tree, write, len(tree) // 2).drop(tree)


def write_own_object(cache_folder: Path, kind: bytes, content: bytes, id_width: int) -> str:
    """Stores an object among ours; returns its id."""
    folder = make_folder(cache_folder / _FOLDER)
    try:
        return write_loose_object(folder, kind, content, id_width)
    except OSError as refused:
        raise build_cache_error(folder, refused) from refused


def write_loose_object(folder: Path, kind: bytes, content: bytes, id_width: int) -> str:
    """Stores an object as git does, in one step; returns its id."""
    stored = b"%b %d\0" % (kind, len(content)) + content
    name = build_object_id(kind, content, id_width)
    place = folder / name[:2] / name[2:]
    if not place.exists():
        place.parent.mkdir(exist_ok=True)
        temporary = place.with_name(f"tmp_obj_{os.urandom(8).hex()}")
        temporary.write_bytes(zlib.compress(stored, 1))
        temporary.replace(place)
    return name


_TREE = "40000"


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
                folders[above][name] = WrittenEntry(_TREE, self._write_folder(folders[folder]))
        return WrittenTree(self._write_folder(folders[""]), left_out)

    def write_contents(self, files: Iterable[tuple[str, WrittenEntry]]) -> None:
        """Writes contents that no object has yet, from the work tree."""
        wanted = {entry.blob: (path, entry) for path, entry in files if entry.mode != SUBMODULE}
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
            rows.append((encoded + b"/" if entry.mode == _TREE else encoded, row))  # so git sorts them
        return self._write(b"tree", b"".join(row for _, row in sorted(rows)))

    def _read(self, path: str, entry: WrittenEntry) -> bytes:
        place = self._repository.root / path
        try:
            return os.fsencode(place.readlink()) if entry.mode == LINK else place.read_bytes()
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
