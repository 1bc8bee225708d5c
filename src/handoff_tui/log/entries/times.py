"""Times as the log writes them: UTC, to the second, `2026-01-31T12:00:00Z`. They sort as text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_FORMAT = "%Y-%m-%dT%H:%M:%SZ"


def parse_time(text: str) -> datetime:
    """Reads a time; raises ValueError unless the text is exactly such a time."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None or build_time(moment) != text:  # ISO has many other forms
        raise ValueError(text)
    return moment


def build_time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime(_FORMAT).zfill(20)  # years before 1000 lose their zeros otherwise


def add_seconds(time: str, seconds: float) -> str:
    return build_time(parse_time(time) + timedelta(seconds=seconds))
