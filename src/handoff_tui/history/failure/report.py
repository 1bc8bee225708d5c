"""Why a gate is closed: the check to look at first, its output, what changed since it passed, who met it before."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.checks.result import CheckResult
from handoff_tui.core.model import Model
from handoff_tui.history.attempts.report import AttemptRun, ValueChange


class OutputLine(Model):
    """A line of an output, or a run of lines that are folded into one."""

    number: int
    """From 1; of the first line where it is a fold."""
    text: str = ""
    """As it was printed: not yet safe to show."""
    is_error: bool = False
    folded: int = 0
    """How many lines are folded here; 0 for a line that is shown."""


class OutputExcerpt(Model):
    """What of an output a person looks at first: lines that speak of errors, with what is around them, and the end."""

    path: str
    total_lines: int
    lines: tuple[OutputLine, ...] = ()
    first_error: int | None = None
    """The number of the first line that speaks of an error."""
    errors: int = 0


class GoodMoment(Model):
    """When a check was last seen to pass."""

    source: str
    """`log`: an entry whose evidence says so; `cache`: a run on this machine."""
    time: str | None = None
    entry: str | None = None
    handoff: str | None = None
    attempt: int | None = None
    commit: str | None = None
    behind: bool | None = None
    """Whether that commit is behind HEAD; nothing where there is no commit, or it is not here."""
    uncommitted: bool = False
    """Whether more was looked at than that commit holds."""


class FileSince(Model):
    """A file that differs from when the check passed."""

    path: str
    change: str
    """added, modified, deleted, renamed, type changed, uncommitted."""
    named: bool = False
    """Whether a finding names it."""
    declares_packages: bool = False


class EarlierMatch(StrEnum):
    """How an earlier failure is like this one."""

    SAME_FINDING = "same-finding"
    SAME_CHECK = "same-check"


class EarlierEnd(StrEnum):
    """How an earlier failure ended."""

    PASSED = "passed"
    """A later attempt at the same phase was free of it."""
    OVERRIDDEN = "overridden"
    """Somebody went over it."""
    STILL_OPEN = "still-open"
    """No later entry on that phase is free of it."""
    UNKNOWN = "unknown"
    """Later entries are there, and their evidence is not, or the check did not apply any more."""


class EarlierFailure(Model):
    """A failure in the evidence of an earlier decision or submission."""

    entry: str
    time: str
    handoff: str
    phase: str
    attempt: int
    actor: str
    verb: str
    match: EarlierMatch
    shared: int = 0
    """How many findings are the same, by fingerprint."""
    messages: tuple[str, ...] = ()
    end: EarlierEnd
    ended_by: str | None = None
    """The entry that shows how it ended."""
    ended_attempt: int | None = None
    ended_commit: str | None = None
    ended_words: str = ""


class FailedCheck(Model):
    """One check that does not pass, and all that helps to understand it."""

    result: CheckResult
    needs: tuple[str, ...] = ()
    """Checks that it needs and that do not pass either."""
    holds_back: tuple[str, ...] = ()
    """Checks that did not run because of it, at any distance."""
    holds: str = ""
    """What is true when it passes."""
    command: str = ""
    """What it runs, for a command."""
    output: OutputExcerpt | None = None
    last_good: GoodMoment | None = None
    changes: tuple[ValueChange, ...] = ()
    """Command, environment and settings: then beside now."""
    files: tuple[FileSince, ...] | None = None
    """Files that it depends on and that have changed since; nothing where that cannot be told."""
    files_total: int = 0
    unset: tuple[str, ...] = ()
    """Variables that it names and that are not set here."""
    earlier: tuple[EarlierFailure, ...] = ()
    can_bisect: bool = True
    """Whether `bisect` may say since when: not where the check is about what is in no commit."""
    notes: tuple[str, ...] = ()


class FailureReport(Model):
    """Everything that does not pass, the check to look at first in front."""

    handoff: str | None = None
    phase: str | None = None
    attempt: int | None = None
    head: str | None = None
    blocked: bool
    passed: int
    total: int
    failed: tuple[FailedCheck, ...] = ()
    last_run: AttemptRun | None = None
    """The last run of an agent on this handoff here, where it did not come through."""
    last_run_output: OutputExcerpt | None = None
    run_changes: tuple[ValueChange, ...] | None = None
    """How it was started, beside the last run that came through; nothing without such a one."""
    notes: tuple[str, ...] = ()

    @property
    def first(self) -> FailedCheck | None:
        """The one to look at first: nothing that it needs fails, and most wait for it."""
        return self.failed[0] if self.failed else None
