"""Results record a regression, a baseline and a clean room; a reviewer goes through them item by item."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import find_unreadable
from handoff_tui.checks.rule import Findings, Moment, RuleFinding, high_rule
from handoff_tui.checks.rules.builder import documents as builder
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.tasks import Fact, TestCounts
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.handoff import Document, Handoff

_NUMBER: Final = compile_later(r"^\W*([0-9]{1,9})\b")
_LEFT_OUT: Final = compile_later(r"--(?:ignore|ignore-glob|deselect|exclude)[= ]\S+")
_REGRESSION = "Full Regression"
_BASELINE = "Baseline"
_CLEAN_ROOM = "Clean-Room"


def find_regression_gaps(context: Context, handoff: Handoff, results: Document) -> Findings:
    """Finds gaps in the full regression: its numbers, a command for all packages, a statement on new failures."""
    section = builder.place_heading(results, _REGRESSION)
    counts = handoff.regression
    if counts is None:
        message = f"{handoff.id} records no full regression with numbers"
        expected = "total, passed, failed and skipped of all staged packages"
        yield RuleFinding(message, f"{handoff.id} regression", section, expected, "no numbers")
        return
    for name in ("total", "passed", "failed"):
        if getattr(counts, name) is None and not (name == "failed" and counts.total == counts.passed):
            message = f'the full regression of {handoff.id} gives no number for "{name}"'
            actual = builder.describe_counts(counts) or "no numbers"
            yield RuleFinding(message, f"{handoff.id} regression.{name}", section, f"{name}: a number", actual)
    yield from _find_narrow_run(context, handoff, counts, results)
    if builder.find_fact(handoff, "new failures introduced", results) is None:
        message = f"the full regression of {handoff.id} does not say whether it has new failures"
        expected = "New failures introduced by this agent: NONE, or a list"
        yield RuleFinding(message, f"{handoff.id} new failures", section, expected, "not said")


def _find_narrow_run(context: Context, handoff: Handoff, counts: TestCounts, results: Document) -> Findings:
    """Finds signs that not all packages were tested."""
    place = builder.place_heading(results, _REGRESSION)
    own = handoff.tests
    if not counts.command:
        message = f"the full regression of {handoff.id} does not give its command"
        expected = "Command: the command that was run"
        yield RuleFinding(message, f"{handoff.id} regression.command", place, expected, "no command")
    if own and own.total is not None and counts.total is not None and counts.total < own.total:
        message = f"the full regression of {handoff.id} ran fewer tests than its package alone"
        where, expected = builder.place_count(handoff, results, "regression", "total"), f"at least {own.total} tests"
        yield RuleFinding(message, f"{handoff.id} regression.total", where, expected, f"{counts.total} tests")
    named = _find_named_packages(context, counts.command or "")
    staged = handoff.baseline.packages if handoff.baseline else None
    if named and staged is not None and len(named) < staged:
        message = f"the full regression of {handoff.id} ran {len(named)} packages of {staged}"
        expected = f"all {staged} staged packages"
        yield RuleFinding(message, f"{handoff.id} regression.packages", place, expected, ", ".join(named))


def _find_named_packages(context: Context, command: str) -> list[str]:
    """Returns the packages that a command names, without those it ignores."""
    prefix = re.escape(context.settings.builder.package_prefix)
    return list(dict.fromkeys(re.findall(rf"{prefix}[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*", _LEFT_OUT.sub("", command))))


def find_baseline_gaps(context: Context, handoff: Handoff, results: Document) -> Findings:
    """Finds gaps in the baseline: packages, tests, and no fewer tests than were just run."""
    place = builder.place_heading(results, _BASELINE)
    packages = handoff.baseline.packages if handoff.baseline else None
    tests = handoff.baseline.tests if handoff.baseline else None
    least = context.settings.builder.packages_minimum
    if packages is None or packages < least:
        message = f"the baseline of {handoff.id} does not say how many packages are installed"
        expected = f"Packages installed: {least} or more"
        actual = "not said" if packages is None else str(packages)
        yield RuleFinding(message, f"{handoff.id} baseline.packages", place, expected, actual)
    if tests is None:
        message = f"the baseline of {handoff.id} does not say how many tests there are"
        expected = "Total tests (all staged): a number"
        yield RuleFinding(message, f"{handoff.id} baseline.tests", place, expected, "not said")
    ran = handoff.regression.total if handoff.regression else None
    if tests is not None and ran is not None and tests < ran:
        message = f"the baseline of {handoff.id} has fewer tests than its own regression ran"
        where = builder.place_claim(handoff, results, ClaimKind.BASELINE, "tests", _BASELINE)
        yield RuleFinding(message, f"{handoff.id} baseline.tests", where, f"at least {ran} tests", f"{tests} tests")


def find_clean_room_gaps(context: Context, handoff: Handoff, results: Document) -> Findings:
    """Finds gaps in the clean room: how many packages, in which order, and that all tests passed."""

    def report(problem: str, what: str, fact: Fact | None, expected: str) -> RuleFinding:
        place = (fact.where if fact else None) or builder.place_heading(results, _CLEAN_ROOM)
        message, actual = f"the clean room of {handoff.id} does not {problem}", fact.value if fact else "not said"
        return RuleFinding(message, f"{handoff.id} clean-room {what}", place, expected, actual)

    installed = builder.find_fact(handoff, "clean-room packages installed", results)
    order = builder.find_fact(handoff, "clean-room install order", results)
    passed = builder.find_fact(handoff, "clean-room all pass", results)
    match = _NUMBER.match(installed.value) if installed else None
    number = int(match.group(1)) if match else None
    least = context.settings.builder.packages_minimum
    if number is None or number < least:
        expected = f"Packages installed: {least} or more"
        yield report("say how many packages were installed", "packages", installed, expected)
    named = _find_named_packages(context, order.value) if order else []
    cut = order is not None and order.value.endswith("…")
    if not named or (number is not None and len(named) != number and not cut):
        expected = "Install order: one package per installation" if number is None else f"{number} packages"
        yield report("name each package in the order of installation", "order", order, expected)
    if passed is None or not builder.says_yes(context, passed.value):
        expected = "All tests pass after each install: YES"
        yield report("say that all tests passed after each installation", "tests", passed, expected)


@high_rule(
    holds="The newest results record a regression over all staged packages, with its numbers and its command.",
    reads="the full-regression section of the newest results",
    remedy="Run the tests of all staged packages. Record the four numbers, the command and any new failures.",
)
def full_regression_recorded(context: Context) -> Findings:
    return builder.find_gaps(context, find_regression_gaps)


@high_rule(
    holds="The newest results record a baseline: how many packages and how many tests.",
    reads="the baseline in the newest results",
    remedy="Count the installed packages and all staged tests after the work, and record both.",
)
def baseline_recorded(context: Context) -> Findings:
    return builder.find_gaps(context, find_baseline_gaps)


@high_rule(
    holds="The newest results record a clean-room installation: package count, install order and passing tests.",
    reads="the clean-room section of the newest results",
    remedy="Install all packages into an empty folder, run the tests after each, and record count, order and outcome.",
)
def clean_room_recorded(context: Context) -> Findings:
    return builder.find_gaps(context, find_clean_room_gaps)


_ITEMS = (
    "the results exist",
    "the results have all sections that a reviewer needs",
    "the clean room shows package count, install order and passing tests",
    "the baseline shows package count and test count",
    "the full regression was run over all staged packages",
    "no new failures against the previous baseline",
    "manifest hashes are written as sha256:<64 hex digits>",
    "the results lie where the naming convention wants them",
)

_HASHES = 7


@high_rule(
    holds="Every finished builder handoff meets all eight items of the reviewer's checklist.",
    reads="the newest results and the manifests of builder handoffs, item by item",
    remedy="Send the handoff back with the unmet items. It isn't validated until all eight are met.",
    moments=(Moment.GATE,),
)
def reviewer_checklist_complete(context: Context) -> Findings:
    for handoff, results in builder.list_due(context) or context.skip("no builder handoff is ready for review"):
        unmet = _judge_results(context, handoff, results) if results else _judge_without_results(context, handoff)
        for number, gap in unmet:
            message = f"{handoff.id} does not meet item {number}, {_ITEMS[number - 1]}: {gap.message}"
            yield RuleFinding(message, f"{handoff.id} item {number}", gap.place, gap.expected, gap.actual)


def _judge_without_results(context: Context, handoff: Handoff) -> Iterator[tuple[int, RuleFinding]]:
    """Reports every item but the hashes of manifests, the only ones that need no results."""
    place = Place(path=handoff.documents[0].path)
    for number, _ in enumerate(_ITEMS, start=1):
        if number != _HASHES:
            yield number, RuleFinding("there are no results", "results", place, f"{handoff.id}_RESULTS.md", "none")
        elif malformed := next(_find_malformed_hashes(context, handoff), None):
            yield number, malformed


def _judge_results(context: Context, handoff: Handoff, results: Document) -> Iterator[tuple[int, RuleFinding]]:
    """Yields the first gap of each item; the rule for that item reports all of them."""
    known = {other.id: other for other in context.every_handoff()}
    earlier = builder.find_earlier(handoff, known, lambda other: other.regression is not None)
    failures = (
        *builder.find_told_failures(context, handoff, results),
        *builder.find_more_failures(handoff, earlier, results),
    )
    gaps: tuple[Findings, ...] = (
        find_unreadable(context, {results.path}),
        _find_missing_sections(context, results),
        find_clean_room_gaps(context, handoff, results),
        find_baseline_gaps(context, handoff, results),
        find_regression_gaps(context, handoff, results),
        iter(failures),
        _find_malformed_hashes(context, handoff),
        _find_misplacement(context, handoff, results),
    )
    for number, found in enumerate(gaps, start=1):
        first = next(found, None)
        if first is not None:
            yield number, first


def _find_missing_sections(context: Context, results: Document) -> Findings:
    wanted = context.settings.builder.checklist_sections
    missing = [name for name in wanted if name in results.missing]
    if missing or not results.sections:
        lacking = ", ".join(missing) or "all sections"
        yield RuleFinding(
            f"missing: {lacking}", "sections", Place(path=results.path), ", ".join(wanted), f"without {lacking}"
        )


def _find_malformed_hashes(context: Context, handoff: Handoff) -> Findings:
    pattern = context.settings.builder.hash_pattern
    manifests = [document.path for document in handoff.documents if document.role.value == "manifest"]
    yield from find_unreadable(context, manifests)
    for package in handoff.packages:
        for asset in package.assets:
            if not re.match(pattern, asset.sha256 or ""):
                message = f"the hash of {asset.path} in {package.id} is not"
                yield RuleFinding(message, "hash", package.where, "sha256:<64 hex digits>", asset.sha256 or "no hash")


def _find_misplacement(context: Context, handoff: Handoff, results: Document) -> Findings:
    names = context.settings.builder.file_names
    wanted = f"{handoff.id}/{handoff.id}_{names['results']}.md"
    if not f"/{results.path}".endswith(f"/{wanted}"):
        yield RuleFinding(f"they are {results.path}", "place", Place(path=results.path), wanted, results.path)
