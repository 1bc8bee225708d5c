"""Values of attempts: those at one phase side by side, and two of them compared."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.agents.runs.run import RunUsage
from handoff_tui.agents.step.report import NewCommit
from handoff_tui.changes.comparison.snapshot_diff import ComparedSection, SnapshotDiff
from handoff_tui.core.model import Model
from handoff_tui.core.tasks import Attempt
from handoff_tui.git.file_diff import ChangedFile


class AttemptOutcome(StrEnum):
    """How far an attempt got, from the signed log; else the name says who claims it."""

    APPROVED = "approved"
    OVERRIDDEN = "overridden"
    SKIPPED = "skipped"
    REJECTED = "rejected"
    RETRY = "retry"
    HELD = "held"
    WITHDRAWN = "withdrawn"
    """Everyone who decided withdrew."""
    SUBMITTED = "submitted"
    """Submitted, not decided yet."""
    RAN = "ran"
    """An agent ran, but nothing was submitted."""
    CLAIMED = "claimed"
    """Only the handoff's own documents mention it."""
    OPEN = "open"
    """What is here now and not in the log."""


class CommitPlace(StrEnum):
    """Where the commit of an attempt is now."""

    BEHIND = "behind"
    """It is HEAD or one of its ancestors."""
    ASIDE = "aside"
    """It is here, but not in the history of HEAD: rewritten, or on another branch."""
    MISSING = "missing"
    """It isn't in this clone: shallow, pruned, or never fetched."""


class PointKind(StrEnum):
    """What kind of thing was asked for when work was sent back."""

    REASON = "reason"
    CHECK = "check"
    """A blocking check that didn't pass."""
    REMARK = "remark"


class RequestedPoint(Model):
    """One thing that was asked for, and whether the next attempt addressed it: measured, never claimed."""

    kind: PointKind
    text: str
    """The reason or comment as written; for a check, its summary."""
    subject: str = ""
    """The check's id, or the place of a comment: `path`, `path:12` or `path:12-15`."""
    author: str
    addressed: bool | None = None
    """None if it can't be measured."""
    evidence: str = ""
    """What was measured, or why it couldn't be."""


class AttemptDecision(Model):
    """Somebody decided on an attempt."""

    entry: str
    actor: str
    verb: str
    time: str
    reason: str = ""
    taken_back: bool = False
    """Whether its author has since decided otherwise on the same attempt."""
    void: str = ""
    """Why it doesn't count, if it doesn't."""


class AttemptRun(Model):
    """One agent run for an attempt, from its folder on this machine."""

    step: str
    number: int
    agent: str = ""
    owner: str = ""
    status: str
    """While it runs, its state; then its outcome: ready, failed, stopped, needs-human, or how it ended."""
    code: int | None = None
    began: float | None = None
    seconds: float | None = None
    argv: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    """Names of the variables it was given; values aren't kept."""
    folder: str = ""
    timeout_seconds: float | None = None
    prompt_sha256: str = ""
    context_sha256: str = ""
    why: tuple[str, ...] = ()
    output: str = ""
    """The file with its output."""
    output_bytes: int = 0
    tail: tuple[str, ...] = ()
    """Its last lines, as printed or as its transcript has them: not yet safe to show."""
    usage: RunUsage | None = None
    """What it used and its own verdict; None if its output is only text."""


class TestNumbers(Model):
    """Tests of a snapshot by outcome."""

    __test__ = False

    total: int
    passed: int
    failed: int
    skipped: int


class PastAttempt(Model):
    """Everything known about one attempt. Unknown values are None, and `notes` say why."""

    name: str
    """Its name on the command line: `H-3:build:2`, or `H-3:build:now` for what is here."""
    number: int
    outcome: AttemptOutcome
    measured: bool = False
    """Whether evidence, commits and output were read too; in a long history only for the newest."""
    producers: tuple[str, ...] = ()
    decisions: tuple[AttemptDecision, ...] = ()
    runs: tuple[AttemptRun, ...] = ()
    claimed: tuple[Attempt, ...] = ()
    """What the handoff's own documents say about it."""
    handed_over: str | None = None
    decided: str | None = None
    ran_seconds: float | None = None
    """How long its agents ran in total."""
    worked_seconds: float | None = None
    """From when the attempt before was sent back until this one was submitted, or decided on."""
    waited_seconds: float | None = None
    """From submission to decision."""
    commit: str | None = None
    commit_place: CommitPlace | None = None
    tree: str | None = None
    snapshot: str | None = None
    """The digest of the stored snapshot; None if it isn't stored here."""
    commits: tuple[NewCommit, ...] | None = None
    """All work commits since the attempt before, by anyone, newest first."""
    commits_since: str = ""
    """Where the list starts, in words; empty if unknown."""
    checks_passed: int | None = None
    checks_total: int | None = None
    failing: tuple[str, ...] | None = None
    """Checks that didn't pass."""
    tests: TestNumbers | None = None
    check_changes: ComparedSection | None = None
    """Against the attempt before."""
    test_changes: ComparedSection | None = None
    asked: tuple[RequestedPoint, ...] = ()
    """What the decisions on this attempt ask for, measured on the next one."""
    asked_against: str = ""
    """The name of the attempt it was measured on; empty if there is none."""
    notes: tuple[str, ...] = ()


class AttemptHistory(Model):
    """The attempts at one phase, oldest first."""

    handoff: str
    phase: str
    title: str = ""
    attempts: tuple[PastAttempt, ...] = ()
    fatal: bool = False
    """Whether the log is not intact: then it can't be relied on."""
    notes: tuple[str, ...] = ()


class HistorySummary(Model):
    """The attempts at one phase in a line, from the log and the documents only."""

    handoff: str
    phase: str
    attempts: int
    sent_back: int
    outcome: AttemptOutcome
    """Of the last one."""
    who: str = ""
    when: str = ""


class HistoryList(Model):
    """Every phase of every handoff with an attempt."""

    rows: tuple[HistorySummary, ...] = ()
    fatal: bool = False


class ValueChange(Model):
    """One value that changed: a command, a variable, a limit, a prompt."""

    what: str
    before: str | None = None
    after: str | None = None


class AttemptComparison(Model):
    """Two attempts compared, of the same phase or not."""

    before: PastAttempt
    after: PastAttempt
    record: SnapshotDiff | None = None
    """None without a stored snapshot on both sides."""
    check_changes: ComparedSection | None = None
    files: tuple[ChangedFile, ...] | None = None
    """None if the files of one side aren't here."""
    commits: tuple[NewCommit, ...] | None = None
    """Commits of the second that the first doesn't have, newest first."""
    run_changes: tuple[ValueChange, ...] | None = None
    """How the agents were started; None if one side has no run here."""
    asked: tuple[RequestedPoint, ...] = ()
    """What was asked for on the first, measured on the second."""
    fatal: bool = False
    notes: tuple[str, ...] = ()
