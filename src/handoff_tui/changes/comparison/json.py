"""A snapshot comparison as the public JSON shape."""

from __future__ import annotations

from collections import Counter

from handoff_tui.changes.comparison.snapshot_diff import (
    BaselineChoice,
    ClaimCheck,
    ComparedItem,
    ComparedPair,
    ComparedSection,
    ItemChange,
    SnapshotDiff,
)

SCHEMA = "handoff-tui/snapshot-diff/v1"
FAILING = frozenset({"fail", "error", "timeout"})


def build_snapshot_diff_json(
    diff: SnapshotDiff | None, pair: ComparedPair, claims: tuple[ClaimCheck, ...] = ()
) -> dict[str, object]:
    """The shape promised to scripts. Without a baseline every section is null, never zero."""
    names = tuple(SnapshotDiff().sections)
    return {
        "schema": SCHEMA,
        **build_pair_json(pair),
        "unexplained": None if diff is None else len(diff.unexplained),
        "newly_failing": None if diff is None else len(find_newly_failing(diff)),
        "new_findings": None if diff is None or not diff.checks.before_total else len(find_new_findings(diff)),
        **{name: None if diff is None else build_section_json(diff.sections[name]) for name in names},
        "clashes": None if diff is None else [clash.model_dump(mode="json") for clash in diff.clashes],
        "claims": [check.model_dump(mode="json") for check in (claims if diff is None else diff.claims)],
        "notes": [] if diff is None else list(diff.notes),
        "unread": None if diff is None else [one.model_dump(mode="json") for one in diff.unread],
    }


def build_pair_json(pair: ComparedPair) -> dict[str, object]:
    """What is compared with what, and why; `after` is null for the work tree."""
    return {
        "scope": pair.scope.value,
        "before": _build_choice(pair.before),
        "after": _build_choice(pair.after) if pair.after else None,
    }


def find_newly_failing(diff: SnapshotDiff) -> tuple[tuple[str, ComparedItem], ...]:
    """Tests and checks that fail now and didn't before, or are new and fail, with their section's name."""
    return tuple(
        (name, item)
        for name, section in (("tests", diff.tests), ("checks", diff.checks))
        for item in section.items
        if item.change is ItemChange.NEWLY_FAILING or (item.change is ItemChange.NEW and item.after in FAILING)
    )


def find_new_findings(diff: SnapshotDiff) -> tuple[ComparedItem, ...]:
    """New findings; a check that failed before may find more.

    None if the baseline has no check results: what is new is unknown then.
    """
    looked = diff.checks.before_total > 0
    return tuple(item for item in diff.findings.items if looked and item.change is ItemChange.NEW)


def count_changes(section: ComparedSection) -> dict[str, int]:
    """How many items have each change, in enum order; zeros are left out."""
    counted = Counter(item.change for item in section.items)
    return {change.value: counted[change] for change in ItemChange if counted[change]}


def _build_choice(choice: BaselineChoice) -> dict[str, object]:
    return {"snapshot": choice.snapshot, "commit": choice.commit, "reason": choice.reason}


def build_section_json(section: ComparedSection) -> dict[str, object]:
    """One section."""
    return {
        "before": section.before_total,
        "after": section.after_total,
        "unchanged": section.unchanged,
        "counts": count_changes(section),
        "items": [_build_item(item) for item in section.items],
    }


def _build_item(item: ComparedItem) -> dict[str, object]:
    place = item.explanation
    return {
        "id": item.id,
        "change": item.change.value,
        "before": item.before,
        "after": item.after,
        "old_id": item.old_id,
        "explained": item.explained,
        "explanation": None if place is None else {"path": place.path, "line": place.line},
        "note": item.note,
    }
