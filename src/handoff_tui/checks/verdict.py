"""Whether work may pass, from the results of its checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from handoff_tui.checks.result import CheckResult, Outcome

_GOOD = frozenset({Outcome.PASS, Outcome.NOT_APPLICABLE})


class CheckVerdict(NamedTuple):
    """Numbers over all results. What does not apply is not counted; warnings are counted apart."""

    blocked: bool
    passed: int
    total: int
    warnings: int

    @property
    def word(self) -> str:
        return "blocked" if self.blocked else "pass"


def is_good(result: CheckResult) -> bool:
    return result.outcome in _GOOD


def is_warning(result: CheckResult) -> bool:
    """A failure that does not block."""
    return not is_good(result) and not result.blocking


def build_verdict(results: Sequence[CheckResult]) -> CheckVerdict:
    """Blocked as soon as one blocking check did anything but pass: error, timeout, unknown, skipped, cancelled too."""
    counted = [result for result in results if result.outcome is not Outcome.NOT_APPLICABLE]
    return CheckVerdict(
        blocked=any(result.blocking and not is_good(result) for result in results),
        passed=sum(result.outcome is Outcome.PASS for result in counted),
        total=len(counted),
        warnings=sum(is_warning(result) for result in counted),
    )
