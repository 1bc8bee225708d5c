from __future__ import annotations

from xml.etree.ElementTree import Element, fromstring

import pytest

from handoff_tui.checks.output.junit import render_check_junit
from handoff_tui.checks.report import CheckReport
from handoff_tui.checks.result import Outcome
from handoff_tui.core.severity import Severity
from tests.support.check_reports import (
    build_blocked_report,
    build_findings,
    build_hostile_report,
    build_passing_report,
    build_report,
    build_result,
)
from tests.support.junit_schema import list_faults


def read(report: CheckReport) -> Element:
    return fromstring(render_check_junit(report))  # noqa: S314 - our own output


@pytest.mark.parametrize("build", [build_blocked_report, build_passing_report, build_hostile_report, build_report])
def test_report_fits_the_schema(build: object) -> None:
    """Elements, attributes and their order are those the common readers take."""
    assert callable(build)
    assert list_faults(read(build())) == []


@pytest.mark.parametrize(
    ("outcome", "blocking", "tag"),
    [
        (Outcome.PASS, True, None),
        (Outcome.FAIL, True, "failure"),
        (Outcome.FAIL, False, "failure"),
        (Outcome.ERROR, True, "error"),
        (Outcome.TIMEOUT, False, "error"),
        (Outcome.UNKNOWN, True, "error"),
        (Outcome.CANCELLED, False, "error"),
        (Outcome.SKIPPED, False, "skipped"),
        (Outcome.SKIPPED, True, "error"),
        (Outcome.NOT_APPLICABLE, True, "skipped"),
    ],
)
def test_outcomes_are_kept_apart(outcome: Outcome, tag: str | None, *, blocking: bool) -> None:
    """A failure is no error, neither is a skip; a skip that blocks is never green."""
    root = read(build_report(build_result("x", outcome, blocking=blocking)))
    [case] = root.iter("testcase")
    assert [child.tag for child in case] == ([tag] if tag else [])
    [suite] = root.iter("testsuite")
    numbers = {"failure": "failures", "error": "errors", "skipped": "skipped"}
    for name, attribute in numbers.items():
        assert suite.attrib[attribute] == str(int(name == tag))


@pytest.mark.parametrize("outcome", [Outcome.PASS, Outcome.FAIL, Outcome.TIMEOUT])
def test_flaky_is_marked_beside_the_outcome(outcome: Outcome) -> None:
    """A wavering check is marked as such, and its present outcome stays."""
    report = build_report(build_result("x", outcome).model_copy(update={"flaky": True}))
    tags = [child.tag for child in next(read(report).iter("testcase"))]
    assert "flakyFailure" in tags
    assert ("failure" in tags, "error" in tags) == (outcome is Outcome.FAIL, outcome is Outcome.TIMEOUT)
    assert list_faults(read(report)) == []


def test_failure_says_everything() -> None:
    """Findings, places, values, the action and its commands."""
    [failure] = [
        case.find("failure") for case in read(build_blocked_report()).iter("testcase")
        if case.attrib["name"] == "referenced-files-exist"
    ]  # fmt: skip
    assert failure is not None
    words = failure.text or ""
    for word in ("notes/figs.md", "state/ledger.json:16", "expected: a file", "Action required", "$ git status"):
        assert word in words


def test_warning_says_that_it_does_not_block() -> None:
    """A reader of the report can tell a warning from what closes the gate."""
    report = build_report(build_result("x", Outcome.FAIL, *build_findings(1), severity=Severity.LOW))
    [failure] = read(report).iter("failure")
    assert failure.attrib["message"].endswith("(low, doesn't block)")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("<testsuite/>", "the root is testsuite"),
        ("<testsuites><testsuite name='x' tests='1' errors='0' failures='0'/></testsuites>", "testsuite lacks skipped"),
        ("<testsuites tests='x'/>", "testsuites tests is x"),
        ("<testsuites><odd/></testsuites>", "no such element: odd"),
        ("<testsuites>words</testsuites>", "testsuites holds text"),
        ("<testsuites time='1e3'/>", "testsuites time is 1e3"),
    ],
)
def test_schema_finds_faults(text: str, fault: str) -> None:
    """The schema used here can say no."""
    assert fault in list_faults(fromstring(text))  # noqa: S314 - our own text
