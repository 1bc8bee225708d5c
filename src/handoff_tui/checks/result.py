"""The result of a check. Outcome, severity and blocking are three separate things."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from handoff_tui.core.model import Model
from handoff_tui.core.severity import Severity


class Outcome(StrEnum):
    """How a check ended. Error, timeout and unknown never count as a pass."""

    PASS = "pass"
    FAIL = "fail"
    ERROR = "error"
    TIMEOUT = "timeout"
    SKIPPED = "skipped"
    NOT_APPLICABLE = "not-applicable"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"


class Evidence(Model):
    """A place, what was expected there and what was found."""

    path: str | None = None
    line: int | None = None
    expected: str | None = None
    actual: str | None = None


class Finding(Model):
    """One thing a check found, with a fingerprint that survives moved lines."""

    message: str
    fingerprint: str
    evidence: tuple[Evidence, ...] = ()


class Remedy(Model):
    """What to do, with commands to copy."""

    text: str
    commands: tuple[str, ...] = ()


class CheckResult(Model):
    """The result of one check on one set of inputs."""

    id: str
    outcome: Outcome
    severity: Severity
    blocking: bool
    summary: str
    findings: tuple[Finding, ...] = ()
    remedy: Remedy | None = None
    inputs_digest: str | None = None
    duration: float | None = None
    from_cache: bool = False
    rerun_because: str | None = None
    """Why it ran, although there may be an earlier result."""
    flaky: bool = False
    """Whether the same inputs gave another outcome before."""
    outside: bool = False
    """Whether it depends on more than the repository: the clock, the search path, permissions, a remote."""
    log: str | None = None
    """The file with a command's output."""
    ran_at: datetime | None = None
    """When it ran; a result from the cache ran earlier."""
