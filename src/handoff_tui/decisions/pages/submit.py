"""What was handed over: as the public JSON shape, and as a page."""

from __future__ import annotations

from handoff_tui.core.text.page import Cell, Page
from handoff_tui.decisions.pages.gate import build_gate_json, build_gate_page
from handoff_tui.decisions.values.gate_view import GateView
from handoff_tui.log.record import Entry

SCHEMA = "handoff-tui/submit/v1"


def build_submit_json(view: GateView, entry: Entry | None) -> dict[str, object]:
    return {"schema": SCHEMA, "entry": entry.id if entry else None, "gate": build_gate_json(view)}


def build_submit_page(view: GateView, entry: Entry | None) -> Page:
    page = build_gate_page(view)
    page.blank()
    if entry is None:
        page.line(Cell("handed over, not signed: nothing was written", "muted"))
    else:
        page.line(Cell("handed over ", "pass"), Cell(entry.id))
    page.line(Cell(f"next: handoff-tui wait {view.report.handoff}", "muted"))
    return page
