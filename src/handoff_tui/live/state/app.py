"""Everything the app shows, in one frozen value: every view is a function of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Generic, TypeVar

from handoff_tui.changes.comparison.snapshot_diff import ClaimCheck, ComparedPair, DiffScope, SnapshotDiff
from handoff_tui.changes.files.shown_file import ChangedText, ShownFile
from handoff_tui.checks.report import CheckReport
from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.errors import HandoffError
from handoff_tui.decisions.views import DecisionView, ExtraConfirmation, GateView, Packet
from handoff_tui.git.file_diff import ChangedFile, DiffOptions
from handoff_tui.git.watch.noticed import Watching
from handoff_tui.handoffs.handoff import Document
from handoff_tui.live.state.agents import (
    NO_ACTIVITY,
    Activity,
    AgentProposal,
    AgentsView,
    Bell,
    OutputFound,
    OutputWindow,
    ProofsView,
)
from handoff_tui.log.gates.coverage import ChangedPath
from handoff_tui.log.review_record import Comment
from handoff_tui.log.show.view import EntryView, LogReport, ShownLog
from handoff_tui.status.inbox_item import HandoffKey, InboxItem, MeasuredGate
from handoff_tui.status.pipeline import PipelineView
from handoff_tui.status.review_state import ReviewState, ShownHandoff

if TYPE_CHECKING:  # few look at them, and the app shows the rest before
    from handoff_tui.agents.engine.listing import AtWork
    from handoff_tui.agents.set_up import SetupFacts
    from handoff_tui.decisions.correct_scope import ScopePreview
    from handoff_tui.decisions.threads import Thread
    from handoff_tui.history.attempts.report import AttemptComparison, AttemptHistory
    from handoff_tui.history.bisect.report import BisectProgress, BisectReport
    from handoff_tui.history.failure.report import FailureReport
    from handoff_tui.history.metrics.report import MetricsReport
    from handoff_tui.history.travel.values import Stop

Value = TypeVar("Value")


class Part(StrEnum):
    """A part of the state, read for the handoff in view and kept fresh while a view needs it."""

    SHOWN = "shown"
    """Claims beside measurements, documents, attempts."""
    PIPELINE = "pipeline"
    CHECKS = "checks"
    PROBLEMS = "problems"
    """What is wrong with it, by root cause."""
    GATE = "gate"
    FILES = "files"
    """Which files differ, without what needs the checks."""
    DIFFERENCE = "difference"
    """The snapshot diff too: tests, packages, findings by id."""
    FILE = "file"
    """The lines of the file in view."""
    CHANGED_TEXT = "changed_text"
    """The changed lines of all files, while somebody searches."""
    DOCUMENT = "document"
    LOG = "log"
    AGENT = "agent"
    """The runs of its agents."""
    ATTEMPTS = "attempts"
    """Every attempt at its phases, from log, git and documents."""
    METRICS = "metrics"
    THREADS = "threads"
    """The signed comments on it, carried to where their lines are now."""
    COVERAGE = "coverage"
    """Every changed path of the repository, and who approved it."""


class Trouble(NamedTuple):
    """Why something could not be read or done, and what to do about it."""

    message: str
    hint: str = ""


def build_trouble(refused: HandoffError | OSError) -> Trouble:
    if isinstance(refused, HandoffError):
        return Trouble(refused.message, refused.hint)
    return Trouble(f"the system refused: {refused}", "Trying again.")


@dataclass(frozen=True, slots=True)
class Loaded(Generic[Value]):
    """One part: its value, how fresh it is, and what went wrong. An old value stays while a newer one is read."""

    value: Value | None = None
    trouble: Trouble | None = None
    loading: bool = False
    stale: bool = False
    """Something has changed since it was read."""
    at: datetime | None = None


def load(read: Callable[[], Value], at: datetime | None = None) -> Loaded[Value]:
    """Reads a part; if it cannot be read, keeps why."""
    try:
        return Loaded(read(), at=at)
    except (HandoffError, OSError) as refused:
        return Loaded(trouble=build_trouble(refused), at=at)


@dataclass(frozen=True, slots=True)
class RepositoryPart:
    """One repository in the app."""

    root: str
    name: str
    state: Loaded[ReviewState] = Loaded()
    watching: Watching = Watching.RESCANNING
    explanation: str = ""
    hint: str = ""
    confirmed_at: datetime | None = None
    """When everything was last read in full."""
    since: str = ""
    """The start line as a person names it; empty if all of history counts."""
    reviewer: str | None = None
    """The principal whose key would sign here; None if nobody can."""
    reviewer_note: str = ""
    """Why nobody can sign, or may decide."""
    fatal: tuple[str, ...] = ()
    """What is wrong with the log; empty if it is intact."""
    foreign: tuple[str, ...] = ()
    """Entries that carry the user's signature and were not made on this machine."""
    refused: str = ""
    """Why its settings are not used: the defaults apply, and every gate is closed."""
    begun: bool = True
    """Whether there is a signed log."""

    @property
    def closed(self) -> str:
        """Why every gate is closed; empty if they are open."""
        if self.fatal:
            return f"the signed log isn't intact: {self.fatal[0]}"
        return f"its settings can't be used: {self.refused}" if self.refused else ""


class ChecksProgress(NamedTuple):
    """A run of checks in progress."""

    done: int
    total: int
    current: str
    started: datetime
    only: tuple[str, ...] = ()
    """The requested checks; empty means all."""


class ComparisonPoint(NamedTuple):
    """Something to compare with: a commit or a stored snapshot."""

    name: str
    """As it can be typed."""
    kind: str
    """`commit` or `snapshot`."""
    text: str = ""
    at: str = ""


class FilesView(NamedTuple):
    """Which files differ, between what, and whether their lines are counted."""

    pair: ComparedPair
    files: tuple[ChangedFile, ...]
    counted: bool
    note: str | None = None
    trees: tuple[str, str] | None = None
    points: tuple[ComparisonPoint, ...] = ()
    """What else to compare with: stored snapshots, then the latest commits."""


class DifferenceView(NamedTuple):
    """The comparison of two snapshots."""

    pair: ComparedPair
    record: SnapshotDiff | None
    claims: tuple[ClaimCheck, ...]
    notes: tuple[str, ...]


class DiffRange(NamedTuple):
    """The point since which changes are shown; `against` and `instead` as a person names a snapshot or a commit."""

    scope: DiffScope = DiffScope.OWN
    against: str | None = None
    instead: str | None = None


USUAL_RANGE = DiffRange()


class OpenFile(NamedTuple):
    """The file in view and how it is read."""

    path: str
    options: DiffOptions = DiffOptions()


PACKET = "packet:"
"""In place of a document's path: what a rejection gives to the next attempt."""


class OpenDocument(NamedTuple):
    """A document's current text. The packet is one too, and is not a file."""

    path: str
    text: str
    document: Document | None = None
    truncated: bool = False
    packet: Packet | None = None


@dataclass(frozen=True, slots=True)
class Drafts:
    """What the reviewer wrote and marked and has not signed yet. Stored in the user's folder."""

    comments: tuple[Comment, ...] = ()
    viewed: frozenset[str] = frozenset()
    """Paths whose current content was marked as read."""
    reasons: dict[str, str] = field(default_factory=dict)
    """By verb."""
    opened: frozenset[str] = frozenset()
    """Paths of documents whose current content was opened."""


class DecisionStage(StrEnum):
    """How far a decision has come."""

    PREPARING = "preparing"
    """The blocking checks run afresh, and the work is captured."""
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
    """The decision being made."""

    verb: str
    key: HandoffKey
    stage: DecisionStage
    view: DecisionView | None = None
    demands: tuple[ExtraConfirmation, ...] = ()
    """Failing or stale checks, unread files, hidden characters, an unopened document; some ask for the name."""
    needs_reason: bool = True
    needs_terminal: bool = False
    """The key's passphrase must be typed: the app gives the terminal back for it."""
    trouble: Trouble | None = None
    progress: ChecksProgress | None = None
    entry: str | None = None
    """The id of the stored entry."""
    gate: GateView | None = None
    """The gate after the decision."""
    shown_tree: str | None = None
    """The tree it was prepared on; changes since then are compared with it."""
    onward: str = ""
    """The phase that comes next, if the handoff names one."""
    number: int = 0
    """Tells one decision from the next."""

    @property
    def asks_name(self) -> bool:
        """Whether the handoff's name must be typed."""
        return any(demand.asks for demand in self.demands)


class BatchStage(StrEnum):
    """How far a batch of approvals has come."""

    PREPARING = "preparing"
    READY = "ready"
    SIGNING = "signing"
    DONE = "done"


class BatchItem(NamedTuple):
    """One handoff of a batch."""

    key: HandoffKey
    words: str = ""
    """What is signed, in short; empty until it was examined."""
    left_out: str = ""
    """Why it is not signed."""
    entry: str = ""
    """The id of the stored entry."""


@dataclass(frozen=True, slots=True)
class BatchPart:
    """Several approvals, each with a signature of its own."""

    number: int
    items: tuple[BatchItem, ...]
    stage: BatchStage = BatchStage.PREPARING


class ChangedPaths(NamedTuple):
    """Every path changed since the start line, and whether a person approved it."""

    paths: tuple[ChangedPath, ...]
    has_policy: bool = True


class ScopeRow(NamedTuple):
    """A file that is, or could be, a handoff's own."""

    path: str
    source: str = ""
    """Why it is the handoff's own; empty if it isn't."""
    owner: str = ""
    """The other handoff it belongs to; empty if nobody claims it."""


class CorrectionStage(StrEnum):
    """How far the correction of a scope has come."""

    READING = "reading"
    READY = "ready"
    REFUSED = "refused"
    WRITING = "writing"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class CorrectionPart:
    """Which files are a handoff's own, and what would change if they were others."""

    key: HandoffKey
    stage: CorrectionStage = CorrectionStage.READING
    rows: tuple[ScopeRow, ...] = ()
    """Its own files, then those it could be given."""
    start: str = ""
    """The commit after which its work begins now."""
    starts: tuple[ComparisonPoint, ...] = ()
    """Commits after which it could begin, newest first."""
    wanted: tuple[str, ...] = ()
    """The files it is to have."""
    since: str | None = None
    """The chosen start; None if it begins with its first own change."""
    preview: ScopePreview | None = None
    """None as long as nothing would change."""
    trouble: Trouble | None = None
    undoable: str = ""
    """The handoff whose correction can be undone; empty if there is none."""


class SetupStage(StrEnum):
    """How far the setup of a repository has come."""

    READING = "reading"
    READY = "ready"
    WRITING = "writing"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class SetupPart:
    """A repository that is being set up: what can be chosen from."""

    root: str
    stage: SetupStage = SetupStage.READING
    facts: SetupFacts | None = None
    trouble: Trouble | None = None


class AttemptHistories(NamedTuple):
    """The attempts of the handoff in view: at the phase in view first, then at its other phases."""

    histories: tuple[AttemptHistory, ...]


@dataclass(frozen=True, slots=True)
class BisectPart:
    """A search for the commit that broke a check."""

    number: int
    """Tells one search from the next."""
    check: str
    handoff: str
    trials: tuple[BisectProgress, ...] = ()
    """The commits tried so far, in order."""
    report: BisectReport | None = None
    """How it ended."""
    trouble: Trouble | None = None
    cancelling: bool = False

    @property
    def is_over(self) -> bool:
        return self.report is not None or self.trouble is not None


@dataclass(frozen=True, slots=True)
class PastView:
    """Everything the views show at one stop. A stop seen before has the very same parts again."""

    stop: Stop
    repository: RepositoryPart
    inbox: tuple[InboxItem, ...]
    chosen: HandoffKey | None
    phase: str | None
    shown: Loaded[ShownHandoff]
    pipeline: Loaded[PipelineView]
    checks: Loaded[CheckReport]
    problems: Loaded[MeasuredGate]
    log: Loaded[ShownLog]
    open_document: str | None
    document: Loaded[OpenDocument]
    missing: str = ""
    """The handoff in view, if it did not exist then."""
    notes: tuple[str, ...] = ()
    """What cannot be shown of the past."""


@dataclass(frozen=True, slots=True)
class TravelPart:
    """Time travel: where the slider stands, and what it shows. Nothing can be changed meanwhile."""

    stops: tuple[Stop, ...] = ()
    """Oldest first; empty until they are read."""
    index: int = 0
    """Where the slider stands; what is shown follows as soon as it is read."""
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
    """Everything in the app at one moment."""

    generation: int = 0
    repositories: tuple[RepositoryPart, ...] = ()
    inbox: tuple[InboxItem, ...] = ()
    """Sorted by what the user can do, then by risk, then by age."""
    chosen: HandoffKey | None = None
    phase: str | None = None
    """The phase in view, if it is not the open one."""
    shown: Loaded[ShownHandoff] = Loaded()
    pipeline: Loaded[PipelineView] = Loaded()
    checks: Loaded[CheckReport] = Loaded()
    problems: Loaded[MeasuredGate] = Loaded()
    running: ChecksProgress | None = None
    gate: Loaded[GateView] = Loaded()
    moved: tuple[str, ...] = ()
    """Files of the handoff in view that have changed since it was opened; its diff and documents don't show that."""
    scope: DiffRange = USUAL_RANGE
    files: Loaded[FilesView] = Loaded()
    difference: Loaded[DifferenceView] = Loaded()
    open_file: OpenFile | None = None
    file: Loaded[ShownFile] = Loaded()
    changed_text: Loaded[ChangedText] = Loaded()
    open_document: str | None = None
    document: Loaded[OpenDocument] = Loaded()
    log: Loaded[ShownLog] = Loaded()
    entry: Loaded[EntryView] = Loaded()
    report: Loaded[LogReport] = Loaded()
    """Of "verify now"."""
    agent: Loaded[AgentsView] = Loaded()
    output: OutputWindow | None = None
    """Of the run in view."""
    found: OutputFound | None = None
    proposal: AgentProposal | None = None
    """What is about to be done about agents."""
    proofs: Loaded[ProofsView] = Loaded()
    """Proofs of work, once asked for."""
    at_work: Loaded[AtWork] = Loaded()
    """Everything that runs in the repository in view, while its box is open."""
    activity: Activity = NO_ACTIVITY
    """Agents that this app has running."""
    ring: Bell | None = None
    attempts: Loaded[AttemptHistories] = Loaded()
    threads: Loaded[tuple[Thread, ...]] = Loaded()
    comparison: Loaded[AttemptComparison] = Loaded()
    """Of the two attempts last asked about."""
    failure: Loaded[FailureReport] = Loaded()
    """Why it fails, once asked for."""
    metrics: Loaded[MetricsReport] = Loaded()
    coverage: Loaded[ChangedPaths] = Loaded()
    bisect: BisectPart | None = None
    correction: CorrectionPart | None = None
    """The correction of a scope, while its box is open."""
    setup: SetupPart | None = None
    """The setup of a repository, while its box is open."""
    travel: TravelPart | None = None
    """While set, the past is shown and nothing can be changed."""
    drafts: Drafts = Drafts()
    decision: DecisionPart | None = None
    batch: BatchPart | None = None
    status: StatusMessage | None = None

    @property
    def repository(self) -> RepositoryPart | None:
        """The repository of the handoff in view, or the first one."""
        root = self.chosen.root if self.chosen else None
        return next((one for one in self.repositories if one.root == root), next(iter(self.repositories), None))

    @property
    def item(self) -> InboxItem | None:
        return next((item for item in self.inbox if item.key == self.chosen), None)
