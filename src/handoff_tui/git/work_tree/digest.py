"""One digest over everything a check can see of a repository: if it is the same, nothing has changed.

Imports neither models nor configuration, so that "nothing has changed" costs little more than `git status`.
"""

from __future__ import annotations

import hashlib
import os
import time
from bisect import bisect_left
from collections.abc import Iterable
from pathlib import Path

from handoff_tui.git.command import mark_file
from handoff_tui.git.repository import Repository, WorkTree, parse_work_tree, read_listing, read_status
from handoff_tui.git.session import session_of
from handoff_tui.git.work_tree.listing import parse_status
from handoff_tui.system.background import Background
from handoff_tui.system.files.noted import begin_noting

_PACKAGE = Path(__file__).resolve().parents[2]
_MOST_CHANGED = 2_000
_MOST_BYTES = 64 * 1024 * 1024
_CLOCK_STEP = 20_000_000
"""How far the time of a change may lag behind the clock, in nanoseconds; more where only whole seconds are kept."""
_SECOND = 1_000_000_000


class RepositoryDigest:
    """Reads a repository in the background, starting at once; notes what the rest of this process looks at."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self._noted = begin_noting()
        self._began = time.time_ns()
        self._marks = self._mark_git()
        self._work_tree: WorkTree | None = None
        self._status = Background(lambda: read_status(repository))
        self._digest = Background(self._build_digest)
        self._listing: Background[bytes] | None = None

    def read_digest(self) -> str | None:
        """Waits for the digest over HEAD, refs, configuration, the index and changed files.

        None if so much has changed that reading it would cost more than it saves.
        """
        return self._digest.finish()

    def begin_listing(self) -> None:
        """Starts listing the tracked paths too, for callers that will need the work tree later."""
        if self._listing is None:
            self._listing = Background(lambda: read_listing(self.repository))

    def find_unseen(self, own: Path) -> tuple[str, ...] | None:
        """Lists what was looked at and no status speaks for: ignored and overlooked files, the user's own, folders.

        None if something was changed since this began: then nobody knows what was seen. Leaves out files below `own`.
        """
        tree = self.read_work_tree()
        overlooked = set(tree.overlooked)
        root, outside = f"{self.repository.root}/", f"{own}/"
        places = {place for place in self._noted if not place.startswith(outside)}
        if any(_was_changed_since(place, self._began) for place in places):
            return None
        seen = {place for place in places if place.startswith(root) and _is_listed(tree.paths, place[len(root) :])}
        return tuple(sorted({*(places - seen), *(root + path for path in overlooked)}))

    def is_still(self) -> bool:
        """Whether all that this process has looked at is as it was when this began; False if that can't be told.

        Asks only about that, so it costs less than another `git status`.
        """
        session = session_of(self.repository.git)
        if session.list_refs() != session.list_refs(fresh=True) or self._mark_git() != self._marks:
            return False
        root, paths = f"{self.repository.root}/", self.read_work_tree().paths
        places = {place for place in self._noted if place.startswith(root)}
        folders = {place.rpartition("/")[0] for place in places}
        return (
            all(os.path.realpath(folder) == folder for folder in folders)
            and not any(
                _was_changed_since(place, self._began)
                or Path(place).is_symlink()  # what it leads to may have changed
                or (not os.path.lexists(place) and _is_listed(paths, place[len(root) :]))
                for place in places
            )
        )

    def _mark_git(self) -> list[object]:
        git_dir, common = self.repository.git_dir, self.repository.common_dir
        places = (git_dir / "HEAD", git_dir / "index", git_dir / "reftable", common / "reftable")
        return [mark_file(str(place)) for place in places]

    def read_work_tree(self) -> WorkTree:
        """Returns the work tree as it was when this began."""
        if self._work_tree is None:
            self.begin_listing()
            self._digest.finish()
            status = self._status.finish()
            listing = self._listing.finish() if self._listing is not None else read_listing(self.repository)
            self._work_tree = parse_work_tree(self.repository, status, listing)
        return self._work_tree

    def _build_digest(self) -> str | None:
        repository = self.repository
        refs = session_of(repository.git).list_refs()
        config = os.fsencode(repr(repository.git.list_config()))
        program = _describe_program() + _describe_index(repository)  # while git status runs
        status = self._status.finish()
        parts = (status, refs, config, program, os.fsencode(repository.root))
        paths = sorted({f"{repository.root}/{line.path}" for line in parse_status(status).lines})
        return digest_contents(paths, b"".join(b"%d:%b" % (len(part), part) for part in parts))


def _was_changed_since(place: str, moment: int) -> bool:
    """Nobody can set the time of the last change back."""
    try:
        changed = os.lstat(place).st_ctime_ns
    except OSError:
        return False
    return changed >= moment - (_CLOCK_STEP if changed % _SECOND else 2 * _SECOND)


def _is_listed(paths: tuple[str, ...], path: str) -> bool:
    position = bisect_left(paths, path)
    return position < len(paths) and paths[position] == path


def digest_contents(paths: Iterable[str], beginning: bytes = b"") -> str | None:
    """Returns a digest over the name, mode and content of each; of a folder, over the names in it.

    None if they are so many or so large that it isn't worth it.
    """
    places = [Path(path) for path in paths]
    if len(places) > _MOST_CHANGED:
        return None
    digest = hashlib.sha256(beginning)
    total = 0
    for place in places:
        try:
            status = place.lstat()
            content = os.fsencode(place.readlink()) if place.is_symlink() else b""
            if place.is_file():
                total += place.stat().st_size
                if total > _MOST_BYTES:
                    return None
                content += place.read_bytes()
            elif place.is_dir():
                content += os.fsencode("\0".join(sorted(inner.name for inner in place.iterdir())))
            line = f"{place}\0{status.st_mode}\0{len(content)}\0"
        except OSError:
            line, content = f"{place}\0absent\0", b""
        digest.update(os.fsencode(line))
        digest.update(content)
    return digest.hexdigest()


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
    folders = [os.fspath(_PACKAGE)]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith((".py", ".toml")):
                    number += 1
                    newest = max(newest, entry.stat().st_mtime_ns)
                elif entry.name != "__pycache__" and entry.is_dir():
                    folders.append(entry.path)
    return f"{number} {newest}".encode()
