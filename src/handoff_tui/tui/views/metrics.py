"""The metrics of a repository: values beside their targets, plots, and the log entries behind each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from textual.app import ComposeResult

from handoff_tui.core.short_id import SHORT_ENTRY
from handoff_tui.core.text.columns import Field, Row, compute_width
from handoff_tui.core.text.labels import Label, plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.history.metrics.page import (
    label_metric,
    order_groups,
    render_bar,
    render_share,
    render_sparkline,
    render_target,
    render_value,
)
from handoff_tui.history.metrics.report import Metric, MetricsReport, Unit
from handoff_tui.live.state.app import Part
from handoff_tui.log.show.view import LogRow
from handoff_tui.tui.messages import CopyWanted, LogPlaceWanted
from handoff_tui.tui.views.listed_view import ListedView
from handoff_tui.tui.views.view import Act
from handoff_tui.tui.widgets.bars import Divider
from handoff_tui.tui.widgets.row_list import EmptyRows, RowList, TableRows, has_words

_SYSTEMS: Final = {"A": "sessions", "C": "procedures", "desk": "app"}
_FIELDS: Final = (
    Field("state", "STATE", 11),
    Field("title", "METRIC", 28, grows=32),
    Field("value", "VALUE", 12, right=True),
    Field("target", "TARGET", 16, rank=6, grows=8),
    Field("weeks", "BY WEEK", 8, rank=4, grows=18),
    Field("of", "OF", 7, rank=2, right=True),
    Field("system", "ABOUT", 10, rank=1),
)
_SOURCE_FIELDS: Final = (
    Field("when", "WHEN (UTC)", 16, rank=4),
    Field("what", "WHAT", 10, grows=6),
    Field("handoff", "HANDOFF", 18, grows=20),
    Field("who", "WHO", 14, rank=3, grows=20),
    Field("entry", "ENTRY", 12, rank=1),
)
_NAMED = 12
_BAR_WIDTH = 24
_NAME_WIDTH = 26
_VALUE_WIDTH = 12
_MOST_WEEKS = 26


class MetricRows(TableRows[Metric]):
    """One row per metric, grouped by system; the key is the metric's id."""

    fields = _FIELDS

    def __init__(self, report: MetricsReport, *, only_missed: bool = False, text: str = "") -> None:
        super().__init__(
            (metric.id, metric)
            for metric in report.metrics
            if (not only_missed or metric.met is False)
            and has_words(f"{metric.id} {metric.title} {metric.means}", text)
        )

    def describe(self, item: Metric) -> dict[str, Row]:
        label = label_metric(item)
        return {
            "state": (Cell(str(label), label.role),),
            "title": (Cell(render_safe(item.title)),),
            "value": (Cell(render_value(item.unit, item.value), label.role),),
            "target": (Cell(render_target(item.unit, item.target), "muted"),),
            "weeks": (Cell(_draw_weeks(item, 40), "accent"),),
            "of": (Cell(f"{item.of:,}", "muted"),),
            "system": (Cell(_SYSTEMS.get(item.system, item.system), "muted"),),
        }


class SourceRows(TableRows[LogRow | None]):
    """One row per log entry behind a metric."""

    fields = _SOURCE_FIELDS

    def __init__(self, metric: Metric, entries: dict[str, LogRow]) -> None:
        super().__init__((entry, entries.get(entry)) for entry in metric.sources)

    def build_row(self, index: int, width: int) -> Row:
        if self.items[index] is None:
            return (_name_entry(self.keys[index]), Cell("  Reading the log…", "muted"))
        return super().build_row(index, width)

    def describe(self, item: LogRow | None) -> dict[str, Row]:
        if item is None:
            return {}
        about = f"{item.handoff} · {item.phase} · {item.attempt}" if item.handoff else ""
        return {
            "entry": (_name_entry(item.id),),
            "when": (Cell(render_safe((item.time or "")[:16].replace("T", " ")), "muted"),),
            "what": (Cell(render_safe(item.what or item.state.value)),),
            "handoff": (Cell(render_safe(about)),),
            "who": (Cell(render_safe(item.actor or ""), "human"),),
        }


def _name_entry(entry: str) -> Cell:
    return Cell(entry[:SHORT_ENTRY].removeprefix("sha256:"), "key")


def build_metric_page(metric: Metric) -> Page:
    """Shows the value beside its target, what it is computed from, and plots in plain characters."""
    page = Page()
    label = label_metric(metric)
    value = "can't be computed" if metric.value is None else render_value(metric.unit, metric.value)
    page.line(Cell(f"{label.glyph} ", label.role), Cell(f"{render_safe(metric.title)}  ", "heading"),
              Cell(value, label.role), indent=2)  # fmt: skip
    _line(page, "means", metric.means)
    _line(page, "why not", metric.why if metric.value is None else "", "warning")
    _line(page, "target", _describe_target(metric, label), label.role)
    _line(page, "based on", _describe_basis(metric))
    for left_out in metric.left_out:
        _line(page, "left out", f"{left_out.number:,}: {left_out.why}", "warning")
    _add_weeks(page, metric)
    _add_groups(page, metric)
    return page


def _line(page: Page, name: str, text: str, role: str = "text") -> None:
    if text:
        page.line(Cell(f"{name:<{_NAMED}}", "muted"), Cell(render_safe(text), role), indent=_NAMED)


def _describe_target(metric: Metric, label: Label) -> str:
    asked = render_target(metric.unit, metric.target)
    return f"{asked}: {label.word}" if asked else ""


def _describe_basis(metric: Metric) -> str:
    words = [f"{plural(len(metric.sources), 'entry')} of the signed log"]
    if metric.value is not None:
        words.append(render_share(metric.part, metric.of, metric.unit))
    spread = metric.spread
    if spread is not None and metric.of:
        unit = Unit.SECONDS if metric.id == "override-debt" else metric.unit
        named = (("least", spread.least), ("median", spread.median), ("9 of 10 at most", spread.ninetieth))
        words += [f"{name} {render_value(unit, value)}" for name, value in (*named, ("most", spread.most))]
    return " · ".join(words)


def _draw_weeks(metric: Metric, width: int) -> str:
    values = [week.value for week in metric.weeks]
    return render_sparkline(values, width, 1.0 if metric.unit is Unit.SHARE else None) if len(values) > 1 else ""


def _add_weeks(page: Page, metric: Metric) -> None:
    weeks = metric.weeks[-_MOST_WEEKS:]
    if not weeks:
        return
    page.heading("By week", _draw_weeks(metric, _MOST_WEEKS))
    top = 1.0 if metric.unit is Unit.SHARE else max((week.value or 0.0 for week in weeks), default=0.0)
    for week in reversed(weeks):
        _add_bar(page, metric, week.begins, (week.value, top), f"of {week.of:,}")
    if len(metric.weeks) > len(weeks):
        page.line(Cell(f"and {len(metric.weeks) - len(weeks):,} earlier weeks", "muted"), indent=2)


def _add_groups(page: Page, metric: Metric) -> None:
    if not metric.groups:
        return
    page.heading(f"By {render_safe(metric.grouped_by)}")
    top = 1.0 if metric.unit is Unit.SHARE else max((group.value or 0.0 for group in metric.groups), default=0.0)
    for group in order_groups(metric):
        words = render_share(group.part, group.of, metric.unit)
        _add_bar(page, metric, render_safe(group.name, _NAME_WIDTH), (group.value, top), words)


def _add_bar(page: Page, metric: Metric, name: str, value: tuple[float | None, float], words: str) -> None:
    pad = " " * max(0, _NAME_WIDTH - compute_width(name))
    page.line(
        Cell(f"  {name}{pad} "),
        Cell(render_bar(*value, _BAR_WIDTH), "accent"),
        Cell(f" {render_value(metric.unit, value[0]).rjust(_VALUE_WIDTH)}"),
        Cell(f"  {words}", "muted"),
        indent=4,
    )


class MetricsView(ListedView[MetricRows]):
    """The list of metrics, details of the selected one, and its log entries; enter opens an entry in the log."""

    DEFAULT_CSS = """
    MetricsView #rows { height: auto; max-height: 40%; min-height: 3; }
    MetricsView PageView { height: 1fr; min-height: 3; }
    MetricsView #sources { height: auto; max-height: 25%; min-height: 2; }
    """
    parts: ClassVar[frozenset[Part]] = frozenset({Part.METRICS, Part.LOG})
    hints: ClassVar[tuple[str, ...]] = ("app.open", "focus.next", "review.filter", "app.copy")
    listed = "metrics"
    shown = ("metrics", "log", "repositories")
    waiting = "Verifying the log and counting…"
    of_handoff = False
    title = "Details"
    _only_missed = False

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield Divider(id="sources-title")
        yield RowList(id="sources")

    @property
    def sources(self) -> RowList:
        return self.query_one("#sources", RowList)

    def build_rows(self, value: MetricsReport) -> MetricRows:
        return MetricRows(value, only_missed=self._only_missed, text=self._text)

    def build_page(self) -> Page:
        return Page() if self._metric is None else build_metric_page(self._metric)

    def show_page(self, *, from_top: bool = False) -> None:
        super().show_page(from_top=from_top)
        metric, title = self._metric, self.query_one("#sources-title", Divider)
        if metric is None:
            title.show_title(Cell("Entries", "muted"))
            self.sources.show(EmptyRows())
            return
        counted = plural(len(metric.sources), "entry")
        title.show_title(Cell(f"Based on {counted}", "muted"), right="↵ in the log" if metric.sources else "")
        none = EmptyRows(Cell("No log entries: this hasn't happened yet", "muted"))
        log = self._state.log.value
        entries = {row.id: row for row in log.rows} if log is not None else {}
        self.sources.show(SourceRows(metric, entries) if metric.sources else none)

    def open(self, event: RowList.Opened) -> None:
        """Moves from a metric to its entries, and from an entry to the log."""
        if event.rows is self.rows:
            self.sources.focus(scroll_visible=False)
        else:
            self.post_message(LogPlaceWanted(event.key))

    def refuse(self, action: str) -> str:
        return "no metric selected" if action == "app.copy" and self._metric is None else ""

    def list_acts(self) -> Mapping[str, Act]:
        acts: dict[str, Act] = {"review.filter": self._toggle_missed}
        if self.sources.has_focus and self.sources.key:
            return acts | {"app.copy": CopyWanted(self.sources.key, "the entry's id")}
        metric = self._metric
        return acts if metric is None else acts | {"app.copy": CopyWanted(metric.id, "the metric's name")}

    def describe_found(self) -> str:
        matching = len(self.table.keys) if self.table else 0
        return f"{plural(matching, 'metric')} {'matches' if matching == 1 else 'match'}"

    def describe(self) -> tuple[Cell, ...]:
        report = self._state.metrics.value
        if report is None:
            return ()
        missed = sum(metric.met is False for metric in report.metrics)
        verdict = Cell(f" ✗ {missed} missed", "fail") if missed else Cell(" ✓ No target missed", "pass")
        if report.fatal:
            verdict = Cell(" ✗ The log isn't intact: nothing is counted", "fail")
        numbers = ((report.entries, "entry"), (report.submissions, "submission"), (report.decisions, "decision"))
        counted = ", ".join(plural(number, noun) for number, noun in numbers)
        notes = f" · {render_safe(report.notes[0])}" if report.notes and not report.fatal else ""
        return (verdict, Cell(f" · {counted} · ", "muted"), self.describe_freshness(), Cell(notes, "warning"))

    @property
    def _metric(self) -> Metric | None:
        return self.table.find(self.rows.key) if self.table is not None else None

    def _toggle_missed(self) -> None:
        self._only_missed = not self._only_missed
        self._redraw_whole()

    def describe_nothing(self) -> Cell:
        return Cell("✓ No target missed", "pass") if self._only_missed else Cell("No metrics", "muted")
