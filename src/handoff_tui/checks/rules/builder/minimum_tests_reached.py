"""Handoffs that build packages have at least the tests that packages of that size need."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.checks.facts.document_problems import find_unreadable
from handoff_tui.checks.rules.builder.documents import require_finished
from handoff_tui.checks.rules.builder.numbers import describe_counts, place_count
from handoff_tui.checks.rules.builder.packages import list_manifests
from handoff_tui.core.packages import Package
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.document import Document
from handoff_tui.handoffs.handoff import Handoff

_BUILT = frozenset({ClaimKind.FILE_CREATED, ClaimKind.FILE_MODIFIED})


def judge(context: Context) -> Iterator[Found]:
    judged = False
    unreadable = list(find_unreadable(context, list_manifests(context)))
    for handoff, results in require_finished(context):
        needs = {package.id: need for package in _list_built(handoff) if (need := _find_need(context, package))}
        judged = judged or bool(needs)
        if needs:
            yield from _judge_handoff(handoff, results, needs)
    yield from unreadable
    if not judged and not unreadable:
        context.skip("no handoff here that has results built a package with source files")


def _list_built(handoff: Handoff) -> list[Package]:
    """Packages in whose folder the handoff was to change files, or says that it did; others are only mentioned."""
    changed = [claim.subject or "" for claim in handoff.claims if claim.kind in _BUILT]
    planned = [fact.value.partition(" ") for fact in handoff.facts if fact.name == "planned file"]
    changed.extend(path for action, _, path in planned if action not in {"DELETE", "MOVE", "RENAME"})
    folders = {part for path in changed for part in path.split("/")[:-1]}
    return [
        package for package in handoff.packages if package.where.path.rpartition("/")[0].rpartition("/")[2] in folders
    ]


def _find_need(context: Context, package: Package) -> tuple[int, str] | None:
    """How many tests a package needs, and why."""
    suffixes: tuple[str, ...] = context.setting("builder.source_suffixes", tuple)
    patterns: tuple[str, ...] = context.setting("builder.test_files", tuple)
    sources = sum(asset.path.endswith(suffixes) and not _is_test(asset.path, patterns) for asset in package.assets)
    if not sources:
        return None
    for size in context.setting("builder.size_classes", tuple):
        if size.source_files_maximum is None or sources <= size.source_files_maximum:
            return size.tests_minimum, f"{package.id} is {size.name} with {sources} source files"
    return None


def _is_test(path: str, patterns: tuple[str, ...]) -> bool:
    """By its path alone: what a manifest calls a file is easily changed."""
    name = path.rpartition("/")[2]
    return any(fnmatchcase(path if "/" in pattern else name, pattern) for pattern in patterns)


def _judge_handoff(handoff: Handoff, results: Document, needs: dict[str, tuple[int, str]]) -> Iterator[Found]:
    needed = sum(number for number, _ in needs.values())
    counts = handoff.tests
    total = (counts.total if counts.total is not None else counts.passed) if counts else None
    ran = None if counts is None or total is None else total - (counts.skipped or 0)
    if ran is None or ran < needed:
        yield Found(
            message=f"{handoff.id} does not say how many tests its packages have"
            if ran is None
            else f"{handoff.id} ran {ran} tests of its packages, and {needed} are the least",
            subject=f"{handoff.id} tests",
            place=place_count(handoff, results, "package", "total"),
            expected=f"at least {needed}: {'; '.join(why for _, why in needs.values())}",
            actual=describe_counts(counts) if counts else "no numbers",
        )


MINIMUM_TESTS_REACHED = Rule(
    id="minimum-tests-reached",
    system=System.BUILDER,
    severity=Severity.HIGH,
    holds="Every handoff that built packages ran at least the tests that their size demands",
    reads="assets of the packages that a handoff built, and its test numbers",
    remedy="Write more tests for the package; tests that are skipped do not count.",
    judge=judge,
)
