from __future__ import annotations

import pytest

from handoff_tui.checks.report import is_open, sort_worst_first
from handoff_tui.checks.result import Outcome
from handoff_tui.core.severity import Severity
from tests.support.check_reports import build_report, build_result

GOOD = {Outcome.PASS, Outcome.NOT_APPLICABLE}


@pytest.mark.parametrize("outcome", Outcome)
def test_report_is_blocked_by_anything_but_a_pass(outcome: Outcome) -> None:
    """A blocking check that erred, timed out, was skipped, cancelled or cannot tell closes the gate."""
    result = build_result(outcome=outcome)
    assert is_open(result) is (outcome not in GOOD)
    assert build_report(result).verdict == ("pass" if outcome in GOOD else "blocked")


@pytest.mark.parametrize("outcome", Outcome)
def test_check_that_does_not_block_warns_at_most(outcome: Outcome) -> None:
    """Each failure of it is a warning."""
    report = build_report(build_result(outcome=outcome).model_copy(update={"blocking": False}))
    assert (report.verdict, report.warnings) == ("pass", 0 if outcome in GOOD else 1)


def test_worst_come_first_and_equals_keep_their_order() -> None:
    """By severity alone."""
    severities = (Severity.LOW, Severity.CRITICAL, Severity.LOW, Severity.HIGH)
    results = [build_result(f"check-{number}", severity=severity) for number, severity in enumerate(severities)]
    assert [result.id for result in sort_worst_first(results)] == ["check-1", "check-3", "check-0", "check-2"]


def test_report_groups_and_counts_its_results() -> None:
    """Blocking, warning, passed and not applicable share nothing; what does not apply is not counted."""
    report = build_report(
        build_result("warns", Outcome.FAIL, severity=Severity.LOW),
        build_result("blocks", Outcome.FAIL),
        build_result("blocks-worse", Outcome.ERROR, severity=Severity.CRITICAL),
        build_result("passed"),
        build_result("elsewhere", Outcome.NOT_APPLICABLE),
    )
    groups = (report.blocking_failures, report.warned, report.passing, report.not_applicable)
    assert [[result.id for result in group] for group in groups] == [
        ["blocks-worse", "blocks"],
        ["warns"],
        ["passed"],
        ["elsewhere"],
    ]
    assert (report.passed, report.total, report.warnings) == (1, 4, 1)


def test_report_without_results_passes() -> None:
    """Nothing blocks, and nothing is said to have passed."""
    report = build_report()
    assert (report.verdict, report.passed, report.total, report.warnings) == ("pass", 0, 0, 0)
