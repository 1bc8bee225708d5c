"""What is found in test code: tests, assertions and marks that keep tests from running."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Final

from handoff_tui.checks.testcode.code_text import CodeText
from handoff_tui.core.classes import NamedTuple, dataclass
from handoff_tui.core.lazy_pattern import compile_later

BETWEEN = " › "
"""Stands between the groups around a test and its own title."""
_DEEPEST = 10
_LONGEST_TITLE = 300
_COMPARISON: Final = compile_later(r"[=!]==?|(?<![=\-])>|<|\.equals\s*\(|\bmatches!")
_TRUE: Final = frozenset({"true", "1", "!false", "!0", "Some(true)"})
_SHOWN = 80
_COMPARED = 1000
_MEMBER: Final = compile_later(r"\s*[?!]?\.\s*(\w+)")
_LONGEST_CHAIN = 20
_BLOCK: Final = compile_later(r"[{;}]")
_DECLARED: Final = compile_later(r"[({;]")


@dataclass(frozen=True, slots=True)
class TestFunction:
    """One test, and how much it asserts."""

    __test__ = False

    name: str
    line: int
    assertions: int
    """How many of its assertions can fail."""
    body: str
    """A digest of what it does, whatever it is called."""
    exact: int = 0
    """How many of them compare with something."""
    trivial: tuple[str, ...] = ()
    """Its assertions that cannot fail, as written."""
    cases: int = 1
    """How many cases it is given."""
    title: str = ""
    """Its own name, without those of the groups around it."""
    empty: bool = False
    """Whether its body does nothing at all."""


class CodeTest(NamedTuple):
    """A test, or a group of them. Positions are those of the text."""

    title: str
    start: int
    """Where its marks begin."""
    end: int
    body_start: int
    """Where its body begins; the same as its end if it has none."""
    body_end: int
    cases: int = 1
    is_group: bool = False
    name: str = ""
    """The titles of all groups around it, and its own."""


def name_tests(found: list[CodeTest]) -> list[CodeTest]:
    """Sorts groups and tests, and names each by the titles around it; a second of the same name is numbered."""
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


def count_elements(code: CodeText, opening: int) -> int:
    """How many elements the bracket at a position holds; at least one."""
    return max(1, len(code.list_arguments(opening)))


def find_owners(tests: list[CodeTest], positions: Iterable[int]) -> Iterator[CodeTest | None]:
    """The innermost test or group around each position. Tests and positions are sorted."""
    waiting = list(reversed(tests))
    around: list[CodeTest] = []
    for position in positions:
        while waiting and waiting[-1].start <= position:
            around.append(waiting.pop())
        while around and around[-1].end <= position:
            around.pop()
        yield around[-1] if around else None


def build_test(title: str, start: int, body: tuple[int, int], cases: int = 1) -> CodeTest:
    return CodeTest(title, start, body[1] + 1, body[0], body[1], cases)


def find_groups(code: CodeText, pattern: re.Pattern[str]) -> list[CodeTest]:
    """Classes or modules around tests; each match ends at its opening brace."""
    return [
        CodeTest(match["name"], match.start(), code.end_of(match.end()) + 1, match.end(), match.end(), is_group=True)
        for match in pattern.finditer(code.bare)
    ]


def find_block(code: CodeText, position: int) -> tuple[int, int]:
    """The content of the next braces; empty if a statement ends before them."""
    start = min(position, len(code.bare))
    match = code.find_near(_BLOCK, start)
    if match is None or match.group() != "{":
        return start, start
    return match.end(), code.end_of(match.start())


class Strength(StrEnum):
    """How much an assertion checks."""

    EXACT = "exact"
    LOOSE = "loose"
    TRIVIAL = "trivial"


class Assertion(NamedTuple):
    """One assertion; `words` quote it."""

    position: int
    strength: Strength
    words: str


class MemberChain(NamedTuple):
    """The members after a call: `.not.toBe(4)`."""

    members: tuple[str, ...]
    arguments: tuple[str, ...]
    """The arguments of its last call."""
    end: int


def build_assertion(code: CodeText, start: int, end: int, strength: Strength) -> Assertion:
    return Assertion(start, strength, " ".join(code.code[start : min(end, start + _COMPARED)].split())[:_SHOWN])


def read_arguments(code: CodeText, opening: int) -> tuple[str, ...]:
    """The text of each argument without white space, so that two can be compared; a long one equals no other."""
    return tuple(
        "".join(code.code[start:end].split()) if end - start < _COMPARED else f"from {start} to {end}"
        for start, end in code.list_arguments(opening)
    )


def read_chain(code: CodeText, position: int) -> MemberChain:
    """The members after a call."""
    members: list[str] = []
    arguments: tuple[str, ...] = ()
    while len(members) < _LONGEST_CHAIN and (match := _MEMBER.match(code.bare, position)) is not None:
        members.append(match[1])
        position = match.end()
        opening = code.skip_space(position)
        if code.bare.startswith("(", opening):
            arguments = read_arguments(code, opening)
            position = min(code.end_of(opening) + 1, len(code.bare))
    return MemberChain(tuple(members), arguments, position)


def is_always_true(text: str) -> bool:
    """Whether a condition without white space always holds: `true`, `!false`, `x||true`."""
    return text in _TRUE or text.endswith(("||true", "||1")) or text.startswith("true||")


def is_pair_of_equals(arguments: tuple[str, ...]) -> bool:
    """Whether the first two arguments are the same."""
    return len(arguments) > 1 and arguments[0] == arguments[1]


def judge_truth(code: CodeText, opening: int, arguments: tuple[str, ...], index: int = 0) -> Strength:
    """The strength of an assertion that something is true: exact if it compares, trivial if it always holds."""
    if len(arguments) <= index:
        return Strength.LOOSE
    if is_always_true(arguments[index]):
        return Strength.TRIVIAL
    start, end = code.list_arguments(opening)[index]
    found = _COMPARISON.search(code.bare, start, min(end, start + _COMPARED))
    return Strength.EXACT if found else Strength.LOOSE


class SkipMark(NamedTuple):
    """A mark that keeps a test from running, and the test."""

    mark: str
    owner: str
    line: int

    @property
    def key(self) -> tuple[str, str]:
        return self.mark, self.owner


class CodeSkip(NamedTuple):
    """A skip mark in source text. `owned_at` lies inside the test it belongs to."""

    words: str
    start: int
    end: int
    owned_at: int


def build_skip(code: CodeText, start: int, end: int) -> CodeSkip:
    words = " ".join(code.code[start:end].split()).rstrip(" (")
    return CodeSkip(words, start, end, start)


class Mark(NamedTuple):
    """An attribute of Rust or an annotation of Java."""

    name: str
    start: int
    end: int


def find_marked(
    code: CodeText, groups: Iterable[list[Mark]], pattern: re.Pattern[str]
) -> Iterator[tuple[list[Mark], re.Match[str]]]:
    """Declarations of the pattern, each with the marks in front of it."""
    for marks in groups:
        declared = pattern.match(code.bare, marks[-1].end)
        if declared is not None:
            yield marks, declared


def build_marked_skip(code: CodeText, marks: list[Mark], mark: Mark) -> CodeSkip:
    """A skip by an attribute or annotation; it belongs to what follows the last one beside it."""
    words = " ".join(code.code[mark.start : mark.end].split())
    name = words.partition("(")[0] if words.startswith("@") and "enabled" not in words else words
    following = code.find_near(_DECLARED, marks[-1].end)
    return CodeSkip(name, mark.start, mark.end, following.start() if following else marks[-1].end)
