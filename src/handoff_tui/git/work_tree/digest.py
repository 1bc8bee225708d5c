"""One digest over everything a check can see of a repository: if it is the same, nothing has changed.

Imports neither models nor configuration, so that "nothing has changed" costs little more than `git status`.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from handoff_tui.git.repository import Repository, WorkTree, parse_work_tree, read_listing, read_status
from handoff_tui.git.session import session_of
from handoff_tui.git.work_tree.status import parse_status
from handoff_tui.system.background import Background
from handoff_tui.system.files.probe import list_named

_PACKAGE = Path(__file__).resolve().parents[2]
_OVERLOOKED = re.compile(rb"(?:\A|\0)[a-zS] [^\t\0]*\t([^\0]+)")
"""Paths that the index tells git to overlook, in a listing."""
_MOST_CHANGED = 2_000
_MOST_BYTES = 64 * 1024 * 1024


class Overlooked(NamedTuple):
    """Files that the index tells git to overlook, and the digest over their contents."""

    paths: tuple[str, ...]
    digest: str


class RepositoryDigest:
    """Reads a repository in the background, starting at once."""

    def __init__(self, repository: Repository, ignored_names: Iterable[str], own_files: Iterable[Path]) -> None:
        self.repository = repository
        self._named = tuple(ignored_names)
        self._own = tuple(own_files)
        self._status = Background(lambda: read_status(repository))
        self._digest = Background(self._build_digest)
        self._listing: Background[bytes] | None = None
        self._overlooked: Background[Overlooked | None] | None = None

    def read_digest(self) -> str | None:
        """Waits for the digest over HEAD, refs, changed files, ignored handoff folders and our own files.

        None if so much has changed that reading it would cost more than it saves.
        """
        return self._digest.finish()

    def begin_listing(self) -> None:
        """Starts listing the tracked paths too, for callers that will need the work tree later."""
        if self._listing is None:
            listing = self._listing = Background(lambda: read_listing(self.repository))
            self._overlooked = Background(lambda: self._read_overlooked(listing.finish()))

    def read_overlooked(self) -> Overlooked | None:
        """Returns the files that git was told to overlook, as they were when this began; None if they are too large."""
        self.begin_listing()
        return self._overlooked.finish() if self._overlooked is not None else None

    def digest_overlooked(self, paths: Iterable[str]) -> str | None:
        """Returns a digest over the contents of files that no status mentions; None if they are too large."""
        digest = hashlib.sha256()
        fits = _add_contents(digest, [self.repository.root / path for path in paths])
        return digest.hexdigest() if fits else None

    def _read_overlooked(self, listing: bytes) -> Overlooked | None:
        paths = tuple(os.fsdecode(path) for path in _OVERLOOKED.findall(listing))
        digest = self.digest_overlooked(paths)
        return None if digest is None else Overlooked(paths, digest)

    def read_work_tree(self) -> WorkTree:
        """Returns the work tree as it was when this began."""
        self.begin_listing()
        self._digest.finish()
        status = self._status.finish()
        listing = self._listing.finish() if self._listing is not None else read_listing(self.repository)
        return parse_work_tree(self.repository, status, listing)

    def _build_digest(self) -> str | None:
        refs = session_of(self.repository.git).list_refs()
        program = _describe_program() + _describe_index(self.repository)  # while git status runs
        return _digest(self.repository, (self._status.finish(), refs, program), self._named, self._own)


def _digest(
    repository: Repository, told: tuple[bytes, bytes, bytes], ignored_names: Iterable[str], own_files: Iterable[Path]
) -> str | None:
    """`told` is the status, the refs, and a description of this program's files and the index."""
    status, refs, program = told
    paths = [*(line.path for line in parse_status(status).lines), *list_named(repository.root, ignored_names)]
    if len(paths) > _MOST_CHANGED:
        return None
    digest = hashlib.sha256()
    for part in (status, refs, program, os.fsencode(repository.root)):
        digest.update(b"%d:" % len(part))
        digest.update(part)
    places = [repository.root / path for path in sorted(set(paths))]
    places += [repository.git_dir / "config", repository.common_dir / "info" / "exclude", *own_files]
    return digest.hexdigest() if _add_contents(digest, places) else None


def _add_contents(digest: hashlib._Hash, places: list[Path]) -> bool:
    """Adds the name, mode and content of each; returns False if they are too large to be worth it."""
    total = 0
    for place in places:
        try:
            status = place.lstat()
            content = os.fsencode(place.readlink()) if place.is_symlink() else b""
            if place.is_file():
                total += place.stat().st_size
                if total > _MOST_BYTES:
                    return False
                content += place.read_bytes()
            line = f"{place}\0{status.st_mode}\0{len(content)}\0"
        except OSError:
            line, content = f"{place}\0absent\0", b""
        digest.update(os.fsencode(line))
        digest.update(content)
    return True


def _describe_index(repository: Repository) -> bytes:
    """Describes the index: it says which files git must overlook, and no status shows that."""
    try:
        # not blocking: a named pipe in its place would hold us forever
        with open(os.open(repository.git_dir / "index", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:  # noqa: PTH123
            return hashlib.file_digest(file, "sha256").digest()
    except OSError:
        return b"absent"


def _describe_program() -> bytes:
    """Describes this program's own files: an edited rule must not get an old answer."""
    newest, number = 0, 0
    for folder, _, names in os.walk(_PACKAGE):
        for name in names:
            if name.endswith((".py", ".toml")):
                number += 1
                newest = max(newest, os.stat(os.path.join(folder, name)).st_mtime_ns)  # noqa: PTH116, PTH118 - hot path
    return f"{number} {newest}".encode()
