"""The attempts at one phase of a handoff side by side, and two of them compared."""

from __future__ import annotations

from enum import StrEnum

from pydantic import SkipValidation

from handoff_tui.agents.step.report import NewCommit
from handoff_tui.changes.comparison.snapshot_diff import Section, SnapshotDiff
from handoff_tui.core.model import Model
from handoff_tui.core.tasks import Attempt
from handoff_tui.git.file_diff import ChangedFile


class AttemptOutcome(StrEnum):
    """How far an attempt has come. From the signed log where it says something; else who tells it is in the name."""

    APPROVED = "approved"
    OVERRIDDEN = "overridden"
    SKIPPED = "skipped"
    REJECTED = "rejected"
    RETRY = "retry"
    HELD = "held"
    WITHDRAWN = "withdrawn"
    """Everybody who decided took it back."""
    SUBMITTED = "submitted"
    """Handed over, and nobody has decided."""
    RAN = "ran"
    """An agent was started for it, and nothing was handed over."""
    CLAIMED = "claimed"
    """Only the handoff's own documents tell of it."""
    OPEN = "open"
    """What is here now, and is in no entry of the log."""


class CommitPlace(StrEnum):
    """Where the commit of an attempt is now."""

    BEHIND = "behind"
    """It is HEAD, or before it."""
    ASIDE = "aside"
    """It is here, and not behind HEAD: history was rewritten, or it lies on another branch."""
    MISSING = "missing"
    """It is not in this clone: shallow, pruned, or never fetched."""


class PointKind(StrEnum):
    """What somebody asked for when they sent work back."""

    REASON = "reason"
    CHECK = "check"
    """A blocking check that did not pass then."""
    REMARK = "remark"


class Point(Model):
    """One thing that was asked for, and whether the next attempt addressed it: measured, never claimed."""

    kind: PointKind
    text: str
    """The reason or remark as it was written; of a check its summary."""
    subject: str = ""
    """The check's id, or the place of a remark: `path`, `path:12` or `path:12-15`."""
    author: str
    addressed: bool | None = None
    """Nothing where it cannot be measured."""
    evidence: str = ""
    """What was measured, or why nothing could be."""


class AttemptDecision(Model):
    """Somebody decided on an attempt."""

    entry: str
    actor: str
    verb: str
    time: str
    reason: str = ""
    taken_back: bool = False
    """Whether its author has decided otherwise on the same attempt since."""
    void: str = ""
    """Why it counts for nothing, where it does."""


class AttemptRun(Model):
    """One run of an agent for an attempt, from its folder on this machine."""

    step: str
    number: int
    agent: str
    owner: str = ""
    status: str
    """Of the run while it lasts; then what became of it: ready, failed, stopped, needs-human, or how it ended."""
    code: int | None = None
    began: float | None = None
    seconds: float | None = None
    argv: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    """Names of the variables it was given; their values are not kept."""
    folder: str = ""
    timeout_seconds: float | None = None
    prompt_sha256: str = ""
    context_sha256: str = ""
    why: tuple[str, ...] = ()
    output: str = ""
    """The file that holds what it printed."""
    output_bytes: int = 0
    tail: tuple[str, ...] = ()
    """The last lines of it, as they were printed: not yet safe to show."""


class TestNumbers(Model):
    """Tests of a snapshot by outcome."""

    __test__ = False

    total: int
    passed: int
    failed: int
    skipped: int


class AttemptRecord(Model):
    """Everything that is known of one attempt. What could not be found out is nothing, and `notes` say why."""

    name: str
    """How it is called on the command line: `H-3:build:2`, and `H-3:build:now` for what is here."""
    number: int
    outcome: AttemptOutcome
    measured: bool = False
    """Whether more than the log was looked at: evidence, commits, output. A long history measures its newest."""
    producers: tuple[str, ...] = ()
    decisions: tuple[AttemptDecision, ...] = ()
    runs: tuple[AttemptRun, ...] = ()
    claimed: tuple[Attempt, ...] = ()
    """What the handoff's own documents tell of it."""
    handed_over: str | None = None
    decided: str | None = None
    ran_seconds: float | None = None
    """How long its agents ran, together."""
    worked_seconds: float | None = None
    """From when the attempt before was sent back until this one was handed over, or decided on."""
    waited_seconds: float | None = None
    """From when it was handed over until somebody decided."""
    commit: str | None = None
    commit_place: CommitPlace | None = None
    tree: str | None = None
    snapshot: str | None = None
    """The digest of the stored snapshot; nothing where it is not stored here."""
    commits: tuple[NewCommit, ...] | None = None
    """All work on this line since the attempt before, its own or not, newest first."""
    commits_since: str = ""
    """From where on they are listed, in words; nothing where they are not known."""
    checks_passed: int | None = None
    checks_total: int | None = None
    failing: tuple[str, ...] | None = None
    """Checks that did not pass."""
    tests: TestNumbers | None = None
    check_changes: Section | None = None
    """Against the attempt before."""
    test_changes: Section | None = None
    asked: tuple[Point, ...] = ()
    """What the decisions on this attempt ask for, measured on the attempt after it."""
    asked_against: str = ""
    """The name of the attempt that it was measured on; nothing where there is none."""
    notes: tuple[str, ...] = ()


class AttemptHistory(Model):
    """The attempts at one phase, oldest first."""

    handoff: str
    phase: str
    title: str = ""
    attempts: tuple[AttemptRecord, ...] = ()
    fatal: bool = False
    """Whether the log is not sound: what it says cannot be relied on then."""
    notes: tuple[str, ...] = ()


class HistorySummary(Model):
    """The attempts at one phase in a line, from the log and the documents alone."""

    handoff: str
    phase: str
    attempts: int
    sent_back: int
    outcome: AttemptOutcome
    """Of the last one."""
    who: str = ""
    when: str = ""


class HistoryList(Model):
    """Every phase of every handoff that somebody has tried."""

    rows: tuple[HistorySummary, ...] = ()
    fatal: bool = False


class ValueChange(Model):
    """One thing that is not as it was: a word of the command, a variable, a limit, a prompt."""

    what: str
    before: str | None = None
    after: str | None = None


class AttemptComparison(Model):
    """Two attempts, of one phase or of any."""

    before: AttemptRecord
    after: AttemptRecord
    record: SnapshotDiff | None = None
    """Nothing without a stored snapshot on both sides."""
    check_changes: Section | None = None
    files: SkipValidation[tuple[ChangedFile, ...] | None] = None
    """Nothing where the files of one side are not here."""
    commits: tuple[NewCommit, ...] | None = None
    """Behind the second and not behind the first, newest first."""
    run_changes: tuple[ValueChange, ...] | None = None
    """How the agents were started; nothing where one side has no run here."""
    asked: tuple[Point, ...] = ()
    """What the first was asked for, measured on the second."""
    fatal: bool = False
    notes: tuple[str, ...] = ()
