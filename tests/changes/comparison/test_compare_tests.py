from __future__ import annotations

import pytest

from handoff_tui.changes.comparison.compare_tests import (
    Identity,
    compare_tests,
    cut_last,
    list_live_containers,
    list_names,
    list_paths,
    list_scopes,
    pair_renamed,
    parse_test_id,
)
from handoff_tui.changes.comparison.explain import build_explanations
from handoff_tui.changes.comparison.snapshot_diff import ComparedItem, ItemChange
from handoff_tui.changes.snapshots.snapshot import TestOutcome
from tests.support.snapshots import build_tests


def compare(
    before: dict[str, str], after: dict[str, str], text: str = "", moved: dict[str, str] | None = None
) -> dict[str, ComparedItem]:
    old, new = ({name: TestOutcome(outcome) for name, outcome in side.items()} for side in (before, after))
    section = compare_tests(old, new, build_explanations([], [("results.md", text)]), moved or {})
    return {item.id: item for item in section.items}


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ("pass", "fail", ItemChange.NEWLY_FAILING),
        ("pass", "error", ItemChange.NEWLY_FAILING),
        ("skipped", "fail", ItemChange.NEWLY_FAILING),
        ("fail", "pass", ItemChange.FIXED),
        ("error", "pass", ItemChange.FIXED),
        ("fail", "error", ItemChange.CHANGED),
        ("skipped", "pass", ItemChange.CHANGED),
        ("pass", "skipped", ItemChange.NEWLY_SKIPPED),
        ("fail", "skipped", ItemChange.NEWLY_SKIPPED),
    ],
)
def test_outcome_that_changed_has_its_name(before: str, after: str, change: ItemChange) -> None:
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
    assert (items["x.py::test_a"].change, items["x.py::test_a"].explained) == (ItemChange.VANISHED, False)
    assert (items["x.py::test_b"].change, str(items["x.py::test_b"].explanation)) == (
        ItemChange.REMOVED,
        "results.md:1",
    )


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
    assert (item.change, item.before, item.after, item.explained) == (ItemChange.NEW, None, "fail", None)


def test_renamed_test_that_fails_now_is_newly_failing() -> None:
    """A moved file hides no failure: the former name is told beside it."""
    items = compare({"a.py::test_x": "pass"}, {"b.py::test_x": "fail"}, moved={"a.py": "b.py"})
    assert (items["b.py::test_x"].change, items["b.py::test_x"].old_id) == (ItemChange.NEWLY_FAILING, "a.py::test_x")


def test_skip_of_a_renamed_test_is_explained_by_either_name() -> None:
    """The former one too."""
    items = compare({"a.py::test_x": "pass"}, {"b.py::test_x": "skipped"}, "Skipped a.py::test_x.", {"a.py": "b.py"})
    assert items["b.py::test_x"].explained is True


def test_items_stand_in_order_of_their_ids() -> None:
    """Whatever the order of the reports."""
    assert list(compare({"b": "pass", "d": "pass"}, {"c": "pass", "a": "pass"})) == ["a", "b", "c", "d"]


def pair(left: list[str], came: list[str], moved: dict[str, str] | None = None, now: str = "pass") -> dict[str, str]:
    return pair_renamed(dict.fromkeys(left, TestOutcome.PASS), dict.fromkeys(came, TestOutcome(now)), moved or {})


def test_same_name_in_another_file_is_a_rename() -> None:
    """One left, one came, both with the same outcome."""
    assert pair(["a.py::test_x"], ["b/c.py::test_x"]) == {"a.py::test_x": "b/c.py::test_x"}


def test_other_outcome_is_no_rename_by_name_alone() -> None:
    """A test that fails elsewhere need not be the one that passed."""
    assert pair(["a.py::test_x"], ["b.py::test_x"], now="fail") == {}


def test_file_that_git_sees_as_renamed_carries_its_tests() -> None:
    """Whatever their outcome, and however many bear the same name; also where the report has dots."""
    left = ["t/a.py::test_x", "t/z.py::test_x"]
    assert pair(left, ["t/b.py::test_x", "t/y.py::test_x"], {"t/a.py": "t/b.py"}, "fail") == {left[0]: "t/b.py::test_x"}
    assert pair(["t.a.TestK::test_x"], ["t.b.TestK::test_x"], {"t/a.py": "t/b.py"}, "fail") == {
        "t.a.TestK::test_x": "t.b.TestK::test_x"
    }


def test_class_and_name_tell_apart_what_the_name_alone_cannot() -> None:
    """Two tests of one name in two classes of a file that was moved."""
    left = ["a.py::TestA::test_x", "a.py::TestB::test_x"]
    assert pair(left, ["b.py::TestB::test_x", "b.py::TestA::test_x"]) == {
        left[0]: "b.py::TestA::test_x",
        left[1]: "b.py::TestB::test_x",
    }


def test_ambiguous_names_are_left_alone() -> None:
    """Two that left or two that came are no pair."""
    assert pair(["a.py::test_x", "b.py::test_x"], ["c.py::test_x"]) == {}
    assert pair(["a.py::test_x"], ["b.py::test_x", "c.py::test_x"]) == {}


def test_parameters_are_part_of_the_name() -> None:
    """Each case of a test finds its own twin."""
    left = ["a.py::test_x[1::2]", "a.py::test_x[b]"]
    assert pair(left, ["b.py::test_x[b]", "b.py::test_x[1::2]"]) == {
        left[0]: "b.py::test_x[1::2]",
        left[1]: "b.py::test_x[b]",
    }


def test_plain_names_are_never_renamed() -> None:
    """A name without file or class is the whole id."""
    assert pair(["it adds"], ["it subtracts"]) == {}


@pytest.mark.parametrize(
    ("identifier", "identity"),
    [
        ("tests/x.py::TestA::test_b", Identity("tests/x.py", ("TestA",), "test_b")),
        ("tests.unit.x.TestA::test_b[1::2]", Identity("tests/unit/x.py", ("TestA",), "test_b", "[1::2]")),
        ("tests.x::test_b", Identity("tests/x.py", (), "test_b")),
        ("x.test.ts::adds", Identity("x.test.ts", (), "adds")),
        ("TestA::test_b", Identity("TestA", (), "test_b")),
        ("adds two numbers", Identity("", (), "adds two numbers")),
        ("", Identity("", (), "")),
    ],
)
def test_id_is_taken_apart(identifier: str, identity: Identity) -> None:
    """Paths, dotted modules, files of other languages, plain names."""
    assert parse_test_id(identifier) == identity


def test_last_part_leaves_parameters_out() -> None:
    """Colons among the parameters do not matter."""
    assert cut_last("a.py::TestA::test_b[x::y]") == ("a.py::TestA", "test_b")


def test_names_are_those_that_mean_one_test() -> None:
    """With the file or the class; never the bare name, which others may bear."""
    names = list_names("t.x.TestA::test_b", parse_test_id("t.x.TestA::test_b"))
    assert names == [
        "t.x.TestA::test_b",
        "t/x.py::TestA::test_b",
        "TestA::test_b",
        "TestA.test_b",
        "t.x.TestA.test_b",
    ]
    assert list_names("a.py::test_b", parse_test_id("a.py::test_b")) == ["a.py::test_b", "a.py::test_b", "a.test_b"]
    assert list_names("adds", parse_test_id("adds")) == ["adds"]


def test_scopes_go_from_class_to_folder() -> None:
    """Smallest first."""
    assert list_scopes("t/x.py", ("A",)) == ["t/x.py::A", "A", "A", "t.x", "t/x.py", "x.py", "t", "t/"]
    assert list_paths("a/b/c") == ["a/b/c", "c", "a/b", "a/b/", "a", "a/"]


def test_containers_live_as_long_as_one_of_their_tests_runs() -> None:
    """A test with parameters is the container of its cases."""
    live = list_live_containers(["t/x.py::A::test_b[1]", "plain"])
    assert {"t/x.py", "t/", "A", "t/x.py::A", "A::test_b", "t/x.py::A::test_b"} <= live
    assert "test_b" not in live
    assert "plain" not in live
