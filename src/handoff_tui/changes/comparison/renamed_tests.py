"""Tests that left and tests that came which are surely the same; what could be either of two is left alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from handoff_tui.changes.snapshots.identities import cut_last, parse_scope
from handoff_tui.changes.snapshots.snapshot import TestOutcome

Tests = Mapping[str, TestOutcome]
Keyed = Iterable[tuple[str, str]]


def pair_renamed(
    left: Mapping[str, TestOutcome], came: Mapping[str, TestOutcome], moved: Mapping[str, str]
) -> dict[str, str]:
    """The former id to the present one: by files that git sees as renamed, then by class and name, then by name."""
    shared = {cut_last(name)[1] for name in left} & {cut_last(name)[1] for name in came}
    if not shared:
        return {}
    parse = _Parser(shared)
    pairs: dict[str, str] = {}
    if moved:
        _pair(pairs, parse.list_moved_keys(left, moved), parse.list_moved_keys(came, {}))
    _pair(pairs, parse.list_inner_keys(left, pairs), parse.list_inner_keys(came, set(pairs.values())))
    _pair(pairs, parse.list_last_keys(left, pairs), parse.list_last_keys(came, set(pairs.values())))
    return pairs


class _Parser:
    """Keys of tests whose last part occurs on both sides. Text, not tuples: there can be 100,000 of them."""

    def __init__(self, shared: set[str]) -> None:
        self._shared = shared
        self._scopes: dict[str, tuple[str, str]] = {}

    def list_moved_keys(self, tests: Tests, moved: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """By where the test would be now; of the tests that left, those whose file was not moved have no key."""
        for name, file, inner, last in self._parse(tests):
            if not moved or file in moved:
                yield f"{moved.get(file, file)}\0{inner}\0{last}", name

    def list_inner_keys(self, tests: Tests, taken: Collection[str]) -> Iterator[tuple[str, str]]:
        for name, file, inner, last in self._parse(tests, taken):
            if file and inner:
                yield f"{inner}\0{last}\0{tests[name]}", name

    def list_last_keys(self, tests: Tests, taken: Collection[str]) -> Iterator[tuple[str, str]]:
        for name, file, inner, last in self._parse(tests, taken):
            if file or inner:
                yield f"{last}\0{tests[name]}", name

    def _parse(self, tests: Tests, taken: Collection[str] = ()) -> Iterator[tuple[str, str, str, str]]:
        for name in tests:
            scope, bare = ("", "") if name in taken else cut_last(name)
            if bare and bare in self._shared:
                if scope not in self._scopes:
                    file, classes = parse_scope(scope)
                    self._scopes[scope] = file, "::".join(classes)
                yield name, *self._scopes[scope], name[len(scope) :]


def _pair(pairs: dict[str, str], left: Keyed, came: Keyed) -> None:
    """Adds the pairs whose key occurs once on each side."""
    old, new = _index(left), _index(came)
    for key, name in old.items():
        other = new.get(key)
        if name is not None and other is not None:
            pairs[name] = other


def _index(keyed: Keyed) -> dict[str, str | None]:
    index: dict[str, str | None] = {}
    for key, name in keyed:
        index[key] = None if key in index else name
    return index
