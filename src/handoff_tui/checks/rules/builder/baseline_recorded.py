"""Results record the baseline that the next agent starts from: packages and tests after this work."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.checks.facts.document_problems import find_unreadable
from handoff_tui.checks.rules.builder.documents import require_finished
from handoff_tui.checks.rules.builder.record import find_baseline_gaps
from handoff_tui.core.severity import Severity


def judge(context: Context) -> Iterator[Found]:
    for handoff, results in require_finished(context):
        yield from list(find_unreadable(context, {results.path})) or find_baseline_gaps(context, handoff, results)


BASELINE_RECORDED = Rule(
    id="baseline-recorded",
    system=System.BUILDER,
    severity=Severity.HIGH,
    holds="All newest results record a baseline of packages and tests",
    reads="the baseline in the newest results",
    remedy="Count the packages installed and all staged tests after the work, and record both.",
    judge=judge,
)
