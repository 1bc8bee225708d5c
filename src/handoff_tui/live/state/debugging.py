"""What the desk shows to whoever asks why: attempts, a search for the commit that did it, and the desk as it was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from handoff_tui.checks.report import CheckReport
    from handoff_tui.history.attempts.report import AttemptHistory
    from handoff_tui.history.bisect.report import BisectProgress, BisectReport
    from handoff_tui.history.travel.values import Stop
    from handoff_tui.live.state.desk import DocumentView, Loaded, RepositoryPart, Trouble
    from handoff_tui.log.show.view import LogView
    from handoff_tui.status.inbox_item import HandoffKey, InboxItem
    from handoff_tui.status.pipeline_view import PipelineView
    from handoff_tui.status.review_state import ShownHandoff


class AttemptsView(NamedTuple):
    """The attempts of the handoff in view: those at the phase in view first, then those at its other phases."""

    histories: tuple[AttemptHistory, ...]


@dataclass(frozen=True, slots=True)
class BisectPart:
    """A search for the commit where a check began to fail."""

    number: int
    """Tells one search from the next."""
    check: str
    handoff: str
    trials: tuple[BisectProgress, ...] = ()
    """What was tried so far, in order."""
    report: BisectReport | None = None
    """How it ended."""
    trouble: Trouble | None = None
    cancelling: bool = False

    @property
    def is_over(self) -> bool:
        return self.report is not None or self.trouble is not None


@dataclass(frozen=True, slots=True)
class Visited:
    """The desk at one stop, as the views are shown it. A stop that was seen before has the very same parts again."""

    stop: Stop
    repository: RepositoryPart
    inbox: tuple[InboxItem, ...]
    chosen: HandoffKey | None
    phase: str | None
    shown: Loaded[ShownHandoff]
    pipeline: Loaded[PipelineView]
    checks: Loaded[CheckReport]
    log: Loaded[LogView]
    open_document: str | None
    document: Loaded[DocumentView]
    missing: str = ""
    """The handoff that was in view and did not exist then."""
    notes: tuple[str, ...] = ()
    """What no commit holds."""


@dataclass(frozen=True, slots=True)
class TravelPart:
    """Time travel: where the slider stands, and what is shown of then. Nothing can be changed meanwhile."""

    stops: tuple[Stop, ...] = ()
    """Oldest first; none until they were read."""
    index: int = 0
    """Where the slider stands; what is shown follows as soon as it was read."""
    loading: bool = True
    trouble: Trouble | None = None
    notes: tuple[str, ...] = ()
    """What the line of stops does not show."""
    visited: Visited | None = None

    @property
    def stop(self) -> Stop | None:
        return self.stops[self.index] if 0 <= self.index < len(self.stops) else None
