"""What is on the screen before anything has been read: the two levels with their tabs."""

from __future__ import annotations

from handoff_tui.core.text.page import Cell

REPOSITORY = {"queue": "Queue", "log": "Log", "metrics": "Metrics"}
"""The tabs of the repository, in the order of their keys."""
REVIEW = {
    "overview": "Overview",
    "changes": "Changes",
    "evidence": "Evidence",
    "documents": "Documents",
    "agent": "Agent",
    "history": "History",
}
"""The tabs of one handoff."""
FIRST_TITLE = (Cell(" handoff-tui", "heading"), Cell(" · reading the repository…", "muted"))
FIRST_TABS = (
    Cell("▐", "accent"),
    Cell("1 Queue", "heading"),
    *(Cell(f" │ {number} {name}", "muted") for number, name in enumerate([*REPOSITORY.values()][1:], start=2)),
)
