"""How a profile was stood, as people and scripts see it."""

from __future__ import annotations

from handoff_tui.agents.engine.profile import build_profile_json, build_profile_page
from tests.support.procedure_reports import build_report
from tests.support.reviewed import list_lines


def test_page_prints_success_rollback_and_percentiles() -> None:
    """Everything that the profile is for."""
    report = build_report(
        failure_rate=0.1, completed=60, rolled_back=30, failed=10, injected=40, latency=build_report().latency
    )
    lines = list_lines(build_profile_page(report))
    assert lines[0] == "✓ held  RELIABILITY_STANDARD · P"
    text = "\n".join(lines)
    assert "60.0% (60 completed)" in text
    assert "100.0% (30 undone, 0 not; 10 failed before there was anything to undo)" in text
    assert "median 0.50 s · p90 0.75 · p95 1.00 · p99 1.50 · longest 2.00" in text


def test_page_of_a_profile_that_did_not_hold_says_so() -> None:
    """With what spoke against it."""
    lines = list_lines(build_profile_page(build_report(repeated=2, timed_out=3, latency=None)))
    assert lines[0].startswith("✗ did not hold")
    assert any(line.endswith("2 passed steps") for line in lines)
    assert any(line.endswith("3 runs") for line in lines)


def test_json_has_the_rates_and_the_verdict() -> None:
    """A rate of nothing is null."""
    value = build_profile_json(build_report())
    assert value["schema"] == "handoff-tui/profile/v1"
    assert (value["success_rate"], value["rollback_rate"], value["held"]) == (1.0, None, True)
