"""Results record a regression over all staged packages, with its numbers and its command."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.checks.facts.document_problems import find_unreadable
from handoff_tui.checks.rules.builder.documents import require_finished
from handoff_tui.checks.rules.builder.record import find_regression_gaps
from handoff_tui.core.severity import Severity


def judge(context: Context) -> Iterator[Found]:
    for handoff, results in require_finished(context):
        yield from list(find_unreadable(context, {results.path})) or find_regression_gaps(context, handoff, results)


FULL_REGRESSION_RECORDED = Rule(
    id="full-regression-recorded",
    system=System.BUILDER,
    severity=Severity.HIGH,
    holds="All newest results record a regression over all staged packages, with numbers and command",
    reads="the section on the full regression in the newest results",
    remedy="Run the tests of all staged packages and record the four numbers, the command, and the new failures.",
    judge=judge,
)
