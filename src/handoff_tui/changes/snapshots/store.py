"""Snapshots on disk: canonical JSON named by its digest, in `.handoff-tui/baselines/`."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Final

from handoff_tui.changes.snapshots.snapshot import SNAPSHOT_VERSION, Snapshot
from handoff_tui.core.errors import SnapshotUnusableError, StoredFileMissingError, UsageError
from handoff_tui.core.restored import read_strictly
from handoff_tui.system.files.addressed_files import AddressedFolder

MOST_BYTES: Final = 256 * 1024 * 1024
_FOLDER, _SUFFIX = "baselines", ".json"
_PREFIX: Final = re.compile(r"(?:sha256:)?([0-9a-f]{6,64})")
_OBJECT_ID: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_WHOLE: Final = 64
_SHOWN: Final = 12
_NEWER_HINT = "A newer handoff-tui may have written it; this one can't compare with it."


def encode_snapshot(snapshot: Snapshot) -> bytes:
    """The stored form of a snapshot: sorted keys, ASCII, without defaults."""
    value = snapshot.model_dump(mode="json", exclude_defaults=True)
    value["schema_version"] = snapshot.schema_version
    value["object_format"] = snapshot.object_format
    return json.dumps(value, sort_keys=True, ensure_ascii=True, indent=1, allow_nan=False).encode("ascii") + b"\n"


def build_digest(snapshot: Snapshot) -> str:
    """The digest a snapshot is stored under, 64 hex digits."""
    return hashlib.sha256(encode_snapshot(snapshot)).hexdigest()


def parse_snapshot(content: bytes, name: str) -> Snapshot:
    """Parses a stored snapshot; error messages call it `name`."""
    try:
        snapshot = read_strictly(Snapshot, content)
    except (ValueError, RecursionError):  # pydantic has the last word
        snapshot = _validate(content, name)
    for field, value in (("tree", snapshot.tree), ("commit", snapshot.commit)):
        if value is not None and not _OBJECT_ID.fullmatch(value):  # git is asked for it, and could read it as an option
            raise SnapshotUnusableError(f"{name} isn't a snapshot: {field} isn't an object id", "Capture a new one.")
    return snapshot


def _validate(content: bytes, name: str) -> Snapshot:
    """Says what is wrong, in the words of the validator."""
    from pydantic import ValidationError  # noqa: PLC0415 - a sound snapshot is read without it

    try:
        return Snapshot.model_validate_json(content, strict=True)
    except ValidationError as wrong:
        _refuse_unknown_version(content, name)
        first = wrong.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the whole"
        if first["type"] == "extra_forbidden":
            raise SnapshotUnusableError(f"{name} has an unknown field: {place}", _NEWER_HINT) from wrong
        raise SnapshotUnusableError(
            f"{name} isn't a snapshot: {place}: {first['msg']}", "Capture a new one, or restore the file from git."
        ) from wrong


def write_snapshot(root: Path, snapshot: Snapshot) -> str:
    """Stores a snapshot and returns its digest."""
    return _open(root).write(encode_snapshot(snapshot))


def read_snapshot(root: Path, digest: str) -> Snapshot:
    """The snapshot of a full digest."""
    folder = _open(root)
    return parse_snapshot(folder.read(digest), folder.build_path(digest))


def build_path(digest: str) -> str:
    """The path of a stored snapshot, from the root of the repository."""
    return _open(Path()).build_path(digest)


def list_snapshots(root: Path) -> tuple[str, ...]:
    """Digests of stored snapshots, by file name only."""
    return _open(root).list()


def list_foreign(root: Path) -> tuple[str, ...]:
    """Paths in the snapshot folder that aren't snapshots."""
    return _open(root).list_foreign()


def find_snapshot(root: Path, written: str) -> str:
    """The full digest for what a person wrote: at least its first six digits."""
    matched = _PREFIX.fullmatch(written.strip().lower())
    if matched is None:
        raise UsageError(f"{written!r} isn't the start of a digest", "Give at least its first 6 hexadecimal digits.")
    wanted = matched[1]
    found = [digest for digest in list_snapshots(root) if digest.startswith(wanted)]
    if len(found) > 1:
        shown = ", ".join(digest[:_SHOWN] for digest in found)
        raise UsageError(f"{written} could be any of {len(found)} snapshots: {shown}", "Give more digits.")
    if not found and len(wanted) < _WHOLE:
        raise StoredFileMissingError(
            f"no stored snapshot starts with {wanted}", "`handoff-tui baseline list` lists them."
        )
    return found[0] if found else wanted


def _refuse_unknown_version(content: bytes, name: str) -> None:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as broken:
        raise SnapshotUnusableError(f"{name} isn't JSON", "Restore it from git, or capture a new one.") from broken
    version = value.get("schema_version") if isinstance(value, dict) else None
    if version is None:
        raise SnapshotUnusableError(f"{name} isn't a snapshot: it has no schema version", "Capture a new one.")
    if type(version) is not int or version != SNAPSHOT_VERSION:
        raise SnapshotUnusableError(
            f"{name} has schema version {version!r}; this handoff-tui reads version {SNAPSHOT_VERSION}", _NEWER_HINT
        )


def _open(root: Path) -> AddressedFolder:
    return AddressedFolder(root, _FOLDER, _SUFFIX, max_bytes=MOST_BYTES)
