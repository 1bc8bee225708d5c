"""The pipeline of the current handoff: its phases, where the work is, what to do next, and earlier attempts."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult

from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.agents import ProposalKind
from handoff_tui.live.state.app import AppState, Part
from handoff_tui.status.pipeline import PhaseProgress
from handoff_tui.status.pipeline import PipelineView as Pipeline
from handoff_tui.tui.messages import CopyWanted, PhaseChosen, ProposalWanted, ViewWanted
from handoff_tui.tui.views.listed_view import ListedView
from handoff_tui.tui.views.pipeline.page import build_pipeline_page
from handoff_tui.tui.views.pipeline.rows import PipelineRows, build_chain
from handoff_tui.tui.widgets.bars import Bar
from handoff_tui.tui.widgets.freshness import describe_freshness, read_now
from handoff_tui.tui.widgets.row_list import EmptyRows

_PARTS_SHOWN = ("pipeline", "inbox", "checks", "files", "gate", "log", "drafts", "repositories", "chosen")


class PipelineView(ListedView):
    """Phases as a chain and as rows; below them what the next step is based on."""

    DEFAULT_CSS = """
    PipelineView RowList { height: auto; max-height: 50%; min-height: 2; }
    PipelineView PageView { height: 1fr; }
    """
    scope = "pipeline"
    parts: ClassVar[frozenset[Part]] = frozenset({Part.PIPELINE, Part.CHECKS, Part.FILES, Part.LOG})
    hints: ClassVar[tuple[str, ...]] = (
        *("app.open", "decide.approve", "decide.reject", "decide.retry", "pipeline.diff", "decide.choose"),
    )

    def __init__(self) -> None:
        super().__init__(id="pipeline")
        self._state = AppState()

    def compose(self) -> ComposeResult:
        yield Bar(id="chain")
        yield Bar(id="chain-who")
        yield from super().compose()

    def show(self, state: AppState) -> None:
        before, self._state = self._state, state
        if all(getattr(state, name) is getattr(before, name) for name in _PARTS_SHOWN):
            return
        self.redraw()
        if state.chosen != before.chosen or (before.pipeline.value is None and state.pipeline.value is not None):
            self.rows.choose(state.phase or self._here)
        self.show_page()

    def redraw(self) -> None:
        view = self._state.pipeline.value
        if view is None or not view.phases:
            self._show_chain((), ())
            self.show_rows(EmptyRows(self._explain_empty()))
            return
        self._show_chain(*build_chain(view, self.room, waits_on_me=self._is_mine))
        rows = PipelineRows(view, waits_on_me=self._is_mine, now=read_now())
        self.show_rows(rows, rows.build_heading(self.room))

    def build_page(self) -> Page:
        view = self._state.pipeline.value
        return build_pipeline_page(self._state, self.rows.key if view and self.rows.key != self._here else None)

    def describe_page(self) -> tuple[Cell, ...]:
        return (Cell("Next step, and why", "muted"),)

    def highlight(self, key: str) -> None:
        phase = None if key in {"", self._here} else key
        if phase != self._state.phase:
            self.post_message(PhaseChosen(phase))

    def open(self, key: str) -> None:  # noqa: ARG002 - the phase is chosen already
        self.post_message(ViewWanted("checks"))

    def focus_first(self) -> None:
        if key := self._state.phase or self._here:
            self.rows.choose(key)
        super().focus_first()

    def refuse(self, action: str) -> str:
        if self._state.item is None and action in {"pipeline.diff", "pipeline.step", "app.open", "app.copy"}:
            return "no handoff selected"
        return ""

    def perform(self, action: str) -> bool:
        item = self._state.item
        if action == "pipeline.diff":
            self.post_message(ViewWanted("diff"))
        elif action == "pipeline.step":
            self.post_message(ViewWanted("agent"))
            self.post_message(ProposalWanted(ProposalKind.STEP))
        elif action == "app.copy" and item is not None:
            self.post_message(CopyWanted(item.key.handoff, "the id"))
        else:
            return super().perform(action)
        return True

    def find(self, text: str, *, backwards: bool = False, again: bool = False) -> str:
        return "" if self.page.find(text, backwards=backwards, again=again) else f'No matches for "{render_safe(text)}"'

    def describe(self) -> tuple[Cell, ...]:
        view, repository = self._state.pipeline.value, self._state.repository
        if view is None or repository is None:
            return ()
        fresh = describe_freshness(self._state.pipeline, repository.watching, read_now())
        name = f" pipeline {render_safe(view.name)} · " if view.name else " No pipeline configured · "
        return (Cell(f"{name}{len(view.phases)} phases · ", "muted"), fresh)

    @property
    def _is_mine(self) -> bool:
        return self._state.item is not None and self._state.item.waits_on_me

    @property
    def _here(self) -> str:
        """The phase where the work is."""
        return _find_here(self._state.pipeline.value)

    def _show_chain(self, names: tuple[Cell, ...], people: tuple[Cell, ...]) -> None:
        for place, cells in (("#chain", names), ("#chain-who", people)):
            bar = self.query_one(place, Bar)
            bar.display = bool(cells)
            bar.show(Cell("  "), *cells)

    def _explain_empty(self) -> Cell:
        trouble = self._state.pipeline.trouble
        if trouble is not None:
            return Cell(f"✗ {render_safe(trouble.message)}. {render_safe(trouble.hint)}", "fail")
        if self._state.item is None:
            return Cell("No handoff selected. 1 shows the inbox.", "muted")
        return Cell("reading…", "muted") if self._state.pipeline.value is None else Cell("no phases", "muted")


def _find_here(view: Pipeline | None) -> str:
    phases = view.phases if view is not None else ()
    standing = [phase.name for phase in phases if phase.standing is PhaseProgress.HERE or phase.gate is not None]
    return standing[0] if standing else ""
