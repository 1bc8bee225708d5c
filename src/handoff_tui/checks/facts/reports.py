"""Test reports: JUnit XML, TAP and pytest's JSON, each test with its id and outcome."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from handoff_tui.checks.facts.documents import JsonBrokenError, parse_strictly
from handoff_tui.checks.report import Outcome
from handoff_tui.core.classes import dataclass, field
from handoff_tui.core.lazy_pattern import compile_later

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_TAP_LINE: Final = compile_later(
    r"^(not ok|ok)\b\s*(\d*)\s*(?:-\s*)?([^#]*?)\s*(?:#\s*(skip|todo)\b(.*))?$", re.IGNORECASE
)
_TAP_PLAN: Final = compile_later(r"^1\.\.(\d+)")
_PYTEST_OUTCOMES: Final = {
    "passed": Outcome.PASS,
    "xpassed": Outcome.PASS,
    "failed": Outcome.FAIL,
    "error": Outcome.ERROR,
    "skipped": Outcome.SKIPPED,
    "xfailed": Outcome.SKIPPED,
}
_LONGEST_MESSAGE = 400


@dataclass(frozen=True, slots=True)
class TestCase:
    """One test of a report."""

    __test__ = False

    id: str
    outcome: Outcome
    message: str = ""


@dataclass(slots=True)
class TestReport:
    """The tests of a report, and what is wrong with the report itself."""

    __test__ = False

    cases: list[TestCase] = field(default_factory=list)
    problem: str | None = None

    def failing(self) -> list[TestCase]:
        return [case for case in self.cases if case.outcome in {Outcome.FAIL, Outcome.ERROR}]


def parse_junit(content: bytes) -> TestReport:
    """Reads JUnit XML; refuses a document type definition."""
    plain = content.replace(b"\0", b"")  # as it would read in UTF-16
    if b"<!DOCTYPE" in plain or b"<!ENTITY" in plain:
        return TestReport(problem="the report has a document type definition, which is refused")
    from xml.etree import ElementTree as ET  # noqa: PLC0415 - few runs read a report

    try:
        root = ET.fromstring(content)  # noqa: S314 - entities were refused above
    except (ET.ParseError, LookupError, ValueError) as wrong:  # the last two: an encoding that nobody knows
        return TestReport(problem=f"the report is not XML: {wrong}")
    if root.tag not in {"testsuite", "testsuites"}:
        return TestReport(problem=f"the report is not a JUnit report: its root is <{root.tag}>")
    return TestReport([_build_case(element) for element in root.iter("testcase")])


def parse_tap(text: str) -> TestReport:
    """Reads TAP 12 to 14; a plan that doesn't match the number of tests is a problem."""
    report = TestReport()
    planned: int | None = None
    for line in text.splitlines():
        if line.startswith("Bail out!"):
            report.problem = line.strip()[:_LONGEST_MESSAGE]
        plan = _TAP_PLAN.match(line)
        if plan:
            planned = int(plan.group(1))
        match = _TAP_LINE.match(line)
        if match:
            report.cases.append(_build_tap_case(match, len(report.cases) + 1))
    if report.problem is None and planned is None:
        report.problem = "the output has no TAP plan"
    elif report.problem is None and planned != len(report.cases):
        report.problem = f"the plan says {planned} tests, the output has {len(report.cases)}"
    return report


def parse_pytest_json(content: bytes) -> TestReport:
    """Reads the report of pytest-json-report; ids are those of pytest's own JUnit report."""
    try:
        value = parse_strictly(content)
    except JsonBrokenError as broken:
        return TestReport(problem=f"the report {broken.message}")
    tests = value.get("tests") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(tests, list):
        return TestReport(problem="the report is not a pytest report: it has no list of tests")
    report = TestReport()
    for test in tests:
        identifier = test.get("nodeid") if isinstance(test, dict) else None
        outcome = _PYTEST_OUTCOMES.get(str(test.get("outcome"))) if isinstance(test, dict) else None
        if not isinstance(identifier, str) or outcome is None:
            report.problem = report.problem or "the report has a test without an id or with an unknown outcome"
        else:
            report.cases.append(TestCase(_build_junit_id(identifier), outcome, _find_crash(test)))
    return _note_failed_collection(report, value.get("collectors"))


def _build_junit_id(node: str) -> str:
    """`tests/test_a.py::TestB::test_c[x]` as `tests.test_a.TestB::test_c[x]`; a parameter may hold `::` and `/`."""
    name, bracket, parameter = node.partition("[")
    *classes, last = name.split("::")
    if not classes:
        return node
    classes[0] = classes[0].removesuffix(".py").replace("/", ".")
    return f"{'.'.join(classes)}::{last}{bracket}{parameter}"


def _find_crash(test: dict[str, object]) -> str:
    for stage in ("setup", "call", "teardown"):
        part = test.get(stage)
        crash = part.get("crash") if isinstance(part, dict) else None
        if isinstance(crash, dict):
            return " ".join(str(crash.get("message", "")).split())[:_LONGEST_MESSAGE]
    return ""


def _note_failed_collection(report: TestReport, collectors: object) -> TestReport:
    """Tests of a file that could not be collected are in no list, so the report is incomplete."""
    for collector in collectors if isinstance(collectors, list) else []:
        if report.problem is None and isinstance(collector, dict) and collector.get("outcome") in {"failed", "error"}:
            report.problem = f"pytest could not collect {collector.get('nodeid') or 'the tests'}"[:_LONGEST_MESSAGE]
    return report


def _build_case(element: Element) -> TestCase:
    identifier = "::".join(part for part in (element.get("classname"), element.get("name")) if part) or "unnamed"
    for tag, outcome in (("error", Outcome.ERROR), ("failure", Outcome.FAIL), ("skipped", Outcome.SKIPPED)):
        child = element.find(tag)
        if child is not None:
            message = child.get("message") or child.text or ""
            return TestCase(identifier, outcome, " ".join(message.split())[:_LONGEST_MESSAGE])
    return TestCase(identifier, Outcome.PASS)


def _build_tap_case(match: re.Match[str], position: int) -> TestCase:
    verdict, number, description, directive, reason = match.groups()
    identifier = description.strip() or f"test {number or position}"
    if directive:
        return TestCase(identifier, Outcome.SKIPPED, (reason or "").strip()[:_LONGEST_MESSAGE])
    return TestCase(identifier, Outcome.PASS if verdict.lower() == "ok" else Outcome.FAIL)
