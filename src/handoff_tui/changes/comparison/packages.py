"""Packages of two snapshots: added, removed, upgraded; what depends on what; files that two packages own."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from handoff_tui.changes.comparison.drop_words import Drop
from handoff_tui.changes.comparison.explain import Explanations
from handoff_tui.changes.comparison.snapshot_diff import Change, Clash, Item, Section
from handoff_tui.changes.snapshots.identities import list_paths
from handoff_tui.changes.snapshots.snapshot import PackageRecord

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
    return _build_section(items, len(before), len(after))


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
    return _build_section(items, len(old), len(new))


def find_clashes(before: Packages, after: Packages) -> tuple[Clash, ...]:
    """Files that two packages in force own now."""
    known = _list_shared(before)
    return tuple(
        Clash(path=path, owners=owners, known=known.get(path) == owners)
        for path, owners in sorted(_list_shared(after).items())
    )


def _build_identity(record: PackageRecord) -> tuple[str, str, str]:
    return record.kind, record.name, record.where


def _build_section(items: list[Item], before_total: int, after_total: int) -> Section:
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
