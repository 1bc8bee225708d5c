"""The eight items of the reviewer's checklist."""

from __future__ import annotations

import pytest

from handoff_tui.checks.contract import Moment, NotApplicableError
from handoff_tui.checks.rules.builder.results import REVIEWER_CHECKLIST_COMPLETE
from tests.support.builder_story import (
    MANIFEST,
    build_changed_results,
    build_manifest,
    build_results,
    build_world,
    results_path,
)
from tests.support.world import MemoryWorld, judge


def _items(world: MemoryWorld, scope: str | None = None) -> list[int]:
    found = judge(REVIEWER_CHECKLIST_COMPLETE, world, scope)
    return [int(one.subject.rpartition(" ")[2]) for one in found]


def test_checklist_that_is_met_passes() -> None:
    """It is asked at the gate."""
    assert judge(REVIEWER_CHECKLIST_COMPLETE, build_world()) == []
    assert REVIEWER_CHECKLIST_COMPLETE.moments == (Moment.GATE,)


@pytest.mark.parametrize(
    ("item", "old", "new"),
    [
        (2, "## Files Created\n", "## Things\n"),
        (3, "- Install order: PKG-LAMP-001\n", ""),
        (4, "- Total tests (all staged): 20\n", ""),
        (5, "- Command: `pytest`\n", ""),
        (6, "agent: NONE", "agent: test_wick"),
    ],
)
def test_checklist_item_in_the_results(item: int, old: str, new: str) -> None:
    """Each gap is told under its own item, and only there."""
    assert _items(build_changed_results(old, new)) == [item]


def test_checklist_item_on_manifests() -> None:
    """Bare hex in a manifest is item 7, and so is a manifest that cannot be read."""
    assert _items(build_world({MANIFEST: build_manifest().replace("sha256:", "")})) == [7]
    assert _items(build_world({MANIFEST: "{"})) == [7]


def test_checklist_item_on_the_place() -> None:
    """Results in the flat layout are item 8."""
    moved = {results_path("H-5"): None, "handoffs/RESULTS_HANDOFF_5.md": build_results("H-5")}
    assert _items(build_world(moved)) == [8]


def test_checklist_without_results() -> None:
    """For the handoff under review nothing is met but the manifests; one that is not yet due is passed over."""
    world = build_world({results_path("H-5"): None})
    assert _items(world, scope="H-5") == [1, 2, 3, 4, 5, 6, 8]
    with pytest.raises(NotApplicableError):
        judge(REVIEWER_CHECKLIST_COMPLETE, world)


def test_checklist_with_empty_results() -> None:
    """An empty file meets item 1 as little as the others."""
    assert _items(build_world({results_path("H-5"): ""})) == [1, 2, 3, 4, 5]
