"""When a key counts: a box must have been on the screen for a while before anything that is typed can mean it."""

from __future__ import annotations

from typing import Final

from textual.message import Message

PAUSE_SECONDS: Final = 0.3
"""Shorter, and a key that was on its way to something else would still arrive in time."""


class Arming:
    """Counts from the moment when something was painted, or from the last key that was not meant for it."""

    def __init__(self) -> None:
        self._since: float | None = None

    def disarm(self) -> None:
        """Something else is to be painted first."""
        self._since = None

    def note_painted(self, now: float) -> None:
        """It is on the screen now."""
        if self._since is None:
            self._since = now

    def begin_again(self, now: float) -> None:
        """Other input came: whoever pastes a text presses no key a moment later."""
        if self._since is not None:
            self._since = max(self._since, now)

    def admits(self, at: float) -> bool:
        """Whether a key that was pressed then can mean what is on the screen."""
        return self._since is not None and at - self._since >= PAUSE_SECONDS


def read_time() -> float:
    """Now, by the clock that stamps keys and clicks."""
    return Message().time
