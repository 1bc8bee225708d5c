"""Takes a snapshot: the tree, its reports and packages, what handoffs claim, what checks found."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from posixpath import normpath
from typing import Final, Literal

from handoff_tui.changes.snapshots.packages import build_asset_path, build_manifest_record
from handoff_tui.changes.snapshots.snapshot import (
    ClaimedTotals,
    FindingRecord,
    PackageRecord,
    Snapshot,
    Unread,
    build_digest,
    build_stored_text,
)
from handoff_tui.changes.snapshots.tree_contents import (
    ReadReport,
    ReportReader,
    ReportReading,
    TreeContents,
    join_reports,
    load_measures,
    load_tree_contents,
)
from handoff_tui.checks.engine import build_fingerprint
from handoff_tui.checks.report import OUTPUT_SUBJECT, CheckReport
from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.errors import FileUnreadableError, TreeMovedError, UnsafePathError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.tasks import TestCounts
from handoff_tui.git.objects.tree_files import (
    Objects,
    list_converted,
    read_path_blobs,
)
from handoff_tui.git.repository import Repository
from handoff_tui.git.work_tree.capture import CapturedTree, offer_objects, write_work_tree
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.handoff import DocumentRole, Handoff
from handoff_tui.handoffs.reading.read import ReadHandoffs
from handoff_tui.handoffs.session import Session
from handoff_tui.system.files.cache_files import find_cache_folder
from handoff_tui.system.files.probe import is_link
from handoff_tui.system.files.reader import FileReader


@dataclass(frozen=True, slots=True)
class CaptureParts:
    """The parts of a snapshot, in any order."""

    tree: str
    object_format: Literal["sha1", "sha256"] = "sha1"
    commit: str | None = None
    branch: str | None = None
    upstream: str | None = None
    packages: tuple[PackageRecord, ...] = ()
    reports: tuple[ReadReport, ...] = ()
    claimed: Mapping[str, ClaimedTotals] = field(default_factory=dict)
    checks: Mapping[str, str] = field(default_factory=dict)
    findings: Mapping[str, FindingRecord] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    measures: Mapping[str, int] = field(default_factory=dict)
    unread: tuple[Unread, ...] = ()


def build_snapshot(parts: CaptureParts) -> Snapshot:
    """Builds the snapshot: sorted, with unique keys. The order of the parts doesn't matter."""
    tests, disagreements = join_reports(parts.reports)
    problems = [Unread(path=report.path, reason=report.problem) for report in parts.reports if report.problem]
    unread = {(found.path, found.reason): found for found in (*parts.unread, *problems, *disagreements)}
    return Snapshot(
        tree=parts.tree,
        object_format=parts.object_format,
        commit=parts.commit,
        branch=None if parts.branch is None else build_stored_text(parts.branch),
        upstream=None if parts.upstream is None else build_stored_text(parts.upstream),
        packages=name_packages(parts.packages),
        tests=tests,
        reports={report.path: report.sha256 for report in sorted(parts.reports, key=lambda report: report.path)},
        claimed=dict(sorted(parts.claimed.items())),
        checks=dict(sorted(parts.checks.items())),
        findings=dict(sorted(parts.findings.items())),
        files=dict(sorted(parts.files.items())),
        measures=dict(sorted(parts.measures.items())),
        unread=tuple(unread[key] for key in sorted(unread)),
    )


def name_packages(packages: Iterable[PackageRecord]) -> dict[str, PackageRecord]:
    """Packages by `<kind>:<name>`; namesakes also have the file that declares them."""
    by_name: dict[str, dict[str, PackageRecord]] = defaultdict(dict)
    for record in sorted(packages, key=lambda record: (record.where, record.kind, record.name, repr(record))):
        by_name[f"{record.kind}:{record.name}"][record.where] = record
    named: dict[str, PackageRecord] = {}
    for name, records in by_name.items():
        for where, record in records.items():
            named[name if len(records) == 1 else f"{name}@{where}"] = record
    return dict(sorted(named.items()))


class FileHashes(NamedTuple):
    """Hashes by path, `sha256:<64 hex>`, and what couldn't be read."""

    hashes: dict[str, str]
    unread: tuple[Unread, ...]


def load_file_hashes(
    repository: Repository, tree: str, paths: Collection[str], objects: Objects, cache_folder: Path, max_bytes: int
) -> FileHashes:
    """Hashes files of the work tree, whose tree this is. A file that has changed since is an error."""
    blobs = read_path_blobs(repository.git, tree, sorted(paths), objects)
    for path in list_converted(repository.git, blobs.keys(), cache_folder):
        del blobs[path]
    reader = FileReader(repository.root, max_bytes)
    hashes: dict[str, str] = {}
    unread: list[Unread] = []
    # No hash is remembered on disk: anyone who can write there could pass off another content as this one.
    for path in sorted(paths):
        try:
            content = reader.read_bytes(path)
        except (FileUnreadableError, UnsafePathError) as refused:
            unread.append(
                Unread(path=build_stored_text(path), reason=build_stored_text(refused.message.removeprefix(f"{path} ")))
            )
            continue
        hashes[build_stored_text(path)] = f"sha256:{hashlib.sha256(content).hexdigest()}"
        blob = None if is_link(repository.root, path) else blobs.get(path)
        if blob is not None:
            _refuse_change(path, content, blob)
    return FileHashes(hashes, tuple(unread))


def _refuse_change(path: str, content: bytes, blob: str) -> None:
    """The blob is the file byte for byte, or but for its line endings."""
    digits = len(blob)
    if blob in {build_blob_id(content, digits), build_blob_id(content.replace(b"\r\n", b"\n"), digits)}:
        return
    raise TreeMovedError(
        f"the work tree changed while it was captured: {path}",
        "Wait until nothing writes to the repository, then try again.",
    )


def build_blob_id(content: bytes, digits: int) -> str:
    """The id git gives a content, in a repository whose ids have that many digits."""
    stored = b"blob %d\0" % len(content) + content
    is_sha256 = digits == hashlib.sha256().digest_size * 2
    return (hashlib.sha256(stored) if is_sha256 else hashlib.sha1(stored, usedforsecurity=False)).hexdigest()


_NUMBER: Final = compile_later(r"\d+")


class Captured(NamedTuple):
    """A snapshot that isn't stored yet, its digest, and the tree it was taken from."""

    snapshot: Snapshot
    digest: str
    tree: CapturedTree


def capture_snapshot(
    session: Session, handoffs_read: ReadHandoffs, report: CheckReport | None, needed: Collection[str] | None = None
) -> Captured:
    """Takes a snapshot of the work tree. Fails if HEAD has moved since the repository was opened."""
    cache_folder = find_cache_folder(session.repository.root)
    tree = write_work_tree(session.repository, cache_folder, needed)
    if tree.commit != session.work_tree.facts.head:
        raise TreeMovedError("HEAD moved while the repository was being read", "Try again.")
    git, objects = session.repository.git, offer_objects(session.repository, cache_folder)
    measures = load_measures(git, tree.tree, objects, cache_folder)
    contents = load_tree_contents(git, tree.tree, objects, session.loaded.settings.baseline, cache_folder)
    reports = ReportReader(session, tree, contents, objects).read()
    files = _load_files(session, handoffs_read, tree, objects, cache_folder)
    coverage = {} if reports.coverage is None else {"coverage_basis_points": reports.coverage}
    parts = CaptureParts(
        tree=tree.tree,
        object_format="sha256" if session.repository.object_format == "sha256" else "sha1",
        commit=tree.commit,
        branch=tree.branch,
        upstream=tree.upstream,
        packages=(*contents.packages, *_build_manifests(handoffs_read)),
        reports=reports.reports,
        claimed=build_claimed(handoffs_read.handoffs),
        checks={result.id: result.outcome.value for result in report.results} if report else {},
        findings=build_findings(report, session.repository.root) if report else {},
        files=files.hashes,
        measures={**measures._asdict(), **coverage},
        unread=_list_unread(tree, contents, reports, files),
    )
    snapshot = build_snapshot(parts)
    return Captured(snapshot, build_digest(snapshot), tree)


def build_claimed(handoffs: tuple[Handoff, ...]) -> dict[str, ClaimedTotals]:
    """The totals each handoff claims; handoffs that claim none are left out."""
    claimed: dict[str, ClaimedTotals] = {}
    for handoff in handoffs:
        totals = ClaimedTotals(
            where=build_stored_text(_find_place(handoff)),
            tests=_list_counts(handoff.tests),
            regression=_list_counts(handoff.regression),
            baseline_packages=handoff.baseline.packages if handoff.baseline else None,
            baseline_tests=handoff.baseline.tests if handoff.baseline else None,
        )
        if totals != ClaimedTotals(where=totals.where):
            claimed[handoff.id] = totals
    return claimed


def build_findings(report: CheckReport, root: Path) -> dict[str, FindingRecord]:
    """Findings by fingerprint, without anything that differs between runs or machines.

    That is the path of this repository, what a command printed (times, temporary paths), and numbers in findings that
    depend on the clock or the machine.
    """
    found: dict[str, FindingRecord] = {}
    for result in sorted(report.results, key=lambda result: result.id):
        output = build_fingerprint(result.id, "", OUTPUT_SUBJECT)
        for finding in result.findings:
            message = result.summary if finding.fingerprint == output else finding.message
            message = message.replace(f"{root}/", "").replace(str(root), ".")
            if result.outside:
                message = _NUMBER.sub("N", message)
            path = next((evidence.path for evidence in finding.evidence if evidence.path), "") or ""
            found.setdefault(
                finding.fingerprint,
                FindingRecord(check=result.id, message=build_stored_text(message), path=build_stored_text(path)),
            )
    return found


def _find_place(handoff: Handoff) -> str:
    """The document with a handoff's numbers: its results, else its first."""
    results = [document.path for document in handoff.documents if document.role is DocumentRole.RESULTS]
    return next(iter((*results, *(document.path for document in handoff.documents))), handoff.id)


def _list_counts(counts: TestCounts | None) -> dict[str, int]:
    if counts is None:
        return {}
    named = {"total": counts.total, "passed": counts.passed, "failed": counts.failed, "skipped": counts.skipped}
    return {name: number for name, number in named.items() if number is not None}


def _build_manifests(handoffs_read: ReadHandoffs) -> tuple[PackageRecord, ...]:
    by_place = {package.where.path: package for handoff in handoffs_read.handoffs for package in handoff.packages}
    return tuple(build_manifest_record(package) for package in by_place.values())


def _load_files(
    session: Session, handoffs_read: ReadHandoffs, tree: CapturedTree, objects: dict[str, str], cache_folder: Path
) -> FileHashes:
    paths = _list_declared(session, handoffs_read)
    limit = session.loaded.settings.limits.hash_bytes
    return load_file_hashes(session.repository, tree.tree, paths, objects, cache_folder, limit)


def _list_declared(session: Session, handoffs_read: ReadHandoffs) -> set[str]:
    """Assets of manifests, whether they exist or not, and files for which a document gives a hash."""
    declared = {
        build_asset_path(package.where.path, asset.path)
        for handoff in handoffs_read.handoffs
        for package in handoff.packages
        for asset in package.assets
    }
    untracked = set(session.work_tree.facts.untracked)
    for handoff in handoffs_read.handoffs:
        for claim in handoff.claims:
            if claim.kind is ClaimKind.HASH and claim.subject:
                path = _find_declared(session, untracked, claim.subject, claim.where.path)
                declared.update(() if path is None else (path,))
    return declared


def _find_declared(session: Session, untracked: set[str], subject: str, document: str) -> str | None:
    """The file a document means, relative to the root, its folder, or a folder above; None if there is none."""
    folder = document
    for base in ("", *(folder := folder.rpartition("/")[0] for _ in range(document.count("/")))):
        path = normpath(f"{base}/{subject}" if base else subject)
        if path in session.work_tree.tracked or path in untracked:
            return path
    return None


def _list_unread(
    tree: CapturedTree, contents: TreeContents, reports: ReportReading, files: FileHashes
) -> tuple[Unread, ...]:
    left_out = (
        Unread(path=build_stored_text(left.path), reason=build_stored_text(left.reason)) for left in tree.left_out
    )
    return (*left_out, *contents.unread, *reports.unread, *files.unread)
