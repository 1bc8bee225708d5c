"""Figures of the repository: values beside their targets, plots, and the entries that each rests on."""

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


def label_figure(figure: Metric) -> Label:
    """Whether its target is met; a figure that cannot be computed meets none."""
    if figure.value is None:
        return _UNKNOWN
    if figure.met is None:
        return _PLAIN
    return _MET if figure.met else _MISSED


class FigureRows:
    """One row for each figure, those of one system together; a key is the figure's id."""

    def __init__(self, report: MetricsReport, *, only_missed: bool = False, text: str = "") -> None:
        wanted = text.casefold().split()
        self._figures = [
            figure
            for figure in report.metrics
            if (not only_missed or figure.met is False)
            and all(word in f"{figure.id} {figure.title} {figure.means}".casefold() for word in wanted)
        ]
        self._keys = tuple(figure.id for figure in self._figures)

    @property
    def keys(self) -> Sequence[str]:
        return self._keys

    def find(self, key: str) -> Metric | None:
        return next((figure for figure in self._figures if figure.id == key), None)

    def build_heading(self, width: int) -> Row:
        return build_headings(_FIELDS, width)

    def build_row(self, index: int, width: int) -> Row:
        figure = self._figures[index]
        label = label_figure(figure)
        values: dict[str, Row] = {
            "state": (Cell(str(label), label.role),),
            "title": (Cell(render_safe(figure.title)),),
            "value": (Cell(render_value(figure.unit, figure.value), label.role),),
            "target": (Cell(render_target(figure.unit, figure.target), "muted"),),
            "weeks": (Cell(_draw_weeks(figure, 40), "accent"),),
            "of": (Cell(f"{figure.of:,}", "muted"),),
            "system": (Cell(_SYSTEMS.get(figure.system, figure.system), "muted"),),
        }
        return build_cells(_FIELDS, values, width)


class SourceRows:
    """The entries that a figure rests on, as the log has them."""

    def __init__(self, figure: Metric, entries: dict[str, LogRow]) -> None:
        self.keys: Sequence[str] = figure.sources
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


def build_figure_page(figure: Metric) -> Page:
    """The value beside its target, what it is computed from, and plots of plain characters."""
    page = Page()
    label = label_figure(figure)
    value = "can't be computed" if figure.value is None else render_value(figure.unit, figure.value)
    page.line(Cell(f"{label.glyph} ", label.role), Cell(f"{render_safe(figure.title)}  ", "heading"),
              Cell(value, label.role), indent=2)  # fmt: skip
    _line(page, "means", figure.means)
    _line(page, "why not", figure.why if figure.value is None else "", "warning")
    _line(page, "target", _describe_target(figure, label), label.role)
    _line(page, "based on", _describe_basis(figure))
    for one in figure.left_out:
        _line(page, "left out", f"{one.number:,}: {one.why}", "warning")
    _add_weeks(page, figure)
    _add_groups(page, figure)
    return page


def _line(page: Page, name: str, text: str, role: str = "text") -> None:
    if text:
        page.line(Cell(f"{name:<{_NAMED}}", "muted"), Cell(render_safe(text), role), indent=_NAMED)


def _describe_target(figure: Metric, label: Label) -> str:
    asked = render_target(figure.unit, figure.target)
    return f"{asked}: {label.word}" if asked else ""


def _describe_basis(figure: Metric) -> str:
    words = [f"{len(figure.sources):,} entries of the signed log"]
    if figure.value is not None:
        words.append(render_share(figure.part, figure.of, figure.unit))
    spread = figure.spread
    if spread is not None and figure.of:
        unit = Unit.SECONDS if figure.id == "override-debt" else figure.unit
        named = (("least", spread.least), ("median", spread.median), ("9 of 10 at most", spread.ninetieth))
        words += [f"{name} {render_value(unit, value)}" for name, value in (*named, ("most", spread.most))]
    return " · ".join(words)


def _draw_weeks(figure: Metric, width: int) -> str:
    values = [week.value for week in figure.weeks]
    return render_sparkline(values, width, 1.0 if figure.unit is Unit.SHARE else None) if len(values) > 1 else ""


def _add_weeks(page: Page, figure: Metric) -> None:
    weeks = figure.weeks[-_MOST_WEEKS:]
    if not weeks:
        return
    page.heading("By week", _draw_weeks(figure, _MOST_WEEKS))
    top = 1.0 if figure.unit is Unit.SHARE else max((week.value or 0.0 for week in weeks), default=0.0)
    for week in reversed(weeks):
        _add_bar(page, figure, week.begins, (week.value, top), f"of {week.of:,}")
    if len(figure.weeks) > len(weeks):
        page.line(Cell(f"and {len(figure.weeks) - len(weeks):,} earlier weeks", "muted"), indent=2)


def _add_groups(page: Page, figure: Metric) -> None:
    if not figure.groups:
        return
    page.heading(f"By {render_safe(figure.grouped_by)}")
    top = 1.0 if figure.unit is Unit.SHARE else max((group.value or 0.0 for group in figure.groups), default=0.0)
    for group in _order_groups(figure):
        words = render_share(group.part, group.of, figure.unit)
        _add_bar(page, figure, render_safe(group.name, _NAME_WIDTH), (group.value, top), words)


def _add_bar(page: Page, figure: Metric, name: str, value: tuple[float | None, float], words: str) -> None:
    pad = " " * max(0, _NAME_WIDTH - compute_width(name))
    page.line(
        Cell(f"  {name}{pad} "),
        Cell(render_bar(*value, _BAR_WIDTH), "accent"),
        Cell(f" {render_value(figure.unit, value[0]).rjust(_VALUE_WIDTH)}"),
        Cell(f"  {words}", "muted"),
        indent=4,
    )


def _order_groups(figure: Metric) -> list[MetricGroup]:
    """What needs a look first: the lowest share, the longest time, the most loops."""
    sign = 1 if figure.unit is Unit.SHARE else -1
    return sorted(figure.groups, key=lambda group: (sign * (group.value or 0.0), group.name))


_MARK = 2
_SHOWN = ("figures", "log", "repositories")


class FiguresView(View):
    """The list of figures, the one under the cursor whole, and its source entries: enter opens one in the log."""

    DEFAULT_CSS = """
    FiguresView #figures-list { height: 2fr; min-height: 3; }
    FiguresView #figure { height: 3fr; min-height: 3; }
    FiguresView #sources { height: auto; max-height: 25%; min-height: 2; }
    """
    scope = "figures"
    parts: ClassVar[frozenset[Part]] = frozenset({Part.FIGURES, Part.LOG})
    hints: ClassVar[tuple[str, ...]] = ("app.open", "focus.next", "figures.only-missed", "app.copy")

    def __init__(self) -> None:
        super().__init__(id="figures")
        self._state = AppState()
        self._rows: FigureRows | None = None
        self._only_missed = False
        self._text = ""
        self._entries: dict[str, LogRow] = {}

    def compose(self) -> ComposeResult:
        yield Bar(id="heading")
        yield RowList(id="figures-list")
        yield Rule(id="figure-title")
        yield PageView(id="figure")
        yield Rule(id="sources-title")
        yield RowList(id="sources")

    @property
    def rows(self) -> RowList:
        return self.query_one("#figures-list", RowList)

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
        self._rows = None if report is None else FigureRows(report, only_missed=self._only_missed, text=self._text)
        heading = self.query_one("#heading", Bar)
        if self._rows is None or not self._rows.keys:
            heading.show()
            self.rows.show(EmptyRows(self._explain_empty()))
        else:
            heading.show(Cell(" " * _MARK), *self._rows.build_heading(max(1, self.rows.room - _MARK)))
            self.rows.show(self._rows)
        self._show_figure()

    def _show_figure(self, *, from_top: bool = False) -> None:
        figure = self._figure
        page = self.query_one("#figure", PageView)
        self.query_one("#figure-title", Rule).show_title(Cell("Details", "muted"))
        title = self.query_one("#sources-title", Rule)
        if figure is None:
            page.show_rows(lambda _width: (), from_top=True)
            title.show_title(Cell("Entries", "muted"))
            self.sources.show(EmptyRows())
            return
        page.show(build_figure_page(figure), from_top=from_top)
        counted = plural(len(figure.sources), "entry").replace("entrys", "entries")
        title.show_title(Cell(f"Based on {counted}", "muted"), right="↵ in the log" if figure.sources else "")
        none = EmptyRows(Cell("no log entry: nothing of this has happened", "muted"))
        self.sources.show(SourceRows(figure, self._entries) if figure.sources else none)

    @on(RowList.Highlighted)
    def follow(self, event: RowList.Highlighted) -> None:
        event.stop()
        if event.rows is self.rows and event.key == self.rows.key:
            self._show_figure(from_top=True)

    @on(RowList.Opened)
    def open(self, event: RowList.Opened) -> None:
        """A figure leads to its entries, an entry to the log."""
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
        return "no metric selected" if action == "app.copy" and self._figure is None else ""

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
        missed = sum(figure.met is False for figure in report.metrics)
        fresh = describe_freshness(self._state.figures, repository.watching, read_now())
        verdict = Cell(f" ✗ {missed} missed", "fail") if missed else Cell(" ✓ No target missed", "pass")
        if report.fatal:
            verdict = Cell(" ✗ The log isn't intact: nothing is counted", "fail")
        counted = f"{report.entries:,} entries, {report.submissions:,} submissions, {report.decisions:,} decisions"
        notes = f" · {render_safe(report.notes[0])}" if report.notes and not report.fatal else ""
        return (verdict, Cell(f" · {counted} · ", "muted"), fresh, Cell(notes, "warning"))

    @property
    def _figure(self) -> Metric | None:
        return self._rows.find(self.rows.key) if self._rows is not None else None

    def _toggle_missed(self) -> None:
        self._only_missed = not self._only_missed
        self._redraw()

    def _copy(self) -> None:
        """The entry under the cursor where that list has the focus, else the figure's id."""
        figure = self._figure
        if self.sources.has_focus and self.sources.key:
            self.post_message(CopyWanted(self.sources.key, "the entry's id"))
        elif figure is not None:
            self.post_message(CopyWanted(figure.id, "the metric's name"))

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
