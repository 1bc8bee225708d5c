from __future__ import annotations

import pytest

from handoff_tui.core.tasks import TestCounts
from handoff_tui.handoffs.reading.claim_words import claim_first_counts, find_counts, says_nothing, top_items
from handoff_tui.handoffs.reading.markdown import parse_markdown


def test_find_counts_takes_one_sentence_only() -> None:
    """Numbers of two runs are not added up."""
    found = find_counts("Before: 3 passed. After: 40/41 tests passing, 1 failed.")
    assert found is not None
    assert found[0] == TestCounts(passed=3)


def test_claim_first_counts_skips_code() -> None:
    """A number in a code block is output, not a claim."""
    outline = parse_markdown("```\n9 passed\n```\n\nAll 12/12 tests pass.\n")
    counts, claims = claim_first_counts(outline.lines(), "a.md")
    assert counts == TestCounts(total=12, passed=12)
    assert [(claim.subject, claim.value, claim.where.line) for claim in claims] == [
        ("suite.total", 12, 5),
        ("suite.passed", 12, 5),
    ]


@pytest.mark.parametrize(
    "text", ["None", "- none", "N/A", "No known blockers.", "**None** at this time", "", "nothing yet"]
)
def test_says_nothing_knows_the_words_for_nothing(text: str) -> None:
    """Entries that only say there is nothing."""
    assert says_nothing(text)


@pytest.mark.parametrize("text", ["No database access", "Nonexistent table", "The lamp is broken"])
def test_says_nothing_keeps_real_entries(text: str) -> None:
    """An entry that begins like `none` but says something."""
    assert not says_nothing(text)


def test_top_items_leaves_nested_ones_out() -> None:
    """Only the outermost list counts."""
    section = parse_markdown("- a\n  - b\n- c\n").sections[0]
    assert [item.text for item in top_items(section)] == ["a", "c"]
