from __future__ import annotations

from handoff_tui.models.check_result import CheckResult, Outcome
from handoff_tui.models.failure_report import FailedCheck, FailureReport
from handoff_tui.models.work import Severity


def test_first_is_the_one_in_front() -> None:
    """Nothing where nothing fails."""
    result = CheckResult(id="a", outcome=Outcome.FAIL, severity=Severity.LOW, blocking=False, summary="")
    failed = FailedCheck(result=result)
    assert FailureReport(blocked=False, passed=1, total=2, failed=(failed,)).first is failed
    assert FailureReport(blocked=False, passed=2, total=2).first is None
