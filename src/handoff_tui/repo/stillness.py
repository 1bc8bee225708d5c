"""One digest over everything a check could see of a repository: equal digest, nothing has moved.

Kept free of the common model and the configuration, so that saying «nothing has changed» costs little more than
`git status`.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterable
from pathlib import Path

from handoff_tui.errors import GitError
from handoff_tui.repo.git import GitAnswer
from handoff_tui.repo.probe import list_named
from handoff_tui.repo.repository import Repository

_PACKAGE = Path(__file__).resolve().parent.parent
_MOST_CHANGED = 2_000
_MOST_BYTES = 64 * 1024 * 1024


def digest_repository(repository: Repository, ignored_names: Iterable[str], own_files: Iterable[Path]) -> str | None:
    """Over HEAD, refs, the state and content of changed files, ignored handoff folders, and our own files.

    Nothing when so much has changed that looking at all of it would cost more than it saves.
    """
    listing = _Listing(repository)
    listing.start()
    status = repository.git.read(
        "status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all", "--ignore-submodules=dirty"
    )
    refs = listing.finish()
    paths = [*_list_changed(status), *list_named(repository.root, ignored_names)]
    if len(paths) > _MOST_CHANGED:
        return None
    digest = hashlib.sha256()
    for part in (status, refs, _describe_program(), _describe_index(repository), os.fsencode(repository.root)):
        digest.update(b"%d:" % len(part))
        digest.update(part)
    places = [repository.root / path for path in sorted(set(paths))]
    places += [repository.git_dir / "config", repository.common_dir / "info" / "exclude", *own_files]
    return digest.hexdigest() if _add_contents(digest, places) else None


class _Listing(threading.Thread):
    """Lists the refs while `git status` runs."""

    def __init__(self, repository: Repository) -> None:
        super().__init__()
        self._repository = repository
        self._answer: GitAnswer | None = None

    def run(self) -> None:
        self._answer = self._repository.git.run("for-each-ref", "--format=%(objectname) %(refname)")

    def finish(self) -> bytes:
        self.join()
        if self._answer is None or not self._answer.ok:
            raise GitError("git cannot list the refs of this repository", "Run git for-each-ref there to see why.")
        return self._answer.stdout


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
