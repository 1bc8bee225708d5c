"""Locks of phases: as the public JSON shape, and as a page."""

from __future__ import annotations

from handoff_tui.agents.runs.run import LockState
from handoff_tui.agents.step.page import add_locks
from handoff_tui.core.text.page import Cell, Page

SCHEMA = "handoff-tui/unlock/v1"


def build_unlock_json(locks: tuple[LockState, ...], broken: LockState | None) -> dict[str, object]:
    """The shape promised to scripts: every lock that is there now, and the one that was broken."""
    return {
        "schema": SCHEMA,
        "locks": [state.model_dump(mode="json") for state in locks],
        "broken": broken.model_dump(mode="json") if broken is not None else None,
    }


def build_locks_page(locks: tuple[LockState, ...]) -> Page:
    page = Page()
    if not locks:
        page.line(Cell("nothing is locked here", "muted"))
    add_locks(page, locks)
    return page
