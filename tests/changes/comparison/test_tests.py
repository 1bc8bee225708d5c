from __future__ import annotations

import pytest

from handoff_tui.changes.comparison.compare import compare_tests
from handoff_tui.changes.comparison.explain import build_explanations
from handoff_tui.changes.comparison.snapshot_diff import Change, Item
from handoff_tui.changes.snapshots.snapshot import TestOutcome
from tests.support.snapshots import build_tests


def compare(
    before: dict[str, str], after: dict[str, str], text: str = "", moved: dict[str, str] | None = None
) -> dict[str, Item]:
    old, new = ({name: TestOutcome(outcome) for name, outcome in side.items()} for side in (before, after))
    section = compare_tests(old, new, build_explanations([], [("results.md", text)]), moved or {})
    return {item.id: item for item in section.items}


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ("pass", "fail", Change.NEWLY_FAILING),
        ("pass", "error", Change.NEWLY_FAILING),
        ("skipped", "fail", Change.NEWLY_FAILING),
        ("fail", "pass", Change.FIXED),
        ("error", "pass", Change.FIXED),
        ("fail", "error", Change.CHANGED),
        ("skipped", "pass", Change.CHANGED),
        ("pass", "skipped", Change.NEWLY_SKIPPED),
        ("fail", "skipped", Change.NEWLY_SKIPPED),
    ],
)
def test_outcome_that_changed_has_its_name(before: str, after: str, change: Change) -> None:
    """A test that failed and is skipped now is newly skipped, never fixed."""
    item = compare({"t": before}, {"t": after})["t"]
    assert (item.change, item.before, item.after) == (change, before, after)


def test_same_outcome_is_a_number_only() -> None:
    """What still fails is unchanged, and no item."""
    tests = build_tests("a", fail=("b",)).tests
    section = compare_tests(tests, tests, build_explanations([], []), {})
    assert (section.items, section.unchanged) == ((), 2)


def test_test_that_is_gone_without_a_word_has_vanished() -> None:
    """And is unexplained; one that a handoff speaks of as removed is removed, with the place."""
    items = compare({"x.py::test_a": "pass", "x.py::test_b": "pass"}, {}, "Removed `test_b`: it tested nothing.")
    assert (items["x.py::test_a"].change, items["x.py::test_a"].explained) == (Change.VANISHED, False)
    assert (items["x.py::test_b"].change, str(items["x.py::test_b"].explanation)) == (Change.REMOVED, "results.md:1")


def test_word_of_one_drop_does_not_explain_another() -> None:
    """That a test is skipped does not explain that it is gone, nor the other way round."""
    text = "- test_a was skipped for now\n- test_b was removed\n"
    items = compare({"x.py::test_a": "pass", "x.py::test_b": "pass"}, {"x.py::test_b": "skipped"}, text)
    assert items["x.py::test_a"].explained is False
    assert items["x.py::test_b"].explained is False


def test_newly_skipped_test_is_explained_by_name() -> None:
    """With the place."""
    item = compare({"x.py::test_a": "pass"}, {"x.py::test_a": "skipped"}, "## Skipped\n\n- test_a (no network)\n")
    assert str(item["x.py::test_a"].explanation) == "results.md:3"


def test_new_test_is_new_whatever_its_outcome() -> None:
    """Its outcome stands beside it."""
    item = compare({}, {"t": "fail"})["t"]
    assert (item.change, item.before, item.after, item.explained) == (Change.NEW, None, "fail", None)


def test_renamed_test_that_fails_now_is_newly_failing() -> None:
    """A moved file hides no failure: the former name is told beside it."""
    items = compare({"a.py::test_x": "pass"}, {"b.py::test_x": "fail"}, moved={"a.py": "b.py"})
    assert (items["b.py::test_x"].change, items["b.py::test_x"].old_id) == (Change.NEWLY_FAILING, "a.py::test_x")


def test_skip_of_a_renamed_test_is_explained_by_either_name() -> None:
    """The former one too."""
    items = compare({"a.py::test_x": "pass"}, {"b.py::test_x": "skipped"}, "Skipped a.py::test_x.", {"a.py": "b.py"})
    assert items["b.py::test_x"].explained is True


def test_items_stand_in_order_of_their_ids() -> None:
    """Whatever the order of the reports."""
    assert list(compare({"b": "pass", "d": "pass"}, {"c": "pass", "a": "pass"})) == ["a", "b", "c", "d"]
