"""One digest over everything a check could see of a repository: equal digest, nothing has moved.

Kept free of the common model and the configuration, so that saying "nothing has changed" costs little more than
`git status`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from handoff_tui.git.repository import Repository, WorkTree, parse_work_tree, read_listing, read_status
from handoff_tui.git.session import session_of
from handoff_tui.system.background import Background
from handoff_tui.system.files.probe import list_named

_PACKAGE = Path(__file__).resolve().parents[2]
_MOST_CHANGED = 2_000
_MOST_BYTES = 64 * 1024 * 1024


class RepositoryDigest:
    """One look at a repository, which begins at once and goes on while its user does something else."""

    def __init__(self, repository: Repository, ignored_names: Iterable[str], own_files: Iterable[Path]) -> None:
        self.repository = repository
        self._named = tuple(ignored_names)
        self._own = tuple(own_files)
        self._status = Background(lambda: read_status(repository))
        self._digest = Background(self._build_digest)
        self._listing: Background[bytes] | None = None

    def read_digest(self) -> str | None:
        """Waits for the digest over HEAD, refs, changed files, ignored handoff folders and our own files.

        Nothing when looking at all that has changed would cost more than it saves.
        """
        return self._digest.finish()

    def begin_listing(self) -> None:
        """Starts listing the tracked paths too, for callers that will need the work tree later."""
        if self._listing is None:
            self._listing = Background(lambda: read_listing(self.repository))

    def read_work_tree(self) -> WorkTree:
        """The work tree at the moment of this look."""
        self.begin_listing()
        self._digest.finish()
        status = self._status.finish()
        listing = self._listing.finish() if self._listing is not None else read_listing(self.repository)
        return parse_work_tree(self.repository, status, listing)

    def _build_digest(self) -> str | None:
        refs = session_of(self.repository.git).list_refs()
        program = _describe_program()  # while git status runs
        return _digest(self.repository, (self._status.finish(), refs, program), self._named, self._own)


def _digest(
    repository: Repository,
    told: tuple[bytes, bytes, bytes],
    ignored_names: Iterable[str],
    own_files: Iterable[Path],
) -> str | None:
    """`told` are the status, the refs, and the files of this program."""
    status, refs, program = told
    paths = [*_list_changed(status), *list_named(repository.root, ignored_names)]
    if len(paths) > _MOST_CHANGED:
        return None
    digest = hashlib.sha256()
    for part in (status, refs, program, _describe_index(repository), os.fsencode(repository.root)):
        digest.update(b"%d:" % len(part))
        digest.update(part)
    places = [repository.root / path for path in sorted(set(paths))]
    places += [repository.git_dir / "config", repository.common_dir / "info" / "exclude", *own_files]
    return digest.hexdigest() if _add_contents(digest, places) else None


def _add_contents(digest: hashlib._Hash, places: list[Path]) -> bool:
    """Adds name, kind, mode and content of each; false when they are too large to be worth it."""
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


def _list_changed(status: bytes) -> list[str]:
    """Every path that porcelain v2 names, old names of renamed files included."""
    paths: list[str] = []
    for field in os.fsdecode(status).split("\0"):
        kind = field[:2]
        if kind == "1 ":
            paths.append(field.split(" ", 8)[8])
        elif kind == "2 ":
            paths.append(field.split(" ", 9)[9])
        elif kind == "u ":
            paths.append(field.split(" ", 10)[10])
        elif kind == "? ":
            paths.append(field[2:])
    return paths


def _describe_index(repository: Repository) -> bytes:
    """The index tells which files git was told to overlook, and that is in no status."""
    try:
        status = (repository.git_dir / "index").stat()
    except OSError:
        return b"absent"
    return f"{status.st_mtime_ns} {status.st_size}".encode()


def _describe_program() -> bytes:
    """This program's own files: an edited rule must not be answered with an older answer."""
    newest, number = 0, 0
    for folder, _, names in os.walk(_PACKAGE):
        for name in names:
            if name.endswith((".py", ".toml")):
                number += 1
                newest = max(newest, os.stat(os.path.join(folder, name)).st_mtime_ns)  # noqa: PTH116, PTH118 - hot path
    return f"{number} {newest}".encode()
