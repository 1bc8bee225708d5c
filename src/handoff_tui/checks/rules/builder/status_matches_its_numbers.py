"""The status of results can be read, and their own numbers do not speak against it."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.checks.facts.document_problems import find_unreadable
from handoff_tui.checks.rules.builder.documents import place_heading, require_finished
from handoff_tui.checks.rules.builder.numbers import describe_counts, find_miscount, place_claim, place_count
from handoff_tui.core.severity import Severity
from handoff_tui.core.tasks import TestCounts
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.document import Document
from handoff_tui.handoffs.handoff import Handoff, RegistryState

_RUNS = (("package", "package tests"), ("regression", "full regression"))


def judge(context: Context) -> Iterator[Found]:
    for handoff, results in require_finished(context):
        yield from list(find_unreadable(context, {results.path})) or _judge_handoff(context, handoff, results)


def _judge_handoff(context: Context, handoff: Handoff, results: Document) -> Iterator[Found]:
    known: tuple[str, ...] = context.setting("builder.results_statuses", tuple)
    passing: tuple[str, ...] = context.setting("builder.passing_statuses", tuple)
    if handoff.status not in known and handoff.registry is not RegistryState.SUPERSEDED:
        yield Found(
            message=f"the results of {handoff.id} have no status that can be read"
            if handoff.status is None
            else f"the results of {handoff.id} say {handoff.status}, which is no status of results",
            subject=f"{handoff.id} status",
            place=place_claim(handoff, results, ClaimKind.STATUS, None, "Status"),
            expected=" or ".join(known),
            actual=handoff.status or "not said",
        )
    runs = {"package": handoff.tests, "regression": handoff.regression}
    claims_success = handoff.status is not None and (handoff.status in passing or handoff.status not in known)
    for scope, name in _RUNS:
        counts = runs[scope]
        if counts is not None:
            yield from _judge_sum(handoff, results, scope, name, counts)
            if claims_success:
                yield from _judge_run(handoff, results, scope, name, counts)
    if claims_success:
        yield from _judge_rest(handoff, results)


def _judge_sum(handoff: Handoff, results: Document, scope: str, name: str, counts: TestCounts) -> Iterator[Found]:
    miscount = find_miscount(counts)
    if miscount is not None:
        yield Found(
            message=f"the numbers of the {name} of {handoff.id} do not add up",
            subject=f"{handoff.id} {scope}.sum",
            place=place_count(handoff, results, scope, "total"),
            expected=f"parts that make {counts.total}",
            actual=miscount,
        )


def _judge_run(handoff: Handoff, results: Document, scope: str, name: str, counts: TestCounts) -> Iterator[Found]:
    if counts.failed:
        yield Found(
            message=f"{handoff.id} says {handoff.status}, but its own {name} report {counts.failed} failed",
            subject=f"{handoff.id} {scope}.failed",
            place=place_count(handoff, results, scope, "failed"),
            expected="0 failed",
            actual=describe_counts(counts),
        )
    elif not counts.passed:
        yield Found(
            message=f"{handoff.id} says {handoff.status}, but its own {name} do not report one test that passed",
            subject=f"{handoff.id} {scope}.passed",
            place=place_count(handoff, results, scope, "passed"),
            expected="tests that passed",
            actual=describe_counts(counts) or "no numbers",
        )


def _judge_rest(handoff: Handoff, results: Document) -> Iterator[Found]:
    if handoff.regression is None:
        yield Found(
            message=f"{handoff.id} says {handoff.status} without the numbers of a full regression",
            subject=f"{handoff.id} regression",
            place=place_heading(results, "Full Regression"),
            expected="total, passed, failed and skipped of all staged packages",
            actual="no numbers",
        )
    for claim in handoff.claims:
        if claim.kind is ClaimKind.CHECK and claim.value == "FAIL" and claim.where.path == results.path:
            yield Found(
                message=f"{handoff.id} says {handoff.status}, but reports that {claim.subject} failed",
                subject=f"{handoff.id} check {claim.subject}",
                place=claim.where,
                expected="PASS",
                actual="FAIL",
            )


STATUS_MATCHES_ITS_NUMBERS = Rule(
    id="status-matches-its-numbers",
    system=System.BUILDER,
    severity=Severity.CRITICAL,
    holds="Every status of results can be read and agrees with the numbers beside it",
    reads="status and test numbers of the newest results",
    remedy="Run the tests again and write down what they say; where tests fail, the status is FAIL or PARTIAL.",
    judge=judge,
)
