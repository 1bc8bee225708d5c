"""Which failing check to look at first: one that waits for no other, and for which the most wait. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from handoff_tui.checks.result import CheckResult, Outcome
from handoff_tui.core.work import Severity

_RANK = {severity: number for number, severity in enumerate(Severity)}


class OrderedFailure(NamedTuple):
    """A result that is no pass, and its neighbours among those."""

    result: CheckResult
    needs: tuple[str, ...]
    """Those that it needs directly and that do not pass either."""
    holds_back: tuple[str, ...]
    """Those that did not run because of it, at any distance."""


def order_failures(results: Iterable[CheckResult], needs: Mapping[str, tuple[str, ...]]) -> tuple[OrderedFailure, ...]:
    """Results that do not pass, causes before what they hold back; then what blocks, then the worst."""
    by_id = {result.id: result for result in results}
    direct = {name: tuple(need for need in needs.get(name, ()) if need in by_id) for name in by_id}
    below = {name: _find_below(name, direct) for name in by_id}
    ordered: list[tuple[tuple[object, ...], OrderedFailure]] = []
    for name, result in by_id.items():
        waiting = [other for other in by_id if name in below[other] and other != name]
        held = tuple(sorted(other for other in waiting if by_id[other].outcome is Outcome.SKIPPED))
        # of checks that need each other in a circle none is the cause of another
        causes = [other for other in below[name] if name not in below[other] and other != name]
        weight = [result, *(by_id[other] for other in held)]
        key = (
            bool(causes),
            not any(one.blocking for one in weight),
            min(_RANK[one.severity] for one in weight),
            -len(held),
            not result.blocking,
            _RANK[result.severity],
            name,
        )
        ordered.append((key, OrderedFailure(result, direct[name], held)))
    return tuple(failure for _, failure in sorted(ordered, key=lambda pair: pair[0]))


def _find_below(name: str, direct: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
    """All that a check needs, at any distance; itself among them where needs go round in a circle."""
    found: set[str] = set()
    waiting = list(direct[name])
    while waiting:
        need = waiting.pop()
        if need not in found:
            found.add(need)
            waiting += direct[need]
    return frozenset(found)
