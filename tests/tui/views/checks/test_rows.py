from __future__ import annotations

from datetime import timedelta

import pytest

from handoff_tui.checks.output.words import describe_duration
from handoff_tui.checks.result import Outcome
from handoff_tui.core.severity import Severity
from handoff_tui.core.text.page import Cell
from handoff_tui.live.state.app import ChecksProgress
from handoff_tui.tui.views.checks.rows import CheckRows, build_progress
from tests.support.check_reports import build_report, build_result
from tests.support.inbox_items import MOMENT

REPORT = build_report(
    build_result("slow").model_copy(update={"duration": 48.0}),
    build_result("soft", Outcome.FAIL, severity=Severity.LOW, blocking=False),
    build_result("hard", Outcome.FAIL, severity=Severity.HIGH, blocking=True, summary="2 failed of 418"),
    build_result("worst", Outcome.ERROR, severity=Severity.CRITICAL, blocking=True),
    build_result("silent", Outcome.NOT_APPLICABLE),
)


def draw(rows: CheckRows, key: str, width: int = 100) -> str:
    return "".join(cell.text for cell in rows.build_row(rows.keys.index(key), width))


def find_roles(rows: CheckRows, key: str) -> dict[str, str]:
    return {cell.text.strip(): cell.role for cell in rows.build_row(rows.keys.index(key), 100)}


def test_rows_stand_under_headings_worst_first() -> None:
    """What blocks, warnings, what passed, what does not apply; the cursor stands on headings too."""
    rows = CheckRows(REPORT)
    expected = ["group:blocking", "worst", "hard", "group:warnings", "soft", "group:passed", "slow"]
    assert rows.keys == [*expected, "group:silent", "silent"]
    assert draw(rows, "group:blocking") == "BLOCKING 2"
    assert rows.find("group:blocking") is None
    group = rows.find_group("group:blocking")
    assert group is not None
    assert [result.id for result in group.results] == ["worst", "hard"]


def test_row_tells_outcome_severity_time_and_age() -> None:
    """Each by a word."""
    rows = CheckRows(REPORT, at=MOMENT, now=MOMENT + timedelta(minutes=3))
    assert all(words in draw(rows, "hard") for words in ("✗ FAIL", "high", "3m", "2 failed of 418"))
    assert all(words in draw(rows, "slow") for words in ("✓ pass", "48s"))
    assert "· n/a" in draw(rows, "silent")


def test_narrow_row_keeps_the_name_and_the_outcome() -> None:
    """The rest goes first."""
    assert "worst" in draw(CheckRows(REPORT), "worst", 36)
    assert "! ERROR" in draw(CheckRows(REPORT), "worst", 36)


def test_stale_result_is_never_shown_as_passed() -> None:
    """It is marked in every row, and no mark of it is green."""
    rows = CheckRows(REPORT, stale=True)
    assert "? pass" in draw(rows, "slow")
    assert "stale" in draw(rows, "hard")
    assert find_roles(rows, "slow")["? pass"] == "unknown"


def test_only_failing_and_words_narrow_the_list() -> None:
    """Words are looked for in the id, the outcome and the summary."""
    assert CheckRows(REPORT, only_failing=True).keys[-1] == "soft"
    assert CheckRows(REPORT, text="418 HARD").keys == ["group:blocking", "hard"]
    assert CheckRows(REPORT, text="nowhere").keys == []


@pytest.mark.parametrize(
    ("seconds", "words"), [(None, ""), (0.01, ""), (0.25, "0.2s"), (9.14, "9.1s"), (48.2, "48s"), (200.0, "3m")]
)
def test_duration_is_told_in_three_figures(seconds: float | None, words: str) -> None:
    """And not at all where nobody waited."""
    assert describe_duration(seconds) == words


def test_progress_tells_how_far_what_and_how_long() -> None:
    """A bar, and numbers for those who cannot see it."""
    running = ChecksProgress(15, 60, "tests.unit", MOMENT - timedelta(seconds=9))
    text = "".join(cell.text for cell in build_progress(running, 80, MOMENT))
    assert text == "█" * 5 + "░" * 15 + " 15/60 tests.unit 9s"
    empty = build_progress(ChecksProgress(0, 0, "", MOMENT), 80)
    assert empty[0] == Cell("", "accent")


def test_cached_result_has_the_age_of_its_run() -> None:
    """Not that of the report; where that is not known, it is only called cached."""
    old = build_result("old").model_copy(update={"from_cache": True, "ran_at": MOMENT - timedelta(hours=2)})
    older = build_result("older").model_copy(update={"from_cache": True})
    rows = CheckRows(build_report(old, older), at=MOMENT, now=MOMENT)
    assert "2h" in draw(rows, "old")
    assert "cached" in draw(rows, "older")
