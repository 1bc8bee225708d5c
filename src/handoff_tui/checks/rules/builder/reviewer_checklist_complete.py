"""The reviewer's checklist of the standard, item by item, before a handoff is called validated."""

from __future__ import annotations

import re
from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Moment, Rule, System
from handoff_tui.checks.facts.document_problems import find_unreadable
from handoff_tui.checks.rules.builder.documents import find_results, owes_results, require_builders
from handoff_tui.checks.rules.builder.earlier_handoffs import find_earlier
from handoff_tui.checks.rules.builder.record import (
    find_baseline_gaps,
    find_clean_room_gaps,
    find_more_failures,
    find_regression_gaps,
    find_told_failures,
)
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.document import Document
from handoff_tui.handoffs.handoff import Handoff

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


def judge(context: Context) -> Iterator[Found]:
    judged = False
    for handoff in require_builders(context):
        results = find_results(handoff)
        if results is None and not owes_results(handoff, context):
            continue
        judged = True
        unmet = (
            _judge_without_results(context, handoff) if results is None else _judge_results(context, handoff, results)
        )
        for number, gap in unmet:
            yield Found(
                message=f"{handoff.id} does not meet item {number}, {_ITEMS[number - 1]}: {gap.message}",
                subject=f"{handoff.id} item {number}",
                place=gap.place,
                expected=gap.expected,
                actual=gap.actual,
            )
    if not judged:
        context.skip("no builder handoff here is ready for a reviewer")


def _judge_without_results(context: Context, handoff: Handoff) -> Iterator[tuple[int, Found]]:
    """Only the hashes of manifests can be judged; what results would show is shown by nothing."""
    place = Place(path=handoff.documents[0].path)
    for number, _ in enumerate(_ITEMS, start=1):
        if number != _HASHES:
            yield number, Found("there are no results", "results", place, f"{handoff.id}_RESULTS.md", "none")
        elif malformed := next(_find_malformed_hashes(context, handoff), None):
            yield number, malformed


def _judge_results(context: Context, handoff: Handoff, results: Document) -> Iterator[tuple[int, Found]]:
    """The first gap of each item; how many there are is told by the rule on just that item."""
    known = {other.id: other for other in context.every_handoff()}
    earlier = find_earlier(handoff, known, lambda other: other.regression is not None)
    failures = (*find_told_failures(context, handoff, results), *find_more_failures(handoff, earlier, results))
    gaps: tuple[Iterator[Found], ...] = (
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


def _find_missing_sections(context: Context, results: Document) -> Iterator[Found]:
    wanted: tuple[str, ...] = context.setting("builder.checklist_sections", tuple)
    missing = [name for name in wanted if name in results.missing]
    if missing or not results.sections:
        lacking = ", ".join(missing) or "all sections"
        yield Found(
            f"missing: {lacking}", "sections", Place(path=results.path), ", ".join(wanted), f"without {lacking}"
        )


def _find_malformed_hashes(context: Context, handoff: Handoff) -> Iterator[Found]:
    pattern = context.setting("builder.hash_pattern", str)
    manifests = [document.path for document in handoff.documents if document.role.value == "manifest"]
    yield from find_unreadable(context, manifests)
    for package in handoff.packages:
        for asset in package.assets:
            if not re.match(pattern, asset.sha256 or ""):
                message = f"the hash of {asset.path} in {package.id} is not"
                yield Found(message, "hash", package.where, "sha256:<64 hex digits>", asset.sha256 or "no hash")


def _find_misplacement(context: Context, handoff: Handoff, results: Document) -> Iterator[Found]:
    names: dict[str, str] = context.setting("builder.file_names", dict)
    wanted = f"{handoff.id}/{handoff.id}_{names['results']}.md"
    if not f"/{results.path}".endswith(f"/{wanted}"):
        yield Found(f"they are {results.path}", "place", Place(path=results.path), wanted, results.path)


REVIEWER_CHECKLIST_COMPLETE = Rule(
    id="reviewer-checklist-complete",
    system=System.BUILDER,
    severity=Severity.HIGH,
    holds="Every finished builder handoff meets all eight items of the reviewer's checklist",
    reads="the newest results and the manifests of builder handoffs, item by item",
    remedy="Send the handoff back with the unmet items; it is not validated before all eight are met.",
    judge=judge,
    moments=(Moment.GATE,),
)
