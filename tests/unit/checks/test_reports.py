from __future__ import annotations

import pytest

from handoff_tui.checks.reports import parse_junit, parse_tap
from handoff_tui.models.check_result import Outcome

JUNIT = b"""<testsuites><testsuite>
<testcase classname="a.B" name="one"/>
<testcase classname="a.B" name="two"><failure message="1 is not 2">trace</failure></testcase>
<testcase name="three"><error>boom
 here</error></testcase>
<testcase classname="a" name="four"><skipped message="later"/></testcase>
</testsuite></testsuites>"""


def test_junit_tells_failure_error_and_skip_apart() -> None:
    """Each test by its id."""
    report = parse_junit(JUNIT)
    assert [(case.id, case.outcome, case.message) for case in report.cases] == [
        ("a.B::one", Outcome.PASS, ""),
        ("a.B::two", Outcome.FAIL, "1 is not 2"),
        ("three", Outcome.ERROR, "boom here"),
        ("a::four", Outcome.SKIPPED, "later"),
    ]
    assert [case.id for case in report.failing()] == ["a.B::two", "three"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not XML"),
        (b"<html/>", "no JUnit report"),
        (b'<!DOCTYPE x [<!ENTITY a "b">]><testsuite/>', "refused"),
        (b"<testsuite>", "not XML"),
    ],
)
def test_junit_that_is_none_is_a_problem(content: bytes, words: str) -> None:
    """Nothing is guessed from a broken report."""
    assert words in (parse_junit(content).problem or "")


def test_tap_is_read() -> None:
    """Plan, results, skips and to-dos."""
    report = parse_tap(
        "TAP version 14\n1..4\nok 1 - one\nnot ok 2 - two\nok 3 three # SKIP no disk\nnot ok 4 # TODO later\n"
    )
    assert [(case.id, case.outcome) for case in report.cases] == [
        ("one", Outcome.PASS),
        ("two", Outcome.FAIL),
        ("three", Outcome.SKIPPED),
        ("test 4", Outcome.SKIPPED),
    ]
    assert report.problem is None


@pytest.mark.parametrize(
    ("text", "words"),
    [("ok 1\n", "no TAP plan"), ("1..3\nok 1\n", "says 3 tests"), ("Bail out! no disk\n", "Bail out!")],
)
def test_tap_that_is_not_whole_is_a_problem(text: str, words: str) -> None:
    """A run that ended early is no pass."""
    assert words in (parse_tap(text).problem or "")
