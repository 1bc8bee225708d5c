"""Tests that were there before assert as much as they did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Moment, Rule, System
from handoff_tui.checks.testcode.compared_tests import compare_tests
from handoff_tui.checks.testcode.tested_function import TestFunction
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity


def judge(context: Context) -> Iterator[Found]:
    for pair in compare_tests(context):
        if pair.now is None or pair.new_path is None:
            continue
        for aspect, problem, expected, actual in compare(pair.before, pair.now):
            yield Found(
                message=f"the test {pair.now.name} of {pair.new_path} {problem}",
                subject=f"{pair.now.name} {aspect}",
                place=Place(path=pair.new_path, line=pair.now.line),
                expected=expected,
                actual=actual,
            )


def compare(before: TestFunction, now: TestFunction) -> Iterator[tuple[str, str, str, str]]:
    """What a test lost: its aspect, the problem in words, what was there, what is there."""
    if now.assertions < before.assertions:
        yield (
            "assertions",
            f"asserts less: {now.assertions} assertions that can fail, not {before.assertions}",
            f"{before.assertions} assertions",
            f"{now.assertions} assertions",
        )
    elif now.exact < before.exact:
        yield (
            "exactness",
            f"compares less exactly: {now.exact} comparisons, not {before.exact}",
            f"{before.exact} comparisons",
            f"{now.exact} comparisons",
        )
    elif now.empty and not before.empty:
        yield "body", "does nothing any more", "a body", "an empty body"
    for words in Counter(now.trivial) - Counter(before.trivial):
        yield f"trivial {words}", f"has an assertion that cannot fail: {words}", "an assertion that can fail", words
    if now.cases < before.cases:
        yield (
            "cases",
            f"is given fewer cases: {now.cases}, not {before.cases}",
            f"{before.cases} cases",
            f"{now.cases} cases",
        )


ASSERTIONS_NOT_WEAKENED = Rule(
    id="assertions-not-weakened",
    system=System.ALL,
    severity=Severity.HIGH,
    holds="Every test of the baseline asserts as much as it did.",
    reads="tests that differ from the baseline",
    remedy="Bring the assertions back and change the code until they hold.",
    judge=judge,
    moments=(Moment.PRE, Moment.GATE),
    version=2,
)
