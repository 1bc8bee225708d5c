"""Compares two snapshots by id and fingerprint; each drop comes with the place that explains it, if any. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from handoff_tui.changes.comparison.compare_tests import compare_tests, list_paths
from handoff_tui.changes.comparison.explain import Drop, Explanations
from handoff_tui.changes.comparison.snapshot_diff import (
    ClaimCheck,
    Clash,
    ComparedItem,
    ComparedSection,
    ItemChange,
    NotRead,
    SnapshotDiff,
    build_section,
)
from handoff_tui.changes.snapshots.snapshot import ClaimedTotals, FindingRecord, PackageRecord, Snapshot, TestOutcome
from handoff_tui.core.classes import dataclass
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.git.file_diff import FileChange

_RUN_PARTS: Final = ("total", "passed", "failed", "skipped")
_NOUNS: Final = {
    "total": "tests",
    "passed": "passed tests",
    "failed": "failed tests",
    "skipped": "skipped tests",
}


@dataclass(frozen=True, slots=True)
class _Number:
    """One claimed number: what it counts, and the noun for it."""

    what: str
    """`packages`, `tests.total`, `regression.failed`, `baseline.packages`, …"""
    noun: str
    claimed: int
    counts_all: bool = True
    """Whether it counts everything; the work's own tests are only a part."""


def compare_claims(before: Snapshot | None, after: Snapshot, handoff: str | None = None) -> tuple[ClaimCheck, ...]:
    """Checks each number of the handoff under review, or of every document that is new or changed."""
    chosen = _choose_documents(before, after, handoff)
    # without a baseline, which document is the latest is unknown, and an old one needn't match
    certain = before is not None or handoff is not None or len(chosen) == 1
    here, there = _measure(after), _measure(before) if before else {}
    checks: list[ClaimCheck] = []
    for name, totals in chosen.items():
        previous = _find_previous(before, name)
        for number in _list_numbers(totals):
            check = _judge(name, totals.where, number, (here, there), before)
            if not certain and check.agrees is False:
                check = _doubt(check, len(chosen))
            checks.append(_add_previous(check, previous))
    return tuple(checks)


def _choose_documents(before: Snapshot | None, after: Snapshot, handoff: str | None) -> dict[str, ClaimedTotals]:
    if handoff is not None:
        return {handoff: after.claimed[handoff]} if handoff in after.claimed else {}
    known: Mapping[str, ClaimedTotals] = before.claimed if before else {}
    return {name: after.claimed[name] for name in sorted(after.claimed) if known.get(name) != after.claimed[name]}


def _list_numbers(totals: ClaimedTotals) -> Iterator[_Number]:
    if totals.packages is not None:
        yield _Number("packages", "packages", totals.packages)
    for part in _RUN_PARTS:
        if part in totals.tests:
            yield _Number(f"tests.{part}", f"{_NOUNS[part]} of its own", totals.tests[part], counts_all=False)
    for part in _RUN_PARTS:
        if part in totals.regression:
            yield _Number(f"regression.{part}", f"{_NOUNS[part]} in the full regression", totals.regression[part])
    if totals.baseline_packages is not None:
        yield _Number("baseline.packages", "packages", totals.baseline_packages)
    if totals.baseline_tests is not None:
        yield _Number("baseline.tests", "tests in all", totals.baseline_tests)


def _measure(snapshot: Snapshot) -> dict[str, int]:
    """What can be counted; anything else is left out, since unread isn't the same as zero."""
    measured: dict[str, int] = {}
    packages = snapshot.package_count
    if packages:
        measured |= {"packages": packages, "baseline.packages": packages}
    if snapshot.tests:
        outcomes = list(snapshot.tests.values())
        total = len(outcomes)
        measured |= {
            "regression.total": total,
            "regression.passed": outcomes.count(TestOutcome.PASS),
            "regression.failed": outcomes.count(TestOutcome.FAIL) + outcomes.count(TestOutcome.ERROR),
            "regression.skipped": outcomes.count(TestOutcome.SKIPPED),
            "baseline.tests": total,
        }
        measured |= {f"tests.{part}": measured[f"regression.{part}"] for part in _RUN_PARTS}
    return measured


def _judge(
    name: str,
    where: str,
    number: _Number,
    counted: tuple[Mapping[str, int], Mapping[str, int]],
    before: Snapshot | None,
) -> ClaimCheck:
    here, there = counted
    measured, earlier = here.get(number.what), there.get(number.what)
    text = f"says {number.claimed:,} {_inflect(number)}"
    if number.counts_all:
        agrees = None if measured is None else number.claimed == measured
        text += f", {_describe_before(before, earlier)}, {_describe_here(measured)}"
    else:
        agrees = False if measured is not None and number.claimed > measured else None
        if measured is None:
            text += ", and there are no test reports here to count them"
        else:
            text += f", and there are {measured:,} here in all" + (", fewer than that" if agrees is False else "")
    return ClaimCheck(
        handoff=name,
        what=number.what,
        claimed=number.claimed,
        measured=measured if number.counts_all else None,
        before=earlier if number.counts_all else None,
        where=where,
        agrees=agrees,
        text=text,
    )


def _describe_before(before: Snapshot | None, earlier: int | None) -> str:
    if before is None:
        return "no snapshot to compare with"
    return "the baseline has no count of them" if earlier is None else f"the baseline had {earlier:,}"


def _describe_here(measured: int | None) -> str:
    if measured is None:
        return "they could not be counted here"
    return f"there {'is' if measured == 1 else 'are'} {measured:,} here"


def _inflect(number: _Number) -> str:
    return re.sub(r"\b(package|test)s\b", r"\1", number.noun) if number.claimed == 1 else number.noun


def _doubt(check: ClaimCheck, documents: int) -> ClaimCheck:
    text = f"{check.text}; which of {documents} documents is the latest is not known"
    return check.model_copy(update={"agrees": None, "text": text})


def _find_previous(before: Snapshot | None, name: str) -> dict[str, tuple[int, str]]:
    """What was claimed before and by whom: by this document, else the highest number of any other."""
    if before is None:
        return {}
    own = before.claimed.get(name)
    claimed = {name: own} if own is not None else before.claimed
    found: dict[str, tuple[int, str]] = {}
    for other in sorted(claimed):
        for number in _list_numbers(claimed[other]):
            if number.counts_all and number.claimed > found.get(number.what, (-1, ""))[0]:
                found[number.what] = number.claimed, other
    return found


def _add_previous(check: ClaimCheck, previous: Mapping[str, tuple[int, str]]) -> ClaimCheck:
    if check.what not in previous:
        return check
    number, who = previous[check.what]
    said = f"{'it' if who == check.handoff else who} said {number:,} before"
    if number > check.claimed and not check.what.endswith((".failed", ".skipped")):
        said += f": {number - check.claimed:,} fewer"
    return check.model_copy(update={"previous": number, "text": f"{check.text}; {said}"})


Packages = Mapping[str, PackageRecord]

ARROW: Final = " -> "
_NUMBERS: Final = compile_later(r"[0-9]{1,9}(?:\.[0-9]{1,9})*")


def align_packages(before: Packages, after: Packages) -> tuple[dict[str, PackageRecord], dict[str, PackageRecord]]:
    """Gives the same package the same key on both sides; a key includes its file once a namesake appears."""
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


def compare_packages(before: Packages, after: Packages, explanations: Explanations) -> ComparedSection:
    items: list[ComparedItem] = []
    for key in before.keys() | after.keys():
        old, new = before.get(key), after.get(key)
        if old is not None and new is not None:
            note = _describe_change(old, new)
            if note is not None:
                change = ItemChange.CHANGED
                items.append(ComparedItem(id=key, change=change, before=old.version, after=new.version, note=note))
        elif old is not None:
            names = [key, old.name, old.where, *list_paths(old.where)[2:4]]
            gone = ComparedItem(id=key, change=ItemChange.REMOVED, before=old.version)
            items.append(gone.explain(explanations.find(Drop.REMOVED, names)))
        elif new is not None:
            items.append(ComparedItem(id=key, change=ItemChange.NEW, after=new.version))
    return build_section(items, len(before), len(after))


def compare_dependencies(before: Packages, after: Packages, explanations: Explanations) -> ComparedSection:
    old, new = _list_edges(before), _list_edges(after)
    items: list[ComparedItem] = []
    for item in _compare(old, new):
        package, _, dependency = item.id.partition(ARROW)
        if item.change is not ItemChange.REMOVED:
            items.append(item)
        elif package in after:
            items.append(item.explain(explanations.find(Drop.REMOVED, [item.id, dependency])))
        else:
            items.append(item._replace(note="the package itself is gone"))
    return build_section(items, len(old), len(new))


def _compare(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[ComparedItem]:
    """What differs: new, removed or changed."""
    for key in before.keys() | after.keys():
        old, new = before.get(key), after.get(key)
        if old != new:
            change = ItemChange.NEW if old is None else ItemChange.REMOVED if new is None else ItemChange.CHANGED
            yield ComparedItem(id=key, change=change, before=old, after=new)


def find_clashes(before: Packages, after: Packages) -> tuple[Clash, ...]:
    """Files that two current packages own."""
    known = _list_shared(before)
    return tuple(
        Clash(path=path, owners=owners, known=known.get(path) == owners)
        for path, owners in sorted(_list_shared(after).items())
    )


def _build_identity(record: PackageRecord) -> tuple[str, str, str]:
    return record.kind, record.name, record.where


def _describe_change(old: PackageRecord, new: PackageRecord) -> str | None:
    """What differs, in words; empty for a plain upgrade, None if nothing does."""
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


def _list_edges(packages: Packages) -> dict[str, str]:
    return {
        f"{key}{ARROW}{dependency}": constraint
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


COVERAGE: Final = "coverage_basis_points"
FAILING: Final = frozenset({"fail", "error", "timeout"})
_SET_ASIDE: Final = frozenset({"skipped", "cancelled", "unknown"})
_JUDGED: Final = frozenset({"pass", "fail"})
_DROPS: Final = {ItemChange.REMOVED: Drop.REMOVED, ItemChange.NEWLY_SKIPPED: Drop.SKIPPED}


def compare_snapshots(
    before: Snapshot,
    after: Snapshot,
    explanations: Explanations,
    changes: Iterable[FileChange] = (),
    *,
    handoff: str | None = None,
) -> SnapshotDiff:
    """Everything that differs. `changes` say which files git sees as renamed; `handoff` is under review."""
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


def _compare_checks(before: Mapping[str, str], after: Mapping[str, str], explanations: Explanations) -> ComparedSection:
    items: list[ComparedItem] = []
    for differing in _compare(before, after):
        item = differing._replace(change=_classify_check(differing.before, differing.after))
        drop = _DROPS.get(item.change)
        items.append(item if drop is None else item.explain(explanations.find(drop, [item.id])))
    return build_section(items, len(before), len(after))


def _classify_check(old: str | None, new: str | None) -> ItemChange:
    if old is None:
        return ItemChange.NEW
    if new is None:
        return ItemChange.REMOVED
    if new in _SET_ASIDE:
        return ItemChange.CHANGED if old in _SET_ASIDE else ItemChange.NEWLY_SKIPPED
    if new in FAILING:
        return ItemChange.CHANGED if old in FAILING else ItemChange.NEWLY_FAILING
    return ItemChange.FIXED if old in FAILING and new == "pass" else ItemChange.CHANGED


def _compare_findings(before: Snapshot, after: Snapshot) -> ComparedSection:
    """A missing finding is fixed only if its check still ran."""
    items = [
        ComparedItem(id=name, change=ItemChange.NEW, after=_describe_finding(found))
        for name, found in after.findings.items()
        if name not in before.findings
    ]
    for name, found in before.findings.items():
        if name not in after.findings:
            judged = after.checks.get(found.check) in _JUDGED
            items.append(
                ComparedItem(
                    id=name,
                    change=ItemChange.FIXED if judged else ItemChange.VANISHED,
                    before=_describe_finding(found),
                    note="" if judged else f"{found.check} has no result here, so it wasn't looked for",
                )
            )
    return build_section(items, len(before.findings), len(after.findings))


def _describe_finding(found: FindingRecord) -> str:
    return f"{found.check}: {found.message}"


def _compare_files(
    before: Mapping[str, str], after: Mapping[str, str], explanations: Explanations, moved: Mapping[str, str]
) -> ComparedSection:
    renamed = _pair_files(before, after, moved)
    former = {new: old for old, new in renamed.items()}
    items = [
        ComparedItem(id=new, change=ItemChange.RENAMED, before=before[old], after=after[new], old_id=old)
        for old, new in renamed.items()
        if before[old] == after[new]
    ]
    is_any_gone = bool(before.keys() - after.keys() - renamed.keys())
    living = {name for path in after for name in list_paths(path)} if is_any_gone else set()
    for item in _compare({renamed.get(path, path): content for path, content in before.items()}, after):
        if item.change is ItemChange.REMOVED:
            names = [name for name in list_paths(item.id) if name not in living]
            items.append(item.explain(explanations.find(Drop.REMOVED, names)))
        else:
            items.append(item._replace(old_id=former.get(item.id)))
    return build_section(items, len(before), len(after))


def _pair_files(before: Mapping[str, str], after: Mapping[str, str], moved: Mapping[str, str]) -> dict[str, str]:
    """Pairs renamed files: as git sees them, else by content if it is unique on both sides."""
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


def _compare_measures(
    before: Mapping[str, int], after: Mapping[str, int], explanations: Explanations
) -> ComparedSection:
    items: list[ComparedItem] = []
    for item in _compare(*({name: str(value) for name, value in side.items()} for side in (before, after))):
        old, new = before.get(item.id), after.get(item.id)
        is_drop = item.id == COVERAGE and old is not None and (new is None or new < old)
        drop = Drop.REMOVED if new is None else Drop.LOWERED
        items.append(item.explain(explanations.find_word(drop, ("coverage", "Coverage"))) if is_drop else item)
    return build_section(items, len(before), len(after))


def _list_notes(before: Snapshot, after: Snapshot) -> list[str]:
    """Notes on numbers that could mislead."""
    notes: list[str] = []
    if after.tests and not before.tests:
        notes.append("the baseline has no tests by id, so new tests are unknown")
    if before.tests and not after.tests:
        notes.append("no test report was read here, so every baseline test counts as gone")
    if after.checks and not before.checks:
        notes.append("the baseline has no check results")
    if before.checks and not after.checks:
        notes.append("no check results here, so every baseline check counts as gone")
    return notes


def _list_unread(before: Snapshot, after: Snapshot) -> tuple[NotRead, ...]:
    old, new = ({(one.path, one.reason) for one in snapshot.unread} for snapshot in (before, after))
    return tuple(
        NotRead(path=path, reason=reason, in_before=(path, reason) in old, in_after=(path, reason) in new)
        for path, reason in sorted(old | new)
    )
