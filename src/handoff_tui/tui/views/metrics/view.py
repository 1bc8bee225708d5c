"""The metrics of a repository: values beside their targets, plots, and the log entries behind each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult

from handoff_tui.core.short_id import SHORT_ENTRY
from handoff_tui.core.text.cell_width import compute_width
from handoff_tui.core.text.columns import Field, Row, build_cells, build_headings
from handoff_tui.core.text.labels import Label, plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.history.metrics.json import render_share, render_target, render_value
from handoff_tui.history.metrics.page import render_bar, render_sparkline
from handoff_tui.history.metrics.report import Metric, MetricGroup, MetricsReport, Unit
from handoff_tui.live.state.app import AppState, Part
from handoff_tui.log.show.view import LogRow
from handoff_tui.tui.messages import CopyWanted, LogPlaceWanted
from handoff_tui.tui.views.view import View
from handoff_tui.tui.widgets.bars import Bar, Rule
from handoff_tui.tui.widgets.freshness import describe_freshness, read_now
from handoff_tui.tui.widgets.page_view import PageView
from handoff_tui.tui.widgets.row_list import EmptyRows, RowList

_SYSTEMS: Final = {"A": "sessions", "C": "procedures", "desk": "app"}
_MET = Label("✓", "met", "pass")
_MISSED = Label("✗", "missed", "fail")
_UNKNOWN = Label("?", "unknown", "unknown")
_PLAIN = Label("·", "no target", "muted")
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
    Field("entry", "ENTRY", 12),
    Field("when", "WHEN (UTC)", 16, rank=4),
    Field("what", "WHAT", 10, grows=6),
    Field("handoff", "HANDOFF", 18, grows=20),
    Field("who", "WHO", 14, rank=3, grows=20),
)
_NAMED = 12
_BAR_WIDTH = 24
_NAME_WIDTH = 26
_VALUE_WIDTH = 12
_MOST_WEEKS = 26


def label_metric(metric: Metric) -> Label:
    """Says whether the target is met; unknown if the metric can't be computed."""
    if metric.value is None:
        return _UNKNOWN
    if metric.met is None:
        return _PLAIN
    return _MET if metric.met else _MISSED


class MetricRows:
    """One row per metric, grouped by system; the key is the metric's id."""

    def __init__(self, report: MetricsReport, *, only_missed: bool = False, text: str = "") -> None:
        wanted = text.casefold().split()
        self._metrics = [
            metric
            for metric in report.metrics
            if (not only_missed or metric.met is False)
            and all(word in f"{metric.id} {metric.title} {metric.means}".casefold() for word in wanted)
        ]
        self._keys = tuple(metric.id for metric in self._metrics)

    @property
    def keys(self) -> Sequence[str]:
        return self._keys

    def find(self, key: str) -> Metric | None:
        return next((metric for metric in self._metrics if metric.id == key), None)

    def build_heading(self, width: int) -> Row:
        return build_headings(_FIELDS, width)

    def build_row(self, index: int, width: int) -> Row:
        metric = self._metrics[index]
        label = label_metric(metric)
        values: dict[str, Row] = {
            "state": (Cell(str(label), label.role),),
            "title": (Cell(render_safe(metric.title)),),
            "value": (Cell(render_value(metric.unit, metric.value), label.role),),
            "target": (Cell(render_target(metric.unit, metric.target), "muted"),),
            "weeks": (Cell(_draw_weeks(metric, 40), "accent"),),
            "of": (Cell(f"{metric.of:,}", "muted"),),
            "system": (Cell(_SYSTEMS.get(metric.system, metric.system), "muted"),),
        }
        return build_cells(_FIELDS, values, width)


class SourceRows:
    """One row per log entry behind a metric."""

    def __init__(self, metric: Metric, entries: dict[str, LogRow]) -> None:
        self.keys: Sequence[str] = metric.sources
        self._entries = entries

    def build_row(self, index: int, width: int) -> Row:
        entry = self.keys[index]
        row = self._entries.get(entry)
        name = Cell(entry[:SHORT_ENTRY].removeprefix("sha256:"), "key")
        if row is None:
            return (name, Cell("  Reading the log…", "muted"))
        about = f"{row.handoff} · {row.phase} · {row.attempt}" if row.handoff else ""
        values: dict[str, Row] = {
            "entry": (name,),
            "when": (Cell(render_safe((row.time or "")[:16].replace("T", " ")), "muted"),),
            "what": (Cell(render_safe(row.what or row.state.value)),),
            "handoff": (Cell(render_safe(about)),),
            "who": (Cell(render_safe(row.actor or ""), "human"),),
        }
        return build_cells(_SOURCE_FIELDS, values, width)


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
    for group in _order_groups(metric):
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


def _order_groups(metric: Metric) -> list[MetricGroup]:
    """Sorts the worst first: the lowest share, the longest time, the most loops."""
    sign = 1 if metric.unit is Unit.SHARE else -1
    return sorted(metric.groups, key=lambda group: (sign * (group.value or 0.0), group.name))


_MARK = 2
_SHOWN = ("figures", "log", "repositories")


class MetricsView(View):
    """The list of metrics, details of the selected one, and its log entries; enter opens an entry in the log."""

    DEFAULT_CSS = """
    MetricsView #metrics-list { height: 2fr; min-height: 3; }
    MetricsView #metric { height: 3fr; min-height: 3; }
    MetricsView #sources { height: auto; max-height: 25%; min-height: 2; }
    """
    scope = "figures"
    parts: ClassVar[frozenset[Part]] = frozenset({Part.FIGURES, Part.LOG})
    hints: ClassVar[tuple[str, ...]] = ("app.open", "focus.next", "figures.only-missed", "app.copy")

    def __init__(self) -> None:
        super().__init__(id="figures")
        self._state = AppState()
        self._rows: MetricRows | None = None
        self._only_missed = False
        self._text = ""
        self._entries: dict[str, LogRow] = {}

    def compose(self) -> ComposeResult:
        yield Bar(id="heading")
        yield RowList(id="metrics-list")
        yield Rule(id="metric-title")
        yield PageView(id="metric")
        yield Rule(id="sources-title")
        yield RowList(id="sources")

    @property
    def rows(self) -> RowList:
        return self.query_one("#metrics-list", RowList)

    @property
    def sources(self) -> RowList:
        return self.query_one("#sources", RowList)

    def show(self, state: AppState) -> None:
        before, self._state = self._state, state
        if all(getattr(state, name) is getattr(before, name) for name in _SHOWN):
            return
        if state.log.value is not before.log.value:
            view = state.log.value
            self._entries = {row.id: row for row in view.rows} if view is not None else {}
        self._redraw()

    def _redraw(self) -> None:
        report = self._state.figures.value
        self._rows = None if report is None else MetricRows(report, only_missed=self._only_missed, text=self._text)
        heading = self.query_one("#heading", Bar)
        if self._rows is None or not self._rows.keys:
            heading.show()
            self.rows.show(EmptyRows(self._explain_empty()))
        else:
            heading.show(Cell(" " * _MARK), *self._rows.build_heading(max(1, self.rows.room - _MARK)))
            self.rows.show(self._rows)
        self._show_metric()

    def _show_metric(self, *, from_top: bool = False) -> None:
        metric = self._metric
        page = self.query_one("#metric", PageView)
        self.query_one("#metric-title", Rule).show_title(Cell("Details", "muted"))
        title = self.query_one("#sources-title", Rule)
        if metric is None:
            page.show_rows(lambda _width: (), from_top=True)
            title.show_title(Cell("Entries", "muted"))
            self.sources.show(EmptyRows())
            return
        page.show(build_metric_page(metric), from_top=from_top)
        counted = plural(len(metric.sources), "entry")
        title.show_title(Cell(f"Based on {counted}", "muted"), right="↵ in the log" if metric.sources else "")
        none = EmptyRows(Cell("No log entries: this hasn't happened yet", "muted"))
        self.sources.show(SourceRows(metric, self._entries) if metric.sources else none)

    @on(RowList.Highlighted)
    def follow(self, event: RowList.Highlighted) -> None:
        event.stop()
        if event.rows is self.rows and event.key == self.rows.key:
            self._show_metric(from_top=True)

    @on(RowList.Opened)
    def open(self, event: RowList.Opened) -> None:
        """Moves from a metric to its entries, and from an entry to the log."""
        event.stop()
        if event.rows is self.rows:
            self.sources.focus(scroll_visible=False)
        elif event.key:
            self.post_message(LogPlaceWanted(event.key))

    @on(RowList.RoomChanged)
    def fit(self, event: RowList.RoomChanged) -> None:
        event.stop()
        self.call_after_refresh(self._redraw)

    def on_resize(self) -> None:
        self.call_after_refresh(self._redraw)

    def refuse(self, action: str) -> str:
        return "no metric selected" if action == "app.copy" and self._metric is None else ""

    def list_acts(self) -> Mapping[str, Callable[[], object]]:
        return {
            "figures.only-missed": self._toggle_missed,
            "app.copy": self._copy,
        }

    def find(self, text: str, *, backwards: bool = False, again: bool = False) -> str:
        if again:
            self.rows.move(-1 if backwards else 1)
            return ""
        self._text = text
        self._redraw()
        found = len(self._rows.keys) if self._rows else 0
        return f"{plural(found, 'metric')} {'matches' if found == 1 else 'match'}" if text else ""

    def describe(self) -> tuple[Cell, ...]:
        report, repository = self._state.figures.value, self._state.repository
        if report is None or repository is None:
            return ()
        missed = sum(metric.met is False for metric in report.metrics)
        fresh = describe_freshness(self._state.figures, repository.watching, read_now())
        verdict = Cell(f" ✗ {missed} missed", "fail") if missed else Cell(" ✓ No target missed", "pass")
        if report.fatal:
            verdict = Cell(" ✗ The log isn't intact: nothing is counted", "fail")
        numbers = ((report.entries, "entry"), (report.submissions, "submission"), (report.decisions, "decision"))
        counted = ", ".join(plural(number, noun) for number, noun in numbers)
        notes = f" · {render_safe(report.notes[0])}" if report.notes and not report.fatal else ""
        return (verdict, Cell(f" · {counted} · ", "muted"), fresh, Cell(notes, "warning"))

    @property
    def _metric(self) -> Metric | None:
        return self._rows.find(self.rows.key) if self._rows is not None else None

    def _toggle_missed(self) -> None:
        self._only_missed = not self._only_missed
        self._redraw()

    def _copy(self) -> None:
        """Copies the selected entry's id if that list has the focus, otherwise the metric's id."""
        metric = self._metric
        if self.sources.has_focus and self.sources.key:
            self.post_message(CopyWanted(self.sources.key, "the entry's id"))
        elif metric is not None:
            self.post_message(CopyWanted(metric.id, "the metric's name"))

    def _explain_empty(self) -> Cell:
        part, repository = self._state.figures, self._state.repository
        trouble = part.trouble or (repository.state.trouble if repository is not None else None)
        if trouble is not None:
            return Cell(f"✗ {render_safe(trouble.message)}. {render_safe(trouble.hint)}", "fail")
        if part.value is None:
            return Cell("Verifying the log and counting…", "muted")
        if self._text:
            return Cell(f'No matches for "{render_safe(self._text)}"', "muted")
        return Cell("✓ No target missed", "pass") if self._only_missed else Cell("No metrics", "muted")
