"""The files of a git tree: names, sizes, contents and their SHA-256, and which files differ between two trees."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import cast

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.file_modes import LINK, REGULAR
from handoff_tui.git.command import Git
from handoff_tui.git.history.commits import read_blobs
from handoff_tui.git.session import session_of

Objects = Mapping[str, str]
"""Variables with which git sees all objects; see private_objects.py."""

_BATCH_BYTES = 32 * 1024 * 1024
_BATCH_FILES = 5_000


class TreeFile(NamedTuple):
    """A file or link in a tree, not a submodule. `size` is None if this clone lacks the content."""

    path: str
    blob: str
    link: bool
    size: int | None


class TreeFileChange(NamedTuple):
    """A file or link that differs between two trees; None on the side that doesn't have it."""

    path: str
    old: TreeFile | None
    new: TreeFile | None


def read_tree_files(git: Git, tree: str, objects: Objects) -> list[TreeFile]:
    """Returns every file of a tree, in git's order. Read once."""
    return session_of(git).once(("tree files", tree), lambda: _read_tree_files(git, tree, objects))


def find_read_paths(git: Git, tree: str) -> list[str] | None:
    """The paths of a tree, if `read_tree_files` has read them."""
    files = cast("list[TreeFile] | None", session_of(git).find_known(("tree files", tree)))
    return None if files is None else [file.path for file in files]


def _read_tree_files(git: Git, tree: str, objects: Objects) -> list[TreeFile]:
    listing = os.fsdecode(git.read("ls-tree", "-r", "-z", "--long", "--full-tree", tree, extra=objects))
    files: list[TreeFile] = []
    for line in listing.split("\0"):
        meta, _, path = line.partition("\t")
        if path:
            mode, _, blob, size = meta.split()
            if _is_file(mode):
                files.append(TreeFile(path, blob, mode == LINK, int(size) if size.isdigit() else None))
    return files


def read_tree_file_changes(git: Git, old: str, new: str, objects: Objects) -> list[TreeFileChange]:
    """Returns what differs between two trees, without looking for renames; sizes are unknown."""
    from handoff_tui.git.objects.tree_diff import parse_raw  # noqa: PLC0415 - few compare trees

    words = ("diff-tree", "-r", "-z", "--raw", "--no-renames", "--ignore-submodules=none", old, new, "--")
    return [
        TreeFileChange(one.path, _build(one.path, one.old_mode, one.old_id), _build(one.path, one.new_mode, one.new_id))
        for one in parse_raw(git.read(*words, extra=objects))
    ]


def read_tree_contents(
    git: Git, blobs: Iterable[tuple[str, int | None]], most_bytes: int, objects: Objects
) -> Iterator[tuple[str, bytes | None]]:
    """Yields the contents of blobs (id, and size if known), a batch at a time; None if missing or larger."""
    batch: list[str] = []
    waiting = 0
    for blob, size in blobs:
        if size is not None and size > most_bytes:
            yield blob, None
            continue
        batch.append(blob)
        waiting += size or 0
        if waiting > _BATCH_BYTES or len(batch) >= _BATCH_FILES:
            yield from read_blobs(git, batch, most_bytes, objects).items()
            batch, waiting = [], 0
    yield from read_blobs(git, batch, most_bytes, objects).items()


def _build(path: str, mode: str, blob: str) -> TreeFile | None:
    return TreeFile(path, blob, mode == LINK, None) if _is_file(mode) else None


def _is_file(mode: str) -> bool:
    return mode in REGULAR or mode == LINK


_CONVERTS = ("filter", "ident", "working-tree-encoding")
_PLAIN = frozenset({"unspecified", "unset"})


def read_path_blobs(git: Git, tree: str, paths: Iterable[str], objects: Objects) -> dict[str, str]:
    """Maps those paths that are files or links in a tree to their blob ids."""
    names = {f"{tree}:{path}": path for path in paths}
    described = session_of(git).read_objects(objects).describe(names)
    return {names[name]: info.id for name, info in described.items() if info is not None and info.kind == "blob"}


def list_converted(git: Git, paths: Iterable[str], cache_folder: Path | None = None) -> frozenset[str]:
    """Lists paths whose content git converts beyond line ends.

    With `cache_folder` the attributes of the work tree alone are asked for, because reading a large index first would
    take longer than all the rest.
    """
    stdin = b"".join(os.fsencode(path) + b"\0" for path in paths)
    if not stdin:
        return frozenset()
    extra = None if cache_folder is None else {"GIT_INDEX_FILE": str(cache_folder / "no-index")}
    fields = os.fsdecode(git.read("check-attr", "-z", "--stdin", *_CONVERTS, stdin=stdin, extra=extra)).split("\0")
    rows = zip(fields[::3], fields[2::3], strict=False)
    return frozenset(path for path, value in rows if value not in _PLAIN)
