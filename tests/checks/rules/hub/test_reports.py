from __future__ import annotations

import json
from typing import NamedTuple

import pytest

from handoff_tui.checks.rule import NotApplicableError, Rule, RuleFinding
from handoff_tui.checks.rules.hub.reports import BUGS_REPORT_CLEARS, SECURITY_REPORT_CLEARS, find_reports
from handoff_tui.handoffs.handoff import Document, DocumentRole, Handoff
from tests.support.world import MemoryWorld, judge


class Report(NamedTuple):
    """A report that decides a stage."""

    rule: Rule
    path: str
    key: str
    agent: str

    def write(self, *findings: dict[str, object], **more: object) -> str:
        return json.dumps({"task": "T050", "status": "pass", self.key: findings, **more}, indent=1)

    def judge(self, *findings: dict[str, object], **more: object) -> list[RuleFinding]:
        return judge(self.rule, MemoryWorld({self.path: self.write(*findings, **more)}))

    def say_pass(self) -> dict[str, str | bytes]:
        heading = "# Handoff Context\nRun ID: 9 | Project: Boats | Task: T050\n\n"
        return {"HANDOFF_9_T050.md": f"{heading}### {self.agent} Agent (now)\n**Status**: pass\n**Summary**: ok\n"}


SECURITY = Report(SECURITY_REPORT_CLEARS, "security_report.json", "vulnerabilities", "SECURITY")
BUGS = Report(BUGS_REPORT_CLEARS, "bugs.json", "bugs", "QA")
both_reports = pytest.mark.parametrize("report", [SECURITY, BUGS], ids=lambda report: report.path)


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("security_report.json", True),
        ("runs/4/security-report-41.json", True),
        ("security_reports.json", True),
        ("security_report.md", False),
        ("insecurity_report.json", False),
    ],
)
def test_reports_are_found_by_name(path: str, *, is_one: bool) -> None:
    """With hyphens, in the plural, with a number; not other files."""
    handoff = Handoff(id="T1", dialect="hub", documents=(Document(path=path, role=DocumentRole.REPORT),))
    assert find_reports(handoff, "security_report.json") == ((path,) if is_one else ())


def test_report_with_closed_and_lesser_findings_clears() -> None:
    """Fixed ones, and those below high."""
    fixed: dict[str, object] = {"id": "F-1", "severity": "critical", "status": "fixed", "title": "a"}
    lesser: list[dict[str, object]] = [{"id": name, "severity": name, "title": "b"} for name in ("medium", "info")]
    assert SECURITY.judge(fixed, *lesser) == []


@both_reports
@pytest.mark.parametrize("severity", ["critical", "high", "HIGH", "blocker", None])
@pytest.mark.parametrize("status", [None, "open", "wont_fix", "false_positive", "accepted"])
def test_report_with_an_open_finding_does_not_clear(report: Report, severity: str | None, status: str | None) -> None:
    """Whatever the report's status says: accepting a finding doesn't fix it, and an unknown severity may be any."""
    [found] = report.judge({"id": "F-1", "severity": severity, "status": status, "title": "Leak"})
    assert found.place is not None
    assert (found.subject, found.place.path, bool(found.place.line)) == ("F-1", report.path, True)


def test_report_that_hides_findings_does_not_clear() -> None:
    """A count above the length of the list means findings that are not shown."""
    assert [found.subject for found in SECURITY.judge(summary={"high": 2, "low": 1})] == ["unlisted high"]


@both_reports
def test_report_that_is_broken_or_missing_decides_nothing(report: Report) -> None:
    """A stage that says pass needs a report that can be read."""
    [broken] = judge(report.rule, MemoryWorld({report.path: f'{{"{report.key}": ['}))
    [missing] = judge(report.rule, MemoryWorld(report.say_pass()))
    assert (broken.subject, missing.subject) == (f"unreadable {report.path}", "missing T050")
    assert judge(report.rule, MemoryWorld({**report.say_pass(), report.path: report.write()})) == []


@both_reports
def test_report_is_not_asked_for_elsewhere(report: Report) -> None:
    """No hub, or a hub that hasn't come that far."""
    for files in ({}, {"todo.json": '{"project": "Boats", "tasks": [{"id": "T1", "title": "Row"}]}'}):
        with pytest.raises(NotApplicableError):
            judge(report.rule, MemoryWorld(dict(files)))
