"""The record of a full regression."""

from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.builder.results import FULL_REGRESSION_RECORDED
from tests.support.builder_story import build_changed_results, build_results, build_world, results_path
from tests.support.world import judge

_NUMBERS = "- Total: 20 tests\n- Passed: 20\n- Failed: 0\n- Skipped: 0\n"


def _subjects(old: str, new: str) -> list[str]:
    return [found.subject for found in judge(FULL_REGRESSION_RECORDED, build_changed_results(old, new))]


def test_regression_with_numbers_and_command_passes() -> None:
    """Also where all passed and the failures are not spelled out."""
    assert judge(FULL_REGRESSION_RECORDED, build_world()) == []
    assert _subjects(_NUMBERS, "- Total: 20\n- Passed: 20\n") == []


def test_regression_that_is_only_mentioned_is_found() -> None:
    """The words are there, the numbers are not."""
    assert _subjects(_NUMBERS, "The full regression was run and all is well.\n") == ["H-5 regression"]


def test_regression_with_gaps_is_found() -> None:
    """A collection that was interrupted, no command, no word on new failures."""
    assert _subjects(_NUMBERS, "- Total: 20\n- Passed: N/A (interrupted)\n- Failed: 2\n") == ["H-5 regression.passed"]
    assert _subjects("- Command: `pytest`\n", "") == ["H-5 regression.command"]
    assert _subjects("- New failures introduced by this agent: NONE\n", "") == ["H-5 new failures"]


def test_regression_smaller_than_the_package_is_found() -> None:
    """All packages cannot have fewer tests than one."""
    assert _subjects(_NUMBERS, "- Total: 8\n- Passed: 8\n- Failed: 0\n") == ["H-5 regression.total"]


def test_regression_over_some_packages_is_found() -> None:
    """A command that names packages must name as many as the baseline has; left out ones do not count."""
    text = build_results("H-5", packages=3)
    named = text.replace("- Command: `pytest`", "- Command: `pytest PKG-LAMP-001 PKG-OIL-001 --ignore=PKG-OIL-002`")
    [found] = judge(FULL_REGRESSION_RECORDED, build_world({results_path("H-5"): named}))
    assert (found.subject, found.actual) == ("H-5 regression.packages", "PKG-LAMP-001, PKG-OIL-001")
    every = text.replace("- Command: `pytest`", "- Command: `pytest PKG-LAMP-001 PKG-OIL-001 PKG-OIL-002`")
    assert judge(FULL_REGRESSION_RECORDED, build_world({results_path("H-5"): every})) == []


def test_regression_rule_needs_results() -> None:
    """Without results there is nothing to record; empty ones are found."""
    with pytest.raises(NotApplicableError):
        judge(FULL_REGRESSION_RECORDED, build_world({results_path("H-5"): None}))
    assert len(judge(FULL_REGRESSION_RECORDED, build_world({results_path("H-5"): ""}))) == 1
