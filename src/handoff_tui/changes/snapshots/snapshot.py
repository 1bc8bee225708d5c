"""A snapshot: what the repository holds at one moment; on disk as canonical JSON named by its digest."""

from __future__ import annotations

import hashlib
import json
from enum import StrEnum
from pathlib import Path
from typing import Final, Literal

from handoff_tui.core.errors import SnapshotUnusableError, StoredFileMissingError, UsageError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.model import Model
from handoff_tui.core.restored import read_strictly
from handoff_tui.git.objects.reader import OBJECT_ID
from handoff_tui.system.files.addressed_files import AddressedFolder

LONGEST_TEXT = 1_000
SNAPSHOT_VERSION = 1
MOST_BYTES: Final = 256 * 1024 * 1024
_PREFIX: Final = compile_later(r"(?:sha256:)?([0-9a-f]{6,64})")
_WHOLE: Final = 64
_SHOWN: Final = 12
_NEWER_HINT = "A newer handoff-tui may have written it; this one can't compare with it."


def build_stored_text(value: object) -> str:
    """Makes a text fit to be stored: escapes what isn't UTF-8, and truncates."""
    text = str(value)[:LONGEST_TEXT]
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


class PackageRecord(Model):
    """A package or project, from a builder manifest or an ecosystem's own file."""

    kind: str
    """`manifest`, `python`, `node`, `rust`, `go`, `requirements`."""
    name: str
    where: str
    """The file that declares it."""
    version: str = ""
    dependencies: dict[str, str] = {}
    """Name to constraint as written; empty if none is given."""
    assets: dict[str, str] = {}
    """Path in the repository to declared hash, `sha256:<64 hex>`; empty if none is declared."""
    supersedes: tuple[str, ...] = ()
    """Names of packages this one replaces; they own nothing any more."""


class FindingRecord(Model):
    """A finding of a check, by fingerprint."""

    check: str
    message: str
    path: str = ""


class ClaimedTotals(Model):
    """Numbers a document claims, kept beside what was measured."""

    where: str
    packages: int | None = None
    tests: dict[str, int] = {}
    """`total`, `passed`, `failed`, `skipped` of the work's own tests, as far as given."""
    regression: dict[str, int] = {}
    baseline_packages: int | None = None
    baseline_tests: int | None = None


class Unread(Model):
    """Something that belongs in the snapshot but couldn't be read."""

    path: str
    reason: str


class TestOutcome(StrEnum):
    """The outcome of a test, from its report."""

    __test__ = False

    PASS = "pass"
    FAIL = "fail"
    ERROR = "error"
    SKIPPED = "skipped"


class Snapshot(Model):
    """Everything a baseline holds. No time or machine name, so equal content has an equal digest."""

    schema_version: Literal[1] = 1
    tree: str
    """The git tree of the work tree without `.handoff-tui/`: tracked, modified and untracked files."""
    object_format: Literal["sha1", "sha256"] = "sha1"
    commit: str | None = None
    branch: str | None = None
    upstream: str | None = None
    packages: dict[str, PackageRecord] = {}
    """Key: `<kind>:<name>`, or `<kind>:<name>@<where>` if two share a name."""
    tests: dict[str, TestOutcome] = {}
    reports: dict[str, str] = {}
    """Test reports that were read: path to `sha256:<64 hex>`."""
    claimed: dict[str, ClaimedTotals] = {}
    """Handoff id to what its documents claim."""
    checks: dict[str, str] = {}
    findings: dict[str, FindingRecord] = {}
    files: dict[str, str] = {}
    """Declared files: path to `sha256:<64 hex>`."""
    measures: dict[str, int] = {}
    """`files`, `lines`, `todos`, and `coverage_basis_points` if there is a report."""
    unread: tuple[Unread, ...] = ()

    @property
    def package_count(self) -> int:
        """Packages with a builder manifest, as documents count them; all packages if there are none."""
        manifests = sum(record.kind == "manifest" for record in self.packages.values())
        return manifests or len(self.packages)


class SnapshotSummary(Model):
    """A stored snapshot in a list."""

    digest: str
    commit: str | None = None
    branch: str | None = None
    date: str | None = None
    """Of its commit; a snapshot has no time itself."""
    tests: int = 0
    packages: int = 0
    pinned: bool = False
    pinned_for: tuple[str, ...] = ()
    """The handoffs it is pinned for; `*` means every handoff without its own pin."""
    problem: str = ""
    """Why it can't be used, if it can't."""


def build_snapshot_summary(digest: str, snapshot: Snapshot, pinned_for: tuple[str, ...] = ()) -> SnapshotSummary:
    return SnapshotSummary(
        digest=digest,
        commit=snapshot.commit,
        branch=snapshot.branch,
        tests=len(snapshot.tests),
        packages=snapshot.package_count,
        pinned=bool(pinned_for),
        pinned_for=pinned_for,
    )


_FOLDER, _SUFFIX = "baselines", ".json"


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
        if value is not None and not OBJECT_ID.fullmatch(value):  # git is asked for it, and could read it as an option
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
