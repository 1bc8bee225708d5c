from __future__ import annotations

from tests.support.trust_reports import DRIFT, FATAL, build_policy_report, build_proposal_report


def test_only_a_fatal_problem_is_fatal() -> None:
    """Drift is said, and closes nothing."""
    assert not build_policy_report(problems=(DRIFT,)).fatal
    assert build_policy_report(problems=(DRIFT, FATAL)).fatal


def test_proposal_is_complete_when_nobody_is_missing() -> None:
    """By the old policy and by the new one."""
    assert build_proposal_report(0, 0).complete
    assert not build_proposal_report(0, 1).complete
    assert not build_proposal_report(1, 0).complete
