"""The report of one run: its results, the verdict that follows from them, and what the checks were asked about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Literal

from handoff_tui.checks.rule import READABLE
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.model import Model
from handoff_tui.core.place import Severity

OUTPUT_SUBJECT = "exit"
"""The subject of the finding that quotes the end of a command's output."""


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
    rules: tuple[str, ...] = ()
    """Every check that reports the same fact, if several do. It counts for the first, which blocks if any does."""

    def counts_for(self, check: str) -> bool:
        return not self.rules or self.rules[0] == check


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
    from_cache: bool = False
    rerun_because: str | None = None
    """Why it ran, although there may be an earlier result."""
    flaky: bool = False
    """Whether the same inputs gave another outcome before."""
    outside: bool = False
    """Whether it depends on more than the repository: the clock, the search path, permissions, a remote."""
    duration: float | None = None
    inputs_digest: str | None = None
    log: str | None = None
    """The file with a command's output."""
    ran_at: datetime | None = None
    """When it ran; a result from the cache ran earlier."""

    @property
    def own_findings(self) -> tuple[Finding, ...]:
        """Its findings without those that count for another check."""
        return tuple(finding for finding in self.findings if finding.counts_for(self.id))

    @property
    def told_by(self) -> dict[str, int]:
        """The checks that some of its findings count for, and how many each."""
        return Counter(finding.rules[0] for finding in self.findings if not finding.counts_for(self.id))

    @property
    def is_copy(self) -> bool:
        """Whether it fails for nothing but facts that count for other checks."""
        return self.outcome is Outcome.FAIL and bool(self.findings) and not self.own_findings


COMMAND = "command"
"""The `system` of checks that run a command."""
_WORST_FIRST = {severity: number for number, severity in enumerate(Severity)}
NOT_RUN = "was not run here"
"""Says of a command that looking doesn't start it."""
UNCONSENTED = "was not run: nobody has consented to it"
"""Says of a command of the repository that it was not run."""
CLOSED = frozenset({Outcome.PASS, Outcome.NOT_APPLICABLE})
"""What leaves nothing to do."""
_STEADY = frozenset({Outcome.PASS, Outcome.FAIL, Outcome.NOT_APPLICABLE, Outcome.UNKNOWN})


class RuleInfo(Model):
    """A rule as people are told about it."""

    id: str
    system: str
    severity: Severity
    blocking: bool
    holds: str
    """What is true when it passes."""
    reads: str
    remedy: str
    moments: tuple[str, ...] = ()


class ConsentState(Model):
    """Whether the commands in the repository's configuration may run."""

    digest: str
    trusted: bool


class RequestedCommand(NamedTuple):
    """A command that a repository asks to run."""

    id: str
    argv: tuple[str, ...]
    scripts: tuple[tuple[str, str], ...]
    """Its words that are files of the repository, each with the digest of its content."""
    access: tuple[str, ...] = ()
    """What it asks for beyond the reviewed files."""


class RequestedCommands(NamedTuple):
    """Everything a repository asks to run, and the digest over exactly that."""

    digest: str
    commands: tuple[RequestedCommand, ...]
    functions: tuple[str, ...] = ()
    """Checks in Python: `name=module:function`."""


class CheckReport(Model):
    """The results of one run, and what it was about."""

    mode: Literal["pre", "post", "gate", "all"]
    results: tuple[CheckResult, ...]
    repository: str
    baseline: str | None = None
    baseline_reason: str | None = None
    head: str | None = None
    handoff: str | None = None
    rules: tuple[RuleInfo, ...] = ()
    """Every rule that could have run, so that a reader knows which were silent."""
    trust: ConsentState | None = None

    @property
    def verdict(self) -> Literal["pass", "blocked"]:
        """Blocked as soon as one blocking check did anything but pass: error, timeout, unknown, skipped too."""
        return "blocked" if self.blocking_failures else "pass"

    @property
    def passed(self) -> int:
        return len(self.passing)

    @property
    def total(self) -> int:
        """How many checks had something to judge."""
        return len(self.results) - len(self.not_applicable)

    @property
    def warnings(self) -> int:
        return len(self.warned)

    @property
    def blocking_failures(self) -> tuple[CheckResult, ...]:
        """What closes the gate, worst first."""
        return sort_worst_first(result for result in self.results if result.blocking and is_open(result))

    @property
    def warned(self) -> tuple[CheckResult, ...]:
        """What did not pass and does not block, worst first."""
        return sort_worst_first(result for result in self.results if not result.blocking and is_open(result))

    @property
    def passing(self) -> tuple[CheckResult, ...]:
        return tuple(result for result in self.results if result.outcome is Outcome.PASS)

    @property
    def not_applicable(self) -> tuple[CheckResult, ...]:
        return tuple(result for result in self.results if result.outcome is Outcome.NOT_APPLICABLE)

    @property
    def command_results(self) -> tuple[CheckResult, ...]:
        commands = {rule.id for rule in self.rules if rule.system == COMMAND}
        return tuple(result for result in self.results if result.id in commands)

    @property
    def rests_on_outside(self) -> bool:
        """Whether any result depends on the clock, the search path, permissions or a remote."""
        return any(result.outside for result in self.results)

    @property
    def can_be_recalled(self) -> bool:
        """Whether a second run on the same state would say the same; a command that ran and failed might pass then."""
        commands = {result.id for result in self.command_results}
        return all(
            result.summary.endswith(UNCONSENTED)
            or result.outcome in ({Outcome.PASS} if result.id in commands else _STEADY)
            for result in self.results
        )

    def with_results(self, results: Iterable[CheckResult]) -> CheckReport:
        """The report with other results, in the order of reports."""
        return self.model_copy(update={"results": sort_results(results)})

    def mark_recalled(self) -> CheckReport:
        """The report as shown if nothing has changed since: every result from the cache."""
        update = {"from_cache": True, "rerun_because": None}
        return self.model_copy(update={"results": tuple(result.model_copy(update=update) for result in self.results)})


def is_open(result: CheckResult) -> bool:
    """Whether a result leaves something to do: the check applies and did not pass."""
    return result.outcome not in CLOSED


def sort_worst_first(results: Iterable[CheckResult]) -> tuple[CheckResult, ...]:
    """By severity; results of one severity keep their order."""
    return tuple(sorted(results, key=lambda result: _WORST_FIRST[result.severity]))


def sort_results(results: Iterable[CheckResult]) -> tuple[CheckResult, ...]:
    """By severity, then by id: the order of a report. A fact that several checks report names them all."""
    return _join_facts(sorted(results, key=lambda result: (_WORST_FIRST[result.severity], result.id)))


def _join_facts(results: list[CheckResult]) -> tuple[CheckResult, ...]:
    by_fact: dict[tuple[str, int, str], dict[str, None]] = {}
    for result in sorted(filter(is_open, results), key=lambda result: not result.blocking):
        for finding in result.findings:
            if (fact := _find_fact(finding)) is not None:
                by_fact.setdefault(fact, {})[result.id] = None
    shared = {fact: tuple(rules) for fact, rules in by_fact.items() if len(rules) > 1}
    return tuple(_name_rules(result, shared) for result in results) if shared else tuple(results)


def _name_rules(result: CheckResult, shared: dict[tuple[str, int, str], tuple[str, ...]]) -> CheckResult:
    facts = [_find_fact(finding) for finding in result.findings]
    if not any(fact in shared for fact in facts):
        return result
    named = (
        finding.model_copy(update={"rules": shared[fact]}) if fact is not None and fact in shared else finding
        for finding, fact in zip(result.findings, facts, strict=True)
    )
    return result.model_copy(update={"findings": tuple(named)})


def _find_fact(finding: Finding) -> tuple[str, int, str] | None:
    """What a finding is about: a value that is expected at a line, or a file to read; None if it doesn't say."""
    place = next((one for one in finding.evidence if one.path and one.expected), None)
    if place is not None and place.expected == READABLE:
        return place.path or "", 0, READABLE
    if place is None or not place.line:
        return None
    value = (place.expected or "").removeprefix("sha256:").removesuffix(" exists")
    return place.path or "", place.line or 0, value
