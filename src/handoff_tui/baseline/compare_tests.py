"""Tests of two snapshots, by id: what came, what left, what fails or is skipped now, what has another name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import Final

from handoff_tui.baseline.drop_words import Drop
from handoff_tui.baseline.explain import Explanations
from handoff_tui.baseline.identities import (
    Identity,
    list_containers,
    list_live_containers,
    list_names,
    parse_test_id,
)
from handoff_tui.models.place import Place
from handoff_tui.models.snapshot import TestOutcome
from handoff_tui.models.snapshot_diff import Change, Item, Section

Tests = Mapping[str, TestOutcome]

_BAD: Final = frozenset({TestOutcome.FAIL, TestOutcome.ERROR})


def compare_tests(before: Tests, after: Tests, explanations: Explanations, moved: Mapping[str, str]) -> Section:
    """`moved` has files that git knows under another name now: old path to new path."""
    left = [identifier for identifier in before if identifier not in after]
    came = [identifier for identifier in after if identifier not in before]
    renamed = _pair_renamed(before, after, (left, came), moved)
    stayed = [(name, name) for name, outcome in before.items() if after.get(name, outcome) is not outcome]
    unchanged = len(before) - len(left) - len(stayed)
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
    return Item(id=new, change=change, before=before.value, after=after.value, old_id=old_id)


def _build_new(identifier: str, outcome: TestOutcome) -> Item:
    return Item(id=identifier, change=Change.NEW, after=outcome.value)


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
    search = _Search(explanations, Drop.SKIPPED, skipped, running)
    return [
        item
        if item.change is not Change.NEWLY_SKIPPED
        else _explain(item, search.find(item.old_id or item.id, item.id))
        for item in items
    ]


def _explain(item: Item, place: Place | None) -> Item:
    return item.model_copy(update={"explained": place is not None, "explanation": place})


def _build_gone(gone: list[str], before: Tests, after: Tests, explanations: Explanations) -> list[Item]:
    search = _Search(explanations, Drop.REMOVED, gone, after)
    items: list[Item] = []
    for name in gone:
        place = search.find(name)
        change = Change.VANISHED if place is None else Change.REMOVED
        explained = place is not None
        items.append(Item(id=name, change=change, before=before[name].value, explained=explained, explanation=place))
    return items


class _Search:
    """Looks up where a handoff speaks of a test, or of all that it was part of, as dropped."""

    def __init__(self, explanations: Explanations, drop: Drop, dropped: Iterable[str], living: Iterable[str]) -> None:
        self._explanations = explanations
        self._drop = drop
        self._living = living
        self._live: set[str] | None = None
        self._silent = explanations.is_silent(drop)
        scopes: set[tuple[str, Identity]] = set()
        if not self._silent:
            identities = map(parse_test_id, dropped)
            scopes = {(one.name, one._replace(parameters="")) for one in identities}
        self._bearers = Counter(name for name, _ in scopes)

    def find(self, *identifiers: str) -> Place | None:
        """By the former name or the present one."""
        if self._silent:
            return None
        return next((place for name in identifiers if (place := self._find(name)) is not None), None)

    def _find(self, identifier: str) -> Place | None:
        identity = parse_test_id(identifier)
        names = list_names(identifier, identity)
        bare = [identity.name] if self._bearers[identity.name] == 1 else []
        if not identity.parameters or not bare:
            names += bare
        else:
            names.append(identity.last)
        place = self._explanations.find(self._drop, names)
        return place if place is not None else self._find_container(identity, bare)

    def _find_container(self, identity: Identity, bare: list[str]) -> Place | None:
        """A file that is named as removed explains its tests only if none of them runs any more."""
        containers = list_containers(identity)
        for name in (*containers, *(bare if identity.parameters else ())):
            place = self._explanations.find(self._drop, (name,))
            if place is not None:
                if self._live is None:
                    self._live = list_live_containers(self._living)
                key = containers[0] if name in bare else name
                if key not in self._live:
                    return place
        return None


def _pair_renamed(
    before: Tests, after: Tests, names: tuple[list[str], list[str]], moved: Mapping[str, str]
) -> dict[str, str]:
    """Tests that left and tests that came which are surely the same; what could be either of two is left alone."""
    if not all(names):
        return {}
    left, came = ({name: parse_test_id(name) for name in side} for side in names)
    pairs: dict[str, str] = {}
    if moved:
        _pair(pairs, {old: _move(one, moved) for old, one in left.items()}, came)
    for key in (_build_inner_key, _build_last_key):
        _pair(
            pairs,
            {old: key(one, before[old]) for old, one in left.items()},
            {new: key(one, after[new]) for new, one in came.items()},
        )
    return pairs


def _move(identity: Identity, moved: Mapping[str, str]) -> Identity | None:
    path = moved.get(identity.file)
    return None if path is None else identity._replace(file=path)


def _build_inner_key(identity: Identity, outcome: TestOutcome) -> Hashable:
    return (identity.classes, identity.last, outcome) if identity.file and identity.classes else None


def _build_last_key(identity: Identity, outcome: TestOutcome) -> Hashable:
    return (identity.last, outcome) if identity.file or identity.classes else None


def _pair(pairs: dict[str, str], left: Mapping[str, Hashable], came: Mapping[str, Hashable]) -> None:
    """Adds the pairs whose key occurs once on each side, among those that are not paired yet."""
    taken = set(pairs.values())
    old = {name: key for name, key in left.items() if key is not None and name not in pairs}
    new = {name: key for name, key in came.items() if key is not None and name not in taken}
    old_counts, new_counts = Counter(old.values()), Counter(new.values())
    by_key = {key: name for name, key in new.items() if new_counts[key] == 1}
    for name, key in old.items():
        if old_counts[key] == 1 and key in by_key:
            pairs[name] = by_key[key]
