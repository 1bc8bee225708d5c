"""The handoffs that one builds on, as declared. Neither ids nor the order of commits say so."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from handoff_tui.handoffs.handoff import Handoff


def find_earlier(
    handoff: Handoff, known: Mapping[str, Handoff], has_numbers: Callable[[Handoff], bool]
) -> tuple[Handoff, ...]:
    """The nearest ones that have numbers; behind one without numbers, those on which that one builds."""
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
