"""Figures as a page of at most 80 columns: value beside target, bars, sparklines, and the entries behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.text.cell_width import compute_width
from handoff_tui.core.text.labels import Label, plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.history.metrics.json import render_share, render_target, render_value
from handoff_tui.history.metrics.plots import render_bar, render_sparkline
from handoff_tui.history.metrics.report import Figure, FigureGroup, MetricsReport, Unit

_SYSTEMS: Final = (
    ("A", "Sessions", "what session enforcement asks for"),
    ("C", "Procedures", "by type, rule and severity"),
    ("desk", "The desk", "how decisions are made"),
)
_MET = Label("✓", "met", "pass")
_MISSED = Label("✗", "missed", "fail")
_UNKNOWN = Label("?", "unknown", "unknown")
_PLAIN = Label("·", "", "muted")
_TITLE_WIDTH = 40
_VALUE_WIDTH = 12
_NAME_WIDTH = 32
_BAR_WIDTH = 16
_SPARK_WIDTH = 40
_MOST_GROUPS = 10
_MOST_SOURCES = 4
_WEEKS_FOR_A_LINE = 2
_AGED = "override-debt"
"""A number of things, whose spread is that of their ages."""


def build_metrics_page(report: MetricsReport, *, everything: bool = False) -> Page:
    """Every figure; with `everything` all groups and all entries."""
    page = Page()
    page.heading("Figures", _describe_log(report))
    for note in report.notes:
        page.line(Cell(render_safe(note), "fail" if report.fatal else "warning"), indent=2)
    for system, title, note in _SYSTEMS:
        figures = [figure for figure in report.figures if figure.system == system]
        if figures:
            page.heading(title, note)
        for number, figure in enumerate(figures):
            if number:
                page.blank()
            _add_figure(page, figure, everything=everything)
    return page


def _describe_log(report: MetricsReport) -> str:
    words = [plural(report.entries, "entry").replace("entrys", "entries")]
    words += [plural(report.submissions, "submission"), plural(report.decisions, "decision")]
    if report.withdrawn:
        words.append(f"{report.withdrawn:,} withdrawn")
    if report.not_counted:
        words.append(f"{report.not_counted:,} not counted")
    if report.since is not None or report.until is not None:
        words.append(f"{report.since or 'the beginning'} to {report.until or 'now'}")
    return " · ".join(words)


def _add_figure(page: Page, figure: Figure, *, everything: bool) -> None:
    label = _find_label(figure)
    shown = render_value(figure.unit, figure.value)
    target = render_target(figure.unit, figure.target)
    page.line(
        Cell(f"{label.glyph} ", label.role),
        Cell(figure.title.ljust(_TITLE_WIDTH), "heading"),
        Cell(shown.rjust(_VALUE_WIDTH), label.role),
        Cell(f"  {target and f'target {target}'}".rstrip(), "muted"),
        indent=4,
    )
    page.line(Cell("    "), Cell(figure.means, "muted"), indent=4)
    if figure.value is None:
        page.line(Cell("    "), Cell(f"cannot be computed: {render_safe(figure.why)}", "warning"), indent=4)
    _add_spread(page, figure)
    _add_weeks(page, figure)
    _add_groups(page, figure, everything=everything)
    for one in figure.left_out:
        page.line(Cell("    "), Cell(f"left out: {one.number:,}, {render_safe(one.why)}", "warning"), indent=4)
    _add_sources(page, figure.sources, everything=everything)


def _add_spread(page: Page, figure: Figure) -> None:
    words = [] if figure.value is None else [render_share(figure.part, figure.of, figure.unit)]
    if figure.spread is not None and figure.of:
        unit = Unit.SECONDS if figure.id == _AGED else figure.unit
        least, median, ninetieth, most = figure.spread.model_dump().values()
        named = (("least", least), ("median", median), ("9 of 10 at most", ninetieth), ("most", most))
        words += [f"{name} {render_value(unit, value)}" for name, value in named]
    if words:
        page.line(Cell("    "), Cell(" · ".join(words)), indent=4)


def _add_weeks(page: Page, figure: Figure) -> None:
    if len(figure.weeks) < _WEEKS_FOR_A_LINE:
        return
    top = 1.0 if figure.unit is Unit.SHARE else None
    drawn = render_sparkline([week.value for week in figure.weeks], _SPARK_WIDTH, top)
    first = figure.weeks[-_SPARK_WIDTH:][0].begins
    page.line(Cell("    "), Cell(drawn, "accent"), Cell(f"  by week, {first} to {figure.weeks[-1].begins}", "muted"))


def _add_groups(page: Page, figure: Figure, *, everything: bool) -> None:
    groups = _order_groups(figure)
    shown = groups if everything else groups[:_MOST_GROUPS]
    top = 1.0 if figure.unit is Unit.SHARE else max((group.value or 0.0 for group in groups), default=0.0)
    for group in shown:
        name = render_safe(group.name, _NAME_WIDTH)
        pad = " " * max(0, _NAME_WIDTH - compute_width(name))
        page.line(
            Cell("    "),
            Cell(f"{name}{pad} "),
            Cell(render_bar(group.value, top, _BAR_WIDTH), "accent"),
            Cell(f" {render_value(figure.unit, group.value).rjust(_VALUE_WIDTH)}"),
            Cell(f"  {render_share(group.part, group.of, figure.unit)}", "muted"),
            indent=4,
        )
    if len(groups) > len(shown):
        page.line(Cell("    "), Cell(f"… and {len(groups) - len(shown):,} more; --all shows them", "muted"))


def _order_groups(figure: Figure) -> list[FigureGroup]:
    """What needs a look first: the lowest share, the longest time, the most loops."""
    sign = 1 if figure.unit is Unit.SHARE else -1
    return sorted(figure.groups, key=lambda group: (sign * (group.value or 0.0), group.name))


def _add_sources(page: Page, sources: Sequence[str], *, everything: bool) -> None:
    if not sources:
        return
    shown = sources if everything else sources[:_MOST_SOURCES]
    named = ", ".join(source.removeprefix("sha256:")[:SHORT_DIGEST] for source in shown)
    more = f" and {len(sources) - len(shown):,} more" if len(sources) > len(shown) else ""
    page.line(Cell("    "), Cell(f"from {named}{more}", "muted"), indent=4)


def _find_label(figure: Figure) -> Label:
    if figure.value is None:
        return _UNKNOWN
    if figure.met is None:
        return _PLAIN
    return _MET if figure.met else _MISSED
