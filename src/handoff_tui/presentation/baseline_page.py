"""Stored snapshots as pages: the list of them, and one whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from handoff_tui.models.snapshot import ClaimedTotals, Snapshot, SnapshotSummary
from handoff_tui.presentation.labels import plural
from handoff_tui.presentation.measures import name_measure, render_measure
from handoff_tui.presentation.page import Cell, Column, Page
from handoff_tui.presentation.safe_text import render_safe

_MOST_LISTED = 8
_SHORT_DIGEST = 12
_SHORT_COMMIT = 7
_NOTHING = "–"


def build_baseline_list_page(summaries: Sequence[SnapshotSummary]) -> Page:
    """One row a snapshot; those that cannot be used say why."""
    page = Page()
    if not summaries:
        page.line(Cell("No snapshot is stored here. "), Cell("`handoff-tui baseline capture` takes one.", "muted"))
        return page
    columns = (
        Column("snapshot"),
        Column("commit"),
        Column("branch", fold=True),
        Column("tests", right=True),
        Column("packages", right=True),
        Column("", fold=True),
    )
    page.grid(columns, [_build_row(summary) for summary in summaries])
    return page


def build_baseline_show_page(summary: SnapshotSummary, snapshot: Snapshot, *, everything: bool = False) -> Page:
    """One snapshot: where it was taken, what was counted, what was claimed beside it, what could not be read."""
    page = Page()
    page.line(
        Cell(f"snapshot {render_safe(summary.digest)}", "key"), Cell("  pinned" if summary.pinned else "", "human")
    )
    for name, value in (
        ("tree", snapshot.tree),
        ("commit", snapshot.commit or "none yet"),
        ("branch", snapshot.branch or _NOTHING),
        ("upstream", snapshot.upstream or _NOTHING),
    ):
        page.line(Cell(f"{name:<9}", "muted"), Cell(render_safe(value)), indent=9)
    _add_tests(page, snapshot, everything=everything)
    _add_list(page, "Packages", _list_packages(snapshot), everything=everything)
    _add_list(page, "Checks", sorted(snapshot.checks.items()), everything=everything)
    findings = [(f"{one.check}: {one.message}", one.path) for _, one in sorted(snapshot.findings.items())]
    _add_list(page, "Findings", findings, everything=everything)
    files = [(path, _shorten(value)) for path, value in sorted(snapshot.files.items())]
    _add_list(page, "Declared files", files, everything=everything)
    measures = [(name_measure(name), render_measure(name, value)) for name, value in sorted(snapshot.measures.items())]
    _add_list(page, "Measures", measures, everything=True)
    claims = [(name, _describe_claims(totals)) for name, totals in sorted(snapshot.claimed.items())]
    _add_list(page, "Claimed in documents, not measured", claims, everything=everything)
    _add_list(page, "Not read", [(one.path, one.reason) for one in snapshot.unread], everything=True)
    return page


def _build_row(summary: SnapshotSummary) -> tuple[Cell, ...]:
    remark = Cell("pinned", "human") if summary.pinned else Cell("")
    usable = not summary.problem
    return (
        Cell(render_safe(summary.digest[:_SHORT_DIGEST]), "key"),
        Cell(render_safe(summary.commit[:_SHORT_COMMIT]) if summary.commit else _NOTHING),
        Cell(render_safe(summary.branch) if summary.branch else _NOTHING),
        Cell(f"{summary.tests:,}" if usable else _NOTHING),
        Cell(f"{summary.packages:,}" if usable else _NOTHING),
        remark if usable else Cell(render_safe(summary.problem), "warning"),
    )


def _add_tests(page: Page, snapshot: Snapshot, *, everything: bool) -> None:
    if not snapshot.tests:
        page.heading("Tests")
        page.line(Cell("no test report was read", "warning"), indent=2)
        return
    counted = Counter(snapshot.tests.values())
    parts = ", ".join(f"{number:,} {outcome}" for outcome, number in sorted(counted.items()))
    reports = f", from {plural(len(snapshot.reports), 'report')}" if snapshot.reports else ""
    page.heading("Tests", f"{len(snapshot.tests):,}: {parts}{reports}")
    # those that pass are a number; the others are what a reader looks for
    rows = [(name, str(outcome)) for name, outcome in sorted(snapshot.tests.items()) if everything or outcome != "pass"]
    _add_rows(page, rows, everything=everything)


def _list_packages(snapshot: Snapshot) -> list[tuple[str, str]]:
    return [
        (key, f"{record.version or 'no version'}, {plural(len(record.assets), 'asset')}, {record.where}")
        for key, record in sorted(snapshot.packages.items())
    ]


def _add_list(page: Page, title: str, rows: list[tuple[str, str]], *, everything: bool) -> None:
    if rows:
        page.heading(title, f"{len(rows):,}")
        _add_rows(page, rows, everything=everything)


def _add_rows(page: Page, rows: list[tuple[str, str]], *, everything: bool) -> None:
    for name, value in rows if everything else rows[:_MOST_LISTED]:
        page.line(Cell(render_safe(name)), Cell(f"  {render_safe(value)}", "muted"), indent=2)
    if not everything and len(rows) > _MOST_LISTED:
        page.line(Cell(f"… and {len(rows) - _MOST_LISTED:,} more; --all shows them", "muted"), indent=2)


def _shorten(value: str) -> str:
    return value.removeprefix("sha256:")[:_SHORT_DIGEST]


def _describe_claims(totals: ClaimedTotals) -> str:
    parts = [f"{totals.packages:,} packages"] if totals.packages is not None else []
    for title, counts in (("own tests", totals.tests), ("full regression", totals.regression)):
        if counts:
            parts.append(f"{title}: " + " ".join(f"{name} {number:,}" for name, number in counts.items()))
    baseline = [
        f"{number:,} {noun}"
        for number, noun in ((totals.baseline_packages, "packages"), (totals.baseline_tests, "tests"))
        if number is not None
    ]
    if baseline:
        parts.append(f"baseline of {' and '.join(baseline)}")
    return "; ".join([*parts, totals.where])
