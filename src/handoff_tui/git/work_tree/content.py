"""Reads single paths of the work tree from disk; filters, attributes and index flags don't count."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import HandoffError
from handoff_tui.core.file_modes import FILE, LINK, PROGRAM
from handoff_tui.git.objects.reader import OBJECT_ID
from handoff_tui.system.files.named_files import read_named_file

_CHUNK = 1 << 20


class WorkContent(NamedTuple):
    """A file or link as it is on disk."""

    mode: str
    blob: str
    """The id git would give these bytes."""
    sha256: str


def read_work_content(root: Path, path: str, object_format: str) -> WorkContent | None:
    """Returns the content of a path; None if no file or link is there, or a folder above it is a link."""
    place = root / path
    try:
        if has_link_above(root, path):
            return None
        status = place.lstat()
        if stat.S_ISLNK(status.st_mode):
            target = os.fsencode(place.readlink())
            return _hash(LINK, len(target), iter([target]), object_format)
        if not stat.S_ISREG(status.st_mode):
            return None
        with place.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            mode = PROGRAM if status.st_mode & stat.S_IXUSR else FILE
            return _hash(mode, size, iter(lambda: file.read(_CHUNK), b""), object_format)
    except (FileNotFoundError, NotADirectoryError):
        return None


def has_link_above(root: Path, path: str) -> bool:
    return any((root / folder).is_symlink() for folder in Path(path).parents if folder != Path())


def _hash(mode: str, size: int, chunks: Iterator[bytes], object_format: str) -> WorkContent:
    git_id = hashlib.new(object_format, b"blob %d\0" % size, usedforsecurity=False)
    content = hashlib.sha256()
    for chunk in chunks:
        git_id.update(chunk)
        content.update(chunk)
    return WorkContent(mode, git_id.hexdigest(), content.hexdigest())


def read_submodule_commit(root: Path, path: str) -> str | None:
    """Returns the commit that is checked out in a submodule, by its files alone: git would obey its configuration."""
    try:
        link = root / path / ".git"
        folder = link if link.is_dir() else link.parent / _read_line(link).removeprefix("gitdir: ")
        head = _read_line(folder / "HEAD")
        ref = head.removeprefix("ref: ")
        if ref != head:
            head = _read_line(folder / ref) if (folder / ref).exists() else _find_packed(folder, ref)
    except (HandoffError, OSError, ValueError):
        return None
    return head if OBJECT_ID.fullmatch(head) else None


def _read_line(place: Path) -> str:
    return os.fsdecode(read_named_file(place, _CHUNK)).partition("\n")[0]


def _find_packed(folder: Path, ref: str) -> str:
    lines = os.fsdecode(read_named_file(folder / "packed-refs", _CHUNK)).splitlines()
    return next((line.partition(" ")[0] for line in lines if line.endswith(f" {ref}")), "")
