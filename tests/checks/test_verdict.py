from __future__ import annotations

import pytest

from handoff_tui.checks.result import CheckResult, Outcome
from handoff_tui.checks.verdict import build_verdict, is_good, is_warning
from handoff_tui.core.severity import Severity


def build_result(outcome: Outcome, *, blocking: bool = True) -> CheckResult:
    return CheckResult(id="any", outcome=outcome, severity=Severity.HIGH, blocking=blocking, summary="")


@pytest.mark.parametrize("outcome", list(Outcome))
def test_verdict_blocks_on_anything_but_a_pass(outcome: Outcome) -> None:
    """A blocking check that erred, timed out, was skipped, cancelled or cannot tell closes the gate."""
    good = outcome in {Outcome.PASS, Outcome.NOT_APPLICABLE}
    verdict = build_verdict([build_result(outcome)])
    assert verdict.blocked is not good
    assert verdict.word == ("pass" if good else "blocked")
    assert is_good(build_result(outcome)) is good


@pytest.mark.parametrize("outcome", [outcome for outcome in Outcome if outcome is not Outcome.NOT_APPLICABLE])
def test_verdict_is_not_blocked_by_a_check_that_does_not_block(outcome: Outcome) -> None:
    """A check that does not block warns at most."""
    verdict = build_verdict([build_result(outcome, blocking=False)])
    assert not verdict.blocked
    assert verdict.warnings == (0 if outcome is Outcome.PASS else 1)


def test_verdict_does_not_count_what_does_not_apply() -> None:
    """N of M passed is about the checks that had something to judge."""
    results = [
        build_result(Outcome.PASS),
        build_result(Outcome.NOT_APPLICABLE),
        build_result(Outcome.FAIL),
        build_result(Outcome.FAIL, blocking=False),
    ]
    verdict = build_verdict(results)
    assert (verdict.passed, verdict.total, verdict.warnings) == (1, 3, 1)


def test_verdict_counts_warnings_apart() -> None:
    """A blocking failure is no warning."""
    assert not is_warning(build_result(Outcome.FAIL))
    assert is_warning(build_result(Outcome.FAIL, blocking=False))
    assert not is_warning(build_result(Outcome.PASS, blocking=False))


def test_verdict_over_nothing_passes() -> None:
    """Without any check there is nothing that blocks, and nothing is said to have passed."""
    verdict = build_verdict([])
    assert (verdict.blocked, verdict.passed, verdict.total, verdict.warnings) == (False, 0, 0, 0)
