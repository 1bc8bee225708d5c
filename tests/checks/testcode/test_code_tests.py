from __future__ import annotations

from handoff_tui.checks.testcode.code_tests import CodeTest, count_elements, find_owners, name_tests
from handoff_tui.checks.testcode.code_text import Family, parse_code


def build(title: str, start: int, end: int, *, is_group: bool = False) -> CodeTest:
    return CodeTest(title, start, end, start, end, is_group=is_group)


def test_names_hold_the_groups_around() -> None:
    """In the order of the text; a second of one name is numbered, a group is not."""
    found = [
        build("b", 5, 8),
        build("a", 0, 20, is_group=True),
        build("b", 9, 12),
        build("a", 20, 30, is_group=True),
        build("b", 21, 22),
    ]
    assert [test.name for test in name_tests(found)] == ["a", "a › b", "a › b (2)", "a", "a › b (3)"]


def test_tests_that_lie_too_deep_in_others_are_part_of_them() -> None:
    """Nobody writes them, and names would grow without end."""
    found = [build("x", number, 1000 - number) for number in range(100)]
    assert len(name_tests(found)) == 10


def test_owner_is_the_innermost_around_a_place() -> None:
    """Nothing outside of all."""
    tests = name_tests([build("a", 0, 20), build("b", 5, 8), build("c", 30, 40)])
    owners = find_owners(tests, [0, 5, 8, 19, 25, 30, 39, 40])
    assert [owner.title if owner else None for owner in owners] == ["a", "b", "a", "a", None, "c", "c", None]


def test_elements_are_counted_and_never_none() -> None:
    """An empty list is one case, as no list is."""
    assert count_elements(parse_code("[1, [2, 3]]", Family.SCRIPT), 0) == 2
    assert count_elements(parse_code("[]", Family.SCRIPT), 0) == 1
