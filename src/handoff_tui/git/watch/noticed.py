"""What the watcher tells: a frozen value that says what may have changed."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple


class Watching(StrEnum):
    """How far the watcher can be relied on at the moment."""

    LIVE = "live"
    RESCANNING = "rescanning"
    """Too much happened to follow it, or it just began; what is shown may be old until the next word."""
    POLLING = "polling"
    """Something cannot be watched, so git is asked every few seconds."""
    GONE = "gone"
    """The repository is not there any more. Should it come back, it is watched again."""
    PAST = "as it was"
    """What is shown is how it was: it does not change, and nobody watches it."""


class Noticed(NamedTuple):
    """One word of the watcher. Everything in it may have changed; nothing else has, as far as the watcher knows.

    The same change can be told twice. Decisions never rest on this: they read everything afresh.
    """

    generation: int
    """Rises by one with each word."""
    watching: Watching
    paths: frozenset[str] = frozenset()
    """From the root, with slashes. A folder stands for all that is below it; a path may be gone, or ignored by git."""
    refs: bool = False
    """HEAD, a ref, the index, or git's configuration."""
    everything: bool = False
    """Read all of it again: single changes are not known."""
    answered: int = 0
    """The last request whose full look is done, see `Watcher.request_reconcile`."""
    reconciled: int = 0
    """How many full looks were done."""
    confirmed_at: datetime | None = None
    """When the last full look was done."""
    explanation: str = ""
    """Why it is polling, or gone."""
    hint: str = ""
    repeats: bool = False
    """With `everything`: who has read all of it since the first word was told of each change and need not again."""
