"""Where something was said, what is wrong there, how bad it is, and when it is checked."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.core.model import Model


class Severity(StrEnum):
    """Orders lists. Whether a finding blocks is decided elsewhere."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class CheckMoment(StrEnum):
    """When a check runs: before an agent hands over, after the next one took over, or at a gate."""

    PRE = "pre"
    POST = "post"
    GATE = "gate"


class Place(Model):
    """A path inside the repository (or a git object such as `notes:<ref>/<commit>`) and a line, counted from 1."""

    path: str
    line: int | None = None

    def __str__(self) -> str:
        return self.path if self.line is None else f"{self.path}:{self.line}"


class ProblemLevel(StrEnum):
    """How much of the file was lost to the problem."""

    ERROR = "error"
    """The file, or a part of it, could not be read."""
    WARNING = "warning"
    """It was read, but something in it is wrong."""


class Problem(Model):
    """Something that couldn't be read properly. Collected, never raised, never dropped."""

    path: str
    line: int | None = None
    message: str
    level: ProblemLevel = ProblemLevel.ERROR
