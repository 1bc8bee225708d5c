"""The result of a bisect: the commits tried, and the one that broke the check."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.checks.report import Finding, Outcome
from handoff_tui.core.model import Model


class TrialVerdict(StrEnum):
    """What a check's result on a commit counts as."""

    GOOD = "good"
    """It passed, or there was nothing to check."""
    BAD = "bad"
    UNTESTABLE = "untestable"
    """The check crashed there, timed out, or lacked something it needs."""


class BisectEnd(StrEnum):
    """How a search ended."""

    FOUND = "found"
    RANGE = "range"
    """Only untestable commits are left between the last good and the first bad one."""
    ALWAYS = "always"
    """It fails at every commit this clone has."""
    UNKNOWN = "unknown"
    """No passing commit was found, but some were not tried or could not be tested."""
    NOT_FAILING = "not-failing"
    """It doesn't fail at the commit that should be bad."""
    CANCELLED = "cancelled"


class BisectWay(StrEnum):
    """How the check was run on old commits."""

    TREES = "trees"
    """The rule read the trees in git; nothing was checked out."""
    WORK_TREE = "work-tree"
    """The command ran in a separate work tree, since removed."""


class CommitLine(Model):
    """A commit in one line."""

    commit: str
    author: str
    date: str
    subject: str


class TriedCommit(Model):
    """One commit, tried."""

    commit: str
    subject: str
    standing: TrialVerdict
    outcome: Outcome
    summary: str


class CulpritFile(Model):
    """A file the commit changed. Line counts are None for binary content."""

    status: str
    path: str
    old_path: str | None = None
    added: int | None = None
    deleted: int | None = None
    named: bool = False
    """Whether a finding of the check names it."""


class Culprit(Model):
    """The first commit on which the check fails, and what it changed against its first parent."""

    commit: str
    parents: tuple[str, ...] = ()
    author: str
    author_email: str
    date: str
    subject: str
    body: str
    findings: tuple[Finding, ...] = ()
    """What the check found there."""
    summary: str = ""
    files: tuple[CulpritFile, ...] = ()
    patch: str = ""
    """Of the named files, or of all; truncated if long."""
    patch_cut: bool = False


class BisectReport(Model):
    """Which commit broke the check."""

    check: str
    handoff: str | None = None
    finding: str | None = None
    """The fingerprint of the finding asked about."""
    end: BisectEnd
    way: BisectWay
    good: str | None = None
    """The last commit known to be good; None if none was found."""
    bad: str
    """The first commit known to be bad."""
    untried: int = 0
    """If no good commit was found: how many ancestors of the bad one were not tried."""
    between: int = 0
    """How many commits were between good and bad at the start, the bad one included."""
    trials: tuple[TriedCommit, ...] = ()
    """In the order they were made."""
    culprit: Culprit | None = None
    left: tuple[CommitLine, ...] = ()
    """If it wasn't narrowed down to one: the remaining candidates, newest first."""
    assumed: tuple[str, ...] = ()
    """What the answer assumes."""
    notes: tuple[str, ...] = ()


class BisectProgress(Model):
    """Where a search stands."""

    tried: int
    left: int
    """How many candidates are left."""
    steps: int
    """About how many more trials it takes."""
    commit: str
    standing: TrialVerdict
