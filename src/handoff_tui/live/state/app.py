"""All that the app shows, in one frozen value: every view is a function of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from handoff_tui.changes.comparison.snapshot_diff import ClaimCheck, ComparedPair, DiffScope, SnapshotDiff
from handoff_tui.changes.files.shown_file import ShownFile
from handoff_tui.checks.report import CheckReport
from handoff_tui.core.errors import HandoffError
from handoff_tui.decisions.views import DecisionView, ExtraConfirmation, GateView, Packet
from handoff_tui.git.file_diff import ChangedFile, DiffOptions
from handoff_tui.git.watch.noticed import Watching
from handoff_tui.handoffs.handoff import Document
from handoff_tui.live.state.agents import (
    NO_ACTIVITY,
    Activity,
    AgentsView,
    Bell,
    OutputFound,
    OutputWindow,
    ProofsView,
    Proposal,
)
from handoff_tui.log.review_record import Comment
from handoff_tui.log.show.view import EntryView, LogReport, LogView
from handoff_tui.status.inbox_item import HandoffKey, InboxItem
from handoff_tui.status.pipeline_view import PipelineView
from handoff_tui.status.review_state import ReviewState, ShownHandoff

if TYPE_CHECKING:  # few look at them, and the app shows the rest before
    from handoff_tui.history.attempts.report import AttemptComparison, AttemptHistory
    from handoff_tui.history.bisect.report import BisectProgress, BisectReport
    from handoff_tui.history.failure.report import FailureReport
    from handoff_tui.history.metrics.report import MetricsReport
    from handoff_tui.history.travel.values import Stop

Value = TypeVar("Value")


class Part(StrEnum):
    """A part of the state that is read for the handoff in view, and kept fresh while a view needs it."""

    SHOWN = "shown"
    """Claims beside measurements, documents, attempts."""
    PIPELINE = "pipeline"
    CHECKS = "checks"
    GATE = "gate"
    FILES = "files"
    """Which files differ, without what needs the checks."""
    DIFFERENCE = "difference"
    """The record too: tests, packages, findings by id."""
    FILE = "file"
    """The lines of the one file in view."""
    DOCUMENT = "document"
    LOG = "log"
    AGENT = "agent"
    """The tries of its agents."""
    ATTEMPTS = "attempts"
    """Every attempt at its phases, by log, git and documents."""
    FIGURES = "figures"


class Trouble(NamedTuple):
    """Why something could not be read or done, and what to do about it."""

    message: str
    hint: str = ""


def build_trouble(refused: HandoffError | OSError) -> Trouble:
    if isinstance(refused, HandoffError):
        return Trouble(refused.message, refused.hint)
    return Trouble(f"the system refused: {refused}", "It is tried again.")


@dataclass(frozen=True, slots=True)
class Loaded(Generic[Value]):
    """One part: its value, how fresh it is, and what went wrong. An old value stays while a newer one is read."""

    value: Value | None = None
    trouble: Trouble | None = None
    loading: bool = False
    stale: bool = False
    """Something has changed since it was read."""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class RepositoryPart:
    """One repository at the desk."""

    root: str
    name: str
    state: Loaded[ReviewState] = Loaded()
    watching: Watching = Watching.RESCANNING
    explanation: str = ""
    hint: str = ""
    confirmed_at: datetime | None = None
    """When everything was last looked at in full."""
    reviewer: str | None = None
    """The principal whose key would sign here; nothing where nobody can."""
    reviewer_note: str = ""
    """Why nobody can sign, or may decide."""
    fatal: tuple[str, ...] = ()
    """What is wrong with the log, where it is not intact: every gate is closed then."""
    refused: str = ""
    """Why its own settings are not used: it is read by the usual ones, and every gate is closed."""

    @property
    def closed(self) -> str:
        """Why every gate of it is closed; nothing where they are open."""
        if self.fatal:
            return f"the signed log is not intact: {self.fatal[0]}"
        return f"its settings cannot be used: {self.refused}" if self.refused else ""


class ChecksProgress(NamedTuple):
    """A run of checks that is underway."""

    done: int
    total: int
    current: str
    started: datetime
    only: tuple[str, ...] = ()
    """The checks that were asked for; all where it is empty."""


class ComparisonPoint(NamedTuple):
    """Something to compare with: a commit, or a stored snapshot."""

    name: str
    """As it can be asked for."""
    kind: str
    """`commit` or `snapshot`."""
    text: str = ""
    at: str = ""


class FilesView(NamedTuple):
    """Which files differ, between what, and how far the counting has come."""

    pair: ComparedPair
    files: tuple[ChangedFile, ...]
    counted: bool
    note: str | None = None
    trees: tuple[str, str] | None = None
    points: tuple[ComparisonPoint, ...] = ()
    """What else there is to compare with: stored snapshots, then the latest commits."""


class DifferenceView(NamedTuple):
    """The record of two snapshots compared."""

    pair: ComparedPair
    record: SnapshotDiff | None
    claims: tuple[ClaimCheck, ...]
    notes: tuple[str, ...]


class Scope(NamedTuple):
    """From where on changes are shown; `against` and `instead` as a person names a snapshot or a commit."""

    scope: DiffScope = DiffScope.SINCE_BASELINE
    against: str | None = None
    instead: str | None = None


USUAL_SCOPE = Scope()


class OpenFile(NamedTuple):
    """The file in view and how it is read."""

    path: str
    options: DiffOptions = DiffOptions()


PACKET = "packet:"
"""In place of a document's path: what a rejection gives to the next attempt."""


class DocumentView(NamedTuple):
    """A document's text as it is now. The packet is one too, and lies nowhere."""

    path: str
    text: str
    document: Document | None = None
    truncated: bool = False
    packet: Packet | None = None


@dataclass(frozen=True, slots=True)
class Drafts:
    """What the reviewer wrote and marked, and has not signed yet. Kept on disk in the user's own folder."""

    comments: tuple[Comment, ...] = ()
    viewed: frozenset[str] = frozenset()
    """Paths whose content is the one that was marked as read."""
    reasons: dict[str, str] = field(default_factory=dict)
    """By verb."""
    opened: frozenset[str] = frozenset()
    """Documents that were opened, by path, with the content they had."""


class DecisionStage(StrEnum):
    """How far a decision has come."""

    PREPARING = "preparing"
    """The blocking checks run afresh, the work is captured."""
    READY = "ready"
    """Everything that would be signed is known and shown."""
    REFUSED = "refused"
    """The rules forbid it, or something is missing."""
    MOVED = "moved"
    """Something changed since it was shown; it must be looked at again."""
    SIGNING = "signing"
    STORED = "stored"


@dataclass(frozen=True, slots=True)
class DecisionPart:
    """The decision that is being made."""

    verb: str
    key: HandoffKey
    stage: DecisionStage
    view: DecisionView | None = None
    demands: tuple[ExtraConfirmation, ...] = ()
    """Failing or stale checks, unread files, hidden characters, a document nobody opened."""
    needs_reason: bool = True
    needs_terminal: bool = False
    """The key's passphrase must be typed: the screen is given back for it."""
    trouble: Trouble | None = None
    progress: ChecksProgress | None = None
    entry: str | None = None
    """The id of the stored entry."""
    gate: GateView | None = None
    """The gate after it."""
    shown_tree: str | None = None
    """The files that it was prepared on: what moved since is what differs from them."""


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
class PastView:
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
    visited: PastView | None = None

    @property
    def stop(self) -> Stop | None:
        return self.stops[self.index] if 0 <= self.index < len(self.stops) else None


class StatusMessage(NamedTuple):
    """A sentence for the status line; the number tells one from the next."""

    number: int
    text: str
    role: str = "text"


@dataclass(frozen=True, slots=True)
class AppState:
    """Everything at the desk, as of one moment."""

    generation: int = 0
    repositories: tuple[RepositoryPart, ...] = ()
    inbox: tuple[InboxItem, ...] = ()
    """Sorted: waiting on me, then risk, then age."""
    chosen: HandoffKey | None = None
    phase: str | None = None
    """The phase in view, where it is not the one that stands open."""
    shown: Loaded[ShownHandoff] = Loaded()
    pipeline: Loaded[PipelineView] = Loaded()
    checks: Loaded[CheckReport] = Loaded()
    running: ChecksProgress | None = None
    gate: Loaded[GateView] = Loaded()
    scope: Scope = USUAL_SCOPE
    files: Loaded[FilesView] = Loaded()
    difference: Loaded[DifferenceView] = Loaded()
    open_file: OpenFile | None = None
    file: Loaded[ShownFile] = Loaded()
    open_document: str | None = None
    document: Loaded[DocumentView] = Loaded()
    log: Loaded[LogView] = Loaded()
    entry: Loaded[EntryView] = Loaded()
    report: Loaded[LogReport] = Loaded()
    """Of «verify now»."""
    agent: Loaded[AgentsView] = Loaded()
    output: OutputWindow | None = None
    """Of the try in view."""
    found: OutputFound | None = None
    proposal: Proposal | None = None
    """What is about to be done about agents."""
    proofs: Loaded[ProofsView] = Loaded()
    """Of work, once somebody asked for them."""
    activity: Activity = NO_ACTIVITY
    """Agents that go on because of this desk."""
    ring: Bell | None = None
    attempts: Loaded[AttemptsView] = Loaded()
    comparison: Loaded[AttemptComparison] = Loaded()
    """Of the two attempts that were last asked about."""
    failure: Loaded[FailureReport] = Loaded()
    """Once somebody asked why it fails."""
    figures: Loaded[MetricsReport] = Loaded()
    bisect: BisectPart | None = None
    travel: TravelPart | None = None
    """The desk as it was is shown, and nothing can be changed."""
    drafts: Drafts = Drafts()
    decision: DecisionPart | None = None
    status: StatusMessage | None = None

    @property
    def repository(self) -> RepositoryPart | None:
        """The one of the handoff in view, or the first."""
        root = self.chosen.root if self.chosen else None
        return next((one for one in self.repositories if one.root == root), next(iter(self.repositories), None))

    @property
    def item(self) -> InboxItem | None:
        return next((item for item in self.inbox if item.key == self.chosen), None)
