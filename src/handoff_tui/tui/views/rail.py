"""The rail on the left of a wide screen: inbox, pipeline and checks beside the current view."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical

from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.app import AppState, Loaded, Part, Value
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.status.pipeline import PhaseProgress
from handoff_tui.tui.messages import HandoffChosen, PhaseChosen, ViewWanted
from handoff_tui.tui.views.checks.rows import CheckRows
from handoff_tui.tui.views.inbox.rows import InboxRows
from handoff_tui.tui.views.pipeline.rows import PipelineRows
from handoff_tui.tui.widgets.bars import Rule
from handoff_tui.tui.widgets.freshness import read_now
from handoff_tui.tui.widgets.row_list import EmptyRows, RowList, RowSource

_SECTIONS = ("inbox", "pipeline", "checks")
_HIGH = 40
"""From this height on, all lists have room; below it, one."""


@cache
def list_sections(in_view: str, height: int) -> tuple[str, ...]:
    """Lists what isn't in view anyway; one list if there is no room for more."""
    shown = tuple(name for name in _SECTIONS if name != in_view)
    return shown if height >= _HIGH else shown[:1]


class RailSection(Vertical):
    """One list under its name."""

    def __init__(self, name: str) -> None:
        super().__init__(id=f"rail-{name}")
        self.section = name

    def compose(self) -> ComposeResult:
        yield Rule()
        yield RowList()

    @property
    def rows(self) -> RowList:
        return self.query_one(RowList)

    def show(self, source: RowSource, *title: Cell, right: str = "") -> None:
        self.query_one(Rule).show_title(*title, right=right)
        self.rows.show(source)


class Rail(Vertical):
    """Short forms of three lists, from the same rows, without the one that is already in view."""

    DEFAULT_CSS = """
    RailSection { height: 1fr; }
    #rail-pipeline { height: auto; max-height: 14; }
    #rail-pipeline RowList { height: auto; max-height: 13; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as in the framework
        super().__init__(id=id)
        self._state = AppState()
        self._drawn: dict[str, tuple[object, ...]] = {}
        """What each list was built from."""

    def compose(self) -> ComposeResult:
        for name in _SECTIONS:
            yield RailSection(name)

    @property
    def parts(self) -> frozenset[Part]:
        """The parts on the rail, which must be fresh."""
        of_sections = {"pipeline": Part.PIPELINE, "checks": Part.CHECKS}
        return frozenset(of_sections[name] for name in self._list_shown() if name in of_sections)

    def show(self, state: AppState) -> None:
        """Draws a new state."""
        self._state = state
        shown = self._list_shown()
        made_from: dict[str, tuple[object, ...]] = {
            "inbox": (state.inbox, state.chosen),
            "pipeline": (state.pipeline, state.item, state.chosen, state.phase),
            "checks": (state.checks, state.chosen),
        }
        draw: dict[str, Callable[[RailSection], None]] = {
            "inbox": self._draw_inbox,
            "pipeline": self._draw_pipeline,
            "checks": self._draw_checks,
        }
        for section in self.query(RailSection):
            name = section.section
            section.display = name in shown
            before = self._drawn.pop(name, ()) if not section.display else self._drawn.get(name, ())
            if section.display and not (before and all(map(operator.is_, made_from[name], before))):
                self._drawn[name] = made_from[name]
                draw[name](section)

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002 - only that it changed
        self._drawn = {}
        self.call_after_refresh(self.show, self._state)

    def perform(self, action: str) -> bool:
        """Moves in the list that has the focus."""
        rows = self.screen.focused
        if not isinstance(rows, RowList) or not (action.startswith("nav.") or action == "app.open"):
            return False
        rows.navigate(action)
        return True

    @property
    def has_focus_within(self) -> bool:
        focused = self.screen.focused
        return focused is not None and self in focused.ancestors

    @on(RowList.Highlighted)
    def stay(self, event: RowList.Highlighted) -> None:
        """Moving along the rail selects nothing."""
        event.stop()

    @on(RowList.Opened)
    def choose(self, event: RowList.Opened) -> None:
        event.stop()
        section = next(one for one in event.rows.ancestors if isinstance(one, RailSection))
        if section.section == "inbox":
            root, _, handoff = event.key.partition("\0")
            self.post_message(HandoffChosen(HandoffKey(root, handoff)))
        elif section.section == "pipeline":
            self.post_message(PhaseChosen(event.key))
        else:
            self.post_message(ViewWanted("checks"))

    def _list_shown(self) -> tuple[str, ...]:
        return list_sections(getattr(self.screen, "view_name", ""), self.screen.size.height)

    def _draw_inbox(self, section: RailSection) -> None:
        state = self._state
        waiting = sum(item.waits_on_me for item in state.inbox)
        words = f"{waiting} need you" if waiting != 1 else "1 needs you"
        rows: RowSource = InboxRows(state.inbox, now=read_now())
        empty = EmptyRows(Cell("no handoffs", "muted"))
        section.show(rows if state.inbox else empty, Cell("Inbox", "heading"), right=words if waiting else "")
        if state.chosen is not None and not section.rows.has_focus:
            section.rows.choose("\0".join(state.chosen))

    def _draw_pipeline(self, section: RailSection) -> None:
        state = self._state
        view = state.pipeline.value
        title = Cell("Pipeline", "heading")
        if view is None or not view.phases:
            section.show(EmptyRows(_explain(state.pipeline, "no phases")), title)
            return
        mine = state.item is not None and state.item.waits_on_me
        section.show(PipelineRows(view, waits_on_me=mine, now=read_now()), title, right=render_safe(view.name or ""))
        here = next((one.name for one in view.phases if one.standing is PhaseProgress.HERE or one.gate is not None), "")
        if not section.rows.has_focus:
            section.rows.choose(state.phase or here)

    def _draw_checks(self, section: RailSection) -> None:
        part = self._state.checks
        report = part.value
        title = Cell("Checks", "heading")
        if report is None:
            section.show(EmptyRows(_explain(part, "not run")), title)
            return
        blocking = len(report.blocking_failures)
        words = f"✗ {blocking:,} block" if blocking else f"✓ {report.passed} pass"
        rows = CheckRows(report, stale=part.stale, at=part.at, now=read_now())
        section.show(rows, title, right="stale" if part.stale else words)


def _explain(part: Loaded[Value], empty: str) -> Cell:
    if part.trouble is not None:
        return Cell(f"✗ {render_safe(part.trouble.message)}", "fail")
    return Cell("reading…" if part.value is None else empty, "muted")
