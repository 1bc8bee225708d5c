"""Test reports as tools write them: JUnit XML and TAP, each test by its id with its outcome."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final
from xml.etree import ElementTree as ET

from handoff_tui.models.check_result import Outcome

_TAP_LINE: Final = re.compile(
    r"^(not ok|ok)\b\s*(\d*)\s*(?:-\s*)?([^#]*?)\s*(?:#\s*(skip|todo)\b(.*))?$", re.IGNORECASE
)
_TAP_PLAN: Final = re.compile(r"^1\.\.(\d+)")
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
    """The tests of a report, and what was wrong with the report itself."""

    __test__ = False

    cases: list[TestCase] = field(default_factory=list)
    problem: str | None = None

    def failing(self) -> list[TestCase]:
        return [case for case in self.cases if case.outcome in {Outcome.FAIL, Outcome.ERROR}]


def parse_junit(content: bytes) -> TestReport:
    """Reads JUnit XML. Failure, error and skipped are three things; a document type definition is refused."""
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        return TestReport(problem="the report has a document type definition, which is refused")
    try:
        root = ET.fromstring(content)  # noqa: S314 - entities were refused above
    except ET.ParseError as wrong:
        return TestReport(problem=f"the report is not XML: {wrong}")
    if root.tag not in {"testsuite", "testsuites"}:
        return TestReport(problem=f"the report is no JUnit report: its root is <{root.tag}>")
    return TestReport([_build_case(element) for element in root.iter("testcase")])


def parse_tap(text: str) -> TestReport:
    """Reads TAP 12 to 14; a plan that does not fit the number of tests is a problem."""
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


def _build_case(element: ET.Element) -> TestCase:
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
