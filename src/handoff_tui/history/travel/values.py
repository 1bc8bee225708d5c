"""A repository as it was: the stops of the slider, and the desk at one of them."""

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
    """A moment to travel to. Its files are those of `commit`; its log is `entry` and all that it follows."""

    key: str
    """The commit, or the entry: what the cursor of a slider holds on to."""
    kind: StopKind
    commit: str
    entry: str | None = None
    """The newest entry known then; nothing before the first one."""
    time: str
    """ISO 8601, UTC: of the committer, or as the entry says."""
    who: str
    title: str
    """The subject of the commit; of an entry the verb and what it is about."""


class TravelLine(Model):
    """Every stop, oldest first: commits of the history of HEAD and entries of the log, in one order."""

    head: str | None = None
    stops: tuple[Stop, ...] = ()
    notes: tuple[str, ...] = ()
    """What the line does not show, and why: a shallow clone, a long history, a log that is not sound."""


class PastState(Model):
    """The whole desk at one stop, to be looked at only."""

    stop: Stop
    tree: str
    """Of the commit, whole."""
    state: ReviewState
    report: CheckReport | None = None
    """The rules on that tree, with the settings of that tree; commands are not in it. Nothing without such settings."""
    log: LogView | None = None
    """The log as known then; nothing where there was none."""
    notes: tuple[str, ...] = ()
    """What no commit holds, so that it cannot be known of then."""
    from_cache: bool = False
