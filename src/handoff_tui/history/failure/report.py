"""Why a gate is closed: the check to look at first, its output, what changed since it passed, earlier failures."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.checks.report import CheckResult
from handoff_tui.core.model import Model
from handoff_tui.history.attempts.report import AttemptRun, ValueChange


class OutputLine(Model):
    """A line of output, or several folded into one."""

    number: int
    """From 1; of a fold, its first line."""
    text: str = ""
    """As printed: not yet safe to show."""
    is_error: bool = False
    folded: int = 0
    """How many lines are folded here; 0 for a line that is shown."""


class OutputExcerpt(Model):
    """The part of an output to look at first: error lines with context, and the end."""

    path: str
    total_lines: int
    lines: tuple[OutputLine, ...] = ()
    first_error: int | None = None
    """The number of the first error line."""
    errors: int = 0


class GoodMoment(Model):
    """When a check last passed."""

    source: str
    """`log`: an entry whose evidence says so; `cache`: a run on this machine."""
    time: str | None = None
    entry: str | None = None
    handoff: str | None = None
    attempt: int | None = None
    commit: str | None = None
    behind: bool | None = None
    """Whether that commit is in the history of HEAD; None without a commit, or if it isn't here."""
    uncommitted: bool = False
    """Whether uncommitted changes were checked too."""


class FileSince(Model):
    """A file that changed since the check passed."""

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
    """A later attempt at the same phase didn't have it."""
    OVERRIDDEN = "overridden"
    """Somebody overrode it."""
    STILL_OPEN = "still-open"
    """Every later entry on that phase still has it."""
    UNKNOWN = "unknown"
    """There are later entries, but without evidence, or the check no longer applied."""


class EarlierFailure(Model):
    """A failure recorded with an earlier decision or submission."""

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
    """A check that doesn't pass, and everything that helps to understand it."""

    result: CheckResult
    needs: tuple[str, ...] = ()
    """Checks it needs that don't pass either."""
    holds_back: tuple[str, ...] = ()
    """Checks that didn't run because of it, directly or not."""
    holds: str = ""
    """What is true when it passes."""
    command: str = ""
    """What it runs, for a command."""
    output: OutputExcerpt | None = None
    last_good: GoodMoment | None = None
    changes: tuple[ValueChange, ...] = ()
    """Command, environment and settings: before and now."""
    files: tuple[FileSince, ...] | None = None
    """Files it depends on that changed since; None if unknown."""
    files_total: int = 0
    unset: tuple[str, ...] = ()
    """Variables it names that aren't set here."""
    earlier: tuple[EarlierFailure, ...] = ()
    can_bisect: bool = True
    """Whether `bisect` can find the commit that broke it: not if it is about something no commit holds."""
    notes: tuple[str, ...] = ()


class FailureReport(Model):
    """Everything that doesn't pass, the check to look at first in front."""

    handoff: str | None = None
    phase: str | None = None
    attempt: int | None = None
    head: str | None = None
    blocked: bool
    passed: int
    total: int
    failed: tuple[FailedCheck, ...] = ()
    last_run: AttemptRun | None = None
    """The last agent run on this handoff here, if it didn't succeed."""
    last_run_output: OutputExcerpt | None = None
    run_changes: tuple[ValueChange, ...] | None = None
    """How it was started, compared with the last run that succeeded; None if there is none."""
    notes: tuple[str, ...] = ()

    @property
    def first(self) -> FailedCheck | None:
        """The check to look at first: nothing it needs fails, and most checks wait for it."""
        return self.failed[0] if self.failed else None
