"""What stands on the screen before anything was read."""

from __future__ import annotations

from handoff_tui.presentation.page import Cell

NAMES = {
    "inbox": "Inbox",
    "pipeline": "Pipeline",
    "checks": "Checks",
    "diff": "Diff",
    "document": "Doc",
    "log": "Log",
    "agent": "Agent",
    "claims": "Claims",
}
"""The views in the order of their keys, as their tabs say it."""
FIRST_TITLE = (Cell(" handoff ", "heading"), Cell(" inbox", "accent"))
FIRST_TABS = (
    Cell("▐", "accent"),
    Cell("1 Inbox", "heading"),
    *(Cell(f"│ {number} {name}", "muted") for number, name in enumerate([*NAMES.values()][1:], start=2)),
)
FIRST_WHY = (Cell(" reading the repository…", "muted"),)
