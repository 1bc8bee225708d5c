"""How two snapshots differ: by id and fingerprint, each drop with the place that explains it or with none. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from handoff_tui.changes.comparison.claims import compare_claims
from handoff_tui.changes.comparison.drop_words import Drop
from handoff_tui.changes.comparison.explain import Explanations
from handoff_tui.changes.comparison.packages import align_packages, compare_dependencies, compare_packages, find_clashes
from handoff_tui.changes.comparison.snapshot_diff import Change, Item, NotRead, Section, SnapshotDiff
from handoff_tui.changes.comparison.tests import compare_tests
from handoff_tui.changes.snapshots.identities import list_paths
from handoff_tui.changes.snapshots.snapshot import FindingRecord, Snapshot
from handoff_tui.git.file_diff import FileChange

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
