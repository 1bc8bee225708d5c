from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handoff_tui.checks.testcode.skip_marks import find_skips


@pytest.mark.parametrize(
    ("path", "text", "keys"),
    [
        ("a.py", "class A:\n    @mark.xfail\n    def test_b(self): ...\n", [("mark.xfail", "A.test_b")]),
        ("a.py", "x = [pytest.param(1, marks=pytest.mark.skip)]\n", [("pytest.mark.skip", "module")]),
        ("a.py", "class A:\n    __test__ = False\n", [("__test__", "A")]),
        ("a.py", "def test_a(self):\n    self.skipTest('x')\n", [("self.skipTest", "test_a")]),
        ("a.py", "skip = 1\nprint(skip, row.skip())\n", []),
        ("a.py", "print(__test__)\n", []),
        ("a.py", "def broken(: skip\n", []),
        ("a.js", "it.concurrent.skip('a', f)\nfit('b', f)", [("it.concurrent.skip", "a"), ("fit", "b")]),
        ("a.js", "music.skip()\nprofit('b')", []),
        ("a.txt", "it.skip('a')", []),
    ],
)
def test_marks_are_found_with_what_they_stand_on(path: str, text: str, keys: list[tuple[str, str]]) -> None:
    """And nothing that only sounds like one."""
    assert [mark.key for mark in find_skips(path, text)] == keys


@settings(max_examples=50)
@given(st.text(), st.sampled_from(["py", "ts", "go", "rs", "java"]))
def test_any_text_is_read_without_raising(text: str, ending: str) -> None:
    """And twice the same."""
    path = f"a.{ending}"
    assert list(find_skips(path, f"skip {text}")) == list(find_skips(path, f"skip {text}"))
