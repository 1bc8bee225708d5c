"""`security_report.json` decides the security stage, whatever its status says."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.checks.rules.hub.reports import judge_report
from handoff_tui.core.severity import Severity


def judge(context: Context) -> Iterator[Found]:
    yield from judge_report(context, "SEC")


SECURITY_REPORT_CLEARS = Rule(
    id="security-report-clears",
    system=System.HUB,
    severity=Severity.CRITICAL,
    holds="The security report has no open finding that is critical or high.",
    reads="security_report.json and the attempts at SEC",
    remedy="Fix each finding named here and have security run again; a status of pass does not clear it.",
    judge=judge,
)
