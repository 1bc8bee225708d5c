"""Metrics as words, as the public JSON shape, and as CSV for spreadsheets."""

from __future__ import annotations

import csv
import io
from typing import Final

from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.history.metrics.report import Metric, MetricGroup, MetricsReport, Spread, Target, Unit

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
