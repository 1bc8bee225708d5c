from __future__ import annotations

import pytest

from handoff_tui.changes.comparison.snapshot_diff import Section
from handoff_tui.history.attempts.report import AttemptOutcome, AttemptRecord, Point, PointKind
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
from tests.support.attempt_records import FIRST, RUN, SECOND

EMPTY = AttemptRecord(name="H-3:build:now", number=3, outcome=AttemptOutcome.OPEN)


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
    assert (describe_changes(None), describe_changes(Section())) == ("–", "none")


def test_points_that_cannot_be_measured_are_not_counted() -> None:
    """Neither as addressed nor as not."""
    point = Point(kind=PointKind.REASON, text="x", author="bo")
    assert describe_asked(FIRST.model_copy(update={"asked": (point,)})) == "not measured"
    assert label_point(point).word == "not measured"


def test_names_are_short() -> None:
    """An attempt by its number, a point by what it is about."""
    assert (name_number(FIRST), name_number(EMPTY)) == ("1", "now")
    assert [name_point(point) for point in FIRST.asked] == [
        "reason",
        "check claims-hold",
        "remark a.py:2",
        "remark on the whole",
    ]


def test_every_outcome_has_a_label() -> None:
    """A glyph and a word, never by colour alone."""
    assert len({str(label_attempt(outcome)) for outcome in AttemptOutcome}) == len(AttemptOutcome)
