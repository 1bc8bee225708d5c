"""Coverage: as the public JSON shape, and as a page with one bar and what is left to do first. Pure."""

from __future__ import annotations

from handoff_tui.core.short_id import SHORT_COMMIT, SHORT_ENTRY
from handoff_tui.core.text.labels import Label, plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.log.entry import ANCHOR_HINT, NOT_ANCHORED
from handoff_tui.log.gates.coverage import Coverage, CoveringEntry, LineCoverage, PathCoverage
from handoff_tui.status.coverage import CoverageReport, FileCoverageReport
from handoff_tui.status.coverage_bar import build_bar, describe_counts, label_coverage

SCHEMA = "handoff-tui/coverage/v1"
_PAST = Label("·", "earlier", "muted")
"""For lines from before the start line."""
_UNCOMMITTED = "uncommitted"
_MOST_LISTED = 20


def build_coverage_json(report: CoverageReport) -> dict[str, object]:
    """The shape promised to scripts."""
    coverage = report.coverage
    return {
        "schema": SCHEMA,
        "since": report.since,
        "counts": {state.value: number for state, number in coverage.counts.items()},
        "complete": coverage.complete and not report.fatal,
        "files": [_build_path(path) for path in coverage.paths],
        "problems": [*report.fatal, *report.notes],
        "anchored": report.anchored,
    }


def build_file_coverage_json(report: FileCoverageReport) -> dict[str, object]:
    """The same for one file; the state of a region is null if nobody need approve it."""
    return {
        "schema": SCHEMA,
        "file": report.file,
        "state": report.path.state.value if report.path is not None else None,
        "complete": report.complete and not report.fatal,
        "regions": [_build_region(region) for region in report.regions],
        "problems": list(report.fatal),
        "anchored": report.anchored,
    }


def build_coverage_page(report: CoverageReport, *, everything: bool = False) -> Page:
    """One bar, then the files by state: what needs somebody first."""
    page = Page()
    _add_problems(page, report)
    for note in report.notes:
        page.warn(note)
    counts = {state.value: number for state, number in report.coverage.counts.items()}
    since = f"since {report.since[:SHORT_COMMIT]}" if report.since else "since the first commit"
    page.line(Cell(describe_counts(counts), "heading"), Cell(f"  {since}", "muted"))
    if report.coverage.paths:
        page.line(*build_bar(counts))
    if not report.has_policy:
        page.line(Cell("There is no signed log yet, so nothing is approved. Run `handoff-tui init`.", "muted"))
    for state in Coverage:
        paths = [path for path in report.coverage.paths if path.state is state]
        if paths:
            label = label_coverage(state)
            page.heading(f"{label.glyph} {label.word.capitalize()}", plural(len(paths), "file"))
            shown = paths if everything else paths[:_MOST_LISTED]
            for path in shown:
                page.line(Cell(render_safe(path.path), "path"), *_describe(path.handoffs, path.covered_by), indent=2)
            if len(paths) > len(shown):
                page.line(Cell(f"… and {len(paths) - len(shown):,} more; --all lists them", "muted"), indent=2)
    return page


def build_file_coverage_page(report: FileCoverageReport) -> Page:
    """The regions of a file in order, each with who approved it."""
    page = Page()
    _add_problems(page, report)
    label = label_coverage(report.path.state) if report.path is not None else _PAST
    word = str(label) if report.path is not None else f"{label.glyph} not changed since the start line"
    page.line(Cell(render_safe(report.file), "heading"), Cell(f"  {word}", label.role))
    if not report.regions:
        page.line(Cell("It has no lines.", "muted"))
    width = len(f"{report.regions[-1].last}-{report.regions[-1].last}") if report.regions else 0
    for region in report.regions:
        lines = f"{region.first}-{region.last}" if region.last > region.first else f"{region.first}"
        label = label_coverage(region.state) if region.state is not None else _PAST
        commit = region.commit[:SHORT_COMMIT] if region.commit is not None else _UNCOMMITTED
        page.line(
            Cell(f"{lines:>{width}}  ", "muted"),
            Cell(f"{label!s:<12}  ", label.role),
            Cell(f"{commit:<{len(_UNCOMMITTED)}}", "muted"),
            *_describe(region.handoffs, region.covered_by),
            indent=width + 2,
        )
    return page


def _add_problems(page: Page, report: CoverageReport | FileCoverageReport) -> None:
    if not report.anchored:
        page.warn(f"{NOT_ANCHORED}. {ANCHOR_HINT}", "warning")
    for problem in report.fatal:
        page.line(Cell("✗ ", "fail"), Cell(f"the log is not intact: {render_safe(problem)}", "fail"), indent=2)


def _describe(handoffs: tuple[str, ...], entries: tuple[CoveringEntry, ...]) -> list[Cell]:
    """Whose it is, and who decided on it."""
    cells = [Cell(f"  {render_safe(', '.join(handoffs))}", "key")] if handoffs else []
    decided = ", ".join(f"{entry.principal} {entry.entry[:SHORT_ENTRY]}" for entry in entries)
    return [*cells, Cell(f"  {render_safe(decided)}", "muted")] if decided else cells


def _build_path(path: PathCoverage) -> dict[str, object]:
    return {
        "path": path.path,
        "state": path.state.value,
        "handoffs": list(path.handoffs),
        "covered_by": [entry._asdict() for entry in path.covered_by],
    }


def _build_region(region: LineCoverage) -> dict[str, object]:
    return {
        "first": region.first,
        "last": region.last,
        "commit": region.commit,
        "state": region.state.value if region.state is not None else None,
        "handoffs": list(region.handoffs),
        "covered_by": [entry._asdict() for entry in region.covered_by],
    }
