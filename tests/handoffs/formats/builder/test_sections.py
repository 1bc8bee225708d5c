"""Sections are found under their variants, and missing ones are named."""

from __future__ import annotations

import pytest

from handoff_tui.handoffs.formats.builder.sections import (
    body,
    fields,
    find_section,
    is_heading_of,
    misplaced_sections,
    missing_sections,
    preamble,
)
from handoff_tui.handoffs.reading.markdown import parse_markdown


@pytest.mark.parametrize(
    ("heading", "wanted"),
    [
        ("Baseline Snapshot (AFTER this work)", "Baseline Snapshot"),
        ("Full Regression — ALL STAGED PACKAGES", "Full Regression Test"),
        ("Full Regression Test -- ALL STAGED PACKAGES", "Full Regression Test"),
        ("Regression Tests — ALL PASS", "Full Regression Test"),
        ("Test Results — 6 New Packages", "Test Results"),
        ("Archives Rebuilt", "Archives Built"),
        ("Clean Room", "Clean-Room Verification"),
        ("Notes", "Notes for Reviewer"),
    ],
)
def test_heading_variant_counts_as_present(heading: str, wanted: str) -> None:
    """The variants seen in practice open the same section."""
    assert is_heading_of(heading, wanted)


def test_heading_of_another_section_does_not_count() -> None:
    """A heading must begin with the name, not only contain it."""
    assert not is_heading_of("Verification", "End-to-End Verification")
    assert not is_heading_of("Testing", "Test Results")


def test_sections_missing_and_misplaced_are_named() -> None:
    """Numbers and deeper levels do not matter; order does."""
    outline = parse_markdown("# T\n\n## 2. Beta\n\n### 1. Alpha\n\n## 4. Delta\n")
    standard = ("Alpha", "Beta", "Gamma", "Delta")
    assert missing_sections(outline, standard) == ("Gamma",)
    assert misplaced_sections(outline, standard) == ("Alpha",)


def test_body_leaves_out_sections_of_the_standard() -> None:
    """A regression one level deeper is not part of the package's own tests."""
    outline = parse_markdown("## Test Results\n\n### lamp\n\n### Regression Tests\n\n#### deeper\n\n### more\n")
    section = find_section(outline, "Test Results")
    assert section is not None
    parts = body(outline, section, ("Test Results", "Full Regression Test"))
    assert [part.name for part in parts] == ["Test Results", "lamp", "more"]


def test_fields_come_from_lines_bars_and_tables() -> None:
    """All three ways to write a field give a name and a value."""
    outline = parse_markdown(
        "# T\n\n**Agent**: Ada | **Date**: today\n\n- `Total`: 4\n\n| Field | Value |\n|-|-|\n| Layer | 3 |\n"
    )
    found = [(line.number, name, value) for line, name, value in fields(preamble(outline))]
    assert found == [(3, "agent", "Ada"), (3, "date", "today"), (5, "total", "4"), (9, "layer", "3")]
