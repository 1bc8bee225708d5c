"""Nothing fails that did not fail before: results against those of the handoffs they build on."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.checks.facts.document_problems import find_unreadable
from handoff_tui.checks.rules.builder.documents import require_finished
from handoff_tui.checks.rules.builder.earlier_handoffs import find_earlier
from handoff_tui.checks.rules.builder.record import find_more_failures, find_told_failures
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.handoff import Handoff


def judge(context: Context) -> Iterator[Found]:
    known = {handoff.id: handoff for handoff in context.every_handoff()}
    compared = False
    without: list[str] = []
    for handoff, results in require_finished(context):
        found = list(find_unreadable(context, {results.path}))
        earlier = find_earlier(handoff, known, _has_numbers)
        if not found:
            found = [
                *find_told_failures(context, handoff, results),
                *find_more_failures(handoff, earlier, results),
            ]
        comparable = bool(earlier) and _has_numbers(handoff)
        compared = compared or comparable or bool(found)
        if not comparable:
            without.append(handoff.id)
        yield from found
    if not compared:
        context.skip(f"no earlier numbers to compare with, so new failures are not known: {', '.join(without)}")


def _has_numbers(handoff: Handoff) -> bool:
    """Whether it is known how many failed; a run of which all passed has no failures."""
    counts = handoff.regression
    return counts is not None and (counts.failed is not None or (counts.total or 0) == counts.passed)


NO_NEW_FAILURES = Rule(
    id="no-new-failures",
    system=System.BUILDER,
    severity=Severity.CRITICAL,
    holds="No results that can be compared have more failures than those they build on",
    reads="regression numbers of handoffs and of those they declare to build on",
    remedy="Make the new failures pass, or show in the results of the earlier handoff that they were there before.",
    judge=judge,
)
