"""Sections of results."""

from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.builder.document_shape import RESULTS_SECTIONS_PRESENT
from tests.support.builder_story import (
    build_changed_results,
    build_prompt,
    build_world,
    prompt_path,
    results_path,
)
from tests.support.world import judge


def test_results_with_all_sections_pass() -> None:
    """Other words after the name of a section do not matter."""
    assert judge(RESULTS_SECTIONS_PRESENT, build_world()) == []


def test_results_without_a_section_are_found() -> None:
    """Mentioning the clean room elsewhere is no section."""
    world = build_changed_results("## Clean-Room Verification", "The clean-room verification went well.")
    assert [found.subject for found in judge(RESULTS_SECTIONS_PRESENT, world)] == ["section Clean-Room Verification"]


def test_results_with_an_empty_section_are_found() -> None:
    """A heading alone records nothing."""
    [found] = judge(
        RESULTS_SECTIONS_PRESENT, build_changed_results("## Files Modified\n- NONE\n", "## Files Modified\n")
    )
    assert (found.subject, found.place and found.place.path) == ("empty Files Modified", results_path("H-5"))


def test_results_of_the_newest_attempt_count() -> None:
    """An older attempt may be as it was."""
    old = f"{results_path('H-5')[:-3]}_ATTEMPT_1.md"
    assert judge(RESULTS_SECTIONS_PRESENT, build_world({old: "# Results: H-5\n\n## Status: FAIL\n"})) == []


def test_results_that_are_due_and_missing_are_found() -> None:
    """Due when just this handoff is to pass, or when a registry calls it done."""
    world = build_world({results_path("H-5"): None})
    assert [found.subject for found in judge(RESULTS_SECTIONS_PRESENT, world, scope="H-5")] == ["H-5 results"]
    registry = "# Registry\n\n| ID | Status |\n|---|---|\n| H-5 | VALIDATED |\n"
    said = build_world({results_path("H-5"): None, "handoffs/REGISTRY.md": registry})
    assert [found.subject for found in judge(RESULTS_SECTIONS_PRESENT, said)] == ["H-5 results"]


def test_results_that_are_not_due_are_no_finding() -> None:
    """A handoff that was only sent out owes nothing yet."""
    with pytest.raises(NotApplicableError, match="none is due"):
        judge(
            RESULTS_SECTIONS_PRESENT, build_world({results_path("H-5"): None, prompt_path("H-5"): build_prompt("H-5")})
        )


def test_results_that_are_empty_are_found() -> None:
    """An empty file cannot be judged, which is said once."""
    found = judge(RESULTS_SECTIONS_PRESENT, build_world({results_path("H-5"): ""}))
    assert [one.subject for one in found] == [f"unreadable {results_path('H-5')}"]
