"""How current a part of the state is."""

from __future__ import annotations

from datetime import UTC, datetime

from handoff_tui.core.text.labels import describe_ago
from handoff_tui.core.text.page import Cell
from handoff_tui.git.watch.noticed import Watching
from handoff_tui.live.state.app import Loaded, Value


def read_now() -> datetime:
    return datetime.now(UTC)


def describe_freshness(part: Loaded[Value], watching: Watching, now: datetime | None) -> Cell:
    """Says how current a part of the state is: live, rescanning, stale, or read some time ago."""
    if part.loading:
        return Cell("rescanning", "warning")
    if part.stale:
        return Cell(f"stale, read {describe_ago(part.at, now)}".removesuffix(", read "), "warning")
    if watching is Watching.GONE:
        return Cell("gone", "fail")
    if watching is Watching.LIVE:
        return Cell("live", "pass")
    ago = describe_ago(part.at, now)
    return Cell(f"read {ago}" if ago else watching.value, "muted")
