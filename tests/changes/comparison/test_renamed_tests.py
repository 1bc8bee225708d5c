from __future__ import annotations

from handoff_tui.changes.comparison.renamed_tests import pair_renamed
from handoff_tui.changes.snapshots.snapshot import TestOutcome


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
