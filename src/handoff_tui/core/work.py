"""What a handoff carries besides words: packages, tasks, findings, proofs, blockers, questions, attempts."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.core.model import Model
from handoff_tui.core.place import Place


class Severity(StrEnum):
    """How bad it is; orders lists. Whether it blocks is another question."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Asset(Model):
    """A file that a package owns, with the hash its manifest declares, as written."""

    path: str
    sha256: str | None = None
    classification: str | None = None


class Package(Model):
    """A package manifest as read. A field that is missing there is nothing here."""

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
    """A unit of work named in a handoff. `status` is the word used there."""

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
    """What a proof of work is."""

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
    """Something that stands in the way, or stood there. `evidence` is what is offered for its resolution."""

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
    """Whether the work must wait for it; a person may be asked for something that can wait."""


class Question(Model):
    """One question of the gate before work starts, and whether an answer was found."""

    number: int
    text: str
    where: Place
    answered: bool | None = None


class Attempt(Model):
    """One try at a phase, as told in the handoff's own documents."""

    number: int
    agent: str | None = None
    phase: str | None = None
    status: str | None = None
    summary: str | None = None
    when: str | None = None
    where: Place | None = None
    warning: str | None = None
    """What in the attempt's own raw output speaks against its status."""


class TestCounts(Model):
    """Numbers of one test run as claimed. What was not said, or not as a number, is nothing."""

    __test__ = False

    total: int | None = None
    passed: int | None = None
    failed: int | None = None
    skipped: int | None = None
    command: str | None = None


class Fact(Model):
    """Anything else a handoff says that a reviewer wants to see: a label, a value, a place."""

    name: str
    value: str
    where: Place | None = None
