"""The files of a git tree: their names, sizes and contents, and what differs between two trees."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from handoff_tui.git.command import Git
from handoff_tui.git.history.commits import read_blobs

Objects = Mapping[str, str]
"""The variables under which git sees all objects, see private_objects.py."""

_FILE_MODES = frozenset({"100644", "100755"})
_LINK_MODE = "120000"
_BATCH_BYTES = 32 * 1024 * 1024
_BATCH_FILES = 5_000


class TreeFile(NamedTuple):
    """A file or link in a tree; a submodule is none. `size` is nothing where the content is not here."""

    path: str
    blob: str
    link: bool
    size: int | None


class FileMove(NamedTuple):
    """A file or link that is only in one of two trees, or differs: nothing stands for what is not there."""

    path: str
    old: TreeFile | None
    new: TreeFile | None


def read_tree_files(git: Git, tree: str, objects: Objects) -> list[TreeFile]:
    """Every file of a tree, in git's order."""
    listing = os.fsdecode(git.read("ls-tree", "-r", "-z", "--long", "--full-tree", tree, extra=objects))
    files: list[TreeFile] = []
    for line in listing.split("\0"):
        meta, _, path = line.partition("\t")
        if path:
            mode, _, blob, size = meta.split()
            if _is_file(mode):
                files.append(TreeFile(path, blob, mode == _LINK_MODE, int(size) if size.isdigit() else None))
    return files


def read_tree_moves(git: Git, old: str, new: str, objects: Objects) -> list[FileMove]:
    """What differs between two trees, without looking for renames; sizes are not known."""
    words = ("diff-tree", "-r", "-z", "--raw", "--no-renames", "--ignore-submodules=none", old, new, "--")
    fields = iter(os.fsdecode(git.read(*words, extra=objects)).split("\0"))
    moves: list[FileMove] = []
    for field in fields:
        if field.startswith(":"):
            old_mode, new_mode, old_blob, new_blob, _ = field[1:].split(" ")
            path = next(fields)
            moves.append(FileMove(path, _build(path, old_mode, old_blob), _build(path, new_mode, new_blob)))
    return moves


def read_tree_contents(
    git: Git, blobs: Iterable[tuple[str, int | None]], most_bytes: int, objects: Objects
) -> Iterator[tuple[str, bytes | None]]:
    """Contents of blobs (id and, where it is known, size), some at a time; nothing for what is missing or larger."""
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
    return TreeFile(path, blob, mode == _LINK_MODE, None) if _is_file(mode) else None


def _is_file(mode: str) -> bool:
    return mode in _FILE_MODES or mode == _LINK_MODE
