"""A copy of the user's index in our cache, which we may refresh and change; the user's own is only read.

The copy describes the work tree: files that git was told to overlook are looked at, and what was added or removed since
is noted. The copy is dropped as soon as one of these notes no longer holds.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import stat
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.errors import CaptureError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.git.command import Git
from handoff_tui.git.objects.private_objects import build_cache_error, make_folder, offer_objects
from handoff_tui.git.repository import Repository
from handoff_tui.system.files.sealed_files import load_json, write_json

if TYPE_CHECKING:
    from _hashlib import HASH

_MAGIC = b"DIRC"
_HEADER = struct.Struct(">4sII")
_FLAGS = struct.Struct(">H")
_VERSIONS = frozenset({2, 3})
_CLAIMS = 40
"""The first bytes of an entry: times, device, inode, mode, owner and size."""
_NO_CLAIMS = bytes(_CLAIMS)
_MODE = slice(24, 28)
_MODE_BYTES = 4
_EXTENDED = 0x4000
_ASSUME_UNCHANGED = 0x8000
_SKIP_WORKTREE = 0x4000
"""Among the further flags of an extended entry."""
_LONGEST_NAME = 0xFFF
_OPTIONAL = range(ord("A"), ord("Z") + 1)
"""First letters of extensions that may be left out."""
_HASHES: dict[str, Callable[[bytes], HASH]] = {"sha1": hashlib.sha1, "sha256": hashlib.sha256}


class _Entry(NamedTuple):
    """The position of an entry, and its mode, object id and name in one."""

    start: int
    end: int
    identity: bytes
    overlooked: bool
    """Whether git must not look at the file: assume-unchanged or skip-worktree."""


class ClearedIndex(NamedTuple):
    """An index without facts about files."""

    content: bytes
    overlooks: bool
    """Whether git must not look at some files."""


def drop_claims(index: bytes, known: Mapping[bytes, bytes], object_format: str) -> ClearedIndex:
    """Clears an index of facts about files, except those `known` of the same path, mode and content.

    Raises ValueError if the index is odd.
    """
    overlooks = False
    changed = bytearray(index)
    end = _HEADER.size
    for entry in _find_entries(index, object_format):
        claims = known.get(entry.identity, _NO_CLAIMS)
        mode = entry.identity[:_MODE_BYTES]
        changed[entry.start : entry.start + _CLAIMS] = claims[: _MODE.start] + mode + claims[_MODE.stop :]
        end = entry.end
        overlooks = overlooks or entry.overlooked
    _refuse_needed(index, end, object_format)
    body = bytes(changed[:end])
    return ClearedIndex(body + _HASHES[object_format](body).digest(), overlooks)


def read_claims(index: bytes, looked_at: int, object_format: str) -> dict[bytes, bytes]:
    """Returns what an index of ours knows about files, for `drop_claims`; empty if it is damaged.

    Git compares whole seconds. A file that changed in the second of the read (`looked_at`), or just before, may have
    changed again with its old time restored, so nothing is known about it.
    """
    digest = _HASHES[object_format]
    width = digest(b"").digest_size
    if digest(index[:-width]).digest() != index[-width:]:
        return {}
    try:
        found = list(_find_entries(index, object_format))
    except ValueError:
        return {}
    claims = {entry.identity: index[entry.start : entry.start + _CLAIMS] for entry in found}
    return {one: said for one, said in claims.items() if int.from_bytes(said[:4], "big") < looked_at - 1}


def _find_entries(index: bytes, object_format: str) -> Iterator[_Entry]:
    if len(index) < _HEADER.size:
        raise ValueError("too short")
    magic, version, count = _HEADER.unpack_from(index)
    if magic != _MAGIC or version not in _VERSIONS:
        raise ValueError("of another version")
    flags_at = _CLAIMS + _HASHES[object_format](b"").digest_size
    start = _HEADER.size
    for _ in range(count):
        if start + flags_at + _FLAGS.size > len(index):
            raise ValueError("cut short")
        (flags,) = _FLAGS.unpack_from(index, start + flags_at)
        name_at = start + flags_at + _FLAGS.size * (2 if flags & _EXTENDED else 1)
        length = flags & _LONGEST_NAME
        name_end = name_at + length if length < _LONGEST_NAME else index.find(b"\0", name_at)
        end = start + ((name_end - start + 8) & ~7)
        if name_end < name_at or end > len(index) or index[name_end:end].strip(b"\0"):
            raise ValueError("cut short")
        identity = index[start : start + flags_at][_MODE] + index[start + _CLAIMS : start + flags_at]
        further = _FLAGS.unpack_from(index, name_at - _FLAGS.size)[0] if flags & _EXTENDED else 0
        overlooked = bool(flags & _ASSUME_UNCHANGED or further & _SKIP_WORKTREE)
        yield _Entry(start, end, identity + index[name_at:name_end], overlooked)
        start = end


def _refuse_needed(index: bytes, position: int, object_format: str) -> None:
    """Raises ValueError for an extension that changes what the entries mean; the others are left out."""
    end = len(index) - _HASHES[object_format](b"").digest_size
    while position < end:
        if index[position] not in _OPTIONAL:
            raise ValueError("with an extension that is needed")
        position += 8 + int.from_bytes(index[position + 4 : position + 8], "big")
    if position != end:
        raise ValueError("cut short")


_MARK = b"sdir\0\0\0\0"
"""The empty extension that marks a sparse index."""
_FOLDER_MODE = "040000"


def is_sparse_index(place: Path) -> bool:
    return _MARK in place.read_bytes()


def write_full_index(door: Git, git: Git, variables: Mapping[str, str]) -> None:
    """Expands a sparse private index. `door` is git as the user configured it, which keeps the index sparse."""
    listing = os.fsdecode(door.read("ls-files", "--sparse", "--stage", "-z", extra=variables))
    folders = [line.split(" ")[1] for line in listing.split("\0") if line.startswith(_FOLDER_MODE)]
    if folders:
        asked = "".join(f"{tree}\n" for tree in folders).encode("ascii")
        words = ("rev-list", "--objects", "--no-object-names", "--filter=blob:none", "--stdin")
        trees = door.read(*words, stdin=asked, extra=variables)
        packs = Path(variables["GIT_OBJECT_DIRECTORY"]) / "pack"
        packs.mkdir(exist_ok=True)
        door.read("pack-objects", "--quiet", str(packs / "pack"), stdin=trees, extra=variables)
    alone = {**variables, "GIT_ALTERNATE_OBJECT_DIRECTORIES": ""}
    git.read("update-index", "--force-write-index", extra=alone)


_VERSION = 2
_NOTES = "notes.json"
_OVERRIDES = (
    ("core.preloadIndex", "true"),
    ("core.safecrlf", "false"),  # a warning of git's about line ends must not end a capture
    ("core.sparseCheckout", "false"),  # which absent files are meant to be absent is decided here, see `kept`
    ("core.splitIndex", "false"),  # the shared part would be written beside the user's index
    ("index.sparse", "false"),
)
_OVERLOOKED = compile_later(rb"(?:\A|\0)([a-zS]) ([^\0]*)")
_NOT_IGNORED = 1
_SECOND = 1_000_000_000
_FEW = 100
_COMPRESSED = b"\4"
"""The index version with compressed names."""
_WHOLE = "whole"
"""A mark in the object folder, so that we notice if only that folder was deleted."""


class IndexEntry(NamedTuple):
    """A path in the index."""

    path: str
    mode: str
    object_id: str


@dataclass
class IndexNotes:
    """What is known about the copy."""

    origin: list[int] = field(default_factory=list)
    """Times, size and inode of the user's index when it was copied; empty if there was none."""
    added: set[str] = field(default_factory=set)
    """Paths in the copy that the user's index does not have."""
    removed: set[str] = field(default_factory=set)
    """Paths in the user's index that the copy no longer has."""
    kept: set[str] = field(default_factory=set)
    """Missing paths that a sparse checkout leaves out; they stay in the tree."""
    tree: str | None = None
    """The tree of the copy, without our own folder, once it was written."""
    head: str | None = None
    head_tree: str | None = None
    copy: str = ""
    """The SHA-256 of the copy and its time when these notes were written. Another copy is not ours."""


class PrivateIndex:
    """The copy, its notes, and git on them."""

    def __init__(self, repository: Repository, cache_folder: Path) -> None:
        self.root = repository.root
        self.folder = make_folder(cache_folder / "work-tree")
        self.notes = IndexNotes()
        self._repository = repository
        self._place = self.folder / "index"
        self._variables = {
            **offer_objects(repository, cache_folder),
            "GIT_INDEX_FILE": str(self._place),
            "GIT_OPTIONAL_LOCKS": "1",  # this index is ours: what git learns by looking may be kept in it
        }
        self._objects = Path(self._variables["GIT_OBJECT_DIRECTORY"])
        door = repository.git
        self.git = Git(door.folder, (*door.overrides, *_OVERRIDES), door.git_dir, door.common_dir)

    @property
    def variables(self) -> dict[str, str]:
        """The variables with which git uses the copy, the user's objects and ours."""
        return self._variables

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Lets one process in at a time; removes what a killed one left behind."""
        try:
            descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as refused:
            raise build_cache_error(self.folder, refused) from refused
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            with suppress(FileNotFoundError):
                (self.folder / "index.lock").unlink()
            yield
        finally:
            os.close(descriptor)

    def load(self) -> bool:
        """Loads the last copy; returns False if it isn't a copy of the user's present index."""
        notes = self._read_notes()
        if notes is None or notes.origin != self._describe_origin():
            return False
        if not (self._objects / _WHOLE).exists():
            return False
        self.notes = notes
        return not self._has_broken_note()

    def _read_notes(self) -> IndexNotes | None:
        """Returns the notes about exactly this copy; None if either is missing or not ours."""
        notes = _parse_notes(load_json(self.folder / _NOTES))
        return notes if notes is not None and notes.copy == _describe_copy(self._place) else None

    def forget(self) -> None:
        """Deletes the notes before the copy is changed, so that a killed process leaves none that don't match."""
        self.notes.tree = None
        with suppress(FileNotFoundError):
            (self.folder / _NOTES).unlink()

    def save(self) -> None:
        try:
            (self._objects / _WHOLE).touch()
        except OSError as refused:
            raise build_cache_error(self._objects, refused) from refused
        self.notes.copy = _describe_copy(self._place)
        write_json(self.folder / _NOTES, _build_record(self.notes))

    def copy(self) -> None:
        """Copies the user's index again: complete, and with nothing overlooked."""
        known, looked_at = self._read_known()
        self.forget()
        self.notes = IndexNotes(self._copy_file())
        if not self.notes.origin:
            return
        if any(self._repository.git_dir.glob("sharedindex.*")):
            self.git.read("update-index", "--no-split-index", extra=self._variables)
        if is_sparse_index(self._place):
            write_full_index(self._repository.git, self.git, self._variables)
        if self._drop_claims(known, looked_at):
            self._look_at_overlooked()

    def remove(self, paths: Iterable[str]) -> None:
        """Removes paths from the copy, including all stages of a conflict."""
        lines = [b"0 " + b"0" * self._repository.id_width + b"\t" + os.fsencode(path) + b"\0" for path in paths]
        if lines:
            self.git.read("update-index", "-z", "--index-info", stdin=b"".join(lines), extra=self._variables)

    def list_entries(self, paths: list[str]) -> list[IndexEntry]:
        """Returns the entries of paths; for many paths it lists all, since a command line is limited."""
        few = ("--", *paths) if len(paths) <= _FEW else ()
        listing = os.fsdecode(self.git.read("ls-files", "--stage", "-z", *few, extra=self._variables))
        wanted = set(paths)
        entries: list[IndexEntry] = []
        for line in listing.split("\0"):
            meta, _, path = line.partition("\t")
            if path in wanted:
                mode, object_id, _ = meta.split(" ")
                entries.append(IndexEntry(path, mode, object_id))
        return entries

    def note_removed(self, path: str) -> None:
        if path in self.notes.added:
            self.notes.added.discard(path)
        else:
            self.notes.removed.add(path)

    def _has_broken_note(self) -> bool:
        """Tells whether an added path is ignored now, a removed one is back, or a left-out one has appeared."""
        if _find_back(self.root, [*self.notes.removed, *self.notes.kept]):
            return True
        if not self.notes.added:
            return False
        stdin = b"".join(os.fsencode(path) + b"\0" for path in sorted(self.notes.added))
        answer = self.git.run("check-ignore", "-z", "--stdin", "--no-index", stdin=stdin, extra=self._variables)
        return answer.code != _NOT_IGNORED

    def _describe_origin(self) -> list[int]:
        try:
            status = (self._repository.git_dir / "index").stat()
        except FileNotFoundError:
            return []
        except OSError as refused:
            raise _build_index_error(refused.strerror) from refused
        return _describe(status)

    def _copy_file(self) -> list[int]:
        try:
            # not blocking: a named pipe in the place of the index would hold us forever
            descriptor = os.open(self._repository.git_dir / "index", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            self._place.unlink(missing_ok=True)
            return []
        except OSError as refused:
            raise _build_index_error(refused.strerror) from refused
        with os.fdopen(descriptor, "rb") as source:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise _build_index_error("it is not a regular file")
            temporary = self.folder / "index.copy"
            try:
                with temporary.open("wb") as target:
                    while part := source.read(1 << 20):
                        target.write(part)
                # by this time git knows which files may have changed right after it looked; a later one hides that
                os.utime(temporary, ns=(status.st_atime_ns, status.st_mtime_ns))
                temporary.replace(self._place)
            except OSError as refused:
                raise build_cache_error(self._place, refused) from refused
        return _describe(status)

    def _read_known(self) -> tuple[dict[bytes, bytes], int]:
        """Returns what the last copy knows about files, and the time by which git judges it."""
        if self._read_notes() is None:  # somebody else may have written it, and claim anything
            return {}, 0
        try:
            looked_at = self._place.stat().st_mtime_ns
            index = self._place.read_bytes()
            return read_claims(index, looked_at // _SECOND, self._repository.object_format), looked_at
        except OSError:
            return {}, 0

    def _drop_claims(self, known: dict[bytes, bytes], looked_at: int) -> bool:
        """Makes git look at every file that we haven't: the user's index may be wrong. Says if it overlooks some."""
        try:
            content, overlooks = drop_claims(self._read_plain(), known, self._repository.object_format)
        except ValueError as odd:
            self.git.read("ls-files", extra=self._variables)  # git says better what is wrong with it
            raise _build_index_error(f"it is {odd}") from odd
        try:
            self._place.write_bytes(content)
            os.utime(self._place, ns=(looked_at, looked_at))
        except OSError as refused:
            raise build_cache_error(self._place, refused) from refused
        return overlooks

    def _read_plain(self) -> bytes:
        """Returns the copy without compressed names."""
        content = self._place.read_bytes()
        if content[7:8] != _COMPRESSED:
            return content
        self.git.read("update-index", "--index-version", "2", extra=self._variables)
        return self._place.read_bytes()

    def _look_at_overlooked(self) -> None:
        listing = self.git.read("ls-files", "-v", "-z", extra=self._variables)
        found = [(tag.decode("ascii"), os.fsdecode(path)) for tag, path in _OVERLOOKED.findall(listing)]
        skipped = [path for tag, path in found if tag in "Ss"]
        if skipped and self._is_sparse():
            self.notes.kept = set(skipped).difference(_find_back(self.root, skipped))
        self._unmark("--no-assume-unchanged", [path for tag, path in found if tag.islower()])
        self._unmark("--no-skip-worktree", [path for path in skipped if path not in self.notes.kept])

    def _unmark(self, option: str, paths: list[str]) -> None:
        if paths:
            stdin = b"".join(os.fsencode(path) + b"\0" for path in paths)
            self.git.read("update-index", option, "-z", "--stdin", stdin=stdin, extra=self._variables)

    def _is_sparse(self) -> bool:
        return self._repository.git.run("config", "--type=bool", "--get", "core.sparseCheckout").text == "true"


def _describe_copy(place: Path) -> str:
    """By content, and by the time that tells git which files it must read again."""
    try:
        return f"{hashlib.sha256(place.read_bytes()).hexdigest()} {place.stat().st_mtime_ns}"
    except OSError:
        return "none"


def _describe(status: os.stat_result) -> list[int]:
    return [status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino]


def _find_back(root: Path, paths: list[str]) -> list[str]:
    """Returns paths that git could track now; those reached through a linked folder aren't."""
    folders: dict[str, bool] = {"": True}
    return [path for path in paths if _is_real(root, path.rpartition("/")[0], folders) and _can_be_tracked(root, path)]


def _is_real(root: Path, folder: str, known: dict[str, bool]) -> bool:
    if folder not in known:
        above = folder.rpartition("/")[0]
        known[folder] = _is_real(root, above, known) and stat.S_ISDIR(_read_mode(root, folder))
    return known[folder]


def _can_be_tracked(root: Path, path: str) -> bool:
    mode = _read_mode(root, path)
    if stat.S_ISDIR(mode):
        return os.path.lexists(root / path / ".git")
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)


def _read_mode(root: Path, path: str) -> int:
    try:
        return os.lstat(f"{root}/{path}").st_mode
    except OSError:
        return 0


def _build_index_error(reason: str | None) -> CaptureError:
    return CaptureError(f"the index of this repository cannot be read: {reason}", "Run git status there to see more.")


def _build_record(notes: IndexNotes) -> dict[str, object]:
    values = {name: sorted(value) if isinstance(value, set) else value for name, value in vars(notes).items()}
    return {"version": _VERSION, **values}


def _parse_notes(record: object) -> IndexNotes | None:
    sets = ("added", "removed", "kept")
    if not isinstance(record, dict) or record.pop("version", None) != _VERSION:
        return None
    try:
        return IndexNotes(**record | {name: set(record[name]) for name in sets})
    except (KeyError, TypeError):
        return None
