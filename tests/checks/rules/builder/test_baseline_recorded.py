"""The record of a baseline."""

from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.builder.results import BASELINE_RECORDED
from tests.support.builder_story import build_changed_results, build_world, results_path
from tests.support.world import judge

_BASELINE = "- Packages installed: 1\n- Total tests (all staged): 20\n"


def _subjects(new: str) -> list[str]:
    return [found.subject for found in judge(BASELINE_RECORDED, build_changed_results(_BASELINE, new))]


def test_baseline_with_both_numbers_passes() -> None:
    """Packages and tests; more tests than were run is possible, for packages may be left out of a run."""
    assert judge(BASELINE_RECORDED, build_world()) == []
    assert _subjects("- Packages installed: 1\n- Total tests (all staged): 25\n") == []


def test_baseline_with_gaps_is_found() -> None:
    """No numbers, one number, no package at all."""
    assert _subjects("- As before.\n") == ["H-5 baseline.packages", "H-5 baseline.tests"]
    assert _subjects("- Packages installed: N\n- Total tests (all staged): 20\n") == ["H-5 baseline.packages"]
    assert _subjects("- Packages installed: 0\n- Total tests (all staged): 20\n") == ["H-5 baseline.packages"]


def test_baseline_below_its_own_regression_is_found() -> None:
    """There cannot be fewer tests than were run."""
    [found] = judge(
        BASELINE_RECORDED, build_changed_results(_BASELINE, "- Packages installed: 1\n- Total tests (all staged): 19\n")
    )
    assert (found.subject, found.expected, found.actual) == ("H-5 baseline.tests", "at least 20 tests", "19 tests")
    assert found.place is not None
    assert found.place.line is not None


def test_baseline_rule_needs_results() -> None:
    """Without results there is no record; empty ones are found."""
    with pytest.raises(NotApplicableError):
        judge(BASELINE_RECORDED, build_world({results_path("H-5"): None}))
    assert len(judge(BASELINE_RECORDED, build_world({results_path("H-5"): ""}))) == 1
