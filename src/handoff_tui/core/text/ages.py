"""How old something is, in a few letters for a list and in words for a line."""

from __future__ import annotations

from datetime import datetime

from handoff_tui.models.desk_state import Loaded, Value
from handoff_tui.models.noticed import Watching
from handoff_tui.presentation.page import Cell

_STEPS = ((60, "s", "s"), (60, "m", "min"), (24, "h", "h"), (7, "d", "d"), (52, "w", "weeks"))


def describe_span(since: datetime | None, now: datetime | None) -> str:
    """`20s`, `12m`, `2h`, `3d`, `5w`, `2y`; nothing where it is not known. What lies ahead is `0s` old."""
    number, short, _ = _measure(since, now)
    return "" if number is None else f"{number}{short}"


def describe_ago(since: datetime | None, now: datetime | None) -> str:
    """`just now`, `3 min ago`; nothing where it is not known."""
    number, _, word = _measure(since, now)
    if number is None:
        return ""
    return "just now" if word == "s" and number < _RECENT else f"{number} {word} ago"


def describe_freshness(part: Loaded[Value], watching: Watching, now: datetime | None) -> Cell:
    """How far a part of the state can be relied on: live, rescanning, stale, or read some time ago."""
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


_RECENT = 10


def _measure(since: datetime | None, now: datetime | None) -> tuple[int | None, str, str]:
    if since is None or now is None:
        return None, "", ""
    number = max(0, int((now - since).total_seconds()))
    for limit, short, word in _STEPS:
        if number < limit:
            return number, short, word
        number //= limit
    return number, "y", "years"
