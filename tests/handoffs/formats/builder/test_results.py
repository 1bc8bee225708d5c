"""A results document as a whole."""

from __future__ import annotations

from handoff_tui.config.settings.root import Builder
from handoff_tui.core.tasks import TestCounts
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.builder.results import ResultsReading, read_results
from handoff_tui.handoffs.reading.format import Source, SourceFile

_FULL = """# Results: HANDOFF-7 — Lamp

**Date**: 2031-05-06
**Agent**: HANDOFF-7
**Platform**: Lamplighter 3
**Package**: PKG-LAMP-001 v1.0.0
**Attempt**: 2

## Status: PASS

## Summary

Trimmed the wick.

## Files Created
- `src/lamp.py`

## Archives Built
- NONE

## Test Results — THIS PACKAGE
- Total: 4 tests
- Passed: 4

### Regression Tests — ALL PASS

| Suite | Tests | Result |
|-------|-------|--------|
| lamp | 4 | PASS |
| Total | 9 | ALL PASS |

- New failures introduced by this agent: NONE

## Additional Tests
- Total: 2
- Passed: 2

## Baseline Snapshot
- Packages installed: 3

## Notes for Reviewer
- Committed as `12ab34c`; the digest `98fe76d...` is stale.
"""


def _read(text: str) -> ResultsReading:
    return read_results(Source.of_text("RESULTS_HANDOFF_7.md", text), Builder())


def _facts(reading: ResultsReading, name: str) -> list[tuple[str, int | None]]:
    return [(fact.value, fact.where.line if fact.where else None) for fact in reading.facts if fact.name == name]


def test_results_head_is_read() -> None:
    """Date, agent and attempt come from under the title; an agent called by the handoff's id has another name."""
    reading = _read(_FULL)
    assert (reading.status, reading.status_line) == ("PASS", 9)
    assert (reading.agent, reading.date, reading.attempt) == ("Lamplighter 3", "2031-05-06", 2)
    assert reading.summary == "Trimmed the wick."
    assert _facts(reading, "package") == [("PKG-LAMP-001 v1.0.0", 6)]


def test_results_numbers_are_kept_apart() -> None:
    """The package's tests, the regression inside the same section, and other runs do not mix."""
    reading = _read(_FULL)
    assert reading.tests == TestCounts(total=4, passed=4)
    assert reading.regression == TestCounts(total=9, passed=9)
    assert _facts(reading, "other test run") == [("Additional Tests: total 2, passed 2", 35)]
    assert _facts(reading, "new failures introduced") == [("NONE", 32)]
    assert reading.baseline is not None
    assert reading.baseline.packages == 3


def test_results_missing_sections_are_named() -> None:
    """What the standard asks for and the document lacks is listed; variants count as present."""
    assert _read(_FULL).missing == ("Files Modified", "Clean-Room Verification", "Issues Encountered")


def test_results_status_as_a_field_is_no_missing_section() -> None:
    """A status under the title is a status."""
    assert "Status" not in _read("# Results: H-7\n\n**Status**: PASS\n").missing


def test_results_commits_are_claimed_only_where_commits_are_spoken_of() -> None:
    """A shortened digest in code marks is no commit."""
    lines = _FULL.replace("; the digest", ".\n- The digest")
    claims = [claim for claim in _read(lines).claims if claim.kind is ClaimKind.COMMIT]
    assert [(claim.value, claim.where.line) for claim in claims] == [("12ab34c", 42)]


def test_results_status_line_completes_the_numbers() -> None:
    """`4/4 tests pass` beside `4 passed` tells the total too."""
    reading = _read(
        "# Results: H-7\n\n**Status**: COMPLETE — 4/4 tests pass\n\n## Test Results\n\n```\n4 passed in 1s\n```\n"
    )
    assert reading.tests == TestCounts(total=4, passed=4)


def test_results_status_line_alone_gives_numbers() -> None:
    """Without a test section the status line is all there is, and is claimed at its place."""
    reading = _read("# Results: H-7\n\n**Status**: PASS 4/4\n")
    assert reading.tests == TestCounts(total=4, passed=4)
    counts = [claim for claim in reading.claims if claim.kind is ClaimKind.COUNT]
    assert [(claim.subject, claim.where.line) for claim in counts] == [("package.total", 3), ("package.passed", 3)]


def test_results_backfill_is_marked_only_where_said_of_itself() -> None:
    """A file written afterwards says so; one that lists other backfills is none."""
    backfilled = _read("# Results: H-7\n\n## Status: PASS\n\n## Notes\n- Backfill RESULTS file written by H-9\n")
    other = _read(
        "# Results: H-7\n\n## Status: PASS\n\n## RESULTS Files Created (backfill)\n- `RESULTS_HANDOFF_5.md`\n"
    )
    assert _facts(backfilled, "backfill") == [("Backfill RESULTS file written by H-9", 6)]
    assert _facts(other, "backfill") == []


def test_results_that_cannot_be_read_say_nothing() -> None:
    """An unreadable file is an empty reading."""
    reading = read_results(Source(SourceFile("RESULTS_HANDOFF_7.md", "", readable=False)), Builder())
    assert (reading.status, reading.claims, reading.missing) == (None, [], ())


def test_results_new_failures_may_be_a_list() -> None:
    """The points below the question are its answer."""
    text = (
        "## Full Regression\n- Total: 3\n- New failures introduced by this agent:\n  - test_a\n  - test_b\n- Other: 1\n"
    )
    assert _facts(_read(f"# Results: H-7\n\n{text}"), "new failures introduced") == [("test_a; test_b", 5)]


def test_results_branch_is_claimed() -> None:
    """A branch under the title is a claim."""
    claims = _read("# Results: H-7\n\n**Branch**: `lamp`\n").claims
    assert [(claim.kind, claim.value, claim.where.line) for claim in claims] == [(ClaimKind.BRANCH, "lamp", 3)]
