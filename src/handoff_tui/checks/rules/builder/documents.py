"""Documents of the builder standard: which results count, what they state, and what the work builds on.

Neither ids nor the order of commits say what a handoff builds on; only its documents do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import find_unreadable
from handoff_tui.checks.rule import Findings, RuleFinding
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.tasks import Fact, TestCounts
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.claims.blocking import is_before_results
from handoff_tui.handoffs.formats.builder.names import EARLIER_STANDARD, UNREAD
from handoff_tui.handoffs.formats.builder.sections import normalise
from handoff_tui.handoffs.handoff import Document, DocumentRole, Handoff, Heading, RegistryState

_OF_A_HANDOFF = frozenset({DocumentRole.SPEC, DocumentRole.PROMPT, DocumentRole.ANSWERS, DocumentRole.RESULTS})
_DONE = frozenset({RegistryState.COMPLETE, RegistryState.VALIDATED})

Finished = tuple[Handoff, Document]
"""A handoff and its newest results."""


def require_builders(context: Context) -> tuple[Handoff, ...]:
    """Returns the builder handoffs under review, without packages and registries that belong to none."""
    found = tuple(
        handoff
        for handoff in context.handoffs("builder")
        if any(document.role in _OF_A_HANDOFF for document in handoff.documents)
    )
    return found or context.skip("no builder handoff here")


def list_of_this_standard(context: Context) -> tuple[Handoff, ...]:
    """Returns the builder handoffs under review without those of an earlier standard, which this one doesn't judge."""
    found = tuple(handoff for handoff in require_builders(context) if not is_earlier(handoff))
    return found or context.skip("every builder handoff here is of an earlier standard")


def is_earlier(handoff: Handoff) -> bool:
    """Whether it need not have what the standard wants: it is older, or its results have other headings only."""
    return any(fact.name in {EARLIER_STANDARD, UNREAD} for fact in handoff.facts)


def require_finished(context: Context) -> tuple[Finished, ...]:
    """Returns the builder handoffs under review that have results, with their newest results."""
    found = [(handoff, find_results(handoff)) for handoff in require_builders(context)]
    finished = tuple((handoff, results) for handoff, results in found if results is not None)
    return finished or context.skip("no builder handoff has results yet")


def judge_finished(context: Context, find: Callable[[Context, Handoff, Document], Iterable[RuleFinding]]) -> Findings:
    """Judges the newest results of each handoff, unless they are unreadable."""
    return _judge(context, require_finished(context), find)


def find_gaps(context: Context, find: Callable[[Context, Handoff, Document], Iterable[RuleFinding]]) -> Findings:
    """Looks for what the standard wants in the newest results of each handoff that was written for it."""
    due = ((handoff, find_results(handoff)) for handoff in list_of_this_standard(context))
    finished = [(handoff, results) for handoff, results in due if results is not None]
    return _judge(context, finished or context.skip("no builder handoff has results yet"), find)


def _judge(
    context: Context, finished: Iterable[Finished], find: Callable[[Context, Handoff, Document], Iterable[RuleFinding]]
) -> Findings:
    for handoff, results in finished:
        yield from list(find_unreadable(context, {results.path})) or find(context, handoff, results)


def find_results(handoff: Handoff) -> Document | None:
    """Returns the results of the newest attempt; None if there are none."""
    where = handoff.attempts[-1].where if handoff.attempts else None
    results = list_documents(handoff, DocumentRole.RESULTS)
    return next((document for document in results if where is not None and document.path == where.path), None)


def list_documents(handoff: Handoff, *roles: DocumentRole) -> list[Document]:
    return [document for document in handoff.documents if document.role in roles]


def owes_results(handoff: Handoff, context: Context) -> bool:
    """Returns whether results are due: the handoff is under review, or somebody calls it done."""
    if handoff.registry is RegistryState.SUPERSEDED:
        return False
    said = [fact.value.upper() for fact in handoff.facts if fact.name == "registry says"]
    called_done = any(words.startswith(tuple(state.value for state in _DONE)) for words in said)
    under_review = context.scope == handoff.id and not is_before_results(handoff)
    return under_review or handoff.registry in _DONE or called_done


def list_due(context: Context) -> list[tuple[Handoff, Document | None]]:
    """Returns the builder handoffs that have results or owe them, with their newest results."""
    found = [(handoff, find_results(handoff)) for handoff in list_of_this_standard(context)]
    return [(handoff, results) for handoff, results in found if results is not None or owes_results(handoff, context)]


def find_fact(handoff: Handoff, name: str, document: Document) -> Fact | None:
    """Returns the first fact with this name in one document."""
    return next(
        (fact for fact in handoff.facts if fact.name == name and fact.where and fact.where.path == document.path), None
    )


_NUMBERS = compile_later(r"^(?:[0-9]+ )+")


def find_heading(document: Document, name: str) -> Heading | None:
    """Returns the first section whose heading begins with a name, apart from numbers and punctuation."""
    wanted = normalise(name)
    for section in document.sections[1 if document.title else 0 :]:
        words = _NUMBERS.sub("", normalise(section.title))
        if words == wanted or words.startswith(f"{wanted} "):
            return section
    return None


def place_heading(document: Document, name: str) -> Place:
    """Returns where a section begins, or the document if it has no such section."""
    section = find_heading(document, name)
    return Place(path=document.path, line=section.line if section else None)


def read_body(context: Context, document: Document, section: Heading) -> list[tuple[int, str]]:
    """Returns the numbered lines of a section and its sub-sections, without headings and empty lines."""
    text = context.read_text(document.path) or ""
    headings = {heading.line for heading in document.sections}
    end = next(
        (other.line for other in document.sections if other.line > section.line and other.level <= section.level), None
    )
    numbered = enumerate(text.split("\n"), start=1)
    return [
        (number, line.strip())
        for number, line in numbered
        if number > section.line and (end is None or number < end) and number not in headings and line.strip()
    ]


def find_empty_sections(context: Context, document: Document, names: Iterable[str]) -> list[Heading]:
    """Returns the sections that have nothing under their heading."""
    found = (find_heading(document, name) for name in names)
    return [section for section in found if section is not None and not read_body(context, document, section)]


def place_claim(handoff: Handoff, document: Document, kind: ClaimKind, subject: str | None, heading: str) -> Place:
    """Returns where a document claims a number, or where the section about it begins."""
    for claim in handoff.claims:
        if claim.kind is kind and claim.subject == subject and claim.where.path == document.path:
            return claim.where
    return place_heading(document, heading)


def place_count(handoff: Handoff, document: Document, scope: str, name: str) -> Place:
    heading = "Full Regression" if scope == "regression" else "Test Results"
    return place_claim(handoff, document, ClaimKind.COUNT, f"{scope}.{name}", heading)


def describe_counts(counts: TestCounts) -> str:
    told = ((name, getattr(counts, name)) for name in ("total", "passed", "failed", "skipped"))
    return ", ".join(f"{name} {number}" for name, number in told if number is not None)


def find_miscount(counts: TestCounts) -> str | None:
    """Explains why the numbers of a run don't add up; None if they do, or if too few are given."""
    if counts.total is None or counts.passed is None:
        return None
    parts = counts.passed + (counts.failed or 0) + (counts.skipped or 0)
    if parts == counts.total:
        return None
    return f"{describe_counts(counts)}: the parts make {parts}"


_FAILURES: Final = compile_later(r"\b[1-9][0-9]*\s+(?:tests?\s+)?(?:fail|error)", re.IGNORECASE)
_CHOICE: Final = compile_later(r"^\W*yes\W*[/|]\W*no\b", re.IGNORECASE)


def says_nothing(context: Context, text: str) -> bool:
    """Accepts `NONE`, `0`, `No new failures`, but not "NONE except test_tide"."""
    return _begins_with(text, context.settings.builder.nothing_words) and not _is_taken_back(context, text)


def says_yes(context: Context, text: str) -> bool:
    """Accepts `YES`, `PASS (8/8)`, but neither the unanswered "YES/NO" nor "YES, 2 failed"."""
    return (
        _begins_with(text, context.settings.builder.yes_words)
        and not _CHOICE.match(text)
        and not _is_taken_back(context, text)
    )


def _begins_with(text: str, words: tuple[str, ...]) -> bool:
    first = re.search(r"[a-z0-9]+", text.lower())
    return first is not None and first[0] in words


def _is_taken_back(context: Context, text: str) -> bool:
    words = set(re.findall(r"[a-z0-9]+", text.lower()))
    return bool(words & set(context.settings.builder.exception_words)) or _FAILURES.search(text) is not None


def find_earlier(
    handoff: Handoff, known: Mapping[str, Handoff], has_numbers: Callable[[Handoff], bool]
) -> tuple[Handoff, ...]:
    """Returns the nearest ones that have numbers, looking further back behind those without."""
    found: dict[str, Handoff] = {}
    waiting = list(handoff.blocked_by)
    seen = {handoff.id}
    while waiting:
        name = waiting.pop(0)
        other = known.get(name)
        if name in seen or other is None:
            continue
        seen.add(name)
        if has_numbers(other):
            found[name] = other
        else:
            waiting.extend(other.blocked_by)
    older = {name for other in found.values() for name in _list_all_before(other, known)}
    newest = tuple(other for name, other in found.items() if name not in older)
    return newest or tuple(found.values())


def _list_all_before(handoff: Handoff, known: Mapping[str, Handoff]) -> set[str]:
    before: set[str] = set()
    waiting = list(handoff.blocked_by)
    while waiting:
        name = waiting.pop()
        if name in before or name == handoff.id:
            continue
        before.add(name)
        if name in known:
            waiting.extend(known[name].blocked_by)
    return before


def find_told_failures(context: Context, handoff: Handoff, results: Document) -> Findings:
    """Finds new failures that the results themselves name."""
    fact = find_fact(handoff, "new failures introduced", results)
    if fact is not None and not says_nothing(context, fact.value):
        message = f"{handoff.id} does not rule out new failures: {fact.value}"
        yield RuleFinding(message, f"{handoff.id} new failures", fact.where, "NONE", fact.value)


def find_more_failures(handoff: Handoff, earlier: tuple[Handoff, ...], results: Document) -> Findings:
    """Finds more failures than in the handoff it builds on; without earlier numbers, all failures count as new."""
    failed = handoff.regression.failed if handoff.regression else None
    if not failed:
        return
    place = place_count(handoff, results, "regression", "failed")
    known = {other.id: other.regression.failed or 0 for other in earlier if other.regression}
    if not known:
        message = f"{handoff.id} reports {failed} failures, and no earlier numbers show that they are old"
        actual = f"{failed} failed, nothing to compare with"
        yield RuleFinding(message, f"{handoff.id} regression.failed", place, "0 failed", actual)
        return
    name, before = min(known.items(), key=lambda pair: pair[1])
    if failed > before:
        message = f"{handoff.id} has {failed - before} more failures than {name}, on which it builds"
        expected = f"at most {before} failed, as in {name}"
        yield RuleFinding(message, f"{handoff.id} regression.failed", place, expected, f"{failed} failed")
