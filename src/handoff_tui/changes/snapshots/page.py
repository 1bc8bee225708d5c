"""Stored snapshots as pages and public JSON shapes: the list, and one in full."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from handoff_tui.changes.comparison.page import name_measure, render_measure, shorten_hashes
from handoff_tui.changes.snapshots.snapshot import ClaimedTotals, Snapshot, SnapshotSummary
from handoff_tui.core.short_id import SHORT_COMMIT, SHORT_DIGEST
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Column, Page, TableColumns
from handoff_tui.core.text.safe_text import render_safe

BASELINE_LIST_SCHEMA = "handoff-tui/baseline-list/v1"
BASELINE_SHOW_SCHEMA = "handoff-tui/baseline-show/v1"
BASELINE_PIN_SCHEMA = "handoff-tui/baseline-pin/v1"


def build_baseline_list_json(
    summaries: Sequence[SnapshotSummary], lost_pins: Mapping[str, str] | None = None, foreign: Sequence[str] = ()
) -> dict[str, object]:
    """Counts of unusable snapshots are null; lost pins name snapshots that aren't stored."""
    return {
        "schema": BASELINE_LIST_SCHEMA,
        "snapshots": [_build_summary(summary) for summary in summaries],
        "lost_pins": dict(lost_pins or {}),
        "foreign": list(foreign),
    }


def build_baseline_show_json(summary: SnapshotSummary, snapshot: Snapshot) -> dict[str, object]:
    return {"schema": BASELINE_SHOW_SCHEMA, **_build_summary(summary), "snapshot": snapshot.model_dump(mode="json")}


def build_pin_json(handoff: str, digest: str | None) -> dict[str, object]:
    """What is now pinned for a handoff, `*` for all; null if the pin was removed."""
    return {"schema": BASELINE_PIN_SCHEMA, "handoff": handoff, "digest": digest}


def _build_summary(summary: SnapshotSummary) -> dict[str, object]:
    uncounted = {"tests": None, "packages": None} if summary.problem else {}
    return summary.model_dump(mode="json") | uncounted | {"problem": summary.problem or None}


_MOST_LISTED = 8
_DAY = len("2025-06-15")
_NOTHING = "–"


def build_baseline_list_page(
    summaries: Sequence[SnapshotSummary], lost_pins: Mapping[str, str] | None = None, foreign: Sequence[str] = ()
) -> Page:
    """One row per snapshot; unusable ones, lost pins and `foreign` files are listed below."""
    page = Page()
    if not summaries:
        page.line(Cell("No snapshots stored here. "), Cell("`handoff-tui baseline capture` takes one.", "muted"))
    page.table(_LIST_COLUMNS, [summary for summary in summaries if not summary.problem])
    damaged = [(summary.digest[:SHORT_DIGEST], summary.problem) for summary in summaries if summary.problem]
    _add_list(page, "Unusable", damaged, everything=True)
    pins = (lost_pins or {}).items()
    lost = [(pin[:SHORT_DIGEST], "for every handoff" if whom == "*" else f"for {whom}") for whom, pin in pins]
    _add_list(page, "Pinned, but not stored here", lost, everything=True)
    _add_list(page, "Not a snapshot", [(path, "") for path in foreign], everything=False)
    return page


def build_baseline_capture_page(summary: SnapshotSummary, snapshot: Snapshot, *, is_new: bool) -> Page:
    """What was stored, in numbers, and what couldn't be read."""
    page = Page()
    stored = "stored" if is_new else "already stored with this content"
    page.line(Cell(f"snapshot {render_safe(summary.digest)}", "key"), Cell(f"  {stored}", "muted"))
    for name, value in (*_list_origin(snapshot), *_list_numbers(snapshot)):
        page.fact(name, value)
    _add_unread(page, snapshot, everything=False)
    return page


def build_baseline_show_page(summary: SnapshotSummary, snapshot: Snapshot, *, everything: bool = False) -> Page:
    """One snapshot: where it was taken, what was counted and claimed, what couldn't be read."""
    page = Page()
    page.line(Cell(f"snapshot {render_safe(summary.digest)}", "key"), Cell(f"  {_describe_pin(summary)}", "human"))
    for name, value in _list_origin(snapshot):
        page.fact(name, value)
    _add_tests(page, snapshot, everything=everything)
    _add_list(page, "Packages", _list_packages(snapshot), everything=everything)
    _add_list(page, "Checks", sorted(snapshot.checks.items()), everything=everything)
    findings = sorted((f"{one.check}: {shorten_hashes(one.message)}", one.path) for one in snapshot.findings.values())
    _add_list(page, "Findings", findings, everything=everything)
    files = [(path, _shorten(value)) for path, value in sorted(snapshot.files.items())]
    _add_list(page, "Declared files", files, everything=everything)
    measures = [(name_measure(name), render_measure(name, value)) for name, value in sorted(snapshot.measures.items())]
    _add_list(page, "Measures", measures, everything=True)
    claims = [(name, _describe_claims(totals)) for name, totals in sorted(snapshot.claimed.items())]
    _add_list(page, "Claimed in documents, not measured", claims, everything=everything)
    _add_unread(page, snapshot, everything=everything)
    return page


def _describe_pin(summary: SnapshotSummary) -> str:
    named = [whom for whom in summary.pinned_for if whom != "*"]
    pinned = "pinned" if summary.pinned else ""
    return f"pinned for {render_safe(', '.join(named))}" if named and "*" not in summary.pinned_for else pinned


_LIST_COLUMNS: TableColumns[SnapshotSummary] = (
    (Column("snapshot"), lambda one: Cell(render_safe(one.digest[:SHORT_DIGEST]), "key")),
    (Column("commit"), lambda one: Cell(render_safe(one.commit[:SHORT_COMMIT]) if one.commit else _NOTHING)),
    (Column("of"), lambda one: Cell(one.date[:_DAY] if one.date else _NOTHING, "muted")),
    (Column("branch"), lambda one: Cell(render_safe(one.branch) if one.branch else _NOTHING)),
    (Column("tests", right=True), lambda one: Cell(f"{one.tests:,}")),
    (Column("packages", right=True), lambda one: Cell(f"{one.packages:,}")),
    (Column(""), lambda one: Cell(_describe_pin(one), "human")),
)


def _list_origin(snapshot: Snapshot) -> list[tuple[str, str]]:
    return [
        ("tree", snapshot.tree),
        ("commit", snapshot.commit or "none yet"),
        ("branch", snapshot.branch or _NOTHING),
        ("upstream", snapshot.upstream or _NOTHING),
    ]


def _list_numbers(snapshot: Snapshot) -> list[tuple[str, str]]:
    claimed = plural(len(snapshot.claimed), "handoff")
    return [
        ("tests", _count_tests(snapshot) if snapshot.tests else "no test report was read"),
        ("packages", f"{len(snapshot.packages):,}"),
        ("checks", _count(snapshot.checks.values())),
        ("findings", f"{len(snapshot.findings):,}"),
        ("files", f"{len(snapshot.files):,} declared, {snapshot.measures.get('files', 0):,} in all"),
        ("claims", f"of {claimed}, kept beside the measurements"),
    ]


def _count_tests(snapshot: Snapshot) -> str:
    reports = f", from {plural(len(snapshot.reports), 'report')}" if snapshot.reports else ""
    return f"{_count(snapshot.tests.values())}{reports}"


def _count(outcomes: Iterable[str]) -> str:
    counted = Counter(outcomes)
    parts = ", ".join(f"{number:,} {outcome}" for outcome, number in sorted(counted.items()))
    return f"{counted.total():,}: {parts}" if parts else "0"


def _add_unread(page: Page, snapshot: Snapshot, *, everything: bool) -> None:
    _add_list(page, "Not read", [(one.path, one.reason) for one in snapshot.unread], everything=everything)


def _add_tests(page: Page, snapshot: Snapshot, *, everything: bool) -> None:
    if not snapshot.tests:
        page.heading("Tests")
        page.line(Cell("no test report was read", "warning"), indent=2)
        return
    page.heading("Tests", _count_tests(snapshot))
    # readers look for tests that don't pass
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
    for name, value in page.some(rows, _MOST_LISTED, everything=everything, lead="  "):
        page.line(Cell(render_safe(name)), Cell(f"  {render_safe(value)}" if value else "", "muted"), indent=2)


def _shorten(value: str) -> str:
    return value.removeprefix("sha256:")[:SHORT_DIGEST]


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
