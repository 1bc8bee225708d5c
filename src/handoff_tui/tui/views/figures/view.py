"""Figures of the repository: values beside their targets, plots, and the entries that each rests on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from textual import on
from textual.app import ComposeResult

from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.history.metrics.report import Figure
from handoff_tui.live.state.desk import DeskState, Part
from handoff_tui.log.show.view import LogRow
from handoff_tui.tui.clock import read_now
from handoff_tui.tui.messages import CopyWanted, LogPlaceWanted
from handoff_tui.tui.views.figures.rows import FigureRows, SourceRows, build_figure_page
from handoff_tui.tui.views.view import View
from handoff_tui.tui.widgets.bars import Bar, Rule
from handoff_tui.tui.widgets.freshness import describe_freshness
from handoff_tui.tui.widgets.page_view import PageView
from handoff_tui.tui.widgets.row_list import EmptyRows, RowList

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
        self._state = DeskState()
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

    def show(self, state: DeskState) -> None:
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
        self.query_one("#figure-title", Rule).show_title(Cell("The figure, whole", "muted"))
        title = self.query_one("#sources-title", Rule)
        if figure is None:
            page.show_rows(lambda _width: (), from_top=True)
            title.show_title(Cell("Entries", "muted"))
            self.sources.show(EmptyRows())
            return
        page.show(build_figure_page(figure), from_top=from_top)
        counted = plural(len(figure.sources), "entry").replace("entrys", "entries")
        title.show_title(Cell(f"It rests on {counted}", "muted"), right="↵ in the log" if figure.sources else "")
        none = EmptyRows(Cell("no entry: nothing of this has happened", "muted"))
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
        return "no figure is chosen" if action == "app.copy" and self._figure is None else ""

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
        return f"{plural(found, 'figure')} {'fits' if found == 1 else 'fit'}" if text else ""

    def describe(self) -> tuple[Cell, ...]:
        report, repository = self._state.figures.value, self._state.repository
        if report is None or repository is None:
            return ()
        missed = sum(figure.met is False for figure in report.figures)
        fresh = describe_freshness(self._state.figures, repository.watching, read_now())
        verdict = Cell(f" ✗ {missed} missed", "fail") if missed else Cell(" ✓ no target is missed", "pass")
        if report.fatal:
            verdict = Cell(" ✗ the log is not sound: nothing is counted", "fail")
        counted = f"{report.entries:,} entries, {report.submissions:,} submissions, {report.decisions:,} decisions"
        notes = f" · {render_safe(report.notes[0])}" if report.notes and not report.fatal else ""
        return (verdict, Cell(f" · {counted} · ", "muted"), fresh, Cell(notes, "warning"))

    @property
    def _figure(self) -> Figure | None:
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
            self.post_message(CopyWanted(figure.id, "the figure's name"))

    def _explain_empty(self) -> Cell:
        part, repository = self._state.figures, self._state.repository
        trouble = part.trouble or (repository.state.trouble if repository is not None else None)
        if trouble is not None:
            return Cell(f"✗ {render_safe(trouble.message)}. {render_safe(trouble.hint)}", "fail")
        if part.value is None:
            return Cell("verifying the log and counting…", "muted")
        if self._text:
            return Cell(f"nothing fits «{render_safe(self._text)}»", "muted")
        return Cell("✓ no target is missed", "pass") if self._only_missed else Cell("there are no figures", "muted")
