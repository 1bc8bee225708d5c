"""Where a handoff speaks of a test, or of all that it was part of, as dropped."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from handoff_tui.changes.comparison.drop_words import Drop
from handoff_tui.changes.comparison.explain import Explanations
from handoff_tui.changes.snapshots.identities import (
    Identity,
    cut_last,
    list_live_containers,
    list_names,
    list_scopes,
    parse_scope,
    parse_test_id,
)
from handoff_tui.core.place import Place


class TestSearch:
    """Looks up dropped tests. `dropped` are all of them, `living` those that still run."""

    __test__ = False

    def __init__(self, explanations: Explanations, drop: Drop, dropped: Iterable[str], living: Iterable[str]) -> None:
        self._explanations = explanations
        self._drop = drop
        self._living = living
        self._live: set[str] | None = None
        self._tails = {tail for name in explanations.named[drop] for tail in _list_tails(name)}
        self._bearers: defaultdict[str, set[str]] = defaultdict(set)
        self._scopes: dict[str, Place | None] = {}
        for identifier in dropped if self._tails else ():
            scope, last = cut_last(identifier)
            if last in self._tails:
                self._bearers[last].add(scope)

    def find(self, *identifiers: str) -> Place | None:
        """By the former name or the present one."""
        if not self._tails:
            return None
        return next((place for name in identifiers if (place := self._find(name)) is not None), None)

    def _find(self, identifier: str) -> Place | None:
        scope, last = cut_last(identifier)
        place = self._find_by_name(identifier, last) if last in self._tails or identifier in self._tails else None
        if place is None:
            if scope not in self._scopes:
                self._scopes[scope] = self._find_dead(list_scopes(*parse_scope(scope)))
            place = self._scopes[scope]
        return place

    def _find_by_name(self, identifier: str, bare: str) -> Place | None:
        """A bare name counts when only one of the dropped tests bears it; without parameters, when none runs."""
        identity = parse_test_id(identifier)
        is_unique = len(self._bearers[bare]) == 1
        names = [*list_names(identifier, identity), *([identity.last] if is_unique else [])]
        place = self._explanations.find(self._drop, names)
        if place is None and identity.parameters:
            whole = identity._replace(parameters="")
            place = self._find_dead(_list_unparameterised(whole))
            if place is None and is_unique and not self._is_live(_list_unparameterised(whole)[0]):
                place = self._explanations.find(self._drop, [bare])
        return place

    def _find_dead(self, containers: list[str]) -> Place | None:
        """A file that is named as removed explains its tests only if none of them runs any more."""
        named = self._explanations.named[self._drop]
        for name in containers:
            if name in named and not self._is_live(name):
                place = self._explanations.find(self._drop, (name,))
                if place is not None:
                    return place
        return None

    def _is_live(self, container: str) -> bool:
        if self._live is None:
            self._live = list_live_containers(self._living)
        return container in self._live


def _list_unparameterised(identity: Identity) -> list[str]:
    return list_names("::".join((identity.file, *identity.classes, identity.name)), identity)


def _list_tails(name: str) -> tuple[str, ...]:
    """What an id could end with that this name means: the last part after `::` or a dot, without parameters."""
    head = name.partition("[")[0]
    return name, head, head.rpartition("::")[2], head.rpartition(".")[2]
