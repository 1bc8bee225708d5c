"""The pipeline of the current handoff: its phases, where the work is, what to do next, and earlier attempts."""

from __future__ import annotations

from collections.abc import Mapping
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
from handoff_tui.tui.views.view import Act
from handoff_tui.tui.widgets.bars import Bar
from handoff_tui.tui.widgets.freshness import read_now
from handoff_tui.tui.widgets.row_list import RowList


class PipelineView(ListedView[PipelineRows]):
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
    listed = "pipeline"
    shown = ("pipeline", "inbox", "checks", "files", "gate", "log", "drafts", "repositories", "chosen")
    title = "Next step, and why"

    def compose(self) -> ComposeResult:
        yield Bar(id="chain")
        yield Bar(id="chain-who")
        yield from super().compose()

    def update_from(self, before: AppState) -> None:
        state = self._state
        self.redraw()
        if state.chosen != before.chosen or (before.pipeline.value is None and state.pipeline.value is not None):
            self.rows.choose(state.phase or self._here)
        self.show_page()

    def redraw(self) -> None:
        view = self._state.pipeline.value
        known = view is not None and view.phases
        chain = build_chain(view, self.room, waits_on_me=self._is_mine) if view and known else ((), ())
        for place, cells in zip(("#chain", "#chain-who"), chain, strict=True):
            bar = self.query_one(place, Bar)
            bar.display = bool(cells)
            bar.show(Cell("  "), *cells)
        super().redraw()

    def build_rows(self, value: Pipeline) -> PipelineRows:
        return PipelineRows(value, waits_on_me=self._is_mine, now=read_now())

    def build_page(self) -> Page:
        view = self._state.pipeline.value
        return build_pipeline_page(self._state, self.rows.key if view and self.rows.key != self._here else None)

    def highlight(self, key: str) -> None:
        phase = None if key in {"", self._here} else key
        if phase != self._state.phase:
            self.post_message(PhaseChosen(phase))

    def open(self, event: RowList.Opened) -> None:  # noqa: ARG002 - the phase is chosen already
        self.post_message(ViewWanted("checks"))

    def focus_first(self) -> None:
        if key := self._state.phase or self._here:
            self.rows.choose(key)
        super().focus_first()

    def refuse(self, action: str) -> str:
        if self._state.item is None and action in {"pipeline.diff", "pipeline.step", "app.open", "app.copy"}:
            return "no handoff selected"
        return ""

    def list_acts(self) -> Mapping[str, Act]:
        acts: dict[str, Act] = {"pipeline.diff": ViewWanted("diff"), "pipeline.step": self._step}
        item = self._state.item
        return acts if item is None else acts | {"app.copy": CopyWanted(item.key.handoff, "the id")}

    def _step(self) -> None:
        self.post_message(ViewWanted("agent"))
        self.post_message(ProposalWanted(ProposalKind.STEP))

    def find(self, text: str, *, backwards: bool = False, again: bool = False) -> str:
        return "" if self.page.find(text, backwards=backwards, again=again) else f'No matches for "{render_safe(text)}"'

    def describe(self) -> tuple[Cell, ...]:
        view = self._state.pipeline.value
        if view is None:
            return ()
        name = f" pipeline {render_safe(view.name)} · " if view.name else " No pipeline configured · "
        return (Cell(f"{name}{len(view.phases)} phases · ", "muted"), self.describe_freshness())

    @property
    def _is_mine(self) -> bool:
        return self._state.item is not None and self._state.item.waits_on_me

    @property
    def _here(self) -> str:
        """The phase where the work is."""
        phases = self._state.pipeline.value.phases if self._state.pipeline.value is not None else ()
        standing = [phase.name for phase in phases if phase.standing is PhaseProgress.HERE or phase.gate is not None]
        return standing[0] if standing else ""

    def describe_nothing(self) -> Cell:
        return Cell("no phases", "muted")
