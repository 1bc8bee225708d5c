"""The numbers in results: they fit the status, reach the minimum, and do not get worse without a reason."""

from __future__ import annotations

import re
from functools import partial
from itertools import chain

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import find_unreadable
from handoff_tui.checks.rule import Findings, RuleFinding, critical_rule, high_rule
from handoff_tui.checks.rules.builder import documents as builder
from handoff_tui.checks.rules.builder.packages import list_manifests
from handoff_tui.core.lazy_pattern import compile_known, compile_later
from handoff_tui.core.tasks import Fact, Package, TestCounts
from handoff_tui.core.text.globs import matches_glob
from handoff_tui.core.text.labels import plural
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.handoff import CONTRADICTION, Document, Handoff, RegistryState

_RUNS = (("package", "package tests"), ("regression", "full regression"))


def _judge_handoff(context: Context, handoff: Handoff, results: Document) -> Findings:
    known = context.settings.builder.results_statuses
    passing = context.settings.builder.passing_statuses
    excused = handoff.registry is RegistryState.SUPERSEDED or (handoff.status and builder.is_earlier(handoff))
    if handoff.status not in known and not excused:
        unknown = f"say {handoff.status}, which is not a status of results"
        message = f"the results of {handoff.id} {unknown if handoff.status else 'have no status that can be read'}"
        place = builder.place_claim(handoff, results, ClaimKind.STATUS, None, "Status")
        yield RuleFinding(message, f"{handoff.id} status", place, " or ".join(known), handoff.status or "not said")
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


def _judge_sum(handoff: Handoff, results: Document, scope: str, name: str, counts: TestCounts) -> Findings:
    miscount = builder.find_miscount(counts)
    if miscount is not None:
        message = f"the numbers of the {name} of {handoff.id} do not add up"
        place = builder.place_count(handoff, results, scope, "total")
        yield RuleFinding(message, f"{handoff.id} {scope}.sum", place, f"parts that make {counts.total}", miscount)


def _judge_run(handoff: Handoff, results: Document, scope: str, name: str, counts: TestCounts) -> Findings:
    if counts.failed:
        message = f"{handoff.id} says {handoff.status}, but its own {name} report {counts.failed} failed"
        place = builder.place_count(handoff, results, scope, "failed")
        yield RuleFinding(message, f"{handoff.id} {scope}.failed", place, "0 failed", builder.describe_counts(counts))
    elif not counts.passed:
        message = f"{handoff.id} says {handoff.status}, but its own {name} do not report one test that passed"
        place = builder.place_count(handoff, results, scope, "passed")
        actual = builder.describe_counts(counts) or "no numbers"
        yield RuleFinding(message, f"{handoff.id} {scope}.passed", place, "tests that passed", actual)


def _judge_rest(handoff: Handoff, results: Document) -> Findings:
    if handoff.regression is None and not builder.is_earlier(handoff):
        message = f"{handoff.id} says {handoff.status} without the numbers of a full regression"
        expected = "total, passed, failed and skipped of all staged packages"
        place = builder.place_heading(results, "Full Regression")
        yield RuleFinding(message, f"{handoff.id} regression", place, expected, "no numbers")
    for claim in handoff.claims:
        if claim.kind is ClaimKind.CHECK and claim.value == "FAIL" and claim.where.path == results.path:
            message = f"{handoff.id} says {handoff.status}, but reports that {claim.subject} failed"
            yield RuleFinding(message, f"{handoff.id} check {claim.subject}", claim.where, "PASS", "FAIL")


@critical_rule(
    holds="The status of every set of results is readable and agrees with its numbers and the records of its runs.",
    reads="status and test numbers of the newest results, and the status and events of its runs",
    remedy="Run the tests again and record what they report. If tests fail, the status is FAIL or PARTIAL.",
)
def status_matches_its_numbers(context: Context) -> Findings:
    return chain(
        builder.judge_finished(context, _judge_handoff),
        (
            _refute(handoff, fact)
            for handoff, _ in builder.require_finished(context)
            for fact in handoff.facts
            if fact.name == CONTRADICTION
        ),
    )


def _refute(handoff: Handoff, fact: Fact) -> RuleFinding:
    message = f"{handoff.id}: {fact.value}"
    return RuleFinding(message, f"{handoff.id} run {fact.value}", fact.where, "records that agree", fact.value)


_BUILT = frozenset({ClaimKind.FILE_CREATED, ClaimKind.FILE_MODIFIED})


@high_rule(
    holds="Every handoff that built packages ran as many tests as their size requires.",
    reads="assets of the packages that a handoff built, and its test numbers",
    remedy="Write more tests for the package. Skipped tests don't count.",
)
def minimum_tests_reached(context: Context) -> Findings:
    unreadable = list(find_unreadable(context, list_manifests(context)))
    building = [
        (handoff, results, needs)
        for handoff, results in builder.require_finished(context)
        if (needs := {package.id: need for package in _list_built(handoff) if (need := _find_need(context, package))})
    ]
    if not building and not unreadable:
        context.skip("no handoff with results built a package with source files")
    for built in building:
        yield from _judge_total(*built)
    yield from unreadable


def _list_built(handoff: Handoff) -> list[Package]:
    """Lists the packages in which the handoff planned or claims to change files, not those it only mentions."""
    changed = [claim.subject or "" for claim in handoff.claims if claim.kind in _BUILT]
    planned = [fact.value.partition(" ") for fact in handoff.facts if fact.name == "planned file"]
    changed.extend(path for action, _, path in planned if action not in {"DELETE", "MOVE", "RENAME"})
    folders = {part for path in changed for part in path.split("/")[:-1]}
    return [
        package for package in handoff.packages if package.where.path.rpartition("/")[0].rpartition("/")[2] in folders
    ]


def _find_need(context: Context, package: Package) -> tuple[int, str] | None:
    """Returns how many tests a package needs, and why."""
    suffixes = context.settings.builder.source_suffixes
    patterns = context.settings.builder.test_files
    sources = sum(asset.path.endswith(suffixes) and not _is_test(asset.path, patterns) for asset in package.assets)
    if not sources:
        return None
    for size in context.settings.builder.size_classes:
        if size.source_files_maximum is None or sources <= size.source_files_maximum:
            return size.tests_minimum, f"{package.id} is {size.name} with {sources} source files"
    return None


def _is_test(path: str, patterns: tuple[str, ...]) -> bool:
    """Decides by the path alone, because a label in a manifest is easily changed."""
    name = path.rpartition("/")[2]
    return any(matches_glob(path if "/" in pattern else name, pattern) for pattern in patterns)


def _judge_total(handoff: Handoff, results: Document, needs: dict[str, tuple[int, str]]) -> Findings:
    needed = sum(number for number, _ in needs.values())
    counts = handoff.tests
    total = (counts.total if counts.total is not None else counts.passed) if counts else None
    ran = None if counts is None or total is None else total - (counts.skipped or 0)
    if ran is None or ran < needed:
        too_few = f"ran {plural(ran or 0, 'test')} of its packages; at least {needed} are required"
        message = f"{handoff.id} {'does not say how many tests its packages have' if ran is None else too_few}"
        place = builder.place_count(handoff, results, "package", "total")
        expected = f"at least {needed}: {'; '.join(why for _, why in needs.values())}"
        actual = builder.describe_counts(counts) if counts else "no numbers"
        yield RuleFinding(message, f"{handoff.id} tests", place, expected, actual)


@critical_rule(
    holds="No results have more failures than the ones they build on.",
    reads="regression numbers of handoffs and of the handoffs they build on",
    remedy="Fix the new failures, or show in the earlier handoff's results that they were already there.",
)
def no_new_failures(context: Context) -> Findings:
    known = {handoff.id: handoff for handoff in context.every_handoff()}
    compared = False
    without: list[str] = []
    for handoff, results in builder.require_finished(context):
        found = list(find_unreadable(context, {results.path}))
        earlier = builder.find_earlier(handoff, known, _has_numbers)
        if not found:
            found = [
                *builder.find_told_failures(context, handoff, results),
                *builder.find_more_failures(handoff, earlier, results),
            ]
        comparable = bool(earlier) and _has_numbers(handoff)
        compared = compared or comparable or bool(found)
        if not comparable:
            without.append(handoff.id)
        yield from found
    if not compared:
        context.skip(f"no earlier numbers to compare with, so new failures are unknown: {', '.join(without)}")


def _has_numbers(handoff: Handoff) -> bool:
    """Returns whether the number of failures is known; if all tests passed, it is 0."""
    counts = handoff.regression
    return counts is not None and (counts.failed is not None or (counts.total or 0) == counts.passed)


_NEGATION = compile_later(r"\b(?:no(?! longer)|not|never|none|nothing|without|neither)\b", re.IGNORECASE)
_CLAUSE_END = compile_later(r"[.;,:()–—]")
_ENTRY = compile_later(r"(?:[-*+|]|[0-9]+[.)])\s")
_NUMBER = compile_later(r"(?<![\w.-])[0-9]{1,9}(?![\w-]|\.[0-9])")


@high_rule(
    holds="Results with fewer tests or packages than before explain why.",
    reads="baselines of handoffs and of the handoffs they build on, and the baseline, issues and notes in results",
    remedy="Restore the lost tests, or say in the notes which tests or packages were removed, how many, and why.",
)
def dropped_counts_explained(context: Context) -> Findings:
    known = {handoff.id: handoff for handoff in context.every_handoff()}
    compared = False
    without: list[str] = []
    for handoff, results in builder.require_finished(context):
        unreadable = list(find_unreadable(context, {results.path}))
        compared = compared or bool(unreadable)
        yield from unreadable
        for what in () if unreadable else ("tests", "packages"):
            earlier = builder.find_earlier(handoff, known, partial(_has_count, what))
            if earlier and _count(handoff, what) is not None:
                compared = True
                yield from _judge_count(context, (handoff, results), earlier, what)
            elif handoff.id not in without:
                without.append(handoff.id)
    if not compared:
        context.skip(f"no earlier baseline to compare with, so a drop is unknown: {', '.join(without)}")


def _count(handoff: Handoff, what: str) -> int | None:
    """Returns the tests or packages of the baseline, or the tests of the regression if the baseline has none."""
    baseline = handoff.baseline
    if what == "packages":
        return baseline.packages if baseline else None
    told = baseline.tests if baseline else None
    ran = handoff.regression.total if handoff.regression else None
    return told if told is not None else ran


def _has_count(what: str, handoff: Handoff) -> bool:
    return _count(handoff, what) is not None


def _judge_count(context: Context, finished: builder.Finished, earlier: tuple[Handoff, ...], what: str) -> Findings:
    handoff, results = finished
    now = _count(handoff, what) or 0
    other = max(earlier, key=lambda one: _count(one, what) or 0)
    before = _count(other, what) or 0
    if now < before and not _is_explained(context, results, what, before, now):
        message = f"{handoff.id} has {before - now} {what} fewer than {other.id} had, and does not explain it"
        place = builder.place_claim(handoff, results, ClaimKind.BASELINE, what, "Baseline")
        expected = f"{before} {what}, or a sentence that names what went and why"
        yield RuleFinding(message, f"{handoff.id} {what}", place, expected, f"{now} {what}")


def _is_explained(context: Context, results: Document, what: str, before: int, now: int) -> bool:
    names = context.settings.builder.explanation_sections
    sections = [section for name in names if (section := builder.find_heading(results, name))]
    entries: list[str] = []
    for section in sections:
        for number, (_, text) in enumerate(builder.read_body(context, results, section)):
            if number == 0 or _ENTRY.match(text):
                entries.append(text)
            else:
                entries[-1] += f" {text}"
    return any(_explains(context, entry, what, before, now) for entry in entries)


def _explains(context: Context, text: str, what: str, before: int, now: int) -> bool:
    """Returns whether an entry mentions this drop, and names its number or the package that was removed."""
    words = set(re.findall(r"[a-z]+", text.lower()))
    prefix = context.settings.builder.package_prefix
    if not any(_tells_drop(context, clause) for clause in _CLAUSE_END.split(text)):
        return False
    names_it = bool(words & {what, what.removesuffix("s")}) or (what == "packages" and prefix in text)
    numbers = {int(number) for number in _NUMBER.findall(text)}
    return names_it and (prefix in text or bool(numbers & {before, before - now}))


def _tells_drop(context: Context, clause: str) -> bool:
    """Accepts "4 tests were removed", but not "no test was removed"."""
    words = context.settings.builder.drop_words
    found = compile_known(rf"\b(?:{'|'.join(map(re.escape, words))})\b", re.IGNORECASE).search(clause)
    return found is not None and _NEGATION.search(clause, 0, found.start()) is None
