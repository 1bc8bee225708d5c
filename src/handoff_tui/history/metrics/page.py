"""Metrics as a page of at most 80 columns, as the public JSON shape, and as CSV for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Final

from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.text.columns import compute_width
from handoff_tui.core.text.labels import Label, name_some, plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.history.metrics.report import Metric, MetricGroup, MetricsReport, Spread, Target, Unit

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
    ids = [source.removeprefix("sha256:")[:SHORT_DIGEST] for source in sources]
    named = name_some(ids, len(ids) if everything else _MOST_SOURCES)
    page.line(Cell("    "), Cell(f"from {named}", "muted"), indent=4)


def label_metric(metric: Metric) -> Label:
    if metric.value is None:
        return _UNKNOWN
    if metric.met is None:
        return _PLAIN
    return _MET if metric.met else _MISSED


SCHEMA: Final = "handoff-tui/metrics/v1"
COLUMNS: Final = (
    *("figure", "system", "grouped_by", "group", "unit", "value", "part", "of"),
    *("least", "median", "ninetieth", "most", "target", "met", "why", "left_out", "sources"),
)
_NOTHING = "–"
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_FORMULA = ("=", "+", "-", "@", "\t")


def build_metrics_json(report: MetricsReport) -> dict[str, object]:
    """The shape promised to scripts; a metric that can't be computed is null, and `why` says why."""
    promised = {"fatal": ("verdict", "fatal" if report.fatal else "clean")}
    values = report.model_dump(mode="json", exclude={"metrics"})
    return {
        "schema": SCHEMA,
        **dict(promised.get(name, (name, value)) for name, value in values.items()),
        "figures": [_build_metric(metric) for metric in report.metrics],
    }


def render_metrics_csv(report: MetricsReport) -> str:
    """One row per metric and per group; entry ids are separated by spaces."""
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(COLUMNS)
    for metric in report.metrics:
        table.writerow(_build_row(metric, None))
        for group in metric.groups:
            table.writerow(_build_row(metric, group))
    return written.getvalue()


def render_value(unit: Unit, value: float | None) -> str:
    """`12.5 %`, `4 min 10 s`, `3`; a dash if there is none."""
    if value is None:
        return _NOTHING
    if unit is Unit.SHARE:
        return f"{value * 100:.1f} %"
    if unit is Unit.SECONDS:
        return render_span(value)
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def render_span(seconds: float) -> str:
    """The two largest units: `45 s`, `4 min 10 s`, `2 h 5 min`, `3 d 4 h`."""
    whole = int(seconds)
    for size, word, smaller, rest in ((_DAY, "d", _HOUR, "h"), (_HOUR, "h", _MINUTE, "min"), (_MINUTE, "min", 1, "s")):
        if whole >= size:
            left = whole % size // smaller
            return f"{whole // size:,} {word} {left} {rest}" if left else f"{whole // size:,} {word}"
    return f"{whole} s"


def render_target(unit: Unit, target: Target | None) -> str:
    """`below 5.0 %`, `at least 100.0 %`, `at most 0`; empty without a target."""
    if target is None:
        return ""
    asked = (("below", target.below), ("at most", target.most), ("at least", target.least))
    return ", ".join(f"{word} {render_value(unit, value)}" for word, value in asked if value is not None)


def render_share(part: float | None, of: int, unit: Unit) -> str:
    """What a value is based on: `3 of 12`, or how many there are."""
    if unit is Unit.SHARE and part is not None:
        return f"{part:,.0f} of {of:,}"
    return f"of {of:,}"


def _build_metric(metric: Metric) -> dict[str, object]:
    words = {"why": metric.why or None, "grouped_by": metric.grouped_by or None, "met": metric.met}
    return metric.model_dump(mode="json") | words


def _build_row(metric: Metric, group: MetricGroup | None) -> list[object]:
    """Missing values are empty cells."""
    counted = metric if group is None else group
    spread = _list_spread(counted.spread)
    row: list[object] = [
        metric.id,
        metric.system,
        metric.grouped_by,
        "" if group is None else _guard(group.name),
        metric.unit.value,
        _build_number(counted.value),
        _build_number(counted.part),
        counted.of,
        *spread,
    ]
    sources = " ".join(counted.sources)
    if group is not None:
        return [*row, "", "", "", "", sources]
    met = "" if metric.met is None else str(metric.met).lower()
    left_out = sum(one.number for one in metric.left_out)
    return [*row, render_target(metric.unit, metric.target), met, metric.why, left_out, sources]


def _list_spread(spread: Spread | None) -> list[object]:
    if spread is None:
        return ["", "", "", ""]
    return [_build_number(one) for one in (spread.least, spread.median, spread.ninetieth, spread.most)]


def _build_number(value: float | None) -> str:
    """Whole numbers without a decimal point, others in full."""
    if value is None:
        return ""
    return str(int(value)) if value == int(value) else repr(value)


def _guard(text: str) -> str:
    """Keeps a spreadsheet from reading a name as a formula."""
    safe = render_safe(text)
    return f"'{safe}" if safe.startswith(_FORMULA) else safe
