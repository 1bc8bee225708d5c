"""A status beside its own numbers."""

from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.builder.counts import STATUS_MATCHES_ITS_NUMBERS
from tests.support.builder_story import build_changed_results, build_world, results_path
from tests.support.world import judge

_REGRESSION = "- Total: 20 tests\n- Passed: 20\n- Failed: 0\n- Skipped: 0\n"


def _subjects(old: str, new: str) -> list[str]:
    return [found.subject for found in judge(STATUS_MATCHES_ITS_NUMBERS, build_changed_results(old, new))]


def test_status_that_fits_passes() -> None:
    """PASS without failures, and numbers that add up."""
    assert judge(STATUS_MATCHES_ITS_NUMBERS, build_world()) == []


@pytest.mark.parametrize("status", ["PASS", "PASS (with pre-existing failures)", "**PASS**"])
def test_status_pass_with_failures_is_found(status: str) -> None:
    """Whatever is said about them: the numbers report failures."""
    world = build_changed_results(_REGRESSION, "- Total: 20 tests\n- Passed: 17\n- Failed: 3\n- Skipped: 0\n")
    text = str(world.files[results_path("H-5")]).replace("## Status: PASS", f"## Status: {status}")
    [found] = judge(STATUS_MATCHES_ITS_NUMBERS, build_world({results_path("H-5"): text}))
    assert (found.subject, found.place and found.place.line) == ("H-5 regression.failed", 26)
    assert found.actual == "total 20, passed 17, failed 3, skipped 0"


def test_status_fail_with_failures_passes() -> None:
    """That is what the numbers say."""
    world = build_changed_results(_REGRESSION, "- Total: 20 tests\n- Passed: 17\n- Failed: 3\n- Skipped: 0\n")
    text = str(world.files[results_path("H-5")]).replace("## Status: PASS", "## Status: FAIL")
    assert judge(STATUS_MATCHES_ITS_NUMBERS, build_world({results_path("H-5"): text})) == []


@pytest.mark.parametrize(
    "numbers",
    [
        "- Total: 21 tests\n- Passed: 20\n- Failed: 0\n- Skipped: 0\n",
        "- Total: 20 tests\n- Passed: 15\n",
        "- Total: 20 tests\n- Passed: 22\n",
    ],
)
def test_status_with_numbers_that_do_not_add_up_is_found(numbers: str) -> None:
    """Too few parts, tests that nobody accounts for, more passed than there are."""
    assert _subjects(_REGRESSION, numbers) == ["H-5 regression.sum"]


def test_status_without_a_regression_is_found() -> None:
    """PASS needs the numbers; a collection that was interrupted has none."""
    assert _subjects(_REGRESSION, "- Passed: N/A (collection interrupted)\n") == ["H-5 regression"]
    assert _subjects(_REGRESSION, "- Total: 20\n- Passed: N/A\n") == ["H-5 regression.passed"]
    skipped = "- Total: 20\n- Passed: 0\n- Failed: 0\n- Skipped: 20\n"
    assert _subjects(_REGRESSION, skipped) == ["H-5 regression.passed"]


@pytest.mark.parametrize("status", ["## Status: PASS | FAIL | PARTIAL", "## Status: splendid", "## State of things"])
def test_status_that_cannot_be_read_is_found(status: str) -> None:
    """The choice of the template, a word that is no status, none at all."""
    assert _subjects("## Status: PASS", status) == ["H-5 status"]


def test_status_of_another_vocabulary_is_found() -> None:
    """COMPLETE is no status of results, and hides no failures."""
    found = build_changed_results(_REGRESSION, "- Total: 20\n- Passed: 18\n- Failed: 2\n")
    text = str(found.files[results_path("H-5")]).replace("## Status: PASS", "## Status: COMPLETE")
    subjects = [one.subject for one in judge(STATUS_MATCHES_ITS_NUMBERS, build_world({results_path("H-5"): text}))]
    assert subjects == ["H-5 status", "H-5 regression.failed"]


def test_status_pass_with_a_failed_gate_is_found() -> None:
    """A gate that the results themselves report as failed."""
    gate = "## Gate Check Results\n- G3: FAIL (2 chains)\n\n## Issues Encountered"
    assert _subjects("## Issues Encountered", gate) == ["H-5 check G3"]


def test_status_needs_results() -> None:
    """A spec alone has no status; results that are empty cannot be judged."""
    with pytest.raises(NotApplicableError):
        judge(STATUS_MATCHES_ITS_NUMBERS, build_world({results_path("H-5"): None}))
    found = judge(STATUS_MATCHES_ITS_NUMBERS, build_world({results_path("H-5"): ""}))
    assert [one.subject for one in found] == [f"unreadable {results_path('H-5')}"]
