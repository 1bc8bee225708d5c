"""Files below `.handoff-tui/` named by the SHA-256 of their content: written once, verified on every read."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import HandoffError, StoredFileDamagedError, StoredFileMissingError, StoreWriteError
from handoff_tui.core.lazy_pattern import compile_known, compile_later
from handoff_tui.system.files.atomic_write import (
    SYSTEM,
    TEMPORARY_PREFIX,
    Calls,
    Folder,
    build_write_error,
    open_folders,
)
from handoff_tui.system.files.noted import note
from handoff_tui.system.files.own_folder import OWN_FOLDER, write_git_files

_SHARD = compile_later(r"[0-9a-f]{2}")
SETTLED_NANOSECONDS = 2_000_000_000
"""The resolution of a folder's times: a change this shortly before a read may go unnoticed."""


class ForeignFile(NamedTuple):
    """Something in the store that isn't one of our files."""

    path: str
    reason: str


class ListedFolder(NamedTuple):
    """The content of one folder, sorted."""

    digests: tuple[str, ...]
    foreign: tuple[ForeignFile, ...]


class _Memory(NamedTuple):
    stamp: tuple[int, int, int]
    found: ListedFolder


class FolderListing:
    """Lists one folder, repeatedly if necessary; `shown` is its path for people."""

    def __init__(self, shown: str, suffix: str) -> None:
        self._shown = shown
        self._suffix = suffix
        self._name = compile_known(f"([0-9a-f]{{64}}){re.escape(suffix)}")
        self._memory: dict[str, _Memory] = {}

    def look_at_files(self, folder: Folder) -> list[ListedFolder]:
        """Lists a folder without shards."""
        return [self._look(folder, "")]

    def look_at_shards(self, folder: Folder) -> list[ListedFolder]:
        """Lists each shard in order, then everything between them."""
        shards: list[str] = []
        foreign: list[ForeignFile] = []
        for name, is_folder, is_file in _scan(folder):
            if is_folder and _SHARD.fullmatch(name):
                shards.append(name)
            elif not (is_file and name.startswith(TEMPORARY_PREFIX)):
                foreign.append(ForeignFile(f"{self._shown}/{name}", "not a shard of this store"))
        looked = [self._look_at_shard(folder, name) for name in sorted(shards)]
        return [*looked, ListedFolder((), tuple(sorted(foreign)))]

    def _look_at_shard(self, folder: Folder, name: str) -> ListedFolder:
        now = time.time_ns()
        try:
            status = os.stat(name, dir_fd=folder.descriptor, follow_symlinks=False)
            stamp = (status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
            remembered = self._memory.get(name)
            if remembered is not None and remembered.stamp == stamp:
                return remembered.found
            shard = folder.open(name, f"{self._shown}/{name}")
        except FileNotFoundError:  # it disappeared in the meantime
            return ListedFolder((), ())
        try:
            found = self._look(shard, name)
        finally:
            shard.close()
        self._memory.pop(name, None)
        if now - max(status.st_mtime_ns, status.st_ctime_ns) > SETTLED_NANOSECONDS:
            self._memory[name] = _Memory(stamp, found)
        return found

    def _look(self, folder: Folder, shard: str) -> ListedFolder:
        shown = f"{self._shown}/{shard}" if shard else self._shown
        digests: list[str] = []
        foreign: list[ForeignFile] = []
        for name, _, is_file in _scan(folder):
            fitting = self._name.fullmatch(name)
            if is_file and fitting is not None and name.startswith(shard):
                digests.append(fitting[1])
            elif not (is_file and name.startswith(TEMPORARY_PREFIX)):
                foreign.append(ForeignFile(f"{shown}/{name}", self._explain(name, shard, is_named=fitting is not None)))
        return ListedFolder(tuple(sorted(digests)), tuple(sorted(foreign)))

    def _explain(self, name: str, shard: str, *, is_named: bool) -> str:
        if not is_named:
            return f"its name is not a SHA-256 digest and {self._suffix}"
        if not name.startswith(shard):
            return "it is in the wrong shard"
        return "it is a link, a folder, a pipe or a device, not a regular file"


def _scan(folder: Folder) -> list[tuple[str, bool, bool]]:
    """Returns the names in a folder, and whether each is a folder or a regular file; a link is neither."""
    with os.scandir(folder.descriptor) as entries:
        return [
            (entry.name, entry.is_dir(follow_symlinks=False), entry.is_file(follow_symlinks=False)) for entry in entries
        ]


_DIGEST = compile_later(r"[0-9a-f]{64}")


Folders = list[Folder]
"""Root, own folder, folder and shard, from the outside in."""


class AddressedFolder:
    """`.handoff-tui/<folder>/<digest><suffix>` below `root`; sharded ones have a folder per first two hex digits.

    The suffix includes its dot: `.json`. The root may be reached through links; below it none is followed.
    """

    def __init__(
        self, root: Path, folder: str, suffix: str, *, sharded: bool = False, max_bytes: int, calls: Calls = SYSTEM
    ) -> None:
        self.root = root
        self.folder = folder
        self.suffix = suffix
        self.sharded = sharded
        self.max_bytes = max_bytes
        self._calls = calls
        self._listing = FolderListing(f"{OWN_FOLDER}/{folder}", suffix)

    def build_path(self, digest: str) -> str:
        """Returns the path of a digest's file, from the repository's root."""
        shard = (digest[:2],) if self.sharded else ()
        return "/".join((OWN_FOLDER, self.folder, *shard, digest + self.suffix))

    def write(self, content: bytes) -> str:
        """Stores content and returns its digest. Leaves an existing file with this content alone."""
        digest = hashlib.sha256(content).hexdigest()
        path = self.build_path(digest)
        if len(content) > self.max_bytes:
            raise StoreWriteError(
                f"{path} cannot be written: {len(content):,} bytes are more than the limit of {self.max_bytes:,}"
            )
        try:
            with self._open(digest, create=True) as folders:
                self._write_into(folders, path, digest, content)
        except OSError as refused:
            raise build_write_error(refused, path) from refused
        return digest

    def read(self, digest: str) -> bytes:
        """Returns the content of a digest; anything but a regular file with exactly that content is an error."""
        for _, answer in self.read_many((digest,)):
            if isinstance(answer, HandoffError):
                raise answer
            return answer
        raise AssertionError

    def read_many(self, digests: Iterable[str]) -> Iterator[tuple[str, bytes | HandoffError]]:
        """Yields each digest with its content, or with what is wrong with it."""
        for digest, folder in self._visit(digests):
            note(f"{self.root}/{self.build_path(digest)}")
            yield digest, folder if isinstance(folder, HandoffError) else self._read_one(folder, digest)

    def stamp_many(self, digests: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Returns each digest with a stamp that shows whether its file is unchanged; empty if that can't be told.

        Nobody can set a file's change time, but two changes may have the same one. So a file that
        was changed just now has no stamp.
        """
        latest = time.time_ns() - SETTLED_NANOSECONDS
        for digest, folder in self._visit(digests):
            note(f"{self.root}/{self.build_path(digest)}")
            yield digest, "" if isinstance(folder, HandoffError) else self._stamp_one(folder, digest, latest)

    def list(self) -> tuple[str, ...]:
        """Lists the digests present, by name, sorted; doesn't read their content."""
        return tuple(digest for found in self.walk() for digest in found.digests)

    def list_foreign(self) -> tuple[str, ...]:
        """Lists the paths below the folder that aren't our files, sorted."""
        return tuple(foreign.path for foreign in self.find_foreign())

    def find_foreign(self) -> tuple[ForeignFile, ...]:
        """Does the same, with the reason for each."""
        return tuple(sorted(foreign for found in self.walk() for foreign in found.foreign))

    def walk(self) -> tuple[ListedFolder, ...]:
        """Yields both in one pass, shard by shard. Unchanged listings are the same object as before."""
        shown = f"{OWN_FOLDER}/{self.folder}"
        try:
            note(f"{self.root}/{shown}")
            with self._open(None) as folders:
                look = self._listing.look_at_shards if self.sharded else self._listing.look_at_files
                found = tuple(look(folders[-1]))
        except FileNotFoundError:
            return ()
        except OSError as refused:
            raise StoredFileDamagedError(f"{shown} cannot be listed: {refused.strerror}") from refused
        for one in found if self.sharded else ():
            note(f"{self.root}/{shown}/{one.digests[0][:2]}" if one.digests else f"{self.root}/{shown}")
        return found

    def _write_into(self, folders: Folders, path: str, digest: str, content: bytes) -> None:
        own, folder, target = folders[1], folders[2], folders[-1]
        name = digest + self.suffix
        if not self._is_stored(target, name, content, path):
            write_git_files(own, folder)
            if not target.write_once(name, content, folder):
                self._is_stored(target, name, content, path)
        # all of them, no matter who made them: a process that died right after making a folder hasn't synced it
        for one in reversed(folders):
            one.sync()

    def _is_stored(self, folder: Folder, name: str, content: bytes, path: str) -> bool:
        """Tells whether the content is already there; other content under its name is an error."""
        try:
            stored = folder.read(name, self.max_bytes, path)
        except FileNotFoundError:
            return False
        if stored != content:
            raise _build_content_error(path)
        return True

    def _open(self, digest: str | None, *, create: bool = False) -> AbstractContextManager[Folders]:
        """Opens root, own folder, folder and, for a digest, its shard."""
        shard = (digest[:2],) if digest is not None and self.sharded else ()
        return open_folders(self._calls, self.root, OWN_FOLDER, self.folder, *shard, create=create)

    def _visit(self, digests: Iterable[str]) -> Iterator[tuple[str, Folder | HandoffError]]:
        """Yields each digest with its folder, opened once for consecutive digests."""
        place: str | None = None
        with ExitStack() as opened:
            folders: Folders | HandoffError = []
            for digest in digests:
                if not _DIGEST.fullmatch(digest):
                    yield digest, StoredFileMissingError(f"{digest!r} is not a SHA-256 digest")
                    continue
                needed = digest[:2] if self.sharded else ""
                if needed != place:
                    opened.close()
                    place, folders = needed, self._try_open(opened, digest)
                yield digest, folders if isinstance(folders, HandoffError) else folders[-1]

    def _try_open(self, opened: ExitStack, digest: str) -> Folders | HandoffError:
        try:
            return opened.enter_context(self._open(digest))
        except OSError as refused:
            return self._build_read_error(refused, digest)
        except StoredFileDamagedError as linked:
            return linked

    def _read_one(self, folder: Folder, digest: str) -> bytes | HandoffError:
        path = self.build_path(digest)
        try:
            content = folder.read(digest + self.suffix, self.max_bytes, path)
        except OSError as refused:
            return self._build_read_error(refused, digest)
        except StoredFileDamagedError as damaged:
            return damaged
        return content if hashlib.sha256(content).hexdigest() == digest else _build_content_error(path)

    def _stamp_one(self, folder: Folder, digest: str, latest: int) -> str:
        try:
            status = os.stat(digest + self.suffix, dir_fd=folder.descriptor, follow_symlinks=False)
        except OSError:
            return ""
        if not stat.S_ISREG(status.st_mode) or max(status.st_mtime_ns, status.st_ctime_ns) > latest:
            return ""
        return f"{status.st_ino}.{status.st_size}.{status.st_mtime_ns}.{status.st_ctime_ns}"

    def _build_read_error(self, refused: OSError, digest: str) -> HandoffError:
        path = self.build_path(digest)
        if isinstance(refused, FileNotFoundError):
            return StoredFileMissingError(f"{path} is not there", "Has it been deleted? See `git log` for that path.")
        return StoredFileDamagedError(f"{path} cannot be read: {refused.strerror}")


def _build_content_error(path: str) -> StoredFileDamagedError:
    return StoredFileDamagedError(
        f"{path} does not have the content that its name says",
        "It was changed after it was written: restore it from git, or move it aside.",
    )
