"""A copy of the user's index in our cache, to be refreshed and added to at will; the user's own is only read.

The copy stands for the work tree: what git was told to overlook is looked at, and what was added or removed since the
copy was made is noted, so that the copy is given up as soon as one of these notes no longer holds.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import stat
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from handoff_tui.core.errors import CaptureError
from handoff_tui.git.command import Git
from handoff_tui.git.objects.private_objects import build_cache_error, make_folder, offer_objects
from handoff_tui.git.repository import Repository
from handoff_tui.system.files.cache_files import load_json, write_json

if TYPE_CHECKING:
    from _hashlib import HASH

_MAGIC = b"DIRC"
_HEADER = struct.Struct(">4sII")
_FLAGS = struct.Struct(">H")
_VERSIONS = frozenset({2, 3})
_CLAIMS = 40
"""Bytes of times, device, number, mode, owner and size at the beginning of an entry."""
_NO_CLAIMS = bytes(_CLAIMS)
_MODE = slice(24, 28)
_MODE_BYTES = 4
_EXTENDED = 0x4000
_LONGEST_NAME = 0xFFF
_OPTIONAL = range(ord("A"), ord("Z") + 1)
"""How the name of an extension begins that may be left out."""
_HASHES: dict[str, Callable[[bytes], HASH]] = {"sha1": hashlib.sha1, "sha256": hashlib.sha256}


class _Entry(NamedTuple):
    """Where an entry lies, and its mode, object id and name in one."""

    start: int
    end: int
    identity: bytes


def drop_claims(index: bytes, known: Mapping[bytes, bytes], object_format: str) -> bytes:
    """The index with nothing claimed but what is `known` of the same path, mode and content; a ValueError if odd."""
    changed = bytearray(index)
    end = _HEADER.size
    for entry in _find_entries(index, object_format):
        claims = known.get(entry.identity, _NO_CLAIMS)
        mode = entry.identity[:_MODE_BYTES]
        changed[entry.start : entry.start + _CLAIMS] = claims[: _MODE.start] + mode + claims[_MODE.stop :]
        end = entry.end
    _refuse_needed(index, end, object_format)
    body = bytes(changed[:end])
    return body + _HASHES[object_format](body).digest()


def read_claims(index: bytes, looked_at: int, object_format: str) -> dict[bytes, bytes]:
    """What an index of our own knows of its files, for `drop_claims`; empty if it is damaged.

    Git compares whole seconds. What changed in the second of the look, or right before, is not known: it may have
    changed again with its old time put back. `looked_at` is that second.
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
        yield _Entry(start, end, identity + index[name_at:name_end])
        start = end


def _refuse_needed(index: bytes, position: int, object_format: str) -> None:
    """Extensions are left out; one without which the entries mean something else is a ValueError."""
    end = len(index) - _HASHES[object_format](b"").digest_size
    while position < end:
        if index[position] not in _OPTIONAL:
            raise ValueError("with an extension that is needed")
        position += 8 + int.from_bytes(index[position + 4 : position + 8], "big")
    if position != end:
        raise ValueError("cut short")


_MARK = b"sdir\0\0\0\0"
"""The extension that says so, which is empty."""
_FOLDER_MODE = "040000"


def is_sparse_index(place: Path) -> bool:
    return _MARK in place.read_bytes()


def write_full_index(door: Git, git: Git, variables: Mapping[str, str]) -> None:
    """Makes the private index complete. `door` is git as the user configured it, which leaves the index as it is."""
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


_VERSION = 1
_OVERRIDES = (
    ("core.preloadIndex", "true"),
    ("core.safecrlf", "false"),  # a warning of git's about line ends must not end a capture
    ("core.sparseCheckout", "false"),  # which absent files are meant to be absent is decided here, see `kept`
    ("core.splitIndex", "false"),  # the shared part would be written beside the user's index
    ("index.sparse", "false"),
)
_OVERLOOKED = re.compile(rb"(?:\A|\0)([a-zS]) ([^\0]*)")
_NOT_IGNORED = 1
_SECOND = 1_000_000_000
_FEW = 100
_COMPRESSED = b"\4"
"""The version of such an index."""
_WHOLE = "whole"
"""A mark in the object folder: gone with it when the folder is deleted and only the index is left."""


class IndexEntry(NamedTuple):
    """A path in the index."""

    path: str
    mode: str
    object_id: str


@dataclass(slots=True)
class IndexNotes:
    """What is known of the copy."""

    origin: list[int] = field(default_factory=list)
    """Time, size and number of the user's index when it was copied; empty where there was none."""
    added: set[str] = field(default_factory=set)
    """Paths in the copy that the user's index does not have."""
    removed: set[str] = field(default_factory=set)
    """Paths that the user's index has and the copy no longer."""
    kept: set[str] = field(default_factory=set)
    """Absent paths that a sparse checkout leaves out: they stay in the tree as they were."""
    tree: str | None = None
    """The tree of the copy, without our own folder, once it was written."""
    head: str | None = None
    head_tree: str | None = None


class PrivateIndex:
    """The copy, its notes, and git on them. `changed` tells whether the copy was made anew."""

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
        """Under which git looks at the copy, the user's objects and ours."""
        return self._variables

    @contextmanager
    def hold(self) -> Iterator[None]:
        """One process at a time; what a killed one left behind is cleared away."""
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
        """Takes up the copy of the last time; false where it is none of the user's index as it is now."""
        notes = _parse_notes(load_json(self.folder / "notes.json"))
        if notes is None or notes.origin != self._describe_origin() or not self._place.exists():
            return False
        if not (self._objects / _WHOLE).exists():
            return False
        self.notes = notes
        return not self._has_broken_note()

    def forget(self) -> None:
        """Before the copy is changed: whoever is killed meanwhile leaves no notes that do not fit it."""
        self.notes.tree = None
        with suppress(FileNotFoundError):
            (self.folder / "notes.json").unlink()

    def save(self) -> None:
        try:
            (self._objects / _WHOLE).touch()
        except OSError as refused:
            raise build_cache_error(self._objects, refused) from refused
        write_json(self.folder / "notes.json", _build_record(self.notes))

    def copy(self) -> None:
        """Copies the user's index anew, complete, with nothing overlooked."""
        self.forget()
        known, looked_at = self._read_known()
        self.notes = IndexNotes(self._copy_file())
        if not self.notes.origin:
            return
        if any(self._repository.git_dir.glob("sharedindex.*")):
            self.git.read("update-index", "--no-split-index", extra=self._variables)
        if is_sparse_index(self._place):
            write_full_index(self._repository.git, self.git, self._variables)
        self._drop_claims(known, looked_at)
        self._look_at_overlooked()

    def remove(self, paths: Iterable[str]) -> None:
        """Takes paths out of the copy, all stages of a conflict included."""
        width = 64 if self._repository.object_format == "sha256" else 40
        lines = [b"0 " + b"0" * width + b"\t" + os.fsencode(path) + b"\0" for path in paths]
        if lines:
            self.git.read("update-index", "-z", "--index-info", stdin=b"".join(lines), extra=self._variables)

    def list_entries(self, paths: list[str]) -> list[IndexEntry]:
        """The entries of paths; many are picked from the list of all, since a call takes only so many words."""
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
        """Whether a path we added is ignored by now, one we removed is back, or one left out has come."""
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
                raise _build_index_error("it is no regular file")
            temporary = self.folder / "index.copy"
            try:
                with temporary.open("wb") as target:
                    shutil.copyfileobj(source, target, 1 << 20)
                # by this time git knows which files may have changed right after it looked; a later one hides that
                os.utime(temporary, ns=(status.st_atime_ns, status.st_mtime_ns))
                temporary.replace(self._place)
            except OSError as refused:
                raise build_cache_error(self._place, refused) from refused
        return _describe(status)

    def _read_known(self) -> tuple[dict[bytes, bytes], int]:
        """What we have found out ourselves about files by the last copy, and the time by which git judges that."""
        try:
            looked_at = self._place.stat().st_mtime_ns
            index = self._place.read_bytes()
            return read_claims(index, looked_at // _SECOND, self._repository.object_format), looked_at
        except OSError:
            return {}, 0

    def _drop_claims(self, known: dict[bytes, bytes], looked_at: int) -> None:
        """Makes git look at every file that we have not looked at: the user's index may say what is not so."""
        try:
            content = drop_claims(self._read_plain(), known, self._repository.object_format)
        except ValueError as odd:
            self.git.read("ls-files", extra=self._variables)  # git says better what is wrong with it
            raise _build_index_error(f"it is {odd}") from odd
        try:
            self._place.write_bytes(content)
            os.utime(self._place, ns=(looked_at, looked_at))
        except OSError as refused:
            raise build_cache_error(self._place, refused) from refused

    def _read_plain(self) -> bytes:
        """The copy in a form without compressed names, which not every index has."""
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


def _describe(status: os.stat_result) -> list[int]:
    return [status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino]


def _find_back(root: Path, paths: list[str]) -> list[str]:
    """Those that are something git could track; what is only reached through a link to a folder is not."""
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
    return {
        "version": _VERSION,
        "origin": notes.origin,
        "added": sorted(notes.added),
        "removed": sorted(notes.removed),
        "kept": sorted(notes.kept),
        "tree": notes.tree,
        "head": notes.head,
        "head_tree": notes.head_tree,
    }


def _parse_notes(record: object) -> IndexNotes | None:
    if not isinstance(record, dict) or record.get("version") != _VERSION:
        return None
    try:
        return IndexNotes(
            origin=[int(number) for number in record["origin"]],
            added=set(record["added"]),
            removed=set(record["removed"]),
            kept=set(record["kept"]),
            tree=record["tree"],
            head=record["head"],
            head_tree=record["head_tree"],
        )
    except (KeyError, TypeError, ValueError):
        return None
