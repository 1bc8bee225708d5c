from __future__ import annotations

import pytest

from handoff_tui.checks.report import is_open, sort_worst_first
from handoff_tui.checks.result import Outcome
from handoff_tui.core.severity import Severity
from tests.support.check_reports import build_report, build_result


@pytest.mark.parametrize("outcome", Outcome)
def test_result_is_open_unless_it_passed_or_does_not_apply(outcome: Outcome) -> None:
    """An error, a timeout and an unknown outcome never count as a pass."""
    assert is_open(build_result(outcome=outcome)) is (outcome not in {Outcome.PASS, Outcome.NOT_APPLICABLE})


def test_worst_come_first_and_equals_keep_their_order() -> None:
    """By severity alone."""
    severities = (Severity.LOW, Severity.CRITICAL, Severity.LOW, Severity.HIGH)
    results = [build_result(f"check-{number}", severity=severity) for number, severity in enumerate(severities)]
    assert [result.id for result in sort_worst_first(results)] == ["check-1", "check-3", "check-0", "check-2"]


def test_report_parts_its_results() -> None:
    """What blocks, what warns, what passed and what does not apply are four lists that share nothing."""
    report = build_report(
        build_result("warns", Outcome.FAIL, severity=Severity.LOW),
        build_result("blocks", Outcome.FAIL),
        build_result("blocks-worse", Outcome.ERROR, severity=Severity.CRITICAL),
        build_result("passed"),
        build_result("elsewhere", Outcome.NOT_APPLICABLE),
    )
    parts = (report.blocking_failures, report.warned, report.passing, report.not_applicable)
    assert [[result.id for result in part] for part in parts] == [
        ["blocks-worse", "blocks"],
        ["warns"],
        ["passed"],
        ["elsewhere"],
    ]
