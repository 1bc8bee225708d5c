"""Tests and skips of a file, whatever its language, and which assertions of a test are reached."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import lru_cache
from hashlib import sha256
from typing import Final

from handoff_tui.checks.testcode import go, java, javascript, parts, python, rust
from handoff_tui.checks.testcode.code_text import CodeText, Family, find_family, parse_code
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later

_STEP: Final = compile_later(r"[(\[{]|\breturn\b|\bif\b")
_NEVER: Final = compile_later(r"if\s*\(?\s*(?:false|0|!\s*true|!\s*1)\s*\)?\s*(?=\{)")
_ALWAYS: Final = compile_later(r"if\s*\(?\s*(?:true|1|!\s*false|!\s*0)\s*\)?\s*(?:\{\s*)?return\b")
_RETURNS_NOTHING: Final = compile_later(r"return[^\S\n]*(?:;|\n|\Z)")
_WORD_BEFORE: Final = compile_later(r"(\w+)\s*$")
_LONGEST_WORD = 30
_CONDITIONS: Final = frozenset({"if", "while", "for", "switch", "when", "catch", "with"})
_HALF: Final = frozenset({"else", "do", "in", "case"})
_ENDS_A_STATEMENT: Final = ";{}"
_STATEMENT_STEP: Final = compile_later(r"[(\[{;\n}]")
_GOES_ON: Final = ".?:+-*/%&|,=<>)]"
_LEAVES_OPEN: Final = ".?:+-*/%&|,=<>(["
_SPACE: Final = compile_later(r"\s+")


class _Language(NamedTuple):
    """How the tests of a language are found."""

    find_tests: Callable[[CodeText], list[parts.CodeTest]]
    find_assertions: Callable[[CodeText], Iterator[parts.Assertion]]
    find_skips: Callable[[CodeText, list[parts.CodeTest]], Iterator[parts.CodeSkip]]


_JAVA: Final = _Language(java.find_tests, java.find_assertions, java.find_skips)
_LANGUAGES: Final = {
    Family.SCRIPT: _Language(javascript.find_tests, javascript.find_assertions, javascript.find_skips),
    Family.GO: _Language(go.find_tests, go.find_assertions, go.find_skips),
    Family.RUST: _Language(rust.find_tests, rust.find_assertions, rust.find_skips),
    Family.JAVA: _JAVA,
    Family.KOTLIN: _JAVA,
}


def find_tests(path: str, text: str) -> tuple[parts.TestFunction, ...]:
    """Each test with its own assertions; those of a test inside it belong to that one."""
    if path.endswith(".py"):
        return tuple(python.find_tests(text))
    family = find_family(path)
    return () if family is None else _find_tests(text, family)


@lru_cache(maxsize=32)
def _find_tests(text: str, family: Family) -> tuple[parts.TestFunction, ...]:
    """Several rules ask about the same files."""
    code, language = parse_code(text, family), _LANGUAGES[family]
    tests = language.find_tests(code)
    assertions = sorted(language.find_assertions(code), key=lambda assertion: assertion.position)
    own: dict[int, list[parts.Assertion]] = {}
    for assertion, owner in zip(
        assertions, parts.find_owners(tests, (one.position for one in assertions)), strict=True
    ):
        if owner is not None:
            own.setdefault(owner.start, []).append(assertion)
    return tuple(_build(code, test, own.get(test.start, [])) for test in tests if not test.is_group)


def _build(code: CodeText, test: parts.CodeTest, assertions: list[parts.Assertion]) -> parts.TestFunction:
    dead = find_dead(code, test.body_start, test.body_end)
    starts = [start for start, _ in dead]
    reached = [
        assertion
        for assertion in assertions
        if not ((index := bisect_right(starts, assertion.position)) and assertion.position < dead[index - 1][1])
    ]
    body = _SPACE.sub(" ", code.code[test.body_start : test.body_end])
    has_body = test.body_start < test.body_end or code.bare[test.body_start : test.body_start + 1] == "}"
    return parts.TestFunction(
        name=test.name,
        title=test.title,
        line=code.line_of(test.start),
        assertions=sum(one.strength is not parts.Strength.TRIVIAL for one in reached),
        exact=sum(one.strength is parts.Strength.EXACT for one in reached),
        trivial=tuple(one.words for one in reached if one.strength is parts.Strength.TRIVIAL),
        cases=test.cases,
        empty=has_body and is_empty(code, test.body_start, test.body_end),
        body=sha256(body.encode("utf-8", "surrogatepass")).hexdigest(),
    )


def find_skips(path: str, text: str) -> Iterator[parts.SkipMark]:
    """Each mark that keeps tests from running, with its test or group, or else the rest of its line."""
    if path.endswith(".py"):
        yield from python.find_skips(text)
    family = find_family(path)
    if family is None:
        return
    code, language = parse_code(text, family), _LANGUAGES[family]
    tests = language.find_tests(code)
    marks = sorted(language.find_skips(code, tests), key=lambda mark: (mark.owned_at, mark.start))
    owners = parts.find_owners(tests, (mark.owned_at for mark in marks))
    for mark, owner in zip(marks, owners, strict=True):
        name = owner.name if owner is not None else _read_rest(code, mark.end)
        yield parts.SkipMark(mark.words, name, code.line_of(mark.start))


def _read_rest(code: CodeText, position: int) -> str:
    end = code.code.find("\n", position)
    return " ".join(code.code[position : end if end >= 0 else len(code.code)].split())


def find_dead(code: CodeText, start: int, end: int) -> list[tuple[int, int]]:
    """The parts of a body that are never reached, in order, by its outermost statements."""
    dead: list[tuple[int, int]] = []
    position = start
    while (match := _STEP.search(code.bare, position, end)) is not None:
        place, token = match.start(), match.group()
        position = match.end()
        if token == "return":
            if _is_always_taken(code, place, start):
                return [*dead, (_end_statement(code, position, end), end)]
        elif token == "if":
            always = _ALWAYS.match(code.bare, place, end)
            if always is not None and not _is_conditional(code, place, start):
                return [*dead, (_end_statement(code, always.end(), end), end)]
            never = _NEVER.match(code.bare, place, end)
            if never is not None:
                position = min(code.end_of(never.end()), end)
                dead.append((never.end() + 1, position))
        else:
            position = min(code.end_of(place) + 1, end)
    return dead


def is_empty(code: CodeText, start: int, end: int) -> bool:
    """Whether a body does nothing: no statement, or a bare return first."""
    first = code.skip_space(start, end)
    return first >= end or _RETURNS_NOTHING.match(code.bare, first, end) is not None


def _is_always_taken(code: CodeText, place: int, start: int) -> bool:
    before = code.skip_space_back(place, start)
    if before < start or code.bare[before] in _ENDS_A_STATEMENT:
        return True
    begins_line = "\n" in code.bare[before:place]
    is_open = code.bare[before] in _LEAVES_OPEN
    return begins_line and not is_open and not _is_conditional(code, place, start)


def _is_conditional(code: CodeText, place: int, start: int) -> bool:
    """Whether a condition comes before it: `if (x)`, `else`."""
    before = code.skip_space_back(place, start)
    if before < start:
        return False
    if code.bare[before] == ")":
        opening = code.opening.get(before, start)
        return _read_word_before(code, opening, start) in _CONDITIONS
    return _read_word_before(code, before + 1, start) in _HALF


def _read_word_before(code: CodeText, position: int, start: int) -> str:
    match = _WORD_BEFORE.search(code.bare, max(start, position - _LONGEST_WORD), position)
    return match[1] if match else ""


def _end_statement(code: CodeText, position: int, end: int) -> int:
    """Where the expression after a return ends: at a semicolon, or at the end of a complete line."""
    begin = position
    while (match := _STATEMENT_STEP.search(code.bare, position, end)) is not None:
        token, place = match.group(), match.start()
        if token in {";", "}"}:
            return place
        if token != "\n":
            position = min(code.end_of(place) + 1, end)
            continue
        before = code.skip_space_back(place, begin)
        following = code.skip_space(place, end)
        is_bare = before < begin
        goes_on = following < end and code.bare[following] in _GOES_ON
        if is_bare or not (goes_on or code.bare[before] in _LEAVES_OPEN):
            return place
        position = max(following, place + 1)
    return end
