from __future__ import annotations

from handoff_tui.changes.comparison.compare import TestSearch
from handoff_tui.changes.comparison.drop_words import Drop
from handoff_tui.changes.comparison.explain import build_explanations


def find(text: str, dropped: list[str], living: tuple[str, ...] = (), drop: Drop = Drop.REMOVED) -> list[bool]:
    search = TestSearch(build_explanations([], [("r.md", text)]), drop, dropped, living)
    return [search.find(name) is not None for name in dropped]


def test_bare_name_explains_the_only_test_that_bears_it() -> None:
    """Of two that are gone, a bare name means neither; with its class or file it means one."""
    assert find("Removed test_a.", ["x.py::test_a"]) == [True]
    assert find("Removed test_a.", ["x.py::test_a", "y.py::test_a"]) == [False, False]
    assert find("Removed y.py::test_a.", ["x.py::test_a", "y.py::test_a"]) == [False, True]
    assert find("Removed TestB.test_a.", ["x.TestA::test_a", "x.TestB::test_a"]) == [False, True]


def test_file_explains_its_tests_when_none_of_them_runs_any_more() -> None:
    """«Removed code from x.py» does not explain one test that is gone from it."""
    gone = ["t/x.py::test_a", "t/x.py::TestK::test_b"]
    assert find("Deleted `t/x.py`.", gone) == [True, True]
    assert find("Deleted x.py.", gone) == [True, True]
    assert find("Deleted `t/x.py`.", gone, ("t/x.py::test_c",)) == [False, False]


def test_class_and_folder_explain_like_a_file() -> None:
    """As long as nothing in them runs."""
    assert find("Removed TestKeys.", ["x.py::TestKeys::test_a"], ("x.py::test_b",)) == [True]
    assert find("Removed TestKeys.", ["x.py::TestKeys::test_a"], ("x.py::TestKeys::test_b",)) == [False]
    assert find("Removed the folder legacy/.", ["legacy/x.py::test_a"], ("new/x.py::test_a",)) == [True]


def test_test_without_parameters_explains_its_cases_when_none_runs() -> None:
    """One case that is gone needs its own name."""
    gone = ["x.py::test_a[1]", "x.py::test_a[2]"]
    assert find("Removed test_a.", gone) == [True, True]
    assert find("Removed x.py::test_a.", gone) == [True, True]
    assert find("Removed test_a.", gone[:1], ("x.py::test_a[2]",)) == [False]
    assert find("Removed `test_a[1]`.", gone[:1], ("x.py::test_a[2]",)) == [True]


def test_name_with_spaces_is_found_in_code_marks() -> None:
    """As other languages name their tests."""
    assert find("Removed `adds two numbers`.", ["adds two numbers", "adds"]) == [True, False]
    assert find("Removed `adds two numbers`.", ["sum.test.ts::adds two numbers"]) == [True]


def test_skip_is_looked_up_among_skips() -> None:
    """A file whose tests are all skipped may be named as a whole."""
    assert find("Skipped x.py on this machine.", ["x.py::test_a"], (), Drop.SKIPPED) == [True]
    assert find("Skipped x.py on this machine.", ["x.py::test_a"], ("x.py::test_b",), Drop.SKIPPED) == [False]
    assert find("Removed x.py.", ["x.py::test_a"], (), Drop.SKIPPED) == [False]


def test_search_by_two_names_takes_either() -> None:
    """A renamed test is known by both."""
    search = TestSearch(build_explanations([], [("r.md", "Skipped test_old.")]), Drop.SKIPPED, ["a.py::test_old"], ())
    assert search.find("a.py::test_old", "a.py::test_new") is not None
    assert search.find("a.py::test_new") is None
