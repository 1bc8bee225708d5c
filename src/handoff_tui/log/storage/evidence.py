"""Stored files that entries are bound to, by digest: snapshots and review records, in the work tree or on a branch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import HandoffError, ReviewRecordError, StoredFileDamagedError
from handoff_tui.git.history.commits import list_ref_ids, read_blobs
from handoff_tui.git.repository import Repository
from handoff_tui.handoffs.scope.digests import build_scope_digest, read_path
from handoff_tui.log.entry import Entry, EntryKind, GateKey
from handoff_tui.system.files.addressed_files import AddressedFolder

if TYPE_CHECKING:
    from handoff_tui.log.review_record import ReviewRecord

_MOST_BYTES = 16 * 1024 * 1024
BASELINES = "baselines"
REVIEWS = "reviews"
_SUFFIX = ".json"
_MAX_BYTES = {BASELINES: 256 * 1024 * 1024, REVIEWS: 16 * 1024 * 1024}


def write_review(root: Path, record: ReviewRecord) -> str:
    """Stores a record and returns its digest."""
    return _open(root).write(encode_review(record))


def encode_review(record: ReviewRecord) -> bytes:
    value = {**record.model_dump(mode="json", exclude_defaults=True), "schema_version": record.schema_version}
    return json.dumps(value, sort_keys=True, ensure_ascii=True, indent=1).encode("ascii") + b"\n"


def read_review(root: Path, digest: str) -> ReviewRecord:
    """Reads the record of a digest."""
    from handoff_tui.log.review_record import ReviewRecord  # noqa: PLC0415 - a gate looks at some fields only

    folder = _open(root)
    try:
        return ReviewRecord.model_validate_json(folder.read(digest), strict=True)
    except ValueError as wrong:
        raise ReviewRecordError(
            f"{folder.build_path(digest)} is not a review record that this version can read",
            "A newer handoff-tui may have written it; or restore the file from git.",
        ) from wrong


def find_review(root: Path, digest: str) -> ReviewRecord | None:
    """Reads the record of a digest; None if it is missing or cannot be read."""
    try:
        return read_review(root, digest)
    except HandoffError:
        return None


def _open(root: Path) -> AddressedFolder:
    return AddressedFolder(root, "reviews", ".json", max_bytes=_MOST_BYTES)


class EvidenceFiles:
    """Reads what is stored by its digest, wherever a true copy is."""

    def __init__(self, repository: Repository) -> None:
        self._git = repository.git
        self._folders = {
            name: AddressedFolder(repository.root, name, _SUFFIX, max_bytes=size) for name, size in _MAX_BYTES.items()
        }

    def build_path(self, folder: str, digest: str) -> str:
        return self._folders[folder].build_path(digest)

    def read(self, folder: str, digest: str, refs: Iterable[str] = ()) -> bytes | None:
        """Returns the content; None if neither the work tree nor one of these refs has it."""
        try:
            return self._folders[folder].read(digest)
        except HandoffError:
            path = self.build_path(folder, digest)
        for ref in refs:
            name = f"{ref}:{path}"
            content = read_blobs(self._git, [name], _MAX_BYTES[folder])[name]
            if content is not None and hashlib.sha256(content).hexdigest() == digest:
                return content
        return None

    def find_damaged(self, folder: str, digests: Iterable[str]) -> dict[str, str]:
        """Those whose file in the work tree isn't what its name says, each with what is wrong."""
        return {
            digest: answer.message
            for digest, answer in self._folders[folder].read_many(digests)
            if isinstance(answer, StoredFileDamagedError)
        }

    def read_many(self, folder: str, digests: Iterable[str], refs: Iterable[str] = ()) -> Iterator[tuple[str, bytes]]:
        """Reads many, one at a time, and leaves out what is nowhere. Each ref costs two git calls."""
        missing: set[str] = set()
        for digest, answer in self._folders[folder].read_many(digests):
            if isinstance(answer, HandoffError):
                missing.add(digest)
            else:
                yield digest, answer
        for ref in refs:
            if not missing:
                return
            names = {f"{ref}:{self.build_path(folder, digest)}": digest for digest in sorted(missing)}
            for name, content in read_blobs(self._git, list(names), _MAX_BYTES[folder]).items():
                if content is not None and hashlib.sha256(content).hexdigest() == names[name]:
                    missing.discard(names[name])
                    yield names[name], content


class ReviewFault(NamedTuple):
    """What is wrong with the review record of a decision."""

    text: str
    is_missing: bool = False


def find_review_faults(repository: Repository, decisions: Collection[Entry]) -> dict[str, ReviewFault]:
    """By entry, what is wrong with its review record: edited where it is stored, about other files, or nowhere.

    Only decisions that bind a scope need a record; what is stored must be what was signed, whatever the version.
    """
    wanted = {entry.id: entry.decision.review for entry in decisions if entry.decision is not None}
    files = EvidenceFiles(repository)
    commits = dict.fromkeys(list_ref_ids(repository.git, "refs/heads", "refs/remotes").values()) if wanted else {}
    damaged = files.find_damaged(REVIEWS, wanted.values())
    sound = dict(files.read_many(REVIEWS, {*wanted.values()} - damaged.keys(), commits))
    faults = {}
    for entry in decisions:
        digest = wanted.get(entry.id, "")
        if digest in damaged:
            faults[entry.id] = ReviewFault(damaged[digest])
        elif entry.kind is EntryKind.SCOPED_DECISION and digest not in sound:
            path = files.build_path(REVIEWS, digest)
            faults[entry.id] = ReviewFault(f"its review record {path} is stored nowhere", is_missing=True)
        elif entry.kind is EntryKind.SCOPED_DECISION and not _is_manifest_of(sound[digest], entry):
            faults[entry.id] = ReviewFault("the files in its review record are not those that it signs")
    return faults


def _is_manifest_of(content: bytes, entry: Entry) -> bool:
    """Whether the files in a record are those whose digest the entry binds."""
    try:
        files = (json.loads(content).get("scope") or {}).get("files", [])
    except (ValueError, AttributeError, RecursionError):
        return False
    return entry.work is not None and build_scope_digest(files) == entry.work.subject.scope


class StoredReviews:
    """Tells whether the review record that a decision names is stored, and is about the same work. Remembers both.

    Like the log, records are looked for in the work tree and on all branches, so every clone gives the same answer.
    """

    def __init__(self, repository: Repository) -> None:
        self._git = repository.git
        self._files = EvidenceFiles(repository)
        self._about: dict[str, _About | None] = {}

    def has(self, digest: str, key: GateKey, scope: str) -> bool:
        self.load([digest])
        about = self._about[digest]
        return about is not None and (about.key, about.scope) == (key, scope)

    def list_read_elsewhere(self, digest: str) -> tuple[ReadElsewhere, ...]:
        """The files of others that the checks of a record read."""
        self.load([digest])
        about = self._about[digest]
        return about.read_elsewhere if about is not None else ()

    def load(self, digests: Iterable[str]) -> None:
        """Reads what records are about, many at once."""
        missing = frozenset(digests) - self._about.keys()
        if missing:
            commits = dict.fromkeys(list_ref_ids(self._git, "refs/heads", "refs/remotes").values())
            found = self._files.read_many(REVIEWS, missing, commits)
            self._about |= dict.fromkeys(missing)
            self._about |= {digest: _read_about(content) for digest, content in found}


class ReadElsewhere(NamedTuple):
    """A file outside a scope, its content when it was read, and the checks that read it."""

    path: str
    blob: str
    checks: tuple[str, ...]


class _About(NamedTuple):
    """What a record is about, and what its checks rest on."""

    key: GateKey
    scope: str
    read_elsewhere: tuple[ReadElsewhere, ...]


def _read_about(content: bytes) -> _About | None:
    """Reads what every version of a record says; None if it isn't one."""
    try:
        value = json.loads(content)
        key = GateKey(value["handoff"], value["phase"], value["attempt"])
        files = value.get("read_elsewhere", [])
        read = tuple(ReadElsewhere(read_path(one), one.get("blob", ""), tuple(one["checks"])) for one in files)
        return _About(key, value["subject"]["scope"], read)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
