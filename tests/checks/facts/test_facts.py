"""What rules are told: approvals, JSON, changed settings and test reports."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.facts.approvals import find_approvals
from handoff_tui.checks.facts.configuration_changes import compare_configuration
from handoff_tui.checks.facts.documents import JsonBrokenError, parse_strictly
from handoff_tui.checks.facts.reports import parse_junit, parse_pytest_json, parse_tap
from handoff_tui.checks.report import Outcome
from handoff_tui.handoffs.handoff import Document, DocumentRole, Handoff
from tests.support.world import MemoryWorld


def build(path: str, text: str) -> tuple[Context, Handoff]:
    handoff = Handoff(
        id="T1", dialect="hub", documents=(Document(path=path, role=DocumentRole.NOTE),), producers=("Dunlin",)
    )
    return Context(Answers(MemoryWorld({path: text}))), handoff


def test_approval_in_json_is_found_with_what_stands_beside_it() -> None:
    """At any depth; an object may hold the name."""
    text = '{"a": [{"approved_by": {"name": "Ingrid"}, "note": "simulated"}, {"approved_by": false}]}'
    [approval] = find_approvals(*build("a.json", text))
    assert approval.name == "Ingrid"
    assert "simulated" in approval.beside


@given(st.binary(max_size=200))
def test_parsing_raises_nothing_else(content: bytes) -> None:
    """Whatever the bytes are, there is a value or the one error, and the second reading is as the first."""
    assert _read(content) == _read(content)


def _read(content: bytes) -> object:
    try:
        return repr(parse_strictly(content))
    except JsonBrokenError as refused:
        return refused.message, refused.line


VALUES = st.recursive(
    st.booleans() | st.integers(0, 9) | st.sampled_from(["low", "high", "x"]) | st.lists(st.sampled_from(["a", "b"])),
    lambda inner: st.dictionaries(st.sampled_from(["checks", "hub", "enabled", "severity", "n_minimum"]), inner),
    max_leaves=8,
)

TABLES = st.dictionaries(st.sampled_from(["checks", "hub", "mosaic", "agents"]), VALUES)


@given(TABLES, TABLES)
def test_any_two_tables_are_compared_without_raising(before: dict[str, object], now: dict[str, object]) -> None:
    """What is told as a difference is one."""
    assert all(difference.before != difference.now for difference in compare_configuration(before, now))


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
        (b"<html/>", "not a JUnit report"),
        (b'<!DOCTYPE x [<!ENTITY a "b">]><testsuite/>', "refused"),
        (b"<testsuite>", "not XML"),
        (b'<?xml version="1.0" encoding="none"?><testsuite/>', "not XML"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><testsuite/>'.encode("utf-16"), "refused"),
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
    """A run that ended early isn't a pass."""
    assert words in (parse_tap(text).problem or "")


def build_pytest_report(*tests: object, **more: object) -> bytes:
    return json.dumps({"created": 1.5, "tests": list(tests), **more}).encode()


def test_pytest_report_is_read() -> None:
    """Each test by the id that JUnit gives it, with its outcome and what it crashed with."""
    crash = {"crash": {"message": "assert 1\n == 2"}}
    report = parse_pytest_json(
        build_pytest_report(
            {"nodeid": "tests/test_a.py::test_one", "outcome": "passed"},
            {"nodeid": "tests/test_a.py::TestB::test_two[a::b/c]", "outcome": "failed", "call": crash},
            {"nodeid": "test_c.py::test_three", "outcome": "error", "setup": crash},
            {"nodeid": "test_c.py::test_four", "outcome": "xfailed"},
            {"nodeid": "alone", "outcome": "skipped"},
        )
    )
    assert [(case.id, case.outcome, case.message) for case in report.cases] == [
        ("tests.test_a::test_one", Outcome.PASS, ""),
        ("tests.test_a.TestB::test_two[a::b/c]", Outcome.FAIL, "assert 1 == 2"),
        ("test_c::test_three", Outcome.ERROR, "assert 1 == 2"),
        ("test_c::test_four", Outcome.SKIPPED, ""),
        ("alone", Outcome.SKIPPED, ""),
    ]
    assert report.problem is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"{", "not valid JSON"),
        (b"[]", "no list of tests"),
        (b'{"tests": {}}', "no list of tests"),
        (build_pytest_report({"nodeid": 1, "outcome": "passed"}), "without an id"),
        (build_pytest_report({"nodeid": "a", "outcome": "vanished"}), "unknown outcome"),
        (build_pytest_report("a"), "without an id"),
        (build_pytest_report(collectors=[{"nodeid": "b.py", "outcome": "failed"}]), "could not collect b.py"),
    ],
)
def test_pytest_report_that_is_not_whole_is_a_problem(content: bytes, words: str) -> None:
    """Nothing is guessed, and tests that were never collected are not forgotten."""
    assert words in (parse_pytest_json(content).problem or "")
