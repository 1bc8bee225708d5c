"""Since when a check fails: the commits that were tried, and the one where it began."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.checks.result import Finding, Outcome
from handoff_tui.core.model import Model


class Standing(StrEnum):
    """What the result of a check on a commit counts for."""

    GOOD = "good"
    """It passed, or there was nothing to judge."""
    BAD = "bad"
    UNTESTABLE = "untestable"
    """It could not be told: the check crashed there, ran out of time, or lacks something."""


class BisectEnd(StrEnum):
    """How a search ended."""

    FOUND = "found"
    RANGE = "range"
    """Only untestable commits are left between the last good and the first bad one."""
    ALWAYS = "always"
    """It fails as far back as this clone goes: at every commit of it."""
    UNKNOWN = "unknown"
    """No commit was found where it passes, but not all were tried, or it cannot be told at some of them."""
    NOT_FAILING = "not-failing"
    """It does not fail at the commit that should be bad."""
    CANCELLED = "cancelled"


class BisectWay(StrEnum):
    """How the check was run on old commits."""

    TREES = "trees"
    """The rule read the trees in git; nothing was checked out."""
    WORK_TREE = "work-tree"
    """The command ran in a work tree of its own, which is gone again."""


class CommitLine(Model):
    """A commit in one line."""

    commit: str
    author: str
    date: str
    subject: str


class Trial(Model):
    """One commit, tried."""

    commit: str
    subject: str
    standing: Standing
    outcome: Outcome
    summary: str


class CulpritFile(Model):
    """A file that the commit changed. Lines are nothing where the content is binary."""

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
    """Of the named files, or of all; cut where it is long."""
    patch_cut: bool = False


class BisectReport(Model):
    """The answer to the question since when a check fails."""

    check: str
    handoff: str | None = None
    finding: str | None = None
    """The fingerprint of the one finding that was asked about."""
    end: BisectEnd
    way: BisectWay
    good: str | None = None
    """The last commit known to be good; nothing where none was found."""
    bad: str
    """The first commit known to be bad."""
    untried: int = 0
    """Where no good commit was found: how many that lead to the bad one were not tried."""
    between: int = 0
    """How many commits lay between the good and the bad one at the beginning, the bad one counted."""
    trials: tuple[Trial, ...] = ()
    """In the order in which they were made."""
    culprit: Culprit | None = None
    left: tuple[CommitLine, ...] = ()
    """Where it was not narrowed down to one: the commits that may be it, newest first."""
    assumed: tuple[str, ...] = ()
    """What the answer rests on."""
    notes: tuple[str, ...] = ()


class BisectProgress(Model):
    """Where a search stands."""

    tried: int
    left: int
    """How many commits may still be the one."""
    steps: int
    """About how many more must be tried."""
    commit: str
    standing: Standing
