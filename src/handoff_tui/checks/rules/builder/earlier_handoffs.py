"""The handoffs that one builds on, as declared, and failures that they did not have.

Neither ids nor the order of commits say what a handoff builds on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from handoff_tui.checks.context import Context
from handoff_tui.checks.rule import RuleFinding
from handoff_tui.checks.rules.builder.documents import find_fact, place_count, says_nothing
from handoff_tui.handoffs.handoff import Document, Handoff


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


def find_told_failures(context: Context, handoff: Handoff, results: Document) -> Iterator[RuleFinding]:
    """Finds new failures that the results themselves name."""
    fact = find_fact(handoff, "new failures introduced", results)
    if fact is not None and not says_nothing(context, fact.value):
        message = f"{handoff.id} does not rule out new failures: {fact.value}"
        yield RuleFinding(message, f"{handoff.id} new failures", fact.where, "NONE", fact.value)


def find_more_failures(handoff: Handoff, earlier: tuple[Handoff, ...], results: Document) -> Iterator[RuleFinding]:
    """Finds more failures than in the handoff it builds on; without earlier numbers, all failures count as new."""
    failed = handoff.regression.failed if handoff.regression else None
    if not failed:
        return
    place = place_count(handoff, results, "regression", "failed")
    known = {other.id: other.regression.failed or 0 for other in earlier if other.regression}
    if not known:
        message = f"{handoff.id} reports {failed} failures, and no earlier numbers show that they are old"
        expected = "earlier results with as many failures, or none"
        actual = f"{failed} failed, nothing to compare with"
        yield RuleFinding(message, f"{handoff.id} regression.failed", place, expected, actual)
        return
    name, before = min(known.items(), key=lambda pair: pair[1])
    if failed > before:
        message = f"{handoff.id} has {failed - before} more failures than {name}, on which it builds"
        expected = f"at most {before} failed, as in {name}"
        yield RuleFinding(message, f"{handoff.id} regression.failed", place, expected, f"{failed} failed")
