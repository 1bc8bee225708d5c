"""Takes a snapshot: the tree, what reports and manifests in it say, what handoffs claim, what checks found."""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import normpath
from typing import Final, NamedTuple

from handoff_tui.changes.snapshots.build import CaptureParts, capture
from handoff_tui.changes.snapshots.captured_reports import ReportReader, ReportReading
from handoff_tui.changes.snapshots.ecosystem.manifest import build_asset_path, build_manifest_record
from handoff_tui.changes.snapshots.ecosystem.reading import build_text
from handoff_tui.changes.snapshots.file_hashes import FileHashes, load_file_hashes
from handoff_tui.changes.snapshots.measures import load_measures
from handoff_tui.changes.snapshots.snapshot import ClaimedTotals, FindingRecord, PackageRecord, Snapshot, Unread
from handoff_tui.changes.snapshots.store import build_digest
from handoff_tui.changes.snapshots.tree_contents import TreeContents, load_tree_contents
from handoff_tui.checks.engine import build_fingerprint
from handoff_tui.checks.report import CheckReport
from handoff_tui.checks.run.command_run import OUTPUT_SUBJECT
from handoff_tui.core.errors import TreeMovedError
from handoff_tui.core.work import TestCounts
from handoff_tui.git.work_tree.capture import CapturedTree, offer_objects, write_work_tree
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.document import DocumentRole
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.reading.read import Harvest
from handoff_tui.handoffs.session import Desk
from handoff_tui.system.files.cache_files import find_cache_folder

_NUMBER: Final = re.compile(r"\d+")


class Captured(NamedTuple):
    """A snapshot that is not stored yet, its digest, and the tree it was taken from."""

    snapshot: Snapshot
    digest: str
    tree: CapturedTree


def capture_snapshot(desk: Desk, harvest: Harvest, report: CheckReport | None) -> Captured:
    """The snapshot of the work tree now. When HEAD has moved since the desk was opened, that is an error."""
    cache_folder = find_cache_folder(desk.repository.root)
    tree = write_work_tree(desk.repository, cache_folder)
    if tree.commit != desk.work_tree.facts.head:
        raise TreeMovedError(
            "HEAD moved after the repository was read, so that the snapshot would mix two states", "Try again."
        )
    git, objects = desk.repository.git, offer_objects(desk.repository, cache_folder)
    contents = load_tree_contents(git, tree.tree, objects, desk.loaded.settings.baseline, cache_folder)
    reports = ReportReader(desk, tree, contents, objects).read()
    files = _load_files(desk, harvest, tree, objects, cache_folder)
    measures = load_measures(git, tree.tree, objects, cache_folder)
    coverage = {} if reports.coverage is None else {"coverage_basis_points": reports.coverage}
    parts = CaptureParts(
        tree=tree.tree,
        object_format="sha256" if desk.repository.object_format == "sha256" else "sha1",
        commit=tree.commit,
        branch=tree.branch,
        upstream=tree.upstream,
        packages=(*contents.packages, *_build_manifests(harvest)),
        reports=reports.reports,
        claimed=build_claimed(harvest.handoffs),
        checks={result.id: result.outcome.value for result in report.results} if report else {},
        findings=build_findings(report, desk.repository.root) if report else {},
        files=files.hashes,
        measures={**measures._asdict(), **coverage},
        unread=_list_unread(tree, contents, reports, files),
    )
    snapshot = capture(parts)
    return Captured(snapshot, build_digest(snapshot), tree)


def build_claimed(handoffs: tuple[Handoff, ...]) -> dict[str, ClaimedTotals]:
    """The totals that each handoff claims; one that claims none is left out."""
    claimed: dict[str, ClaimedTotals] = {}
    for handoff in handoffs:
        totals = ClaimedTotals(
            where=build_text(_find_place(handoff)),
            tests=_list_counts(handoff.tests),
            regression=_list_counts(handoff.regression),
            baseline_packages=handoff.baseline.packages if handoff.baseline else None,
            baseline_tests=handoff.baseline.tests if handoff.baseline else None,
        )
        if totals != ClaimedTotals(where=totals.where):
            claimed[handoff.id] = totals
    return claimed


def build_findings(report: CheckReport, root: Path) -> dict[str, FindingRecord]:
    """Findings by fingerprint, without what differs from run to run or from machine to machine.

    That is the place of this repository, what a command wrote (times, temporary paths), and numbers in a finding that
    rests on the clock or the machine.
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
                FindingRecord(check=result.id, message=build_text(message), path=build_text(path)),
            )
    return found


def _find_place(handoff: Handoff) -> str:
    """The document that a handoff's numbers stand in: its results, or else its first."""
    results = [document.path for document in handoff.documents if document.role is DocumentRole.RESULTS]
    return next(iter((*results, *(document.path for document in handoff.documents))), handoff.id)


def _list_counts(counts: TestCounts | None) -> dict[str, int]:
    if counts is None:
        return {}
    named = {"total": counts.total, "passed": counts.passed, "failed": counts.failed, "skipped": counts.skipped}
    return {name: number for name, number in named.items() if number is not None}


def _build_manifests(harvest: Harvest) -> tuple[PackageRecord, ...]:
    by_place = {package.where.path: package for handoff in harvest.handoffs for package in handoff.packages}
    return tuple(build_manifest_record(package) for package in by_place.values())


def _load_files(
    desk: Desk, harvest: Harvest, tree: CapturedTree, objects: dict[str, str], cache_folder: Path
) -> FileHashes:
    paths = _list_declared(desk, harvest)
    limit = desk.loaded.settings.limits.hash_bytes
    return load_file_hashes(desk.repository, tree.tree, paths, objects, cache_folder, limit)


def _list_declared(desk: Desk, harvest: Harvest) -> set[str]:
    """Assets of manifests, there or not, and files of this repository for which a document gives a hash."""
    declared = {
        build_asset_path(package.where.path, asset.path)
        for handoff in harvest.handoffs
        for package in handoff.packages
        for asset in package.assets
    }
    untracked = set(desk.work_tree.facts.untracked)
    for handoff in harvest.handoffs:
        for claim in handoff.claims:
            if claim.kind is ClaimKind.HASH and claim.subject:
                path = _find_declared(desk, untracked, claim.subject, claim.where.path)
                declared.update(() if path is None else (path,))
    return declared


def _find_declared(desk: Desk, untracked: set[str], subject: str, document: str) -> str | None:
    """The file that a document means: from the root, or from its own folder and those above it."""
    folder = document
    for base in ("", *(folder := folder.rpartition("/")[0] for _ in range(document.count("/")))):
        path = normpath(f"{base}/{subject}" if base else subject)
        if path in desk.work_tree.tracked or path in untracked:
            return path
    return None


def _list_unread(
    tree: CapturedTree, contents: TreeContents, reports: ReportReading, files: FileHashes
) -> tuple[Unread, ...]:
    left_out = (Unread(path=build_text(left.path), reason=build_text(left.reason)) for left in tree.left_out)
    return (*left_out, *contents.unread, *reports.unread, *files.unread)
