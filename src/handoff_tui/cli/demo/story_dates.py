"""Moves the dates of the sample's story by whole days, so that it happened in the last days. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from handoff_tui.core.lazy_pattern import compile_later

_DATES = compile_later(
    r"(?<![0-9a-f])(?P<full>2026(?P<dash>-?)03(?P=dash)0[2-6])(?![0-9a-f])"
    r"|(?<=\()(?P<short>03-0[2-6])(?= )"
    r"|\b(?P<words>[2-6] March)\b"
    r"|\b(?P<seconds>1772\d{6})(?=\.\d)"
)
"""Every way in which a file of the story writes one of its five days."""
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


class DateShift(NamedTuple):
    """How many days later than it was written the story happens; with 0 every commit has the same id everywhere."""

    days: int = 0

    def move(self, moment: datetime) -> datetime:
        return moment + timedelta(days=self.days)

    def move_text(self, text: str) -> str:
        """Moves every date in a text or path."""
        return _DATES.sub(self._move_match, text) if self.days else text

    def _move_match(self, match: re.Match[str]) -> str:
        if match["seconds"]:
            return str(int(match["seconds"]) + 86400 * self.days)
        day = self.move(datetime(2026, 3, int(match[0].removesuffix(" March")[-1]), tzinfo=UTC))
        if match["words"]:
            return f"{day.day} {_MONTHS[day.month - 1]}"
        dash = match["dash"] or ""
        return f"{day:%m-%d}" if match["short"] else f"{day:%Y}{dash}{day:%m}{dash}{day:%d}"


AS_WRITTEN = DateShift()


def shift_to(last: datetime, now: datetime) -> DateShift:
    """The shift with which the last thing in the story happened within the last 24 hours."""
    return DateShift((now - last).days)
