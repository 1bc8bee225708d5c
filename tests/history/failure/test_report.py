from __future__ import annotations

from handoff_tui.checks.result import CheckResult, Outcome
from handoff_tui.core.severity import Severity
from handoff_tui.history.failure.report import FailedCheck, FailureReport


def test_first_is_the_one_in_front() -> None:
    """Nothing where nothing fails."""
    result = CheckResult(id="a", outcome=Outcome.FAIL, severity=Severity.LOW, blocking=False, summary="")
    failed = FailedCheck(result=result)
    assert FailureReport(blocked=False, passed=1, total=2, failed=(failed,)).first is failed
    assert FailureReport(blocked=False, passed=2, total=2).first is None
