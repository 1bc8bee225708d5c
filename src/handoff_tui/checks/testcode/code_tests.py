"""A test as a stretch of source text: what it is called, where it begins, and where its body stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from handoff_tui.checks.testcode.code_text import Code

BETWEEN = " › "
"""Stands between the groups around a test and its own title."""
_DEEPEST = 10
_LONGEST_TITLE = 300


class CodeTest(NamedTuple):
    """A test, or a group of them. Positions are those of the text."""

    title: str
    start: int
    """Where its marks begin."""
    end: int
    body_start: int
    """Where its body begins; the same as its end where it has none of its own."""
    body_end: int
    cases: int = 1
    is_group: bool = False
    name: str = ""
    """The titles of all groups around it, and its own."""


def name_tests(found: list[CodeTest]) -> list[CodeTest]:
    """Groups and tests in order, each with the titles of those around it; a second of one name is numbered."""
    named: list[CodeTest] = []
    around: list[CodeTest] = []
    seen: dict[str, int] = {}
    for test in sorted(found, key=lambda one: (one.start, -one.end)):
        while around and around[-1].end <= test.start:
            around.pop()
        if sum(not one.is_group for one in around[-_DEEPEST:]) == _DEEPEST:  # no test lies that deep in others
            continue
        titles = (*(one.title for one in around[-_DEEPEST:]), test.title)
        name = BETWEEN.join(title[:_LONGEST_TITLE] for title in titles)
        if not test.is_group:
            seen[name] = seen.get(name, 0) + 1
            name = name if seen[name] == 1 else f"{name} ({seen[name]})"
        named.append(test._replace(name=name))
        around.append(test)
    return named


def count_elements(code: Code, opening: int) -> int:
    """How many cases the bracket at a place holds; at least one."""
    return max(1, len(code.list_arguments(opening)))


def find_owners(tests: list[CodeTest], positions: Iterable[int]) -> Iterator[CodeTest | None]:
    """For each place, in rising order, the innermost test or group around it. The tests are in order as well."""
    waiting = list(reversed(tests))
    around: list[CodeTest] = []
    for position in positions:
        while waiting and waiting[-1].start <= position:
            around.append(waiting.pop())
        while around and around[-1].end <= position:
            around.pop()
        yield around[-1] if around else None
