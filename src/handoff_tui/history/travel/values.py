"""Values of time travel: the stops of the slider, and the state of the repository at one of them."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.checks.report import CheckReport
from handoff_tui.core.model import Model
from handoff_tui.log.show.view import LogView
from handoff_tui.status.review_state import ReviewState


class StopKind(StrEnum):
    """What happened at a stop."""

    COMMIT = "commit"
    ENTRY = "entry"


class Stop(Model):
    """A point in time. Its files are those of `commit`; its log is `entry` and everything it follows."""

    key: str
    """The id of the commit or entry; a slider's cursor stays on it."""
    kind: StopKind
    commit: str
    entry: str | None = None
    """The newest entry at that time; None before the first one."""
    time: str
    """ISO 8601, UTC: the committer's, or the entry's."""
    who: str
    title: str
    """The commit's subject; for an entry, the verb and what it is about."""


class TravelLine(Model):
    """Every stop, oldest first: commits in the history of HEAD and entries of the log, interleaved."""

    head: str | None = None
    stops: tuple[Stop, ...] = ()
    notes: tuple[str, ...] = ()
    """What is missing, and why: a shallow clone, a long history, a log that isn't intact."""


class PastState(Model):
    """The state of the repository at one stop, read-only."""

    stop: Stop
    tree: str
    """The tree of the commit."""
    state: ReviewState
    report: CheckReport | None = None
    """Rules (no commands) on that tree, with its settings; None if those settings can't be used."""
    log: LogView | None = None
    """The log as of then; None if there was none."""
    notes: tuple[str, ...] = ()
    """What can't be known of that time, because no commit holds it."""
    from_cache: bool = False
