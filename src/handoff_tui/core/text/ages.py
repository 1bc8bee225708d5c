"""Ages: in a few letters for a list, in words for a line."""

from __future__ import annotations

from datetime import datetime

_STEPS = ((60, "s", "s"), (60, "m", "min"), (24, "h", "h"), (7, "d", "d"), (52, "w", "weeks"))


def describe_span(since: datetime | None, now: datetime | None) -> str:
    """Returns `20s`, `12m`, `2h`, `3d`, `5w`, `2y`; empty if unknown. A time in the future is `0s` old."""
    number, short, _ = _measure(since, now)
    return "" if number is None else f"{number}{short}"


def describe_ago(since: datetime | None, now: datetime | None) -> str:
    """Returns `just now`, `3 min ago`; empty if unknown."""
    number, _, word = _measure(since, now)
    if number is None:
        return ""
    return "just now" if word == "s" and number < _RECENT else f"{number} {word} ago"


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
