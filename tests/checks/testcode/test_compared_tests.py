from __future__ import annotations

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.testcode.compared_tests import compare_tests
from tests.support.changed_world import build_changed_world

ONE = "def test_row():\n    assert row() == 1\n"
TWO = "def test_row():\n    assert row() == 2\n"


def compare(before: dict[str, str], now: dict[str, str]) -> list[tuple[str, str, str | None]]:
    pairs = compare_tests(Context(Answers(build_changed_world(before, now))))
    return [(pair.old_path, pair.before.name, pair.new_path) for pair in pairs]


def test_test_is_looked_for_in_its_file_first() -> None:
    """Even if another file has one of its name now."""
    assert compare({"test_a.py": ONE}, {"test_a.py": TWO, "test_b.py": ONE}) == [("test_a.py", "test_row", "test_a.py")]


def test_test_that_left_is_found_where_it_is_new() -> None:
    """Each new test stands for one that left, not for two."""
    found = compare({"test_a.py": ONE, "test_b.py": ONE}, {"test_c.py": ONE})
    assert [new_path for _, _, new_path in found] == ["test_c.py", None]


def test_method_that_changed_its_class_is_found() -> None:
    """The last part of its name is the same."""
    before = "class A:\n    def test_row(self):\n        assert row() == 1\n"
    assert compare({"test_a.py": before}, {"test_a.py": TWO}) == [("test_a.py", "A.test_row", "test_a.py")]
