"""What is on the screen before anything has been read."""

from __future__ import annotations

from handoff_tui.core.text.page import Cell

NAMES = {
    "inbox": "Inbox",
    "pipeline": "Pipeline",
    "checks": "Checks",
    "diff": "Diff",
    "document": "Doc",
    "log": "Log",
    "agent": "Agent",
    "claims": "Claims",
    "attempts": "Attempts",
    "figures": "Metrics",
}
"""The views in the order of their keys, with the names on their tabs."""
SHORT_NAMES = NAMES | {
    "inbox": "In",
    "pipeline": "Pipe",
    "checks": "Chk",
    "agent": "Agt",
    "claims": "Clm",
    "attempts": "Att",
    "figures": "Met",
}
"""Short names, for tabs far from the current one if there is little room."""
_SHORT_FROM = 5
"""Ten full names don't fit on the narrowest screen."""
FIRST_TITLE = (Cell(" handoff ", "heading"), Cell(" inbox", "accent"))
FIRST_TABS = (
    Cell("▐", "accent"),
    Cell("1 Inbox", "heading"),
    *(
        Cell(f"│ {number % 10} {(NAMES if number < _SHORT_FROM else SHORT_NAMES)[name]}", "muted")
        for number, name in enumerate([*NAMES][1:], start=2)
    ),
)
FIRST_WHY = (Cell(" Reading the repository…", "muted"),)
