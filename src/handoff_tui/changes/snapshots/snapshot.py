"""What the repository is at one moment."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from handoff_tui.core.model import Model

LONGEST_TEXT = 1_000


def build_stored_text(value: object) -> str:
    """A text that every JSON reader accepts: what has no UTF-8 form is written out, what is endless is cut."""
    text = str(value)[:LONGEST_TEXT]
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


SNAPSHOT_VERSION = 1


class PackageRecord(Model):
    """A package or project at one moment: from a manifest of the builder, or from an ecosystem's own file."""

    kind: str
    """`manifest`, `python`, `node`, `rust`, `go`, `requirements`."""
    name: str
    where: str
    """The file that declares it."""
    version: str = ""
    dependencies: dict[str, str] = {}
    """Name to the constraint as written; empty text where none is given."""
    assets: dict[str, str] = {}
    """Path in the repository to the declared hash, `sha256:<64 hex>`; empty text where none is declared."""
    supersedes: tuple[str, ...] = ()
    """Names of packages that this one takes the place of; those own nothing any more."""


class FindingRecord(Model):
    """A finding of a check, by fingerprint."""

    check: str
    message: str
    path: str = ""


class ClaimedTotals(Model):
    """Numbers that a document claims. Never measured; kept beside what was."""

    where: str
    packages: int | None = None
    tests: dict[str, int] = {}
    """`total`, `passed`, `failed`, `skipped` of the work's own tests, as far as they are said."""
    regression: dict[str, int] = {}
    baseline_packages: int | None = None
    baseline_tests: int | None = None


class Unread(Model):
    """Something that belongs into the snapshot and could not be read."""

    path: str
    reason: str


class TestOutcome(StrEnum):
    """How a test ended, by its report."""

    __test__ = False

    PASS = "pass"
    FAIL = "fail"
    ERROR = "error"
    SKIPPED = "skipped"


class Snapshot(Model):
    """Everything a baseline holds. No clock and no machine name, so equal content has an equal digest."""

    schema_version: Literal[1] = 1
    tree: str
    """The git tree of the work tree without `.handoff-tui/`: tracked, modified and untracked files."""
    object_format: Literal["sha1", "sha256"] = "sha1"
    commit: str | None = None
    branch: str | None = None
    upstream: str | None = None
    packages: dict[str, PackageRecord] = {}
    """Key: `<kind>:<name>`, and `<kind>:<name>@<where>` where two share a name."""
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
    """`files`, `lines`, `todos`, and `coverage_basis_points` where a report exists."""
    unread: tuple[Unread, ...] = ()

    @property
    def package_count(self) -> int:
        """Packages with a manifest of the builder, which is what its documents count; all, where there are none."""
        manifests = sum(record.kind == "manifest" for record in self.packages.values())
        return manifests or len(self.packages)


class SnapshotSummary(Model):
    """A stored snapshot in a list."""

    digest: str
    commit: str | None = None
    branch: str | None = None
    date: str | None = None
    """Of its commit; a snapshot itself has no time."""
    tests: int = 0
    packages: int = 0
    pinned: bool = False
    pinned_for: tuple[str, ...] = ()
    """The handoffs it is pinned for; `*` stands for every one that has no pin of its own."""
    problem: str = ""
    """Why it cannot be used, where it cannot."""


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
