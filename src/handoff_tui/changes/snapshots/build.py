"""A snapshot from its parts: sorted, with keys that are unique, and without anything that is not content."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from handoff_tui.changes.snapshots.ecosystem.reading import build_text
from handoff_tui.changes.snapshots.snapshot import (
    ClaimedTotals,
    FindingRecord,
    PackageRecord,
    Snapshot,
    TestOutcome,
    Unread,
)

_WORST = {TestOutcome.PASS: 0, TestOutcome.SKIPPED: 1, TestOutcome.FAIL: 2, TestOutcome.ERROR: 3}


@dataclass(frozen=True, slots=True)
class ReadReport:
    """A test report as read: each test with its outcome, in the report's order, and what was wrong with it."""

    path: str
    sha256: str
    tests: tuple[tuple[str, TestOutcome], ...]
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class CaptureParts:
    """What a snapshot is made of, in any order."""

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


def capture(parts: CaptureParts) -> Snapshot:
    """The snapshot. The same parts in another order give the same one."""
    tests, disagreements = join_reports(parts.reports)
    problems = [Unread(path=report.path, reason=report.problem) for report in parts.reports if report.problem]
    unread = {(found.path, found.reason): found for found in (*parts.unread, *problems, *disagreements)}
    return Snapshot(
        tree=parts.tree,
        object_format=parts.object_format,
        commit=parts.commit,
        branch=None if parts.branch is None else build_text(parts.branch),
        upstream=None if parts.upstream is None else build_text(parts.upstream),
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
    """Packages under `<kind>:<name>`; all that share a name have the file that declares them behind it."""
    by_name: dict[str, dict[str, PackageRecord]] = defaultdict(dict)
    for record in sorted(packages, key=lambda record: (record.where, record.model_dump_json())):
        by_name[f"{record.kind}:{record.name}"][record.where] = record
    named: dict[str, PackageRecord] = {}
    for name, records in by_name.items():
        for where, record in records.items():
            named[name if len(records) == 1 else f"{name}@{where}"] = record
    return dict(sorted(named.items()))


def join_reports(reports: Iterable[ReadReport]) -> tuple[dict[str, TestOutcome], list[Unread]]:
    """Every test once. Where reports disagree on one, the worse outcome counts, and that they do is noted."""
    outcomes: dict[str, TestOutcome] = {}
    told_by: dict[str, str] = {}
    notes: list[Unread] = []
    for report in sorted(reports, key=lambda report: report.path):
        for identifier, outcome in report.tests:
            earlier = outcomes.setdefault(identifier, outcome)
            told_by.setdefault(identifier, report.path)
            if earlier is outcome:
                continue
            worse = max(earlier, outcome, key=_WORST.__getitem__)
            outcomes[identifier] = worse
            other = told_by[identifier]
            elsewhere = "earlier in it" if other == report.path else f"in {other}"
            text = f"{identifier} is {outcome.value} here and {earlier.value} {elsewhere}; {worse.value} counts"
            notes.append(Unread(path=report.path, reason=build_text(text)))
    return dict(sorted(outcomes.items())), notes
