"""Tests of two snapshots, by id: what came, what left, what fails or is skipped now, what has another name."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import compress
from operator import is_not
from typing import Final

from handoff_tui.changes.comparison.drop_words import Drop
from handoff_tui.changes.comparison.explain import Explanations
from handoff_tui.changes.comparison.explain_tests import TestSearch
from handoff_tui.changes.comparison.renamed_tests import pair_renamed
from handoff_tui.changes.comparison.snapshot_diff import Change, Item, Section
from handoff_tui.changes.snapshots.snapshot import TestOutcome
from handoff_tui.core.place import Place

Tests = Mapping[str, TestOutcome]

_BAD: Final = frozenset({TestOutcome.FAIL, TestOutcome.ERROR})


def compare_tests(before: Tests, after: Tests, explanations: Explanations, moved: Mapping[str, str]) -> Section:
    """`moved` has files that git knows under another name now: old path to new path."""
    different = list(compress(before, map(is_not, map(after.get, before), before.values())))
    left = {name: before[name] for name in different if name not in after}
    came = {name: after[name] for name in after.keys() - before.keys()}
    renamed = pair_renamed(left, came, moved)
    stayed = [(name, name) for name in different if name in after]
    unchanged = len(before) - len(different)
    items = [_build_item(old, new, before[old], after[new]) for old, new in (*stayed, *renamed.items())]
    arrived = set(renamed.values())
    items += [_build_new(name, after[name]) for name in came if name not in arrived]
    items = _explain_skips(items, explanations, after)
    items += _build_gone([name for name in left if name not in renamed], before, after, explanations)
    items.sort(key=lambda item: item.id)
    return Section(items=tuple(items), unchanged=unchanged, before_total=len(before), after_total=len(after))


def _build_item(old: str, new: str, before: TestOutcome, after: TestOutcome) -> Item:
    change = _classify(before, after)
    old_id = None if old == new else old
    return Item(id=new, change=change, before=before, after=after, old_id=old_id)


def _build_new(identifier: str, outcome: TestOutcome) -> Item:
    return Item(id=identifier, change=Change.NEW, after=outcome)


def _classify(before: TestOutcome, after: TestOutcome) -> Change:
    if before is after:
        return Change.RENAMED
    if after is TestOutcome.SKIPPED:
        return Change.NEWLY_SKIPPED
    if before in _BAD:
        return Change.CHANGED if after in _BAD else Change.FIXED
    return Change.NEWLY_FAILING if after in _BAD else Change.CHANGED


def _explain_skips(items: list[Item], explanations: Explanations, after: Tests) -> list[Item]:
    skipped = [item.id for item in items if item.change is Change.NEWLY_SKIPPED]
    if not skipped:
        return items
    running = (name for name, outcome in after.items() if outcome is not TestOutcome.SKIPPED)
    search = TestSearch(explanations, Drop.SKIPPED, skipped, running)
    return [
        item
        if item.change is not Change.NEWLY_SKIPPED
        else _explain(item, search.find(item.old_id or item.id, item.id))
        for item in items
    ]


def _explain(item: Item, place: Place | None) -> Item:
    return item._replace(explained=place is not None, explanation=place)


def _build_gone(gone: list[str], before: Tests, after: Tests, explanations: Explanations) -> list[Item]:
    search = TestSearch(explanations, Drop.REMOVED, gone, after)
    items: list[Item] = []
    for name in gone:
        place = search.find(name)
        change = Change.VANISHED if place is None else Change.REMOVED
        explained = place is not None
        items.append(Item(id=name, change=change, before=before[name], explained=explained, explanation=place))
    return items
