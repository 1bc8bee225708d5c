"""Sections of specs."""

from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.builder.document_shape import SPEC_SECTIONS_IN_ORDER
from tests.support.builder_story import build_spec, build_world, spec_path
from tests.support.world import MemoryWorld, judge


def _subjects(text: str) -> list[str]:
    return [found.subject for found in judge(SPEC_SECTIONS_IN_ORDER, build_world({spec_path("H-5"): text}))]


def test_spec_with_all_sections_passes() -> None:
    """Ten sections in order, ten constraints."""
    assert judge(SPEC_SECTIONS_IN_ORDER, build_world()) == []


def test_spec_without_a_section_is_found() -> None:
    """A word in the text is no section."""
    text = build_spec("H-5").replace("## 6. Test Plan\n", "The Test Plan is clear.\n")
    assert _subjects(text) == ["section Test Plan"]


def test_spec_with_an_empty_section_is_found() -> None:
    """A heading with nothing under it says nothing."""
    text = build_spec("H-5").replace("## 6. Test Plan\n\nWords.\n", "## 6. Test Plan\n\n")
    assert _subjects(text) == ["empty 6. Test Plan"]


def test_spec_out_of_order_is_found() -> None:
    """The finding names the line of the section that comes too late."""
    text = build_spec("H-5").replace("## 1. Mission\n\nA lamp in PKG-LAMP-001.\n\n", "")
    world = build_world({spec_path("H-5"): text + "\n## 1. Mission\n\nA lamp in PKG-LAMP-001.\n"})
    [found] = judge(SPEC_SECTIONS_IN_ORDER, world)
    assert (found.subject, found.expected) == ("order Mission", "section 1 of 10")
    assert found.place is not None
    assert found.place.line is not None


def test_spec_with_too_few_constraints_is_found() -> None:
    """The constraints that every spec has are counted."""
    [found] = judge(
        SPEC_SECTIONS_IN_ORDER,
        build_world({spec_path("H-5"): build_spec("H-5").replace("10. Constraint number 10.\n", "")}),
    )
    assert (found.subject, found.actual) == ("constraints", "9")


def test_spec_that_is_missing_or_empty_is_found() -> None:
    """Results without a spec, and a spec without a word."""
    assert [found.subject for found in judge(SPEC_SECTIONS_IN_ORDER, build_world({spec_path("H-5"): None}))] == [
        "H-5 spec"
    ]
    assert _subjects("") == [f"unreadable {spec_path('H-5')}"]


def test_spec_rule_needs_a_builder_handoff() -> None:
    """Nothing to judge elsewhere."""
    with pytest.raises(NotApplicableError):
        judge(SPEC_SECTIONS_IN_ORDER, MemoryWorld(files={"README.md": "# A"}))
