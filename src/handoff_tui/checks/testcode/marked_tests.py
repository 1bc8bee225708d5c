"""Tests of JavaScript, TypeScript, Go, Rust, Java and Kotlin: which there are, and how much each asserts."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from typing import Final

from handoff_tui.checks.testcode.code_assertions import (
    Assertion,
    Strength,
    build_assertion,
    is_always_true,
    is_pair_of_equals,
    judge_truth,
    read_arguments,
    read_chain,
)
from handoff_tui.checks.testcode.code_tests import CodeTest, find_owners
from handoff_tui.checks.testcode.code_text import Code, Family, find_family, parse_code
from handoff_tui.checks.testcode.declared_assertions import (
    find_go_assertions,
    find_java_assertions,
    find_rust_assertions,
)
from handoff_tui.checks.testcode.declared_tests import find_go_tests, find_java_tests, find_rust_tests
from handoff_tui.checks.testcode.script_tests import find_script_tests
from handoff_tui.checks.testcode.tested_function import TestFunction
from handoff_tui.core.lazy_pattern import compile_later

_EXPECT: Final = compile_later(r"(?<![\w$.])expect(?:TypeOf)?(?:\s*\.\s*(?P<member>\w+))?\s*(?=\()")
_ASSERT: Final = compile_later(r"(?<![\w$.])(?:(?:sinon|chai)\s*\.\s*)?assert(?P<members>(?:\s*\.\s*\w+)*)\s*(?=\()")
_OWN: Final = compile_later(r"(?<![\w$.])(?:expect|assert)[A-Z]\w*\s*(?=\()")
_SHOULD: Final = compile_later(r"\.\s*should\b")
_TAKEN: Final = compile_later(
    r"(?<![\w$.])t\s*\.\s*(?P<member>is|not|equal|equals|same|strictSame|deepEqual|true|false|truthy|falsy|ok|notOk|throws"
    r"|throwsAsync|rejects|fail|pass|like|regex|snapshot|assert|match)\s*(?=\()"
)
_SWALLOWED: Final = compile_later(r"\bcatch\s*(?:\([^()]*\)\s*)?\{\s*\}")
_COUNTED: Final = frozenset({"assertions", "hasAssertions", "fail", "unreachable"})
_SUBJECTS: Final = frozenset({"soft", "poll", "element"})
_LOOSE: Final = frozenset(
    {
        *("toBeTruthy", "toBeFalsy", "toBeDefined", "toHaveBeenCalled", "toBeCalled", "toBeAttached", "toBeVisible"),
        *("ok", "exist", "exists", "isOk", "isDefined", "isNotNull", "notOk", "truthy", "falsy", "true", "isTrue"),
        *("notEqual", "notStrictEqual", "notDeepEqual", "notDeepStrictEqual", "doesNotThrow", "doesNotReject", "not"),
        *("empty", "called", "throws", "toThrow", "toThrowError", "rejects", "throw"),
    }
)
"""With an argument beyond the usual, some of these compare: `toThrow("text")`."""
_NEEDS_MORE: Final = {"toThrow": 1, "toThrowError": 1, "throw": 1, "throws": 2, "rejects": 2}
_EQUALITIES: Final = frozenset(
    {
        *("toBe", "toEqual", "toStrictEqual", "toMatchObject", "equal", "equals", "eql", "strictEqual", "deepEqual"),
        *("deepStrictEqual", "is", "same", "strictSame"),
    }
)
_TRUTHS: Final = frozenset({"toBeTruthy", "toBeDefined", "ok", "true", "exist", "isOk", "isTrue", "truthy"})


def find_script_assertions(code: Code) -> Iterator[Assertion]:
    for match in _EXPECT.finditer(code.bare):
        member = match["member"]
        if member is None or member in _SUBJECTS:
            yield _judge_expect(code, match)
        elif member in _COUNTED:
            yield build_assertion(code, match.start(), code.end_of(match.end()) + 1, Strength.LOOSE)
    for match in (*_ASSERT.finditer(code.bare), *_TAKEN.finditer(code.bare)):
        yield _judge_assert(code, match)
    for match in _OWN.finditer(code.bare):
        if not match.group().startswith("expectTypeOf"):
            yield build_assertion(code, match.start(), code.end_of(match.end()) + 1, Strength.LOOSE)
    for match in _SHOULD.finditer(code.bare):
        chain = read_chain(code, match.end())
        yield build_assertion(code, match.start(), chain.end, _judge_chain(chain.members, chain.arguments))
    for match in _SWALLOWED.finditer(code.bare):
        yield Assertion(match.start(), Strength.TRIVIAL, "catch that passes over a failed assertion")


def _judge_expect(code: Code, match: re.Match[str]) -> Assertion:
    """Without a matcher it checks nothing, and something that is compared with itself holds."""
    subject = read_arguments(code, match.end())
    chain = read_chain(code, min(code.end_of(match.end()) + 1, len(code.bare)))
    last = chain.members[-1] if chain.members else ""
    is_same = last in _EQUALITIES and subject[:1] == chain.arguments[:1] and bool(subject)
    is_true = last in _TRUTHS and bool(subject) and is_always_true(subject[0])
    negated = "not" in chain.members
    if not chain.members or ((is_same or is_true) and not negated):
        strength = Strength.TRIVIAL
    else:
        strength = _judge_chain(chain.members, chain.arguments)
    return build_assertion(code, match.start(), chain.end, strength)


def _judge_chain(members: tuple[str, ...], arguments: tuple[str, ...]) -> Strength:
    last = members[-1] if members else ""
    takes_anything = bool(arguments) and arguments[0].startswith("expect.any")
    is_loose = last in _LOOSE and len(arguments) < _NEEDS_MORE.get(last, len(arguments) + 1)
    return Strength.LOOSE if is_loose or takes_anything or "not" in members else Strength.EXACT


def _judge_assert(code: Code, match: re.Match[str]) -> Assertion:
    groups = match.groupdict()
    named = groups.get("member") or (groups.get("members") or "").rpartition(".")[2].strip()
    arguments = read_arguments(code, match.end())
    if named == "pass" or (named in _EQUALITIES and is_pair_of_equals(arguments)):
        strength = Strength.TRIVIAL
    elif not named or named in _TRUTHS or named == "assert":
        strength = judge_truth(code, match.end(), arguments)
    else:
        strength = _judge_chain((named,), arguments[1:] if named not in _NEEDS_MORE else arguments)
    return build_assertion(code, match.start(), code.end_of(match.end()) + 1, strength)


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


def find_dead(code: Code, start: int, end: int) -> list[tuple[int, int]]:
    """In order. Only the outermost statements of the body are looked at."""
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


def is_empty(code: Code, start: int, end: int) -> bool:
    """Whether a body does nothing: no statement, or first of all a return with nothing."""
    first = code.skip_space(start, end)
    return first >= end or _RETURNS_NOTHING.match(code.bare, first, end) is not None


def _is_always_taken(code: Code, place: int, start: int) -> bool:
    before = code.skip_space_back(place, start)
    if before < start or code.bare[before] in _ENDS_A_STATEMENT:
        return True
    begins_line = "\n" in code.bare[before:place]
    is_open = code.bare[before] in _LEAVES_OPEN
    return begins_line and not is_open and not _is_conditional(code, place, start)


def _is_conditional(code: Code, place: int, start: int) -> bool:
    """Whether what stands before makes it depend on something: `if (x)`, `else`."""
    before = code.skip_space_back(place, start)
    if before < start:
        return False
    if code.bare[before] == ")":
        opening = code.opening.get(before, start)
        return _read_word_before(code, opening, start) in _CONDITIONS
    return _read_word_before(code, before + 1, start) in _HALF


def _read_word_before(code: Code, position: int, start: int) -> str:
    match = _WORD_BEFORE.search(code.bare, max(start, position - _LONGEST_WORD), position)
    return match[1] if match else ""


def _end_statement(code: Code, position: int, end: int) -> int:
    """Where the expression behind a return ends: at a semicolon, or at the end of a line that is complete."""
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


_SPACE: Final = compile_later(r"\s+")
_TESTS: Final = {
    Family.SCRIPT: find_script_tests,
    Family.GO: find_go_tests,
    Family.RUST: find_rust_tests,
    Family.JAVA: find_java_tests,
    Family.KOTLIN: find_java_tests,
}
_ASSERTIONS: Final = {
    Family.SCRIPT: find_script_assertions,
    Family.GO: find_go_assertions,
    Family.RUST: find_rust_assertions,
    Family.JAVA: find_java_assertions,
    Family.KOTLIN: find_java_assertions,
}


def find_code_tests(code: Code) -> list[CodeTest]:
    """Tests and groups of tests, in order."""
    return _TESTS[code.family](code)


def find_marked_tests(path: str, text: str) -> tuple[TestFunction, ...]:
    """Each test with the assertions of its own; those of a test inside it are that one's."""
    family = find_family(path)
    return () if family is None else _find_tests(text, family)


@lru_cache(maxsize=32)
def _find_tests(text: str, family: Family) -> tuple[TestFunction, ...]:
    """Several rules ask about the same files."""
    code = parse_code(text, family)
    tests = find_code_tests(code)
    assertions = sorted(_ASSERTIONS[family](code), key=lambda assertion: assertion.position)
    own: dict[int, list[Assertion]] = {}
    for assertion, owner in zip(assertions, find_owners(tests, (one.position for one in assertions)), strict=True):
        if owner is not None:
            own.setdefault(owner.start, []).append(assertion)
    return tuple(_build(code, test, own.get(test.start, [])) for test in tests if not test.is_group)


def _build(code: Code, test: CodeTest, assertions: list[Assertion]) -> TestFunction:
    dead = find_dead(code, test.body_start, test.body_end)
    starts = [start for start, _ in dead]
    reached = [
        one
        for one in assertions
        if not ((place := bisect_right(starts, one.position)) and one.position < dead[place - 1][1])
    ]
    body = _SPACE.sub(" ", code.code[test.body_start : test.body_end])
    has_body = test.body_start < test.body_end or code.bare[test.body_start : test.body_start + 1] == "}"
    return TestFunction(
        name=test.name,
        title=test.title,
        line=code.line_of(test.start),
        assertions=sum(one.strength is not Strength.TRIVIAL for one in reached),
        exact=sum(one.strength is Strength.EXACT for one in reached),
        trivial=tuple(one.words for one in reached if one.strength is Strength.TRIVIAL),
        cases=test.cases,
        empty=has_body and is_empty(code, test.body_start, test.body_end),
        body=sha256(body.encode("utf-8", "surrogatepass")).hexdigest(),
    )
