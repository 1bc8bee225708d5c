"""What results must record, and the gaps in it: regression, baseline, clean room, new failures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found
from handoff_tui.checks.rules.builder.documents import find_fact, place_heading
from handoff_tui.checks.rules.builder.numbers import describe_counts, place_claim, place_count
from handoff_tui.checks.rules.builder.statements import says_nothing, says_yes
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.tasks import TestCounts
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.document import Document
from handoff_tui.handoffs.handoff import Handoff

_NUMBER: Final = compile_later(r"^\W*([0-9]{1,9})\b")
_LEFT_OUT: Final = compile_later(r"--(?:ignore|ignore-glob|deselect|exclude)[= ]\S+")
_REGRESSION = "Full Regression"
_BASELINE = "Baseline"
_CLEAN_ROOM = "Clean-Room"


def find_regression_gaps(context: Context, handoff: Handoff, results: Document) -> Iterator[Found]:
    """What a full regression must say: numbers, a command for all packages, and whether there are new failures."""
    section = place_heading(results, _REGRESSION)
    counts = handoff.regression
    if counts is None:
        yield Found(
            message=f"{handoff.id} records no full regression with numbers",
            subject=f"{handoff.id} regression",
            place=section,
            expected="total, passed, failed and skipped of all staged packages",
            actual="no numbers",
        )
        return
    for name in ("total", "passed", "failed"):
        if getattr(counts, name) is None and not (name == "failed" and counts.total == counts.passed):
            yield Found(
                message=f"the full regression of {handoff.id} does not say its number «{name}»",
                subject=f"{handoff.id} regression.{name}",
                place=section,
                expected=f"{name}: a number",
                actual=describe_counts(counts) or "no numbers",
            )
    yield from _find_narrow_run(context, handoff, counts, results)
    if find_fact(handoff, "new failures introduced", results) is None:
        yield Found(
            message=f"the full regression of {handoff.id} does not say whether it has new failures",
            subject=f"{handoff.id} new failures",
            place=section,
            expected="New failures introduced by this agent: NONE, or a list",
            actual="not said",
        )


def _find_narrow_run(context: Context, handoff: Handoff, counts: TestCounts, results: Document) -> Iterator[Found]:
    """Signs that not all packages were tested."""
    place = place_heading(results, _REGRESSION)
    own = handoff.tests
    if not counts.command:
        yield Found(
            message=f"the full regression of {handoff.id} does not give its command",
            subject=f"{handoff.id} regression.command",
            place=place,
            expected="Command: the command that was run",
            actual="no command",
        )
    if own and own.total is not None and counts.total is not None and counts.total < own.total:
        yield Found(
            message=f"the full regression of {handoff.id} ran fewer tests than its package alone",
            subject=f"{handoff.id} regression.total",
            place=place_count(handoff, results, "regression", "total"),
            expected=f"at least {own.total} tests",
            actual=f"{counts.total} tests",
        )
    named = _find_named_packages(context, counts.command or "")
    staged = handoff.baseline.packages if handoff.baseline else None
    if named and staged is not None and len(named) < staged:
        yield Found(
            message=f"the full regression of {handoff.id} ran {len(named)} packages of {staged}",
            subject=f"{handoff.id} regression.packages",
            place=place,
            expected=f"all {staged} staged packages",
            actual=", ".join(named),
        )


def _find_named_packages(context: Context, command: str) -> list[str]:
    """Packages that a command runs one by one; those it leaves out with `--ignore` are not run."""
    prefix = re.escape(context.setting("builder.package_prefix", str))
    return list(dict.fromkeys(re.findall(rf"{prefix}[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*", _LEFT_OUT.sub("", command))))


def find_baseline_gaps(context: Context, handoff: Handoff, results: Document) -> Iterator[Found]:
    """What a baseline must say: packages and tests, and not fewer tests than were just run."""
    place = place_heading(results, _BASELINE)
    packages = handoff.baseline.packages if handoff.baseline else None
    tests = handoff.baseline.tests if handoff.baseline else None
    least = context.setting("builder.packages_minimum", int)
    if packages is None or packages < least:
        yield Found(
            message=f"the baseline of {handoff.id} does not say how many packages are installed",
            subject=f"{handoff.id} baseline.packages",
            place=place,
            expected=f"Packages installed: {least} or more",
            actual="not said" if packages is None else str(packages),
        )
    if tests is None:
        yield Found(
            message=f"the baseline of {handoff.id} does not say how many tests there are",
            subject=f"{handoff.id} baseline.tests",
            place=place,
            expected="Total tests (all staged): a number",
            actual="not said",
        )
    ran = handoff.regression.total if handoff.regression else None
    if tests is not None and ran is not None and tests < ran:
        yield Found(
            message=f"the baseline of {handoff.id} has fewer tests than its own regression ran",
            subject=f"{handoff.id} baseline.tests",
            place=place_claim(handoff, results, ClaimKind.BASELINE, "tests", _BASELINE),
            expected=f"at least {ran} tests",
            actual=f"{tests} tests",
        )


def find_clean_room_gaps(context: Context, handoff: Handoff, results: Document) -> Iterator[Found]:
    """What a clean room must say: how many packages, in which order, and that all tests passed."""
    place = place_heading(results, _CLEAN_ROOM)
    installed = find_fact(handoff, "clean-room packages installed", results)
    order = find_fact(handoff, "clean-room install order", results)
    passed = find_fact(handoff, "clean-room all pass", results)
    match = _NUMBER.match(installed.value) if installed else None
    number = int(match.group(1)) if match else None
    least = context.setting("builder.packages_minimum", int)
    if number is None or number < least:
        yield Found(
            message=f"the clean room of {handoff.id} does not say how many packages were installed",
            subject=f"{handoff.id} clean-room packages",
            place=(installed.where if installed else None) or place,
            expected=f"Packages installed: {least} or more",
            actual=installed.value if installed else "not said",
        )
    named = _find_named_packages(context, order.value) if order else []
    cut = order is not None and order.value.endswith("…")
    if not named or (number is not None and len(named) != number and not cut):
        yield Found(
            message=f"the clean room of {handoff.id} does not name each package in the order of installation",
            subject=f"{handoff.id} clean-room order",
            place=(order.where if order else None) or place,
            expected="Install order: one package per installation" if number is None else f"{number} packages",
            actual=order.value if order else "not said",
        )
    if passed is None or not says_yes(context, passed.value):
        yield Found(
            message=f"the clean room of {handoff.id} does not say that all tests passed after each installation",
            subject=f"{handoff.id} clean-room tests",
            place=(passed.where if passed else None) or place,
            expected="All tests pass after each install: YES",
            actual=passed.value if passed else "not said",
        )


def find_told_failures(context: Context, handoff: Handoff, results: Document) -> Iterator[Found]:
    """New failures that the results themselves name."""
    fact = find_fact(handoff, "new failures introduced", results)
    if fact is not None and not says_nothing(context, fact.value):
        yield Found(
            message=f"{handoff.id} does not rule out new failures: {fact.value}",
            subject=f"{handoff.id} new failures",
            place=fact.where,
            expected="NONE",
            actual=fact.value,
        )


def find_more_failures(handoff: Handoff, earlier: tuple[Handoff, ...], results: Document) -> Iterator[Found]:
    """More failures than the handoff built on had; failures that nothing earlier shows to be old count as new."""
    failed = handoff.regression.failed if handoff.regression else None
    if not failed:
        return
    place = place_count(handoff, results, "regression", "failed")
    known = {other.id: other.regression.failed or 0 for other in earlier if other.regression}
    if not known:
        yield Found(
            message=f"{handoff.id} reports {failed} failures, and no earlier numbers show that they are old",
            subject=f"{handoff.id} regression.failed",
            place=place,
            expected="earlier results with as many failures, or none",
            actual=f"{failed} failed, nothing to compare with",
        )
        return
    name, before = min(known.items(), key=lambda pair: pair[1])
    if failed > before:
        yield Found(
            message=f"{handoff.id} has {failed - before} more failures than {name}, on which it builds",
            subject=f"{handoff.id} regression.failed",
            place=place,
            expected=f"at most {before} failed, as in {name}",
            actual=f"{failed} failed",
        )
