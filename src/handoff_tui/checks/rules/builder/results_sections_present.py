"""The newest results of a builder handoff have every section of the standard, and something in each."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.checks.facts.document_problems import find_unreadable
from handoff_tui.checks.rules.builder.documents import find_empty_sections, find_results, owes_results, require_builders
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.document import Document
from handoff_tui.handoffs.handoff import Handoff

_IN_ITS_HEADING = "Status"
"""The one section whose heading says it all."""


def judge(context: Context) -> Iterator[Found]:
    judged = False
    for handoff in require_builders(context):
        results = find_results(handoff)
        judged = judged or results is not None
        if results is not None:
            yield from list(find_unreadable(context, {results.path})) or _judge_results(context, handoff, results)
        elif owes_results(handoff, context):
            judged = True
            yield Found(
                message=f"{handoff.id} has no results",
                subject=f"{handoff.id} results",
                place=Place(path=handoff.documents[0].path),
                expected=f"{handoff.id}_RESULTS.md",
                actual="none",
            )
    if not judged:
        context.skip("no builder handoff here has results, and none is due yet")


def _judge_results(context: Context, handoff: Handoff, results: Document) -> Iterator[Found]:
    names: tuple[str, ...] = context.setting("builder.results_sections", tuple)
    for name in results.missing:
        yield Found(
            message=f"the results of {handoff.id} have no section «{name}»",
            subject=f"section {name}",
            place=Place(path=results.path),
            expected=f"a section «{name}»",
            actual="missing",
        )
    for section in find_empty_sections(context, results, (name for name in names if name != _IN_ITS_HEADING)):
        yield Found(
            message=f"the section «{section.title}» of the results of {handoff.id} is empty",
            subject=f"empty {section.title}",
            place=Place(path=results.path, line=section.line),
            expected="what was done, or NONE",
            actual="nothing",
        )


RESULTS_SECTIONS_PRESENT = Rule(
    id="results-sections-present",
    system=System.BUILDER,
    severity=Severity.HIGH,
    holds="The newest results of every builder handoff have all sections of the standard",
    reads="the newest results of builder handoffs",
    remedy="Write the missing sections of the results; where there was nothing to do, say NONE and why.",
    judge=judge,
)
