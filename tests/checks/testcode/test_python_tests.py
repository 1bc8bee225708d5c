from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handoff_tui.checks.testcode.python_tests import find_python_tests, is_always_true

TEXT = """
class TestBoat:
    async def test_rows(self):
        self.assertEqual(row(), 4)
        self.assertTrue(row() > 3)
        assert sail()

if LINUX:
    def test_sails():
        with pytest.raises(KeyError):
            sail()

def helper():
    def test_inner(): assert True
"""


def test_tests_are_found_with_what_they_assert() -> None:
    """In classes and under conditions; not what is defined inside functions."""
    found = [(test.name, test.line, test.assertions, test.exact) for test in find_python_tests(TEXT)]
    assert found == [("TestBoat.test_rows", 3, 3, 2), ("test_sails", 9, 1, 1)]


@pytest.mark.parametrize(
    ("expression", "answer"),
    [
        ("True", True),
        ("1", True),
        ("'text'", True),
        ("x or True", True),
        ("x and True", False),
        ("not False", True),
        ("x == x", True),
        ("x is x", True),
        ("x == y", False),
        ("len(x) >= 0", True),
        ("len(x) >= 1", False),
        ("(x, 'm')", True),
        ("()", False),
        ("x", False),
        ("x != x", False),
    ],
)
def test_what_is_always_true_is_known(expression: str, *, answer: bool) -> None:
    """Whatever the names stand for."""
    assert is_always_true(ast.parse(expression, mode="eval").body) is answer


@settings(max_examples=50)
@given(st.text())
def test_any_text_is_read_without_raising(text: str) -> None:
    """What is no Python has no tests."""
    assert find_python_tests(text) == find_python_tests(text)
