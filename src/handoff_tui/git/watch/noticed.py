"""What the watcher reports: a frozen value that says what may have changed."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from handoff_tui.core.classes import NamedTuple


class Watching(StrEnum):
    """How reliable the watcher is at the moment."""

    LIVE = "live"
    RESCANNING = "rescanning"
    """Too much happened to follow, or it just started; the screen may be outdated until the next report."""
    POLLING = "polling"
    """Something can't be watched, so git is asked every few seconds."""
    GONE = "gone"
    """The repository is gone. If it comes back, it is watched again."""
    PAST = "as it was"
    """The app shows the past: it doesn't change, and nothing is watched."""


class Touched(NamedTuple):
    """What may have changed; nothing else has, as far as anybody knows."""

    paths: frozenset[str] = frozenset()
    """From the root, with slashes. A folder stands for everything below it; a path may be gone, or ignored by git."""
    refs: bool = False
    """HEAD, a ref, the index, or git's configuration."""
    everything: bool = False
    """Read everything again: single changes aren't known."""

    def merge(self, other: Touched) -> Touched:
        return Touched(self.paths | other.paths, self.refs or other.refs, self.everything or other.everything)


NOTHING = Touched()


class Noticed(NamedTuple):
    """One report of the watcher.

    The same change can be reported twice. Decisions never depend on this: they read everything again.
    """

    generation: int
    """Increases by one with each report."""
    watching: Watching
    touched: Touched = NOTHING
    answered: int = 0
    """The last request whose full scan is done, see `Watcher.request_reconcile`."""
    reconciled: int = 0
    """How many full scans were done."""
    confirmed_at: datetime | None = None
    """When the last full scan was done."""
    explanation: str = ""
    """Why it is polling, or gone."""
    hint: str = ""
    repeats: bool = False
    """With `everything`: a reader that has read everything since the first report of each change need not again."""
