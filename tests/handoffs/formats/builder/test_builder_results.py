"""A results document as a whole."""

from __future__ import annotations

import pytest

from handoff_tui.config.settings.root import Builder
from handoff_tui.core.tasks import TestCounts
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.builder.draft import NumberedResults, number_results
from handoff_tui.handoffs.formats.builder.names import group_files
from handoff_tui.handoffs.formats.builder.results import ResultsReading, find_checks, find_status, read_results
from handoff_tui.handoffs.grammar.claims import find_claims
from handoff_tui.handoffs.grammar.counts import Run, complete_with, find_runs
from handoff_tui.handoffs.handoff import DocumentRole
from handoff_tui.handoffs.reading.format import Source, SourceFile
from handoff_tui.handoffs.reading.markdown import parse_markdown

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


def test_results_numbers_are_kept_apart() -> None:
    """The package's tests, the regression inside the same section, and other runs do not mix."""
    reading = _read(_FULL)
    assert reading.tests == TestCounts(total=4, passed=4)
    assert reading.regression is not None
    assert (reading.regression.total, reading.regression.passed) == (9, 9)
    assert _facts(reading, "other test run") == [("Additional Tests: total 2, passed 2", 35)]
    assert _facts(reading, "new failures introduced") == [("NONE", 32)]
    assert (reading.baseline and reading.baseline.packages) == 3


def test_results_missing_sections_are_named() -> None:
    """What the standard asks for and the document lacks is listed; variants count as present."""
    assert _read(_FULL).missing == ("Files Modified", "Clean-Room Verification", "Issues Encountered")


def test_results_commits_are_claimed_only_where_commits_are_spoken_of() -> None:
    """A shortened digest in code marks isn't a commit."""
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


def test_results_new_failures_may_be_a_list() -> None:
    """The points below the question are its answer."""
    text = (
        "## Full Regression\n- Total: 3\n- New failures introduced by this agent:\n  - test_a\n  - test_b\n- Other: 1\n"
    )
    assert _facts(_read(f"# Results: H-7\n\n{text}"), "new failures introduced") == [("test_a; test_b", 5)]


def _run(text: str) -> Run | None:
    return find_runs([section for section in parse_markdown(text).sections if section.level])[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "## T\n- Total: 12 tests\n- Passed: 9\n- Failed: 2\n- Skipped: 1\n- Command: `pytest lamp`\n",
            TestCounts(total=12, passed=9, failed=2, skipped=1, command="pytest lamp"),
        ),
        ("## T\n**Total:** 12\n**Passed:** 12\n", TestCounts(total=12, passed=12)),
        (
            "## T\n- Total: 77 collected before a stop\n- Passed: N/A (interrupted)\n- Failed: 3 collection errors\n",
            TestCounts(failed=3),
        ),
        (
            "## T\n\n| Suite | Tests | Result |\n|-|-|-|\n| a | 3 | PASS |\n| **Total** | **8** | **ALL PASS** |\n",
            TestCounts(total=8, passed=8),
        ),
        (
            "## T\n\n| | Total | Pass | Failed | Skipped |\n|-|-|-|-|-|\n| a | 1 | 1 | | |\n| All | 9 | 6 | 2 | 1 |\n",
            TestCounts(total=9, passed=6, failed=2, skipped=1),
        ),
        ("## T\n\n| Metric | Count |\n|-|-|\n| Total | 9 |\n| Passed | 9 |\n", TestCounts(total=9, passed=9)),
        ("## T\n\nIn all 553 passed, 26 failed, 17 skipped.\n", TestCounts(passed=553, failed=26, skipped=17)),
        ("## T\n\n12 total: 12 passed\n", TestCounts(total=12, passed=12)),
        ("## T\n\n```\n5 passed in 0.17s\n```\n", TestCounts(passed=5)),
        ("## T — 28/28 PASS\n", TestCounts(total=28, passed=28)),
        ("## T\n\n### lamp.py — 4/4 PASS\n", TestCounts(total=4, passed=4)),
    ],
)
def test_counts_are_read_as_a_person_reads_them(text: str, expected: TestCounts) -> None:
    """Each way of writing numbers gives those numbers; what is no number is nothing."""
    run = _run(text)
    assert run is not None
    assert run.counts().model_copy(update={"suites": ()}) == expected


@pytest.mark.parametrize(
    "text",
    [
        "## T\n- N/A (nothing was built)\n",
        "## T\n\n### a — 4/4 PASS\n\n### b — 3/3 PASS\n",
        "## T\n\n| # | Test | Result |\n|-|-|-|\n| 1 | `test_a` | PASS |\n| 2 | `test_b` | PASS |\n",
    ],
)
def test_counts_that_nobody_stated_are_nothing(text: str) -> None:
    """Sums are not made up, and rows of single tests aren't counts."""
    assert _run(text) is None


def test_counts_of_the_last_complete_attempt_win() -> None:
    """An interrupted attempt stays as an earlier run with its own words."""
    text = "## T\n- Attempt 1 (all):\n- Total: N/A\n- Failed: 9\n- Attempt 2:\n- Total: 7\n- Passed: 6\n- Failed: 1\n"
    run, earlier = find_runs(list(parse_markdown(text).sections))
    assert run is not None
    assert run.counts() == TestCounts(total=7, passed=6, failed=1)
    assert [other.words() for other in earlier] == ["Attempt 1 (all): failed 9"]


def test_counts_are_completed_only_where_they_agree() -> None:
    """Another sentence adds numbers to the same run, never to a different one."""
    same, other = Run(1, "", numbers={"passed": 5}), Run(1, "", numbers={"passed": 4})
    for run in (same, other):
        complete_with(run, TestCounts(total=5, passed=5))
    assert (same.numbers, other.numbers) == ({"total": 5, "passed": 5}, {"passed": 4})


@pytest.mark.parametrize(
    ("text", "token", "line"),
    [
        ("# R\n\n## Status: PASS\n", "PASS", 3),
        ("# R\n\n**Status**: PASS (with pre-existing failures)\n", "PASS", 3),
        ("# R\n\n**Date**: today\n**Status**: COMPLETE — 4/4 tests pass\n", "COMPLETE", 4),
        ("# R\n\n## Status\n\n**FAIL**\n", "FAIL", 5),
        ("# R\n\nText.\n\n## End\n\nVerdict: PASS\n", "PASS", 7),
        ("# R\n\n## Status — partial, see below\n", "PARTIAL", 3),
    ],
)
def test_status_is_read_wherever_it_stands(text: str, token: str, line: int) -> None:
    """Heading, field, section and closing verdict all state it."""
    status = find_status(Source.of_text("r.md", text))
    assert status is not None
    assert (status.token, status.line, status.claim.value) == (token, line, token)


@pytest.mark.parametrize("text", ["## Status: PASS | FAIL | PARTIAL\n", "**Status**: splendid\n"])
def test_status_that_is_none_is_reported(text: str) -> None:
    """A template left as it was, or an unknown word, is a problem and no status."""
    source = Source.of_text("r.md", f"# R\n\n{text}")
    assert find_status(source) is None
    assert [problem.line for problem in source.problems()] == [3]


_OLD, _NEW = "0a" * 32, "1b" * 32

Short = tuple[ClaimKind, str | None, object, int | None]


def _claims(text: str) -> list[Short]:
    source = Source.of_text("RESULTS_HANDOFF_7.md", f"# Results: H-7 — Remove a file\n\n{text}")
    return [
        (claim.kind, claim.subject, claim.value, claim.where.line)
        for claim in find_claims(source.outline.sections, source.path)
    ]


def test_file_list_claims_files_and_hashes() -> None:
    """Lists give a claim per file and per hash; a hash that is none gives none."""
    text = (
        f"## Files Created\n- src/lamp.py (SHA256: {_NEW})\n- `notes.md` (SHA256: N/A — self-referential)\n"
        f"## Files Modified\n- `src/oil.py` (SHA256 before: `{_OLD}`, after: `{_NEW}`)\n"
        f"## Files Deleted\n- `src/wick.py` (SHA256: {_OLD})\n- NONE\n"
    )
    assert _claims(text) == [
        (ClaimKind.FILE_CREATED, "src/lamp.py", None, 4),
        (ClaimKind.HASH, "src/lamp.py", f"sha256:{_NEW}", 4),
        (ClaimKind.FILE_CREATED, "notes.md", None, 5),
        (ClaimKind.FILE_MODIFIED, "src/oil.py", None, 7),
        (ClaimKind.HASH_BEFORE, "src/oil.py", f"sha256:{_OLD}", 7),
        (ClaimKind.HASH, "src/oil.py", f"sha256:{_NEW}", 7),
        (ClaimKind.FILE_DELETED, "src/wick.py", None, 9),
        (ClaimKind.HASH_BEFORE, "src/wick.py", f"sha256:{_OLD}", 9),
    ]


def test_file_hash_that_was_shortened_is_kept_as_written() -> None:
    """A shortened hash is a claim too, though it can only be compared in part."""
    assert (ClaimKind.HASH, "a/b.py", "12ab34...", 4) in _claims("## Files Created\n- a/b.py (SHA256: 12ab34...)\n")


def test_file_table_claims_by_column() -> None:
    """Tables have hashes before and after, actions, and folders in columns of their own."""
    text = (
        "## Files Modified\n\n| File | SHA256 Before | SHA256 After |\n|-|-|-|\n"
        f"| `a.py` | `sha256:{_OLD}` | `sha256:{_NEW}` |\n| `b.json` | (updated) | (updated) |\n\n"
        "## Files Summary\n\n| File | Location | Action |\n|-|-|-|\n| `c.py` | `src/` | DELETE |\n"
    )
    assert _claims(text) == [
        (ClaimKind.FILE_MODIFIED, "a.py", None, 7),
        (ClaimKind.HASH_BEFORE, "a.py", f"sha256:{_OLD}", 7),
        (ClaimKind.HASH, "a.py", f"sha256:{_NEW}", 7),
        (ClaimKind.FILE_MODIFIED, "b.json", None, 8),
        (ClaimKind.FILE_DELETED, "src/c.py", None, 14),
    ]


def test_file_archives_are_claimed_once() -> None:
    """An archive in two sections is one file; its hash is claimed wherever it stands."""
    text = (
        f"## Files Modified\n- `x.tar.gz` (SHA256 before: {_OLD}, after: {_NEW})\n"
        f"## Archives Built\n- `x.tar.gz` (SHA256: {_NEW})\n- `y.tar.gz`\n\n"
        f"**Archive**: `z.tar.gz`\n**Archive SHA256**: `{_OLD}`\n"
    )
    assert _claims(text) == [
        (ClaimKind.FILE_MODIFIED, "x.tar.gz", None, 4),
        (ClaimKind.HASH_BEFORE, "x.tar.gz", f"sha256:{_OLD}", 4),
        (ClaimKind.HASH, "x.tar.gz", f"sha256:{_NEW}", 4),
        (ClaimKind.FILE_CREATED, "y.tar.gz", None, 7),
        (ClaimKind.FILE_CREATED, "z.tar.gz", None, 9),
        (ClaimKind.HASH, "z.tar.gz", f"sha256:{_OLD}", 10),
    ]


def test_file_moves_are_a_deletion_and_a_creation() -> None:
    """A moved file is gone from one place and stands in another."""
    assert _claims("## Files Moved\n- `a/r.md` -> `b/r.md`\n") == [
        (ClaimKind.FILE_DELETED, "a/r.md", None, 4),
        (ClaimKind.FILE_CREATED, "b/r.md", None, 4),
    ]


def test_file_details_below_a_file_are_no_files() -> None:
    """Paths in the sub-points of a file describe it; sub-points of a mere label are files."""
    text = "## Files Modified\n### Phase 1\n- `a.py`:\n  - `b.py` is now used\n- Package two\n  - `c.py` — new name\n"
    assert [subject for _, subject, _, _ in _claims(text)] == ["a.py", "c.py"]


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


def _results(status: str, more: str = "") -> str:
    return f"# Results: HANDOFF-7\n\n**Agent**: Ada\n**Date**: 2031-01-02\n{more}\n## Status: {status}\n"


def _number(sources: list[Source]) -> list[NumberedResults]:
    [group], _ = group_files(sources, sorted)
    return number_results(group.of(DocumentRole.RESULTS), Builder())


def _tell(files: dict[str, str]) -> list[tuple[int, str | None]]:
    numbered = _number([Source.of_text(path, text) for path, text in files.items()])
    return [(results.number, results.reading.status) for results in numbered]


def test_gaps_between_attempts_are_filled() -> None:
    """1 and 3 are stated; the one that says nothing is 2, the next such is 4."""
    files = {
        "RESULTS_HANDOFF_7_ATTEMPT_1.md": _results("FAIL"),
        "RESULTS_HANDOFF_7_ATTEMPT_3.md": _results("PARTIAL"),
        "a/RESULTS_HANDOFF_7.md": _results("PASS"),
        "b/RESULTS_HANDOFF_7.md": _results("BLOCKED"),
    }
    assert _tell(files) == [(1, "FAIL"), (2, "PASS"), (3, "PARTIAL"), (4, "BLOCKED")]


def test_unreadable_results_are_attempts_each() -> None:
    """Nothing is known to be the same about two files that cannot be read."""
    numbered = _number([Source(SourceFile(f"{folder}/RESULTS_HANDOFF_7.md", "", readable=False)) for folder in "ab"])
    assert [(results.number, results.reading.status) for results in numbered] == [(1, None), (2, None)]


_SUITES = (
    "## Test Results\n\n### Unit\n\n- Total: 10\n- Passed: 10\n- Failed: 0\n\n"
    "### Integration\n\n- Total: 5\n- Passed: 4\n- Failed: 1\n"
)


def test_suites_below_several_headings_are_summed() -> None:
    """A failure in the last one is seen, and each suite is told."""
    run = _run(_SUITES)
    assert run is not None
    counts = run.counts()
    assert (counts.total, counts.passed, counts.failed) == (15, 14, 1)
    assert [(suite.name, suite.total, suite.failed) for suite in counts.suites] == [
        ("Unit", 10, 0),
        ("Integration", 5, 1),
    ]


def test_same_tests_at_another_time_are_no_suites() -> None:
    """The last complete run counts; nothing is added up."""
    run = _run(_SUITES.replace("### Unit", "### First run").replace("### Integration", "### After the fix"))
    assert run is not None
    assert (run.counts().total, run.counts().suites) == (5, ())


def test_packages_are_counted_by_the_document_s_own_list() -> None:
    """A sum is taken for what it comes to, and a list of another length is reported."""
    text = (
        "# Results: H-7\n\n## Status: PASS\n\n## Baseline Snapshot\n\n- Packages installed: 1 old + 2 new = 3 total\n"
    )
    reading = _read(text + "- Installed package IDs: PKG-A-001, PKG-B-001\n")
    assert reading.baseline is not None
    assert reading.baseline.packages == 3
    assert "says 3 packages, but lists 2" in [problem.message for problem in reading.source.problems()]


_OIL = "- Total: 12\n- Passed: 12\n- Failed: 0\n"
_WICK = "- Total: 8\n- Passed: 7\n- Failed: 1\n"


@pytest.mark.parametrize(
    "text",
    [
        f"## Test Results\n\n**PKG-OIL-001**\n{_OIL}\n**PKG-WICK-002 (v1.1)**:\n{_WICK}",
        f"## Test Results\n\nPackage: PKG-OIL-001\n\n{_OIL}\nPackage: PKG-WICK-002\n\n{_WICK}",
        f"## PKG-OIL-001\n\n### Test Results\n{_OIL}\n## PKG-WICK-002\n\n### Test Results\n{_WICK}",
        f"## Test Results — PKG-OIL-001\n{_OIL}\n## Test Results — PKG-WICK-002\n{_WICK}",
    ],
    ids=["bold", "field", "above", "heading"],
)
def test_packages_in_one_report_are_summed(text: str) -> None:
    """A failure in the second package is one of the handoff, however the packages are told apart."""
    counts = _read(f"# Results: HANDOFF-7 — Lamp\n\n## Status: PASS\n\n{text}").tests
    assert counts is not None
    assert (counts.total, counts.passed, counts.failed) == (20, 19, 1)
    assert [suite.name for suite in counts.suites] == ["PKG-OIL-001", "PKG-WICK-002"]
