"""Test numbers are read from fields, tables, output and prose."""

from __future__ import annotations

import pytest

from handoff_tui.core.tasks import TestCounts
from handoff_tui.handoffs.formats.builder.counts import Run, complete_with, find_runs
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.markdown import parse_markdown


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
            TestCounts(total=77, failed=3),
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
    assert run.counts() == expected


@pytest.mark.parametrize(
    "text",
    [
        "## T\n- N/A (nothing was built)\n",
        "## T\n\n### a — 4/4 PASS\n\n### b — 3/3 PASS\n",
        "## T\n\n| # | Test | Result |\n|-|-|-|\n| 1 | `test_a` | PASS |\n| 2 | `test_b` | PASS |\n",
    ],
)
def test_counts_that_nobody_stated_are_nothing(text: str) -> None:
    """Sums are not made up, and rows of single tests are no counts."""
    assert _run(text) is None


def test_counts_of_the_last_complete_attempt_win() -> None:
    """An interrupted attempt stays as an earlier run with its own words."""
    text = "## T\n- Attempt 1 (all):\n- Total: N/A\n- Failed: 9\n- Attempt 2:\n- Total: 7\n- Passed: 6\n- Failed: 1\n"
    run, earlier = find_runs(list(parse_markdown(text).sections))
    assert run is not None
    assert run.counts() == TestCounts(total=7, passed=6, failed=1)
    assert [other.words() for other in earlier] == ["Attempt 1 (all): failed 9"]


def test_counts_claim_their_own_lines() -> None:
    """Each number is claimed at the line on which it stands."""
    run = _run("## T\n- Total: 4\n- Passed: 3\n")
    assert run is not None
    claims = run.claims("package", Source.of_text("r.md", ""))
    assert [(claim.subject, claim.value, claim.where.line) for claim in claims] == [
        ("package.total", 4, 2),
        ("package.passed", 3, 3),
    ]


def test_counts_are_completed_only_where_they_agree() -> None:
    """Another sentence adds numbers to the same run, never to a different one."""
    same, other = Run(1, "", numbers={"passed": 5}), Run(1, "", numbers={"passed": 4})
    for run in (same, other):
        complete_with(run, TestCounts(total=5, passed=5))
    assert (same.numbers, other.numbers) == ({"total": 5, "passed": 5}, {"passed": 4})
