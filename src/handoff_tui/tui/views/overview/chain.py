"""The pipeline of one handoff as a chain of phases."""

from __future__ import annotations

from typing import Final

from handoff_tui.core.text.columns import Row
from handoff_tui.core.text.labels import Label, label_gate
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.log.gates.gate_state import GateName
from handoff_tui.status.pipeline import PhaseProgress, PhaseView, PipelineView

_MINE: Final = Label("◆", "needs you", "waiting")
_STANDINGS: Final = {
    PhaseProgress.DONE: Label("✓", "approved", "pass"),
    PhaseProgress.HERE: Label("●", "current", "accent"),
    PhaseProgress.BEHIND: Label("·", "undecided", "muted"),
    PhaseProgress.SENT_BACK: Label("✗", "sent back", "fail"),
    PhaseProgress.AHEAD: Label("○", "ahead", "muted"),
    PhaseProgress.SKIPPED: Label("↷", "skipped", "skipped"),
}


def label_phase(phase: PhaseView, *, waits_on_me: bool = False) -> Label:
    """Labels the work in a phase; the current phase by its gate."""
    if phase.standing is PhaseProgress.HERE and waits_on_me:
        return _MINE
    if phase.gate not in {None, GateName.PENDING}:
        return label_gate(phase.gate)
    return _STANDINGS[phase.standing]


def build_strip(view: PipelineView, *, needs_you: bool = False) -> Row:
    """Draws the phases in one line: `spec ✓ ── build ◆ you ── review`."""
    cells: list[Cell] = []
    for phase in view.phases:
        label = label_phase(phase, waits_on_me=needs_you)
        is_here = phase.standing is PhaseProgress.HERE
        mark = "" if phase.standing is PhaseProgress.AHEAD else f" {label.glyph}"
        who = " you" if is_here and needs_you else ""
        cells += [Cell(" ── ", "border")] if cells else []
        cells += [Cell(render_safe(phase.name), "heading" if is_here else "text"), Cell(f"{mark}{who}", label.role)]
    return tuple(cells)
