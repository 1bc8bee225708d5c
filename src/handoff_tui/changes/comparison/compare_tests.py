"""Compares tests by id: new, fixed, failing, skipped, renamed, removed, or vanished without a word. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import compress
from operator import is_not
from typing import Final

from handoff_tui.changes.comparison.explain import Drop, Explanations
from handoff_tui.changes.comparison.snapshot_diff import ComparedItem, ComparedSection, ItemChange, build_section
from handoff_tui.changes.snapshots.snapshot import TestOutcome
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.place import Place

_FILE_ENDINGS: Final = frozenset({"py", "js", "jsx", "mjs", "cjs", "ts", "tsx", "rb", "php", "sh", "bats", "t", "exs"})


class ParsedTestId(NamedTuple):
    """The parts of a test id, whether written as a path or with dots."""

    file: str
    """Empty if the id names none."""
    classes: tuple[str, ...]
    name: str
    parameters: str = ""
    """With their brackets."""

    @property
    def last(self) -> str:
        return self.name + self.parameters


def cut_last(identifier: str) -> tuple[str, str]:
    """The scope of a test, and its name without parameters."""
    scope, _, name = identifier.partition("[")[0].rpartition("::")
    return scope, name


def parse_test_id(identifier: str) -> ParsedTestId:
    """Parses `tests/x.py::Class::name[1]`, `tests.x.Class::name` (as JUnit reports have it), and plain names."""
    scope, name = cut_last(identifier)
    file, classes = parse_scope(scope)
    _, bracket, parameters = identifier.partition("[")
    return ParsedTestId(file, classes, name, bracket + parameters)


def parse_scope(scope: str) -> tuple[str, tuple[str, ...]]:
    """File and classes. A path stays as it is; `tests.unit.test_x.TestThing` is a module and a class in it."""
    first, *rest = scope.split("::")
    parts = first.split(".")
    if "/" in first or len(parts) == 1 or parts[-1] in _FILE_ENDINGS:
        return first, tuple(rest)
    start = next((number for number, part in enumerate(parts) if part[:1].isupper()), len(parts))
    file = "/".join(parts[:start]) + ".py" if start else ""
    return file, (*parts[start:], *rest)


def list_names(identifier: str, identity: ParsedTestId) -> list[str]:
    """The names that mean this test only; the caller judges its bare name."""
    inner = (*identity.classes, identity.last)
    names = [identifier, "::".join((identity.file, *inner)), "::".join(inner), ".".join(inner)]
    if identity.file:
        names.append(".".join((_dot(identity.file), *inner)))
    return [name for name in names if name != identity.last] if identity.classes or identity.file else [identifier]


def list_scopes(file: str, classes: tuple[str, ...]) -> list[str]:
    """What a test is part of, smallest first: its classes, file and folders."""
    scopes: list[str] = []
    for number in range(len(classes), 0, -1):
        inner = classes[:number]
        scopes += ["::".join((file, *inner)), "::".join(inner), ".".join(inner)]
    if file:
        scopes += [_dot(file), *list_paths(file)]
    return scopes


def list_paths(path: str) -> list[str]:
    """A path, its file name, and every folder above it, with and without a trailing slash."""
    parts = path.split("/")
    folders = ("/".join(parts[:number]) for number in range(len(parts) - 1, 0, -1))
    return [path, parts[-1], *(name for folder in folders for name in (folder, f"{folder}/"))]


def list_live_containers(identifiers: Iterable[str]) -> set[str]:
    """Every container that still has one of these tests; a parametrised test contains its cases."""
    scopes: set[str] = set()
    live: set[str] = set()
    for identifier in identifiers:
        scope, name = cut_last(identifier)
        scopes.add(scope)
        if "[" in identifier:
            file, classes = parse_scope(scope)
            live.update(list_names(identifier.partition("[")[0], ParsedTestId(file, classes, name)))
    for scope in scopes:
        live.update(list_scopes(*parse_scope(scope)))
    return live


def _dot(file: str) -> str:
    return file.removesuffix(".py").replace("/", ".")


Keyed = Iterable[tuple[str, str]]


def pair_renamed(
    left: Mapping[str, TestOutcome], came: Mapping[str, TestOutcome], moved: Mapping[str, str]
) -> dict[str, str]:
    """Old id to new id: by files git sees as renamed, then by class and name, then by name; only unique matches."""
    shared = {cut_last(name)[1] for name in left} & {cut_last(name)[1] for name in came}
    if not shared:
        return {}
    parse = _TestKeys(shared)
    pairs: dict[str, str] = {}
    if moved:
        _pair(pairs, parse.list_moved_keys(left, moved), parse.list_moved_keys(came, {}))
    _pair(pairs, parse.list_inner_keys(left, pairs), parse.list_inner_keys(came, set(pairs.values())))
    _pair(pairs, parse.list_last_keys(left, pairs), parse.list_last_keys(came, set(pairs.values())))
    return pairs


class _TestKeys:
    """Keys of tests whose last part occurs on both sides. Text, not tuples: there can be 100,000."""

    def __init__(self, shared: set[str]) -> None:
        self._shared = shared
        self._scopes: dict[str, tuple[str, str]] = {}

    def list_moved_keys(self, tests: Tests, moved: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """Keys by where the test would be now; of the missing tests, only those in renamed files."""
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
    """Adds pairs whose key occurs exactly once on each side."""
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


class TestSearch:
    """Finds explanations of dropped tests. `dropped` are all of them, `living` those that still run."""

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
        """Looks up a test by its old or new name."""
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
        """A bare name counts if only one dropped test has it; without parameters, if none runs."""
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
        """A removed file explains its tests only if none of them still runs."""
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


def _list_unparameterised(identity: ParsedTestId) -> list[str]:
    return list_names("::".join((identity.file, *identity.classes, identity.name)), identity)


def _list_tails(name: str) -> tuple[str, ...]:
    """The endings of ids this name could mean: its last part after `::` or a dot, without parameters."""
    head = name.partition("[")[0]
    return name, head, head.rpartition("::")[2], head.rpartition(".")[2]


Tests = Mapping[str, TestOutcome]


_BAD: Final = frozenset({TestOutcome.FAIL, TestOutcome.ERROR})


def compare_tests(before: Tests, after: Tests, explanations: Explanations, moved: Mapping[str, str]) -> ComparedSection:
    """`moved` maps old to new paths of files git sees as renamed."""
    different = list(compress(before, map(is_not, map(after.get, before), before.values())))
    left = {name: before[name] for name in different if name not in after}
    came = {name: after[name] for name in after.keys() - before.keys()}
    renamed = pair_renamed(left, came, moved)
    stayed = [(name, name) for name in different if name in after]
    items = [_build_item(old, new, before[old], after[new]) for old, new in (*stayed, *renamed.items())]
    arrived = set(renamed.values())
    new = [name for name in came if name not in arrived]
    items += [ComparedItem(id=name, change=ItemChange.NEW, after=after[name]) for name in new]
    items = _explain_skips(items, explanations, after)
    items += _build_gone([name for name in left if name not in renamed], before, after, explanations)
    return build_section(items, len(before), len(after))


def _build_item(old: str, new: str, before: TestOutcome, after: TestOutcome) -> ComparedItem:
    change = _classify(before, after)
    old_id = None if old == new else old
    return ComparedItem(id=new, change=change, before=before, after=after, old_id=old_id)


def _classify(before: TestOutcome, after: TestOutcome) -> ItemChange:
    if before is after:
        return ItemChange.RENAMED
    if after is TestOutcome.SKIPPED:
        return ItemChange.NEWLY_SKIPPED
    if before in _BAD:
        return ItemChange.CHANGED if after in _BAD else ItemChange.FIXED
    return ItemChange.NEWLY_FAILING if after in _BAD else ItemChange.CHANGED


def _explain_skips(items: list[ComparedItem], explanations: Explanations, after: Tests) -> list[ComparedItem]:
    skipped = [item.id for item in items if item.change is ItemChange.NEWLY_SKIPPED]
    if not skipped:
        return items
    running = (name for name, outcome in after.items() if outcome is not TestOutcome.SKIPPED)
    search = TestSearch(explanations, Drop.SKIPPED, skipped, running)
    return [
        item
        if item.change is not ItemChange.NEWLY_SKIPPED
        else item.explain(search.find(item.old_id or item.id, item.id))
        for item in items
    ]


def _build_gone(gone: list[str], before: Tests, after: Tests, explanations: Explanations) -> list[ComparedItem]:
    search = TestSearch(explanations, Drop.REMOVED, gone, after)
    items: list[ComparedItem] = []
    for name in gone:
        place = search.find(name)
        change = ItemChange.VANISHED if place is None else ItemChange.REMOVED
        items.append(ComparedItem(id=name, change=change, before=before[name]).explain(place))
    return items
