"""What one run of the checks says: the verdict, the results, and what they were asked about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from handoff_tui.checks.result import CheckResult, Outcome
from handoff_tui.core.model import Model
from handoff_tui.core.severity import Severity

_WORST_FIRST = {severity: number for number, severity in enumerate(Severity)}


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
    """A command that a repository would have us run."""

    id: str
    argv: tuple[str, ...]
    scripts: tuple[tuple[str, str], ...]
    """Words of it that are files of the repository, each with the digest of its content."""


class RequestedCommands(NamedTuple):
    """All that a repository would have us run, and the digest over just that."""

    digest: str
    commands: tuple[RequestedCommand, ...]
    functions: tuple[str, ...] = ()
    """Checks in Python: `name=module:function`."""


class CheckReport(Model):
    """Numbers, results and surroundings of one run. What does not apply is not counted in `total`."""

    mode: Literal["pre", "post", "gate", "all"]
    verdict: Literal["pass", "blocked"]
    passed: int
    total: int
    warnings: int
    results: tuple[CheckResult, ...]
    repository: str
    baseline: str | None = None
    baseline_reason: str | None = None
    head: str | None = None
    handoff: str | None = None
    rules: tuple[RuleInfo, ...] = ()
    """Every rule that could have run, so that a reader knows what was silent."""
    trust: ConsentState | None = None

    @property
    def blocking_failures(self) -> tuple[CheckResult, ...]:
        """What closes the gate, worst first: anything that blocks and did not pass."""
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


def is_open(result: CheckResult) -> bool:
    """Whether a result leaves something to be done: neither passed nor out of place here."""
    return result.outcome not in {Outcome.PASS, Outcome.NOT_APPLICABLE}


def sort_worst_first(results: Iterable[CheckResult]) -> tuple[CheckResult, ...]:
    """By severity; results of one severity keep their order."""
    return tuple(sorted(results, key=lambda result: _WORST_FIRST[result.severity]))
