"""Tests of JavaScript, TypeScript, Go, Rust, Java and Kotlin: which there are, and how much each asserts."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from hashlib import sha256
from typing import Final

from handoff_tui.checks.testcode.code_assertions import Assertion, Strength
from handoff_tui.checks.testcode.code_tests import CodeTest, find_owners
from handoff_tui.checks.testcode.code_text import Code, Family, find_family, parse_code
from handoff_tui.checks.testcode.dead_code import find_dead, is_empty
from handoff_tui.checks.testcode.declared_assertions import (
    find_go_assertions,
    find_java_assertions,
    find_rust_assertions,
)
from handoff_tui.checks.testcode.declared_tests import find_go_tests, find_java_tests, find_rust_tests
from handoff_tui.checks.testcode.script_assertions import find_script_assertions
from handoff_tui.checks.testcode.script_tests import find_script_tests
from handoff_tui.checks.testcode.tested_function import TestFunction
from handoff_tui.core.lazy_pattern import compile_later

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
