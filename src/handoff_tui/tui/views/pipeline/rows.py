"""The pipeline of one handoff: a chain above the page, and one row per phase."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from handoff_tui.core.text.ages import describe_span
from handoff_tui.core.text.cell_width import compute_width
from handoff_tui.core.text.columns import Field, Row, fit
from handoff_tui.core.text.labels import Label, label_gate
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.log.gates.gate_state import GateName
from handoff_tui.status.pipeline import PhaseProgress, PhaseView, PipelineView
from handoff_tui.tui.widgets.row_list import Table

_MINE: Final = Label("◆", "needs you", "waiting")
_STANDINGS: Final = {
    PhaseProgress.DONE: Label("✓", "approved", "pass"),
    PhaseProgress.HERE: Label("●", "current", "accent"),
    PhaseProgress.BEHIND: Label("·", "undecided", "muted"),
    PhaseProgress.SENT_BACK: Label("✗", "sent back", "fail"),
    PhaseProgress.AHEAD: Label("○", "ahead", "muted"),
    PhaseProgress.SKIPPED: Label("↷", "skipped", "skipped"),
}
_FIELDS: Final = (
    Field("number", "", 2),
    Field("phase", "PHASE", 11, grows=8),
    Field("state", "STATE", 14),
    Field("who", "WHO", 12, rank=4, grows=10),
    Field("attempts", "ATTEMPT", 7, rank=5, right=True),
    Field("when", "WHEN", 5, rank=3, right=True),
    Field("agent", "AGENT", 9, rank=2),
    Field("note", "", 25, rank=1, grows=50),
)
_ARROW: Final = "──"


def label_phase(phase: PhaseView, *, waits_on_me: bool = False) -> Label:
    """Labels the work in a phase; the current phase by its gate."""
    if phase.standing is PhaseProgress.HERE and waits_on_me:
        return _MINE
    if phase.gate not in {None, GateName.PENDING}:
        return label_gate(phase.gate)
    return _STANDINGS[phase.standing]


class PipelineRows(Table[PhaseView]):
    """One row per phase, in order."""

    fields = _FIELDS

    def __init__(self, view: PipelineView, *, waits_on_me: bool = False, now: datetime | None = None) -> None:
        super().__init__((phase.name, phase) for phase in view.phases)
        self._mine = waits_on_me
        self._now = now

    def describe(self, item: PhaseView) -> dict[str, Row]:
        index, label = self.items.index(item), label_phase(item, waits_on_me=self._mine)
        is_here = item.standing is PhaseProgress.HERE
        ahead = item.standing is PhaseProgress.AHEAD and index
        state = f"{label.glyph} after {index}" if ahead else str(label)
        return {
            "number": (Cell(str(index + 1), "muted"),),
            "phase": (Cell(render_safe(item.name), "heading" if is_here else "text"),),
            "state": (Cell(state, label.role),),
            "who": (Cell("you" if is_here and self._mine else render_safe(item.who or "–"), _role_of(item)),),
            "attempts": (Cell(str(item.attempts) if item.attempts else "–", "text" if item.attempts else "muted"),),
            "when": (Cell(describe_span(parse_moment(item.when), self._now), "muted"),),
            "agent": (Cell(render_safe(item.agent or "–"), "agent" if item.agent else "muted"),),
            "note": (Cell(render_safe(item.note), "muted"),),
        }


def build_chain(view: PipelineView, width: int, *, waits_on_me: bool = False) -> tuple[Row, Row]:
    """Draws the phases as a chain with the decider below each; shortened if there is no room."""
    labels = [label_phase(phase, waits_on_me=waits_on_me) for phase in view.phases]
    upper: list[Cell] = []
    lower: list[Cell] = []
    for number, (phase, label) in enumerate(zip(view.phases, labels, strict=True), start=1):
        is_here = phase.standing is PhaseProgress.HERE
        link = f" {_ARROW}{label.glyph}{_ARROW} " if number < len(labels) else f" {label.glyph}"
        name = render_safe(phase.name)
        who = "you" if is_here and waits_on_me else render_safe(phase.who or "")
        size = max(compute_width(name), min(compute_width(who), compute_width(name) + len(link) - 2))
        upper += [*fit((Cell(name, "heading" if is_here else "text"),), size), Cell(link, label.role)]
        lower += [*fit((Cell(who, "muted"),), size + len(link) - 1), Cell(" ")]
    if sum(compute_width(cell.text) for cell in upper) <= width:
        return tuple(upper), tuple(lower)
    return _build_short_chain(view, labels), ()


def parse_moment(text: str | None) -> datetime | None:
    """Parses a time as the log writes it; None for anything else a document calls a time."""
    try:
        moment = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return moment if moment is not None and moment.tzinfo is not None else None


def _build_short_chain(view: PipelineView, labels: Sequence[Label]) -> Row:
    """Starts one phase before the current one."""
    here = next((n for n, phase in enumerate(view.phases) if phase.standing is PhaseProgress.HERE), 0)
    first = max(0, here - 1)
    cells = [Cell(f"… {first} before  ", "muted")] if first else []
    for phase, label in list(zip(view.phases, labels, strict=True))[first:]:
        cells += [Cell(f"{label.glyph} ", label.role), Cell(f"{render_safe(phase.name)}  ")]
    return tuple(cells)


def _role_of(phase: PhaseView) -> str:
    if phase.who is None:
        return "muted"
    return "human" if phase.standing in {PhaseProgress.DONE, PhaseProgress.SENT_BACK, PhaseProgress.SKIPPED} else "text"
