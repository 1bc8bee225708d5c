from __future__ import annotations

import pytest

from handoff_tui.changes.comparison.snapshot_diff import (
    BaselineChoice,
    Change,
    ComparedPair,
    DiffScope,
    Item,
    Section,
    SnapshotDiff,
)

_NOWHERE = BaselineChoice(reason="none")
_SNAPSHOT = BaselineChoice(snapshot="1" * 64, reason="pinned")
_COMMIT = BaselineChoice(commit="a" * 40, reason="named")


def test_unexplained_are_the_drops_of_all_sections() -> None:
    """Coverage among them; what owes no explanation is none."""
    lost = Item("x", Change.REMOVED, explained=False)
    told = Item("y", Change.REMOVED, explained=True)
    measure = Item("coverage_basis_points", Change.CHANGED, "2", "1", explained=False)
    diff = SnapshotDiff(tests=Section(items=(lost, told, Item("z", Change.NEW))), measures=Section(items=(measure,)))
    assert diff.unexplained == (lost, measure)


@pytest.mark.parametrize(
    ("before", "after", "comparable"),
    [
        (_NOWHERE, None, False),
        (_SNAPSHOT, None, True),
        (_COMMIT, _SNAPSHOT, True),
        (_COMMIT, _NOWHERE, False),
    ],
)
def test_pair_is_comparable_when_both_sides_are_there(
    before: BaselineChoice,
    after: BaselineChoice | None,
    comparable: bool,  # noqa: FBT001 - a parameter of the table
) -> None:
    """A snapshot or a commit; no second side means the work tree."""
    assert ComparedPair(scope=DiffScope.BETWEEN, before=before, after=after).comparable is comparable
