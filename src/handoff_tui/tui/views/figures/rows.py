"""Figures in the app: one row each, one of them whole with its plots, and the entries that it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from handoff_tui.core.short_id import SHORT_ENTRY
from handoff_tui.core.text.cell_width import compute_width
from handoff_tui.core.text.columns import Field, Row, build_cells, build_headings
from handoff_tui.core.text.labels import Label
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.history.metrics.json import render_share, render_target, render_value
from handoff_tui.history.metrics.plots import render_bar, render_sparkline
from handoff_tui.history.metrics.report import Figure, FigureGroup, MetricsReport, Unit
from handoff_tui.log.show.view import LogRow

_SYSTEMS: Final = {"A": "sessions", "C": "procedures", "desk": "the desk"}
_MET = Label("✓", "met", "pass")
_MISSED = Label("✗", "missed", "fail")
_UNKNOWN = Label("?", "unknown", "unknown")
_PLAIN = Label("·", "no target", "muted")
_FIELDS: Final = (
    Field("state", "STATE", 11),
    Field("title", "FIGURE", 28, grows=32),
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


def label_figure(figure: Figure) -> Label:
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
            for figure in report.figures
            if (not only_missed or figure.met is False)
            and all(word in f"{figure.id} {figure.title} {figure.means}".casefold() for word in wanted)
        ]
        self._keys = tuple(figure.id for figure in self._figures)

    @property
    def keys(self) -> Sequence[str]:
        return self._keys

    def find(self, key: str) -> Figure | None:
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

    def __init__(self, figure: Figure, entries: dict[str, LogRow]) -> None:
        self.keys: Sequence[str] = figure.sources
        self._entries = entries

    def build_row(self, index: int, width: int) -> Row:
        entry = self.keys[index]
        row = self._entries.get(entry)
        name = Cell(entry[:SHORT_ENTRY].removeprefix("sha256:"), "key")
        if row is None:
            return (name, Cell("  reading the log…", "muted"))
        about = f"{row.handoff} · {row.phase} · {row.attempt}" if row.handoff else ""
        values: dict[str, Row] = {
            "entry": (name,),
            "when": (Cell(render_safe((row.time or "")[:16].replace("T", " ")), "muted"),),
            "what": (Cell(render_safe(row.what or row.state.value)),),
            "handoff": (Cell(render_safe(about)),),
            "who": (Cell(render_safe(row.actor or ""), "human"),),
        }
        return build_cells(_SOURCE_FIELDS, values, width)


def build_figure_page(figure: Figure) -> Page:
    """The value beside its target, what it is computed from, and plots of plain characters."""
    page = Page()
    label = label_figure(figure)
    value = "cannot be computed" if figure.value is None else render_value(figure.unit, figure.value)
    page.line(Cell(f"{label.glyph} ", label.role), Cell(f"{render_safe(figure.title)}  ", "heading"),
              Cell(value, label.role), indent=2)  # fmt: skip
    _line(page, "means", figure.means)
    _line(page, "why not", figure.why if figure.value is None else "", "warning")
    _line(page, "target", _describe_target(figure, label), label.role)
    _line(page, "rests on", _describe_basis(figure))
    for one in figure.left_out:
        _line(page, "left out", f"{one.number:,}: {one.why}", "warning")
    _add_weeks(page, figure)
    _add_groups(page, figure)
    return page


def _line(page: Page, name: str, text: str, role: str = "text") -> None:
    if text:
        page.line(Cell(f"{name:<{_NAMED}}", "muted"), Cell(render_safe(text), role), indent=_NAMED)


def _describe_target(figure: Figure, label: Label) -> str:
    asked = render_target(figure.unit, figure.target)
    return f"{asked}: {label.word}" if asked else ""


def _describe_basis(figure: Figure) -> str:
    words = [f"{len(figure.sources):,} entries of the signed log"]
    if figure.value is not None:
        words.append(render_share(figure.part, figure.of, figure.unit))
    spread = figure.spread
    if spread is not None and figure.of:
        unit = Unit.SECONDS if figure.id == "override-debt" else figure.unit
        named = (("least", spread.least), ("median", spread.median), ("9 of 10 at most", spread.ninetieth))
        words += [f"{name} {render_value(unit, value)}" for name, value in (*named, ("most", spread.most))]
    return " · ".join(words)


def _draw_weeks(figure: Figure, width: int) -> str:
    values = [week.value for week in figure.weeks]
    return render_sparkline(values, width, 1.0 if figure.unit is Unit.SHARE else None) if len(values) > 1 else ""


def _add_weeks(page: Page, figure: Figure) -> None:
    weeks = figure.weeks[-_MOST_WEEKS:]
    if not weeks:
        return
    page.heading("By week", _draw_weeks(figure, _MOST_WEEKS))
    top = 1.0 if figure.unit is Unit.SHARE else max((week.value or 0.0 for week in weeks), default=0.0)
    for week in reversed(weeks):
        _add_bar(page, figure, week.begins, (week.value, top), f"of {week.of:,}")
    if len(figure.weeks) > len(weeks):
        page.line(Cell(f"and {len(figure.weeks) - len(weeks):,} weeks before them", "muted"), indent=2)


def _add_groups(page: Page, figure: Figure) -> None:
    if not figure.groups:
        return
    page.heading(f"By {render_safe(figure.grouped_by)}")
    top = 1.0 if figure.unit is Unit.SHARE else max((group.value or 0.0 for group in figure.groups), default=0.0)
    for group in _order_groups(figure):
        words = render_share(group.part, group.of, figure.unit)
        _add_bar(page, figure, render_safe(group.name, _NAME_WIDTH), (group.value, top), words)


def _add_bar(page: Page, figure: Figure, name: str, value: tuple[float | None, float], words: str) -> None:
    pad = " " * max(0, _NAME_WIDTH - compute_width(name))
    page.line(
        Cell(f"  {name}{pad} "),
        Cell(render_bar(*value, _BAR_WIDTH), "accent"),
        Cell(f" {render_value(figure.unit, value[0]).rjust(_VALUE_WIDTH)}"),
        Cell(f"  {words}", "muted"),
        indent=4,
    )


def _order_groups(figure: Figure) -> list[FigureGroup]:
    """What needs a look first: the lowest share, the longest time, the most loops."""
    sign = 1 if figure.unit is Unit.SHARE else -1
    return sorted(figure.groups, key=lambda group: (sign * (group.value or 0.0), group.name))
