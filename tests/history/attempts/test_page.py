from __future__ import annotations

from handoff_tui.history.attempts.page import build_attempt_page, build_history_list_page, build_history_page
from handoff_tui.history.attempts.report import AttemptHistory, AttemptOutcome, HistoryList, HistorySummary
from tests.support.attempt_records import FIRST, HISTORY, SECOND
from tests.support.reviewed import list_lines


def test_history_has_a_table_and_the_newest_attempts_whole() -> None:
    """Decisions, what was asked for, what flipped, commits, runs and notes."""
    lines = list_lines(build_history_page(HISTORY))
    text = "\n".join(lines)
    assert lines[0] == "H-3 · build  Stations"
    assert "1 | ✗ rejected | maker | 1m | – | – | 3/5 | – | 3/5, 1 failed, 1 skipped | 1 of 2 addressed" in text
    assert "    ✗ NOT addressed  remark a.py:2: why?  (the same)" in lines
    assert "    ✓ fixed  claims-hold  fail → pass" in lines
    assert "    ! vanished  test_c  pass → gone" in lines
    assert "    2222222 mend it  ada@example.org" in lines
    assert "decided otherwise since" in text
    assert "  ! its commit is not behind HEAD" in lines


def test_text_of_others_cannot_change_the_screen() -> None:
    """Reasons, outputs and claims are made safe."""
    assert not any("\x1b" in line or "\u202e" in line for line in list_lines(build_attempt_page(FIRST)))


def test_long_history_shows_its_end() -> None:
    """How many are left out is said; all are there when they are asked for."""
    plain = SECOND.model_copy(update={"measured": False})
    many = AttemptHistory(
        handoff="H-3", phase="build", attempts=tuple(plain.model_copy(update={"number": n}) for n in range(1, 1_001))
    )
    lines = list_lines(build_history_page(many))
    assert len(lines) < 40
    assert "    … and 980 earlier attempts; --all shows them" in lines
    assert len(list_lines(build_history_page(many, everything=True))) > 1_000


def test_history_of_nothing_says_so() -> None:
    """With the notes that explain it."""
    lines = list_lines(build_history_page(AttemptHistory(handoff="H-3", phase="build", notes=("a note",))))
    assert lines[1] == "! a note"
    assert lines[-1].startswith("Nothing tells of an attempt")


def test_list_has_one_row_a_phase() -> None:
    """An unsound log is said first; an empty one too."""
    row = HistorySummary(handoff="H-3", phase="build", attempts=2, sent_back=0, outcome=AttemptOutcome.APPROVED)
    lines = list_lines(build_history_list_page(HistoryList(rows=(row,), fatal=True)))
    assert lines[0].startswith("! the log is not sound")
    assert lines[-1] == "H-3 | build | 2 | – | ✓ approved | – | –"
    assert list_lines(build_history_list_page(HistoryList())) == ["Nobody has handed anything over or decided yet."]


def test_attempts_that_are_not_shown_whole_are_counted() -> None:
    """Nobody takes the newest three for all; with --all each is there."""
    four = AttemptHistory(
        handoff="H-3",
        phase="build",
        attempts=tuple(SECOND.model_copy(update={"name": f"H-3:build:{number}"}) for number in range(1, 5)),
    )
    lines = list_lines(build_history_page(four))
    assert "… 1 earlier attempt not shown whole here; --all shows every one" in lines
    assert sum(line.startswith("Attempt ") for line in lines) == 3
    whole = list_lines(build_history_page(four, everything=True))
    assert sum(line.startswith("Attempt ") for line in whole) == 4
    assert not any("not shown whole" in line for line in whole)


def test_commits_say_from_where_on_they_are() -> None:
    """They are all the work on the line, not only what the attempt made."""
    since = SECOND.model_copy(update={"commits_since": "the last approval on this line, 1111111"})
    assert "  1 commit of work since the last approval on this line, 1111111, its own or not" in list_lines(
        build_attempt_page(since)
    )
