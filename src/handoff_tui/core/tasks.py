"""What a handoff lists besides its text: tasks, findings, proofs, blockers, questions, attempts, tests, packages."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.core.model import Model
from handoff_tui.core.place import Place, Severity


class Asset(Model):
    """A file that a package owns, with the hash as its manifest writes it."""

    path: str
    sha256: str | None = None
    classification: str | None = None


class Package(Model):
    """A package manifest as read; a missing field is None."""

    id: str
    where: Place
    version: str | None = None
    schema_version: str | None = None
    spec_id: str | None = None
    framework_id: str | None = None
    plane_id: str | None = None
    title: str | None = None
    supersedes: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    assets: tuple[Asset, ...] = ()


class Task(Model):
    """A task that a handoff names; `status` is the word used there."""

    id: str
    title: str
    where: Place
    status: str | None = None
    stage: str | None = None
    done: bool | None = None
    priority: str | None = None
    commit: str | None = None


class ReportedFinding(Model):
    """A bug or vulnerability that an agent's report names (`security_report.json`, `bugs.json`)."""

    id: str
    title: str
    where: Place
    severity: Severity | None = None
    file: str | None = None
    line: int | None = None
    status: str | None = None


class ProofKind(StrEnum):
    """What kind of file a proof of work is."""

    SCREENSHOT = "screenshot"
    LOG = "log"
    REPORT = "report"
    TEST_RESULT = "test-result"
    DIFF = "diff"
    OTHER = "other"


class Proof(Model):
    """A file offered as proof of work."""

    path: str
    kind: ProofKind
    task: str | None = None
    run: str | None = None
    size: int | None = None


class Blocker(Model):
    """Something that blocks the work, or did. `evidence` is offered to show that it is resolved."""

    id: str
    title: str
    where: Place
    severity: Severity | None = None
    status: str | None = None
    open: bool = True
    owner: str | None = None
    evidence: str | None = None
    needs_human: bool = False
    blocking: bool = True
    """Whether the work must wait for it; a request to a person may not be urgent."""


class Question(Model):
    """A question to answer before work starts, and whether it was answered."""

    number: int
    text: str
    where: Place
    answered: bool | None = None


class Attempt(Model):
    """One attempt at a phase, according to the handoff's documents."""

    number: int
    agent: str | None = None
    phase: str | None = None
    status: str | None = None
    summary: str | None = None
    when: str | None = None
    where: Place | None = None
    warning: str | None = None
    """What in the attempt's raw output contradicts its status."""
    run: str | None = None
    """The run of the hub that it was part of."""


class SuiteCounts(Model):
    """The claimed numbers of one suite of a test run."""

    name: str
    total: int | None = None
    passed: int | None = None
    failed: int | None = None
    skipped: int | None = None


class TestCounts(Model):
    """The claimed numbers of one test run; None for numbers that weren't given."""

    __test__ = False

    total: int | None = None
    passed: int | None = None
    failed: int | None = None
    skipped: int | None = None
    command: str | None = None
    suites: tuple[SuiteCounts, ...] = ()
    """The suites of the run, if it tells them apart; the numbers above are their sum, or as stated."""


class Fact(Model):
    """Anything else a reviewer wants to see: a label, a value, and where it was said."""

    name: str
    value: str
    where: Place | None = None
