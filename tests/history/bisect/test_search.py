from __future__ import annotations

import pytest

from handoff_tui.history.bisect.report import Standing
from handoff_tui.history.bisect.search import Search, build_places, count_steps


def build_line(size: int) -> dict[str, list[str]]:
    """Commits `1` to `size`, each after the one before it, newest first."""
    return {str(number): [str(number - 1)] for number in range(size, 0, -1)}


def run(search: Search, bad: set[str], untestable: frozenset[str] = frozenset()) -> list[str]:
    tried: list[str] = []
    while (chosen := search.choose()) is not None:
        tried.append(chosen)
        known = Standing.UNTESTABLE if chosen in untestable else Standing.BAD if chosen in bad else Standing.GOOD
        search.note(chosen, known)
    return tried


@pytest.mark.parametrize("culprit", [1, 2, 500, 999, 1000])
def test_search_of_a_thousand_takes_ten_trials(culprit: int) -> None:
    """Every half is halved again."""
    search = Search(build_line(1000), "1000")
    tried = run(search, {str(number) for number in range(culprit, 1001)})
    assert (search.is_found, search.bad) == (True, str(culprit))
    assert 9 <= len(tried) <= 11


def test_search_with_one_commit_is_done_at_once() -> None:
    """The bad one itself."""
    search = Search(build_line(1), "1")
    assert (search.choose(), search.is_found, search.left) == (None, True, ["1"])


def test_search_follows_the_side_that_brought_it() -> None:
    """A merge is bad, its first parent is good: it came from the other side."""
    history = {"merge": ["a2", "b2"], "b2": ["b1"], "a2": ["a1"], "b1": ["root"], "a1": ["root"], "root": ["good"]}
    search = Search(history, "merge")
    run(search, {"merge", "b2"})
    assert (search.bad, search.is_found) == ("b2", True)


def test_search_names_a_merge_that_broke_two_good_sides() -> None:
    """Neither parent fails."""
    search = Search({"merge": ["a", "b"], "b": ["root"], "a": ["root"], "root": []}, "merge")
    run(search, {"merge"})
    assert (search.bad, search.is_found) == ("merge", True)


def test_search_goes_around_what_cannot_be_tested() -> None:
    """One untestable commit far from the beginning hides nothing."""
    search = Search(build_line(20), "20")
    run(search, {str(number) for number in range(15, 21)}, frozenset({"10", "11"}))
    assert (search.bad, search.is_found) == ("15", True)


def test_search_ends_with_a_range_where_the_beginning_is_untestable() -> None:
    """The bad one, and the untestable ones before it, newest first."""
    search = Search(build_line(8), "8")
    run(search, {"6", "7", "8"}, frozenset({"4", "5"}))
    assert (search.is_found, search.left) == (False, ["6", "5", "4"])


def test_search_with_nothing_testable_tries_everything_once() -> None:
    """And then says that it may be any."""
    search = Search(build_line(30), "30")
    tried = run(search, set(), frozenset(str(number) for number in range(1, 30)))
    assert sorted(tried, key=int) == [str(number) for number in range(1, 30)]
    assert len(search.left) == 30


def test_search_bears_clocks_that_go_wrong() -> None:
    """A child that stands before its parent in the order by date is counted rightly all the same."""
    backwards = {str(number): [str(number - 1)] for number in range(1, 10)}
    search = Search(backwards, "9")
    run(search, {"7", "8", "9"})
    assert (search.bad, search.is_found) == ("7", True)


def test_steps_are_counted_in_halves() -> None:
    """One for two, ten for a thousand, none when it is found."""
    assert [count_steps(left) for left in (0, 1, 2, 3, 1000)] == [0, 0, 1, 2, 10]


@pytest.mark.parametrize(
    ("last", "most", "places"),
    [
        (0, 9, []),
        (1, 9, [1]),
        (6, 9, [1, 2, 4, 6, 3, 5]),
        (16, 99, [1, 2, 4, 8, 16, 3, 6, 12, 5, 7, 10, 14, 9, 11, 13, 15]),
        (16, 7, [1, 2, 4, 8, 16, 3, 6]),
    ],
)
def test_places_double_and_then_fill_the_gaps(last: int, most: int, places: list[int]) -> None:
    """The last is always among the first, and none is named twice."""
    assert build_places(last, most) == places
