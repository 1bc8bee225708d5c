"""When the watcher takes a full look: after a storm, on request, now and then when all is quiet. Knows no clock."""

from __future__ import annotations

QUIET_SECONDS = 0.1
"""So long nothing must happen before a full look that events made necessary …"""
LATEST_SECONDS = 2.0
"""… unless it has waited this long already."""
IDLE_SECONDS = 30.0
_LONGEST_IDLE_SECONDS = 480.0
_POLL_SECONDS = 2.0
_POLL_TIMES = 10
"""Polling leaves git alone for this many times as long as it took."""
_MERGE_SECONDS = 2.0


class Schedule:
    """At most one full look runs and one waits. All times are seconds of one clock that never goes back."""

    def __init__(self, now: float, idle: float = IDLE_SECONDS) -> None:
        self.polling = False
        self.running = False
        self.merge_wanted = False
        self._idle = idle
        self._idle_now = idle
        self._last_event = now
        self._last_end = now
        self._last_seconds = 0.0
        self._wanted_since: float | None = None
        self._asked = False

    def note_event(self, now: float) -> None:
        self._last_event = now
        self._idle_now = self._idle

    def want(self, now: float) -> None:
        """Events made a full look necessary."""
        if self._wanted_since is None:
            self._wanted_since = now

    def ask(self) -> None:
        """Somebody wants a full look at once."""
        self._asked = True

    def begin(self) -> None:
        """A full look begins; what is wanted from now on needs another one."""
        if not self._asked and self._wanted_since is None:
            self._idle_now = min(self._idle_now * 2, _LONGEST_IDLE_SECONDS)
        self.running = True
        self._asked = False
        self._wanted_since = None

    def finish(self, now: float, seconds: float) -> None:
        self.running = False
        self._last_end = now
        self._last_seconds = seconds

    def has_been_quiet_since(self, moment: float) -> bool:
        return self._last_event < moment

    def find_look(self) -> float | None:
        """When the next full look is due; nothing while one runs."""
        if self.running:
            return None
        if self._asked:
            return self._last_end
        due = max(self._last_event, self._last_end) + self._idle_now
        if self.polling:
            due = min(due, self._last_end + max(_POLL_SECONDS, _POLL_TIMES * self._last_seconds))
        if self._wanted_since is not None:
            quiet = max(self._last_event, self._wanted_since) + QUIET_SECONDS
            rested = self._last_end + self._last_seconds  # git has at most half of the time
            due = min(due, max(min(quiet, self._wanted_since + LATEST_SECONDS), rested))
        return due

    def find_merge(self) -> float | None:
        """When many small listeners are made into one."""
        return self._last_event + _MERGE_SECONDS if self.merge_wanted else None

    def find_pause(self, now: float) -> float | None:
        """How long nothing is due; nothing when only events can change that."""
        moments = [moment for moment in (self.find_look(), self.find_merge()) if moment is not None]
        return max(0.0, min(moments) - now) if moments else None
