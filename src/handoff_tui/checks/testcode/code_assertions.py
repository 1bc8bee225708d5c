"""Assertions in source text: where each stands, and whether it compares, is loose, or cannot fail."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from handoff_tui.checks.testcode.code_text import Code
from handoff_tui.core.lazy_pattern import compile_later

_COMPARISON: Final = compile_later(r"[=!]==?|(?<![=\-])>|<|\.equals\s*\(|\bmatches!")
_TRUE: Final = frozenset({"true", "1", "!false", "!0", "Some(true)"})
_SHOWN = 80
_COMPARED = 1000
_MEMBER: Final = compile_later(r"\s*[?!]?\.\s*(\w+)")
_LONGEST_CHAIN = 20


class Strength(StrEnum):
    """How much an assertion asks."""

    EXACT = "exact"
    LOOSE = "loose"
    TRIVIAL = "trivial"


class Assertion(NamedTuple):
    """One assertion; `words` quote it."""

    position: int
    strength: Strength
    words: str


class Chain(NamedTuple):
    """What follows a call: `.not.toBe(4)`."""

    members: tuple[str, ...]
    arguments: tuple[str, ...]
    """Those of the last call in it."""
    end: int


def build_assertion(code: Code, start: int, end: int, strength: Strength) -> Assertion:
    return Assertion(start, strength, " ".join(code.code[start : min(end, start + _COMPARED)].split())[:_SHOWN])


def read_arguments(code: Code, opening: int) -> tuple[str, ...]:
    """The text of each argument without any white space, so that two can be compared; a long one is like no other."""
    return tuple(
        "".join(code.code[start:end].split()) if end - start < _COMPARED else f"from {start} to {end}"
        for start, end in code.list_arguments(opening)
    )


def read_chain(code: Code, position: int) -> Chain:
    """The members behind a call, as far as they go on."""
    members: list[str] = []
    arguments: tuple[str, ...] = ()
    while len(members) < _LONGEST_CHAIN and (match := _MEMBER.match(code.bare, position)) is not None:
        members.append(match[1])
        position = match.end()
        opening = code.skip_space(position)
        if code.bare.startswith("(", opening):
            arguments = read_arguments(code, opening)
            position = min(code.end_of(opening) + 1, len(code.bare))
    return Chain(tuple(members), arguments, position)


def is_always_true(text: str) -> bool:
    """`true`, `!false`, `x || true`; the text has no white space."""
    return text in _TRUE or text.endswith(("||true", "||1")) or text.startswith("true||")


def is_pair_of_equals(arguments: tuple[str, ...]) -> bool:
    """The first two are one and the same."""
    return len(arguments) > 1 and arguments[0] == arguments[1]


def judge_truth(code: Code, opening: int, arguments: tuple[str, ...], place: int = 0) -> Strength:
    """An assertion that something is true: exact where it compares, trivial where it always is."""
    if len(arguments) <= place:
        return Strength.LOOSE
    if is_always_true(arguments[place]):
        return Strength.TRIVIAL
    start, end = code.list_arguments(opening)[place]
    found = _COMPARISON.search(code.bare, start, min(end, start + _COMPARED))
    return Strength.EXACT if found else Strength.LOOSE
