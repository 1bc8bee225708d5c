"""How two snapshots differ: by id and fingerprint, each drop with the place that explains it or with none. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import compress
from operator import is_not
from typing import Final

from handoff_tui.changes.comparison.claims import compare_claims
from handoff_tui.changes.comparison.drop_words import Drop
from handoff_tui.changes.comparison.explain import Explanations
from handoff_tui.changes.comparison.renamed_tests import pair_renamed
from handoff_tui.changes.comparison.snapshot_diff import Change, Clash, Item, NotRead, Section, SnapshotDiff
from handoff_tui.changes.snapshots.identities import (
    Identity,
    cut_last,
    list_live_containers,
    list_names,
    list_paths,
    list_scopes,
    parse_scope,
    parse_test_id,
)
from handoff_tui.changes.snapshots.snapshot import FindingRecord, PackageRecord, Snapshot, TestOutcome
from handoff_tui.core.place import Place
from handoff_tui.git.file_diff import FileChange

Packages = Mapping[str, PackageRecord]

ARROW: Final = " -> "
_NUMBERS: Final = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})*")


def align_packages(before: Packages, after: Packages) -> tuple[dict[str, PackageRecord], dict[str, PackageRecord]]:
    """The same packages under one key on both sides: a key gets its file's name when a namesake appears."""
    left = {_build_identity(before[key]): key for key in sorted(before) if key not in after}
    came = {_build_identity(after[key]): key for key in sorted(after) if key not in before}
    renamed: dict[str, str] = {}
    for identity in left.keys() & came.keys():
        keys = left[identity], came[identity]
        renamed |= dict.fromkeys(keys, max(keys, key=lambda key: (len(key), key)))
    return (
        {renamed.get(key, key): record for key, record in before.items()},
        {renamed.get(key, key): record for key, record in after.items()},
    )


def compare_packages(before: Packages, after: Packages, explanations: Explanations) -> Section:
    items: list[Item] = []
    for key in before.keys() | after.keys():
        old, new = before.get(key), after.get(key)
        if old is None and new is not None:
            items.append(Item(id=key, change=Change.NEW, after=new.version))
        elif old is not None and new is None:
            items.append(_build_removed(key, old, explanations))
        elif old is not None and new is not None and (note := _describe_change(old, new)) is not None:
            items.append(Item(id=key, change=Change.CHANGED, before=old.version, after=new.version, note=note))
    return _build_section_packages(items, len(before), len(after))


def compare_dependencies(before: Packages, after: Packages, explanations: Explanations) -> Section:
    old, new = _list_edges(before), _list_edges(after)
    items: list[Item] = []
    for edge in old.keys() | new.keys():
        package, dependency = edge
        was, now = old.get(edge), new.get(edge)
        if was == now:
            continue
        change = Change.NEW if was is None else Change.REMOVED if now is None else Change.CHANGED
        item = Item(id=f"{package}{ARROW}{dependency}", change=change, before=was, after=now)
        if change is Change.REMOVED:
            item = _explain_edge(item, dependency, explanations, is_package_gone=package not in after)
        items.append(item)
    return _build_section_packages(items, len(old), len(new))


def find_clashes(before: Packages, after: Packages) -> tuple[Clash, ...]:
    """Files that two packages in force own now."""
    known = _list_shared(before)
    return tuple(
        Clash(path=path, owners=owners, known=known.get(path) == owners)
        for path, owners in sorted(_list_shared(after).items())
    )


def _build_identity(record: PackageRecord) -> tuple[str, str, str]:
    return record.kind, record.name, record.where


def _build_section_packages(items: list[Item], before_total: int, after_total: int) -> Section:
    items.sort(key=lambda item: item.id)
    unchanged = before_total - sum(item.before is not None for item in items)
    return Section(items=tuple(items), unchanged=unchanged, before_total=before_total, after_total=after_total)


def _build_removed(key: str, record: PackageRecord, explanations: Explanations) -> Item:
    folder = list_paths(record.where)[2:4]
    place = explanations.find(Drop.REMOVED, [key, record.name, record.where, *folder])
    explained = place is not None
    return Item(id=key, change=Change.REMOVED, before=record.version, explained=explained, explanation=place)


def _explain_edge(item: Item, dependency: str, explanations: Explanations, *, is_package_gone: bool) -> Item:
    if is_package_gone:
        return item._replace(note="the package itself is gone")
    place = explanations.find(Drop.REMOVED, [item.id, dependency])
    return item._replace(explained=place is not None, explanation=place)


def _describe_change(old: PackageRecord, new: PackageRecord) -> str | None:
    """What is different, in words; empty for a plain upgrade, nothing where all is the same."""
    notes: list[str] = []
    if _is_lower(old.version, new.version):
        notes.append("the version goes down")
    if old.where != new.where:
        notes.append(f"moved from {old.where}")
    different = [path for path in old.assets.keys() | new.assets.keys() if old.assets.get(path) != new.assets.get(path)]
    if different and old.version == new.version:
        notes.append(f"same version, {len(different)} of its files differ: {', '.join(sorted(different)[:3])}")
    same = (old.version, old.assets, old.where, old.supersedes) == (new.version, new.assets, new.where, new.supersedes)
    return None if same else "; ".join(notes)


def _is_lower(old: str, new: str) -> bool:
    was, now = _parse_version(old), _parse_version(new)
    return was is not None and now is not None and now < was


def _parse_version(text: str) -> tuple[int, ...] | None:
    return tuple(map(int, text.split("."))) if _NUMBERS.fullmatch(text) else None


def _list_edges(packages: Packages) -> dict[tuple[str, str], str]:
    return {
        (key, dependency): constraint
        for key, record in packages.items()
        for dependency, constraint in record.dependencies.items()
    }


def _list_shared(packages: Packages) -> dict[str, tuple[str, ...]]:
    superseded = {name for record in packages.values() for name in record.supersedes if name != record.name}
    owners: dict[str, list[str]] = defaultdict(list)
    for key in sorted(packages):
        if packages[key].name not in superseded:
            for path in packages[key].assets:
                owners[path].append(key)
    return {path: tuple(keys) for path, keys in owners.items() if len(keys) > 1}


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
        else _explain_tests(item, search.find(item.old_id or item.id, item.id))
        for item in items
    ]


def _explain_tests(item: Item, place: Place | None) -> Item:
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


COVERAGE: Final = "coverage_basis_points"
_FAILED: Final = frozenset({"fail", "error", "timeout"})
_SET_ASIDE: Final = frozenset({"skipped", "cancelled", "unknown"})
_JUDGED: Final = frozenset({"pass", "fail"})


def compare_snapshots(
    before: Snapshot,
    after: Snapshot,
    explanations: Explanations,
    changes: Iterable[FileChange] = (),
    *,
    handoff: str | None = None,
) -> SnapshotDiff:
    """Everything that differs. `changes` tell which files git sees as renamed; `handoff` is the one under review."""
    moved = {change.old_path: change.path for change in changes if change.status == "R" and change.old_path}
    old_packages, new_packages = align_packages(before.packages, after.packages)
    return SnapshotDiff(
        tests=compare_tests(before.tests, after.tests, explanations, moved),
        checks=_compare_checks(before.checks, after.checks, explanations),
        findings=_compare_findings(before, after),
        packages=compare_packages(old_packages, new_packages, explanations),
        dependencies=compare_dependencies(old_packages, new_packages, explanations),
        files=_compare_files(before.files, after.files, explanations, moved),
        measures=_compare_measures(before.measures, after.measures, explanations),
        clashes=find_clashes(old_packages, new_packages),
        claims=compare_claims(before, after, handoff),
        notes=tuple(_list_notes(before, after)),
        unread=_list_unread(before, after),
    )


def _build_section(items: Iterable[Item], before_total: int, after_total: int) -> Section:
    ordered = tuple(sorted(items, key=lambda item: item.id))
    unchanged = before_total - sum(item.before is not None for item in ordered)
    return Section(items=ordered, unchanged=unchanged, before_total=before_total, after_total=after_total)


def _explain(item: Item, explanations: Explanations, names: Iterable[str], drop: Drop = Drop.REMOVED) -> Item:
    place = explanations.find(drop, names)
    return item._replace(explained=place is not None, explanation=place)


def _compare_checks(before: Mapping[str, str], after: Mapping[str, str], explanations: Explanations) -> Section:
    items: list[Item] = []
    for name in before.keys() | after.keys():
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        item = Item(id=name, change=_classify_check(old, new), before=old, after=new)
        if item.change is Change.REMOVED:
            item = _explain(item, explanations, [name])
        elif item.change is Change.NEWLY_SKIPPED:
            item = _explain(item, explanations, [name], Drop.SKIPPED)
        items.append(item)
    return _build_section(items, len(before), len(after))


def _classify_check(old: str | None, new: str | None) -> Change:
    if old is None:
        return Change.NEW
    if new is None:
        return Change.REMOVED
    if new in _SET_ASIDE:
        return Change.CHANGED if old in _SET_ASIDE else Change.NEWLY_SKIPPED
    if new in _FAILED:
        return Change.CHANGED if old in _FAILED else Change.NEWLY_FAILING
    return Change.FIXED if old in _FAILED and new == "pass" else Change.CHANGED


def _compare_findings(before: Snapshot, after: Snapshot) -> Section:
    """A finding that is gone is fixed only if its check still looked for it."""
    items = [
        Item(id=name, change=Change.NEW, after=_describe_finding(found))
        for name, found in after.findings.items()
        if name not in before.findings
    ]
    for name, found in before.findings.items():
        if name not in after.findings:
            judged = after.checks.get(found.check) in _JUDGED
            items.append(
                Item(
                    id=name,
                    change=Change.FIXED if judged else Change.VANISHED,
                    before=_describe_finding(found),
                    note="" if judged else f"{found.check} gave no verdict here, so nobody looked for it",
                )
            )
    return _build_section(items, len(before.findings), len(after.findings))


def _describe_finding(found: FindingRecord) -> str:
    return f"{found.check}: {found.message}"


def _compare_files(
    before: Mapping[str, str], after: Mapping[str, str], explanations: Explanations, moved: Mapping[str, str]
) -> Section:
    renamed = _pair_files(before, after, moved)
    former = {new: old for old, new in renamed.items()}
    items = [
        Item(id=path, change=Change.CHANGED, before=old, after=after[path])
        for path, old in before.items()
        if path in after and after[path] != old
    ]
    for path, content in after.items():
        old_path = former.get(path)
        if old_path is not None:
            change = Change.RENAMED if before[old_path] == content else Change.CHANGED
            items.append(Item(id=path, change=change, before=before[old_path], after=content, old_id=old_path))
        elif path not in before:
            items.append(Item(id=path, change=Change.NEW, after=content))
    gone = [path for path in before if path not in after and path not in renamed]
    living = {name for path in after for name in list_paths(path)} if gone else set()
    for path in gone:
        names = [name for name in list_paths(path) if name not in living]
        items.append(_explain(Item(id=path, change=Change.REMOVED, before=before[path]), explanations, names))
    return _build_section(items, len(before), len(after))


def _pair_files(before: Mapping[str, str], after: Mapping[str, str], moved: Mapping[str, str]) -> dict[str, str]:
    """Files that git sees as renamed; else one that left and one that came with the same content, and no other such."""
    left = {path: content for path, content in before.items() if path not in after}
    came = {path: content for path, content in after.items() if path not in before}
    pairs = {path: moved[path] for path in left if moved.get(path) in came}
    taken = set(pairs.values())
    old_counts = Counter(content for path, content in left.items() if path not in pairs)
    new_counts = Counter(content for path, content in came.items() if path not in taken)
    by_content = {content: path for path, content in came.items() if path not in taken and new_counts[content] == 1}
    for path, content in left.items():
        if path not in pairs and old_counts[content] == 1 and content in by_content:
            pairs[path] = by_content[content]
    return pairs


def _compare_measures(before: Mapping[str, int], after: Mapping[str, int], explanations: Explanations) -> Section:
    items: list[Item] = []
    for name in before.keys() | after.keys():
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        change = Change.NEW if old is None else Change.REMOVED if new is None else Change.CHANGED
        item = Item(
            id=name,
            change=change,
            before=None if old is None else str(old),
            after=None if new is None else str(new),
        )
        if name == COVERAGE and old is not None and (new is None or new < old):
            drop = Drop.REMOVED if new is None else Drop.LOWERED
            place = explanations.find_word(drop, ("coverage", "Coverage"))
            item = item._replace(explained=place is not None, explanation=place)
        items.append(item)
    return _build_section(items, len(before), len(after))


def _list_notes(before: Snapshot, after: Snapshot) -> list[str]:
    """What keeps a number from meaning what it seems to mean."""
    notes: list[str] = []
    if after.tests and not before.tests:
        notes.append("the baseline holds no test by id, so which tests are new is not known")
    if before.tests and not after.tests:
        notes.append("no test report was read here, so every test of the baseline counts as gone")
    if after.checks and not before.checks:
        notes.append("the baseline holds no check results")
    if before.checks and not after.checks:
        notes.append("no check results are here, so every check of the baseline counts as gone")
    return notes


def _list_unread(before: Snapshot, after: Snapshot) -> tuple[NotRead, ...]:
    old, new = ({(one.path, one.reason) for one in snapshot.unread} for snapshot in (before, after))
    return tuple(
        NotRead(path=path, reason=reason, in_before=(path, reason) in old, in_after=(path, reason) in new)
        for path, reason in sorted(old | new)
    )
