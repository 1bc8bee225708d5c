"""Rust: functions with a test attribute, their assertions and skips."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from handoff_tui.checks.testcode import parts
from handoff_tui.checks.testcode.code_text import CodeText
from handoff_tui.core.lazy_pattern import compile_later

_FUNCTION: Final = compile_later(
    r"\s*(?:pub(?:\s*\([^()]{0,100}\))?\s+)?(?:(?:default|const|async|unsafe|extern)\s+(?:\"\s*\"\s*)?)*fn\s+(?P<name>\w+)"
)
_TEST: Final = compile_later(r"(?:\w+\s*::\s*)*(?:test|rstest|test_case|quickcheck|wasm_bindgen_test|bench)\b(?!\s*=)")
_CASE: Final = compile_later(r"(?:\w+\s*::\s*)*(?:case|test_case)\b")
_MODULE: Final = compile_later(r"\bmod\s+(?P<name>\w+)\s*(?=\{)")
_OPENING: Final = compile_later(r"\(")
_ASSERTION: Final = compile_later(
    r"\b(?P<name>(?:debug_|prop_)?assert(?:_\w+)?|panic|unreachable)!\s*(?=[(\[{])|\.(?:unwrap_err|expect_err)\s*(?=\()"
)
_IGNORE: Final = compile_later(r"ignore\b|cfg_attr\s*\(.*\bignore\b|should_panic$", re.DOTALL)
_CONDITION: Final = compile_later(r"cfg\s*\((?!\s*test\s*\)|\s*all\s*\(\s*test\s*\)\s*\))")


def find_tests(code: CodeText) -> list[parts.CodeTest]:
    """Functions with a test attribute, in their modules."""
    found = parts.find_groups(code, _MODULE)
    for marks, function in parts.find_marked(code, _find_attributes(code), _FUNCTION):
        if any(_TEST.match(mark.name) for mark in marks):
            cases = sum(_CASE.match(mark.name) is not None for mark in marks)
            opening = code.find_near(_OPENING, function.end())
            body = parts.find_block(code, code.end_of(opening.start()) if opening else function.end())
            found.append(parts.build_test(function["name"], marks[0].start, body, max(1, cases)))
    return parts.name_tests(found)


def _find_attributes(code: CodeText) -> Iterator[list[parts.Mark]]:
    """Attributes, grouped by what they belong to."""
    position = 0
    while (start := code.bare.find("#[", position)) >= 0:
        marks: list[parts.Mark] = []
        while code.bare.startswith("#[", start):
            end = code.end_of(start + 1)
            marks.append(parts.Mark(code.bare[start + 2 : end].strip(), start, min(end + 1, len(code.bare))))
            start = code.skip_space(marks[-1].end)
        yield marks
        position = marks[-1].end


def find_assertions(code: CodeText) -> Iterator[parts.Assertion]:
    for match in _ASSERTION.finditer(code.bare):
        name = match["name"] or ""
        arguments = parts.read_arguments(code, match.end())
        if name.endswith("assert"):
            strength = parts.judge_truth(code, match.end(), arguments)
        elif name.endswith("assert_eq") and parts.is_pair_of_equals(arguments):
            strength = parts.Strength.TRIVIAL
        else:
            is_loose = not name.startswith(("assert", "debug_", "prop_")) or name.endswith("_ne")
            strength = parts.Strength.LOOSE if is_loose else parts.Strength.EXACT
        yield parts.build_assertion(code, match.start(), code.end_of(match.end()) + 1, strength)


def find_skips(code: CodeText, tests: list[parts.CodeTest]) -> Iterator[parts.CodeSkip]:
    """Whatever is ignored, and tests that are compiled only under a condition."""
    starts = {test.start for test in tests if not test.is_group}
    for marks in _find_attributes(code):
        for mark in marks:
            is_conditional = marks[0].start in starts and _CONDITION.match(mark.name)
            if is_conditional or _IGNORE.match(mark.name):
                yield parts.build_marked_skip(code, marks, mark)
