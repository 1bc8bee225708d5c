"""Metrics as a page of at most 80 columns: value and target, bars, sparklines, and the entries behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.text.cell_width import compute_width
from handoff_tui.core.text.labels import Label, plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.history.metrics.json import render_share, render_target, render_value
from handoff_tui.history.metrics.report import Metric, MetricGroup, MetricsReport, Unit

_FULL, _EMPTY = "█", "░"
_EIGHTHS: Final = "▁▂▃▄▅▆▇█"
_GAP = "·"


def render_bar(value: float | None, most: float, width: int) -> str:
    """A bar of `width` cells, dots if None. Anything above zero gets at least one cell."""
    if value is None:
        return _GAP * width
    share = 0.0 if most <= 0 else min(1.0, max(0.0, value / most))
    cells = round(share * width)
    if value > 0 and cells == 0:
        cells = 1
    return _FULL * cells + _EMPTY * (width - cells)


def render_sparkline(values: Sequence[float | None], width: int, most: float | None = None) -> str:
    """One cell per value, the newest `width` of them; a dot is a week without a value."""
    shown = values[-width:] if width > 0 else ()
    top = max((value for value in shown if value is not None), default=0.0) if most is None else most
    return "".join(_GAP if value is None else _EIGHTHS[_find_step(value, top)] for value in shown)


def _find_step(value: float, top: float) -> int:
    share = 0.0 if top <= 0 else min(1.0, max(0.0, value / top))
    return round(share * (len(_EIGHTHS) - 1))


_SYSTEMS: Final = (
    ("A", "Sessions", "what session enforcement asks for"),
    ("C", "Procedures", "by type, rule and severity"),
    ("desk", "Review", "how decisions are made"),
)
_MET = Label("✓", "met", "pass")
_MISSED = Label("✗", "missed", "fail")
_UNKNOWN = Label("?", "unknown", "unknown")
_PLAIN = Label("·", "no target", "muted")
_TITLE_WIDTH = 40
_VALUE_WIDTH = 12
_NAME_WIDTH = 32
_BAR_WIDTH = 16
_SPARK_WIDTH = 40
_MOST_GROUPS = 10
_MOST_SOURCES = 4
_WEEKS_FOR_A_LINE = 2
_AGED = "override-debt"
"""Counts things; its spread is that of their ages."""


def build_metrics_page(report: MetricsReport, *, everything: bool = False) -> Page:
    """Every metric; with `everything`, all groups and all entries."""
    page = Page()
    page.heading("Metrics", _describe_log(report))
    for note in report.notes:
        page.line(Cell(render_safe(note), "fail" if report.fatal else "warning"), indent=2)
    for system, title, note in _SYSTEMS:
        metrics = [metric for metric in report.metrics if metric.system == system]
        if metrics:
            page.heading(title, note)
        for number, metric in enumerate(metrics):
            if number:
                page.blank()
            _add_metric(page, metric, everything=everything)
    return page


def _describe_log(report: MetricsReport) -> str:
    words = [plural(report.entries, "entry")]
    words += [plural(report.submissions, "submission"), plural(report.decisions, "decision")]
    if report.withdrawn:
        words.append(f"{report.withdrawn:,} withdrawn")
    if report.not_counted:
        words.append(f"{report.not_counted:,} not counted")
    if report.since is not None or report.until is not None:
        words.append(f"{report.since or 'the beginning'} to {report.until or 'now'}")
    return " · ".join(words)


def _add_metric(page: Page, metric: Metric, *, everything: bool) -> None:
    label = label_metric(metric)
    shown = render_value(metric.unit, metric.value)
    target = render_target(metric.unit, metric.target)
    page.line(
        Cell(f"{label.glyph} ", label.role),
        Cell(metric.title.ljust(_TITLE_WIDTH), "heading"),
        Cell(shown.rjust(_VALUE_WIDTH), label.role),
        Cell(f"  {target and f'target {target}'}".rstrip(), "muted"),
        indent=4,
    )
    page.line(Cell("    "), Cell(metric.means, "muted"), indent=4)
    if metric.value is None:
        page.line(Cell("    "), Cell(f"can't be computed: {render_safe(metric.why)}", "warning"), indent=4)
    _add_spread(page, metric)
    _add_weeks(page, metric)
    _add_groups(page, metric, everything=everything)
    for one in metric.left_out:
        page.line(Cell("    "), Cell(f"left out: {one.number:,}, {render_safe(one.why)}", "warning"), indent=4)
    _add_sources(page, metric.sources, everything=everything)


def _add_spread(page: Page, metric: Metric) -> None:
    words = [] if metric.value is None else [render_share(metric.part, metric.of, metric.unit)]
    if metric.spread is not None and metric.of:
        unit = Unit.SECONDS if metric.id == _AGED else metric.unit
        least, median, ninetieth, most = metric.spread.model_dump().values()
        named = (("least", least), ("median", median), ("90 % within", ninetieth), ("most", most))
        words += [f"{name} {render_value(unit, value)}" for name, value in named]
    if words:
        page.line(Cell("    "), Cell(" · ".join(words)), indent=4)


def _add_weeks(page: Page, metric: Metric) -> None:
    if len(metric.weeks) < _WEEKS_FOR_A_LINE:
        return
    top = 1.0 if metric.unit is Unit.SHARE else None
    drawn = render_sparkline([week.value for week in metric.weeks], _SPARK_WIDTH, top)
    first = metric.weeks[-_SPARK_WIDTH:][0].begins
    page.line(Cell("    "), Cell(drawn, "accent"), Cell(f"  by week, {first} to {metric.weeks[-1].begins}", "muted"))


def _add_groups(page: Page, metric: Metric, *, everything: bool) -> None:
    groups = order_groups(metric)
    top = 1.0 if metric.unit is Unit.SHARE else max((group.value or 0.0 for group in groups), default=0.0)
    for group in page.some(groups, _MOST_GROUPS, everything=everything):
        name = render_safe(group.name, _NAME_WIDTH)
        pad = " " * max(0, _NAME_WIDTH - compute_width(name))
        page.line(
            Cell("    "),
            Cell(f"{name}{pad} "),
            Cell(render_bar(group.value, top, _BAR_WIDTH), "accent"),
            Cell(f" {render_value(metric.unit, group.value).rjust(_VALUE_WIDTH)}"),
            Cell(f"  {render_share(group.part, group.of, metric.unit)}", "muted"),
            indent=4,
        )


def order_groups(metric: Metric) -> list[MetricGroup]:
    """Worst first: the lowest share, the longest time, the most loops."""
    sign = 1 if metric.unit is Unit.SHARE else -1
    return sorted(metric.groups, key=lambda group: (sign * (group.value or 0.0), group.name))


def _add_sources(page: Page, sources: Sequence[str], *, everything: bool) -> None:
    if not sources:
        return
    shown = sources if everything else sources[:_MOST_SOURCES]
    named = ", ".join(source.removeprefix("sha256:")[:SHORT_DIGEST] for source in shown)
    more = f" and {len(sources) - len(shown):,} more" if len(sources) > len(shown) else ""
    page.line(Cell("    "), Cell(f"from {named}{more}", "muted"), indent=4)


def label_metric(metric: Metric) -> Label:
    if metric.value is None:
        return _UNKNOWN
    if metric.met is None:
        return _PLAIN
    return _MET if metric.met else _MISSED
