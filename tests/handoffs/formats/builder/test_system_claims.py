"""Gates, baseline and clean room are read."""

from __future__ import annotations

from handoff_tui.config.settings.root import Builder
from handoff_tui.handoffs.formats.builder.results import find_baseline, find_checks, find_clean_room
from handoff_tui.handoffs.handoff import ClaimedBaseline
from handoff_tui.handoffs.reading.format import Source

_STANDARD = Builder().results_sections


def _source(text: str) -> Source:
    return Source.of_text("r.md", f"# R\n\n{text}")


def test_checks_come_from_lists_code_and_tables() -> None:
    """Each gate is a check with its result, whichever way it is listed."""
    text = (
        "## Gate Check — Installed Root\n- G1: PASS (4 chains)\n- **Overall: 8/8 gates PASS**\n- Command: `g --all`\n\n"
        "```\nG2: FAIL\n```\n\n## Gate Results\n\n| Gate | Result |\n|-|-|\n| G3 | PASSED |\n"
    )
    claims = find_checks(_source(text))
    assert [(claim.subject, claim.value, claim.where.line) for claim in claims] == [
        ("G1", "PASS", 4),
        ("Overall", "PASS", 5),
        ("G2", "FAIL", 9),
        ("G3", "PASS", 16),
    ]


def test_baseline_numbers_are_claimed() -> None:
    """Packages and tests are numbers; the rest of the snapshot stays in words."""
    text = "## Baseline Snapshot (AFTER this)\n- Package count: 23\n- Total tests (all staged): 163 passed\n- Rows: 8\n"
    reading = find_baseline(_source(text), _STANDARD)
    assert reading.baseline == ClaimedBaseline(packages=23, tests=163)
    assert [(claim.subject, claim.value, claim.where.line) for claim in reading.claims] == [
        ("packages", 23, 4),
        ("tests", 163, 5),
    ]
    assert [fact.value for fact in reading.facts] == ["Rows: 8"]


def test_baseline_in_prose_is_read() -> None:
    """A sentence states the number of packages as well."""
    reading = find_baseline(_source("## Baseline Snapshot\n- **13 packages installed** in 4 layers\n"), _STANDARD)
    assert reading.baseline == ClaimedBaseline(packages=13)


def test_baseline_without_numbers_is_nothing() -> None:
    """A snapshot of words declares no baseline."""
    reading = find_baseline(_source("## Baseline Snapshot\n- Packages installed: N/A\n"), _STANDARD)
    assert reading.baseline is None
    assert reading.claims == []


def test_clean_room_becomes_facts() -> None:
    """Packages, order and result of the clean-room installation are shown with their lines."""
    text = (
        "## Clean-Room Verification\n- Packages installed: 8 + 4 = 12\n- Install order: PKG-A-001 → PKG-B-001\n"
        "- All tests pass after each install: YES\n"
    )
    facts = find_clean_room(_source(text), _STANDARD)
    assert [(fact.name, fact.value, fact.where.line if fact.where else None) for fact in facts] == [
        ("clean-room packages installed", "8 + 4 = 12", 4),
        ("clean-room install order", "PKG-A-001 → PKG-B-001", 5),
        ("clean-room all pass", "YES", 6),
    ]


def test_clean_room_in_prose_gives_the_number() -> None:
    """`23 packages installed` in a sentence is found too."""
    facts = find_clean_room(_source("### Clean-Room Verification\n- 23 packages installed (2 + 21)\n"), _STANDARD)
    assert [fact.value for fact in facts] == ["23"]
