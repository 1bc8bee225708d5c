"""What a rule is, and what it reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, TypedDict, Unpack

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.place import CheckMoment, Place, Severity

if TYPE_CHECKING:
    from handoff_tui.checks.context import Context


class System(StrEnum):
    """The system a rule comes from."""

    MOSAIC = "A mosaic"
    BUILDER = "B builder"
    PROCEDURE = "C procedure"
    TDD = "D tdd"
    HUB = "E hub"
    PUBLIC = "G public"
    ALL = "all"


ALWAYS = (CheckMoment.PRE, CheckMoment.POST, CheckMoment.GATE)


READABLE = "a document that can be read"
"""What every rule expects of a document that is missing, broken or unreadable: one fact, whichever rule finds it."""


class RuleFinding(NamedTuple):
    """One thing a rule found. `subject` identifies it and must not change when lines move."""

    message: str
    subject: str
    place: Place | None = None
    expected: str | None = None
    actual: str | None = None
    command: str | None = None
    """A command to copy that helps with this finding."""


Findings = Iterator[RuleFinding]
Judge = Callable[["Context"], Iterable[RuleFinding]]


class Rule(NamedTuple):
    """A pure function over a context, and what to say about it."""

    id: str
    """Kebab-case; never changes."""
    system: System
    severity: Severity
    holds: str
    """What is true when it passes, as a sentence."""
    reads: str
    """What it looks at, in a few words, for docs/checks.md."""
    remedy: str
    """What to do when it fails."""
    judge: Judge
    blocking: bool | None = None
    """Whether a failure closes the gate; if None, its severity decides."""
    commands: tuple[str, ...] = ()
    """Commands to copy that help with any of its findings."""
    declared: str | None = None
    """Its name in `procedures.rules` of the configuration (`VR001`), which declares its severity."""
    moments: tuple[CheckMoment, ...] = ALWAYS
    version: int = 1
    """Rises when the rule judges differently, so that no cached result is used."""


class RuleOptions(TypedDict, total=False):
    """What only some rules declare; see the fields of `Rule`."""

    blocking: bool
    commands: tuple[str, ...]
    declared: str
    moments: tuple[CheckMoment, ...]
    version: int


def _rule(
    severity: Severity, *, holds: str, reads: str, remedy: str, **options: Unpack[RuleOptions]
) -> Callable[[Judge], Rule]:
    """Makes a rule of the function below: its id is the function's name with hyphens, its system that below rules/."""

    def build(judge: Judge) -> Rule:
        folder = judge.__module__.partition(".rules.")[2].partition(".")[0]
        system = System.ALL if folder == "every" else System[folder.upper()]
        return Rule(judge.__name__.replace("_", "-"), system, severity, holds, reads, remedy, judge, **options)

    return build


critical_rule = partial(_rule, Severity.CRITICAL)
high_rule = partial(_rule, Severity.HIGH)
medium_rule = partial(_rule, Severity.MEDIUM)
low_rule = partial(_rule, Severity.LOW)


class NotApplicableError(Exception):
    """The rule has nothing to judge here; the reason is its message."""


class UndecidableError(Exception):
    """The rule can't tell, which never counts as a pass; the reason is its message."""
