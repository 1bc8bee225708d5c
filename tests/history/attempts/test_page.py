from __future__ import annotations

import pytest

from handoff_tui.changes.comparison.snapshot_diff import ComparedSection
from handoff_tui.history.attempts import page, report
from tests.support.attempt_records import HISTORY, SECOND
from tests.support.desk_states import list_lines


def test_history_has_a_table_and_the_newest_attempts_whole() -> None:
    """Decisions, what was asked for, what flipped, commits, runs and notes."""
    lines = list_lines(page.build_history_page(HISTORY))
    text = "\n".join(lines)
    assert lines[0] == "H-3 · build  Stations"
    assert "1 | ✗ rejected | maker | 1m | – | – | 3/5 | – | 3/5, 1 failed, 1 skipped | 1 of 2 addressed" in text
    assert "    ✗ NOT addressed  comment a.py:2: why?  (the same)" in lines
    assert "    ✓ fixed  claims-hold  fail → pass" in lines
    assert "    ! vanished  test_c  pass → gone" in lines
    assert "    2222222 mend it  ada@example.org" in lines
    assert "decided otherwise since" in text
    assert "  ! its commit is not behind HEAD" in lines


def test_long_history_shows_its_end() -> None:
    """How many are left out is said; all are there when they are asked for."""
    plain = SECOND.model_copy(update={"measured": False})
    many = report.AttemptHistory(
        handoff="H-3", phase="build", attempts=tuple(plain.model_copy(update={"number": n}) for n in range(1, 1_001))
    )
    lines = list_lines(page.build_history_page(many))
    assert len(lines) < 40
    assert "    … and 980 earlier attempts; --all shows them" in lines
    assert len(list_lines(page.build_history_page(many, everything=True))) > 1_000


def test_history_of_nothing_says_so() -> None:
    """With the notes that explain it."""
    lines = list_lines(page.build_history_page(report.AttemptHistory(handoff="H-3", phase="build", notes=("a note",))))
    assert lines[1] == "! a note"
    assert lines[-1].startswith("No attempts")


def test_list_has_one_row_a_phase() -> None:
    """A damaged log is said first; an empty one too."""
    row = report.HistorySummary(
        handoff="H-3", phase="build", attempts=2, sent_back=0, outcome=report.AttemptOutcome.APPROVED
    )
    lines = list_lines(page.build_history_list_page(report.HistoryList(rows=(row,), fatal=True)))
    assert lines[0].startswith("! the log is not intact")
    assert lines[-1] == "H-3 | build | 2 | – | ✓ approved | – | –"
    assert list_lines(page.build_history_list_page(report.HistoryList())) == ["Nothing submitted or decided yet."]


def test_attempts_that_are_not_shown_whole_are_counted() -> None:
    """Nobody takes the newest three for all; with --all each is there."""
    four = report.AttemptHistory(
        handoff="H-3",
        phase="build",
        attempts=tuple(SECOND.model_copy(update={"name": f"H-3:build:{number}"}) for number in range(1, 5)),
    )
    lines = list_lines(page.build_history_page(four))
    assert "… 1 earlier attempt not shown in detail; --all shows them" in lines
    assert sum(line.startswith("Attempt ") for line in lines) == 3
    whole = list_lines(page.build_history_page(four, everything=True))
    assert sum(line.startswith("Attempt ") for line in whole) == 4
    assert not any("not shown in detail" in line for line in whole)


EMPTY = report.PastAttempt(name="H-3:build:now", number=3, outcome=report.AttemptOutcome.OPEN)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(None, "–"), (0.25, "0.2s"), (45.0, "45s"), (725.0, "12m"), (12_000.0, "3h 20m"), (187_200.0, "2d 4h")],
)
def test_time_is_told_in_two_units(seconds: float | None, words: str) -> None:
    """Short ones with tenths; what is not known is a dash."""
    assert page.describe_time(seconds) == words


def test_what_is_not_known_is_a_dash() -> None:
    """Never a zero."""
    words = (page.describe_checks, page.describe_tests, page.describe_asked, page.describe_who, page.describe_when)
    assert {describe(EMPTY) for describe in words} == {"–"}
    assert (page.describe_changes(None), page.describe_changes(ComparedSection())) == ("–", "none")
