from __future__ import annotations

import json

import pytest

from handoff_tui.changes.comparison.snapshot_diff import ComparedSection
from handoff_tui.history.attempts.compare_page import build_compare_json, build_compare_page
from handoff_tui.history.attempts.page import (
    build_attempt_page,
    build_history_json,
    build_history_list_json,
    build_history_list_page,
    build_history_page,
)
from handoff_tui.history.attempts.report import (
    AttemptComparison,
    AttemptHistory,
    AttemptOutcome,
    HistoryList,
    HistorySummary,
    PastAttempt,
    PointKind,
    RequestedPoint,
)
from handoff_tui.history.attempts.words import (
    describe_asked,
    describe_changes,
    describe_checks,
    describe_run,
    describe_tests,
    describe_time,
    describe_when,
    describe_who,
    label_attempt,
    label_point,
    name_number,
    name_point,
)
from tests.support.attempt_records import COMPARISON, FIRST, HISTORY, RUN, SECOND
from tests.support.desk_states import list_lines


def test_history_has_a_table_and_the_newest_attempts_whole() -> None:
    """Decisions, what was asked for, what flipped, commits, runs and notes."""
    lines = list_lines(build_history_page(HISTORY))
    text = "\n".join(lines)
    assert lines[0] == "H-3 · build  Stations"
    assert "1 | ✗ rejected | maker | 1m | – | – | 3/5 | – | 3/5, 1 failed, 1 skipped | 1 of 2 addressed" in text
    assert "    ✗ NOT addressed  comment a.py:2: why?  (the same)" in lines
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
    assert lines[-1].startswith("No attempts")


def test_list_has_one_row_a_phase() -> None:
    """An unsound log is said first; an empty one too."""
    row = HistorySummary(handoff="H-3", phase="build", attempts=2, sent_back=0, outcome=AttemptOutcome.APPROVED)
    lines = list_lines(build_history_list_page(HistoryList(rows=(row,), fatal=True)))
    assert lines[0].startswith("! the log is not intact")
    assert lines[-1] == "H-3 | build | 2 | – | ✓ approved | – | –"
    assert list_lines(build_history_list_page(HistoryList())) == ["Nothing submitted or decided yet."]


def test_attempts_that_are_not_shown_whole_are_counted() -> None:
    """Nobody takes the newest three for all; with --all each is there."""
    four = AttemptHistory(
        handoff="H-3",
        phase="build",
        attempts=tuple(SECOND.model_copy(update={"name": f"H-3:build:{number}"}) for number in range(1, 5)),
    )
    lines = list_lines(build_history_page(four))
    assert "… 1 earlier attempt not shown in detail; --all shows them" in lines
    assert sum(line.startswith("Attempt ") for line in lines) == 3
    whole = list_lines(build_history_page(four, everything=True))
    assert sum(line.startswith("Attempt ") for line in whole) == 4
    assert not any("not shown in detail" in line for line in whole)


def test_commits_say_from_where_on_they_are() -> None:
    """They are all the work on the line, not only what the attempt made."""
    since = SECOND.model_copy(update={"commits_since": "the last approval on this branch, 1111111"})
    assert "  1 work commit since the last approval on this branch, 1111111, by anyone" in list_lines(
        build_attempt_page(since)
    )


EMPTY = PastAttempt(name="H-3:build:now", number=3, outcome=AttemptOutcome.OPEN)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(None, "–"), (0.25, "0.2s"), (45.0, "45s"), (725.0, "12m"), (12_000.0, "3h 20m"), (187_200.0, "2d 4h")],
)
def test_time_is_told_in_two_units(seconds: float | None, words: str) -> None:
    """Short ones with tenths; what is not known is a dash."""
    assert describe_time(seconds) == words


def test_numbers_of_an_attempt_are_told() -> None:
    """Failures and skips are numbers of their own; what was asked for is counted where it was measured."""
    assert (describe_checks(FIRST), describe_tests(FIRST)) == ("3/5", "3/5, 1 failed, 1 skipped")
    assert (describe_asked(FIRST), describe_changes(SECOND.check_changes)) == ("1 of 2 addressed", "1 new, 1 fixed")
    assert (describe_who(FIRST), describe_when(FIRST)) == ("maker", "2026-01-02 10:00")


def test_run_is_told_in_a_line() -> None:
    """Who, how it ended, how long."""
    assert describe_run(RUN) == "maker, failed, exit code 1, 1m"


def test_what_is_not_known_is_a_dash() -> None:
    """Never a zero."""
    words = (describe_checks, describe_tests, describe_asked, describe_who, describe_when)
    assert {describe(EMPTY) for describe in words} == {"–"}
    assert (describe_changes(None), describe_changes(ComparedSection())) == ("–", "none")


def test_points_that_cannot_be_measured_are_not_counted() -> None:
    """Neither as addressed nor as not."""
    point = RequestedPoint(kind=PointKind.REASON, text="x", author="bo")
    assert describe_asked(FIRST.model_copy(update={"asked": (point,)})) == "not measured"
    assert label_point(point).word == "not measured"


def test_names_are_short() -> None:
    """An attempt by its number, a point by what it is about."""
    assert (name_number(FIRST), name_number(EMPTY)) == ("1", "now")
    assert [name_point(point) for point in FIRST.asked] == [
        "reason",
        "check claims-hold",
        "comment a.py:2",
        "general comment",
    ]


def test_every_outcome_has_a_label() -> None:
    """A glyph and a word, never by colour alone."""
    assert len({str(label_attempt(outcome)) for outcome in AttemptOutcome}) == len(AttemptOutcome)


def test_history_has_its_shape() -> None:
    """Sections as everywhere else; what is not known is null."""
    value = json.loads(json.dumps(build_history_json(HISTORY)))
    assert value["schema"] == "handoff-tui/history/v1"
    first, second = value["attempts"]
    assert (first["check_changes"], first["commits"], first["outcome"]) == (None, None, "rejected")
    assert second["check_changes"]["counts"] == {"new": 1, "fixed": 1}
    assert second["test_changes"]["items"][0]["change"] == "vanished"
    assert [point["addressed"] for point in first["asked"]] == [None, True, False, None]


def test_list_has_its_shape() -> None:
    """One object a phase."""
    row = HistorySummary(handoff="H-3", phase="build", attempts=2, sent_back=1, outcome=AttemptOutcome.APPROVED)
    value = build_history_list_json(HistoryList(rows=(row,)))
    assert (value["schema"], value["fatal"]) == ("handoff-tui/history-list/v1", False)
    assert value["histories"] == [row.model_dump(mode="json")]


def test_comparison_has_both_sides_and_what_differs() -> None:
    """Facts side by side, points, flips, how the agents were started, commits and files."""
    lines = list_lines(build_compare_page(COMPARISON))
    assert lines[0] == "H-3:build:1 → H-3:build:2"
    assert "! something is missing" in lines
    assert "outcome | ✗ rejected | ✓ approved" in lines
    assert "    ✓ addressed  check claims-hold: claims  (it passes)" in lines
    assert lines[lines.index("command") :][:3] == ["command", "    was  maker", "    now  maker --fast"]
    assert "Files changed  1 file, +2 -1" in lines


def test_shape_of_a_comparison() -> None:
    """What could not be compared is null, never empty."""
    value = json.loads(json.dumps(build_compare_json(COMPARISON)))
    assert value["schema"] == "handoff-tui/compare/v1"
    assert (value["checks"]["counts"], value["files"][0]["path"]) == ({"new": 1, "fixed": 1}, "a.py")
    bare = build_compare_json(AttemptComparison(before=FIRST, after=SECOND))
    names = ("checks", "tests", "findings", "packages", "declared_files", "commits", "run_changes", "files")
    assert {name: bare[name] for name in names} == dict.fromkeys(names)


def test_unsound_log_is_said_first() -> None:
    """What the log says of the attempts cannot be relied on then."""
    lines = list_lines(build_compare_page(COMPARISON.model_copy(update={"fatal": True})))
    assert lines[1].startswith("! the log is not intact")
