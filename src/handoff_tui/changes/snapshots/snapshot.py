"""A snapshot: what the repository holds at one moment."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from handoff_tui.core.model import Model

LONGEST_TEXT = 1_000


def build_stored_text(value: object) -> str:
    """Makes a text fit to be stored: escapes what isn't UTF-8, and truncates."""
    text = str(value)[:LONGEST_TEXT]
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


SNAPSHOT_VERSION = 1


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
