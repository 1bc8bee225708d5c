"""When a key counts: a box must have been on screen for a moment before a key can mean it."""

from __future__ import annotations

from typing import Final

from textual.message import Message

PAUSE_SECONDS: Final = 0.3
"""With less, a key meant for something else could still arrive in time."""


HUMAN_SECONDS: Final = 0.05
"""Two presses of a key are further apart than this; the letters of a pasted text are closer together."""


class Arming:
    """Measures the time since something was painted, or since the last key that wasn't meant for it."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._painted_at: float | None = None

    def disarm(self) -> None:
        """Ignores keys until something else has been painted."""
        self._since = self._painted_at = None

    def note_painted(self, now: float) -> None:
        """Starts the clock: it is on the screen now."""
        if self._since is None:
            self._since = self._painted_at = now

    def begin_again(self, now: float) -> None:
        """Restarts the clock after other input, so the tail of a paste can't confirm anything."""
        if self._since is not None:
            self._since = max(self._since, now)

    def was_shown(self, at: float) -> bool:
        """Tells whether it had been on the screen for a moment, whatever was typed meanwhile."""
        return self._painted_at is not None and at - self._painted_at >= PAUSE_SECONDS

    def admits(self, at: float) -> bool:
        """Tells whether a key pressed at that time can mean what is on the screen."""
        return self._since is not None and at - self._since >= PAUSE_SECONDS


def read_time() -> float:
    """Returns the time on the clock that stamps keys and clicks."""
    return Message().time
