"""Go: functions whose names make them tests, their assertions and skips."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from handoff_tui.checks.testcode import parts
from handoff_tui.checks.testcode.code_text import CodeText
from handoff_tui.core.lazy_pattern import compile_later

_FUNCTION: Final = compile_later(
    r"^func\s+(?:\(\s*(?:\w+\s+)?\*?\s*(?P<receiver>\w+)[^)\n]{0,200}\)\s*)?(?P<name>(?:Test|Benchmark|Fuzz|Example)\w*)\s*(?=\()",
    re.MULTILINE,
)
_RUN: Final = compile_later(r"(?<![\w.])\w+\.Run\s*(?=\()")
_TABLE: Final = compile_later(r"\b(\w+)\s*:?=\s*(?:\[[^\[\]\n]{0,50}\]|map\[[^\[\]\n]{0,100}\])")
_RANGE: Final = compile_later(r"\brange\s+(\w+)")
_TYPE_END: Final = compile_later(r"[{;\n]")
_CLOSING: Final = compile_later(r"\)")
_TESTING: Final = compile_later(r"\b(\w+)\s+\*?testing\.(?:TB|T|B|F)\b")
_FAILURE: Final = compile_later(r"(?<![\w.])(?P<receiver>\w+)\.(?:Errorf?|Fatalf?|Fail|FailNow)\s*(?=\()")
_CALL: Final = compile_later(r"(?<![\w.])(?:assert|require)\.(?P<member>[A-Z]\w*)\s*(?=\()")
_SUITE: Final = compile_later(
    r"(?<![\w.])(?:s|suite|ts)\.(?:(?:Require|Assert)\(\)\.)?(?P<member>(?:Not|No)?(?:Equal\w*|True|False|Nil|Error\w*|Contains"
    r"|Len|Empty|Zero|Panics\w*|Same|Greater\w*|Less\w*|ElementsMatch|InDelta|JSONEq|Regexp|Subset|IsType))\s*(?=\()"
)
_USUAL: Final = frozenset({"t", "b", "f", "tb"})
_LOOSE: Final = frozenset(
    {"True", "False", "NotNil", "NotEmpty", "NotZero", "NotEqual", "Error", "NoError", "Condition"}
)
_EQUAL: Final = frozenset({"Equal", "EqualValues", "Exactly", "Same", "JSONEq", "ElementsMatch"})
_TRIVIAL: Final = {"True": "true", "False": "false", "Nil": "nil", "NoError": "nil"}
_SKIP: Final = compile_later(r"(?<![\w.])(?P<receiver>\w+)(?:\.T\(\))?\.(?:Skip|Skipf|SkipNow)\s*(?=\()")
_CONSTRAINT: Final = compile_later(r"^//(?:go:build| \+build)[ \t]+\S[^\n]*", re.MULTILINE)
_PACKAGE: Final = compile_later(r"^package\b", re.MULTILINE)


def find_tests(code: CodeText) -> list[parts.CodeTest]:
    """Functions, methods of suites, and runs inside them with a title in quotes."""
    found: list[parts.CodeTest] = []
    functions = list(_FUNCTION.finditer(code.bare))
    limits = [*(function.start() for function in functions[1:]), len(code.bare)]
    for match, limit in zip(functions, limits, strict=False):
        start, end = parts.find_block(code, code.end_of(match.end()))
        body = min(start, limit - 1), min(end, limit - 1)
        title = ".".join(part for part in (match["receiver"], match["name"]) if part)
        found.append(parts.build_test(title, match.start(), body, _count_cases(code, *body)))
        found.extend(_find_runs(code, *body))
    return parts.name_tests(found)


def _find_runs(code: CodeText, start: int, end: int) -> Iterator[parts.CodeTest]:
    for match in _RUN.finditer(code.bare, start, end):
        pieces = code.list_arguments(match.end())
        first = code.code[slice(*pieces[0])].strip() if pieces else ""
        if len(pieces) > 1 and first[0] in '"`' and first[-1] == first[0]:
            closing = code.find_near(_CLOSING, pieces[1][0])
            body = parts.find_block(code, closing.start() if closing else pieces[1][0])
            yield parts.build_test(first[1:-1], match.start(), body)


def _count_cases(code: CodeText, start: int, end: int) -> int:
    """The rows of the tables that a loop goes through."""
    rows = 0
    ranged = {match[1] for match in _RANGE.finditer(code.bare, start, end)}
    for match in _TABLE.finditer(code.bare, start, end):
        if match[1] not in ranged:
            continue
        opening = _find_literal(code, match.end(), end)
        rows += parts.count_elements(code, opening) if opening >= 0 else 0
    return max(1, rows)


def _find_literal(code: CodeText, position: int, end: int) -> int:
    """The brace of the rows, after the type of the table, which may have braces too; -1 if there is none."""
    brace = code.find_near(_TYPE_END, position)
    if brace is None or brace.group() != "{" or brace.start() >= end:
        return -1
    if not code.bare[position : brace.start()].rstrip().endswith(("struct", "interface")):
        return brace.start()
    following = code.skip_space(code.end_of(brace.start()) + 1, end)
    return following if code.bare.startswith("{", following) else -1


def find_assertions(code: CodeText) -> Iterator[parts.Assertion]:
    receivers = _find_receivers(code)
    for match in _FAILURE.finditer(code.bare):
        if match["receiver"] in receivers:
            yield parts.build_assertion(code, match.start(), code.end_of(match.end()) + 1, parts.Strength.LOOSE)
    for match in (*_CALL.finditer(code.bare), *_SUITE.finditer(code.bare)):
        if match["member"] != "New":
            yield _judge(code, match, receivers)


def _judge(code: CodeText, match: re.Match[str], receivers: frozenset[str]) -> parts.Assertion:
    arguments = parts.read_arguments(code, match.end())
    skipped = 1 if arguments and (arguments[0] in receivers or arguments[0].endswith(".T()")) else 0
    member, rest = match["member"], arguments[skipped:]
    if (member in _EQUAL and parts.is_pair_of_equals(rest)) or (bool(rest) and rest[0] == _TRIVIAL.get(member)):
        strength = parts.Strength.TRIVIAL
    elif member in {"True", "False"}:
        strength = (
            parts.judge_truth(code, match.end(), arguments, skipped) if member == "True" else parts.Strength.LOOSE
        )
    else:
        strength = parts.Strength.LOOSE if member in _LOOSE else parts.Strength.EXACT
    return parts.build_assertion(code, match.start(), code.end_of(match.end()) + 1, strength)


def _find_receivers(code: CodeText) -> frozenset[str]:
    """The names of `testing` parameters."""
    return _USUAL | {match[1] for match in _TESTING.finditer(code.bare)}


def find_skips(code: CodeText, _: list[parts.CodeTest]) -> Iterator[parts.CodeSkip]:
    """Calls that skip, and build constraints at the head of the file."""
    receivers = _find_receivers(code) | {"s", "suite"}
    for match in _SKIP.finditer(code.bare):
        if match["receiver"] in receivers:
            yield parts.build_skip(code, match.start(), match.end())
    package = _PACKAGE.search(code.bare)
    for match in _CONSTRAINT.finditer(code.text, 0, package.start() if package else len(code.text)):
        yield parts.CodeSkip(" ".join(match.group().split()), match.start(), match.end(), match.start())
