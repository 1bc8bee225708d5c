"""`bugs.json` decides the QA stage, whatever its status says."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.checks.rules.hub.reports import judge_report
from handoff_tui.core.severity import Severity


def judge(context: Context) -> Iterator[Found]:
    yield from judge_report(context, "QA")


BUGS_REPORT_CLEARS = Rule(
    id="bugs-report-clears",
    system=System.HUB,
    severity=Severity.CRITICAL,
    holds="The bug report has no open bug that is critical or high.",
    reads="bugs.json and the attempts at QA",
    remedy="Fix each bug named here and have QA run again; a status of pass does not clear it.",
    judge=judge,
)
