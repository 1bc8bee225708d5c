"""Tests that are functions: of Go by their names, of Rust, Java and Kotlin by what is written above them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from handoff_tui.checks.testcode.code_tests import CodeTest, count_elements, name_tests
from handoff_tui.checks.testcode.code_text import Code, Family
from handoff_tui.core.lazy_pattern import compile_later

_GO_FUNCTION: Final = compile_later(
    r"^func\s+(?:\(\s*(?:\w+\s+)?\*?\s*(?P<receiver>\w+)[^)\n]{0,200}\)\s*)?(?P<name>(?:Test|Benchmark|Fuzz|Example)\w*)\s*(?=\()",
    re.MULTILINE,
)
_GO_RUN: Final = compile_later(r"(?<![\w.])\w+\.Run\s*(?=\()")
_GO_TABLE: Final = compile_later(r"\b(\w+)\s*:?=\s*(?:\[[^\[\]\n]{0,50}\]|map\[[^\[\]\n]{0,100}\])")
_GO_RANGE: Final = compile_later(r"\brange\s+(\w+)")
_GO_TYPE_END: Final = compile_later(r"[{;\n]")
_RUST_FUNCTION: Final = compile_later(
    r"\s*(?:pub(?:\s*\([^()]{0,100}\))?\s+)?(?:(?:default|const|async|unsafe|extern)\s+(?:\"\s*\"\s*)?)*fn\s+(?P<name>\w+)"
)
_RUST_TEST: Final = compile_later(
    r"(?:\w+\s*::\s*)*(?:test|rstest|test_case|quickcheck|wasm_bindgen_test|bench)\b(?!\s*=)"
)
_RUST_CASE: Final = compile_later(r"(?:\w+\s*::\s*)*(?:case|test_case)\b")
_RUST_MODULE: Final = compile_later(r"\bmod\s+(?P<name>\w+)\s*(?=\{)")
_ANNOTATION: Final = compile_later(r"@(?:\w+:)?(?P<name>[\w.]+)")
_MODIFIERS: Final = (
    r"(?:(?:public|protected|private|internal|suspend|final|static|synchronized"
    r"|open|override|inline|default|abstract)\s+)*"
)
_JAVA_METHOD: Final = compile_later(
    rf"\s*{_MODIFIERS}(?:<[^<>(){{}};]{{0,200}}>\s*)?"
    r"(?:fun\s+(?:<[^<>(){};]{0,200}>\s*)?|[\w.]+(?:<[^(){};=]{0,200}>)?(?:\[\])*\s+)"
    r"(?:`(?P<quoted>[^`\n]*)`|(?P<name>\w+))\s*(?=\()"
)
_JAVA_OLD_TEST: Final = compile_later(r"\bpublic\s+void\s+(?P<name>test[A-Z_0-9]\w*)\s*(?=\(\s*\))")
_JAVA_TESTS: Final = frozenset(
    {"Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Property", "Example", "Theory"}
)
_JAVA_SOURCES: Final = frozenset({"ValueSource", "CsvSource", "EnumSource", "MethodSource"})
_JAVA_CLASS: Final = compile_later(r"\b(?:class|object|interface|record)\s+(?P<name>\w+)[^{};]{0,500}+(?=\{)")
_OPENING: Final = compile_later(r"\(")
_CLOSING: Final = compile_later(r"\)")
_LINE_END: Final = compile_later(r"\n|\Z")
_BLOCK: Final = compile_later(r"[{;}]")
_JAVA_LIST: Final = compile_later(r"[\[{]|\w+ArrayOf\s*(?=\()|\barrayOf\s*(?=\()")


class Mark(NamedTuple):
    """An attribute of Rust or an annotation of Java."""

    name: str
    start: int
    end: int


def find_go_tests(code: Code) -> list[CodeTest]:
    """Functions, methods of suites, and the runs inside them that have a title in quotes."""
    found: list[CodeTest] = []
    functions = list(_GO_FUNCTION.finditer(code.bare))
    limits = [*(function.start() for function in functions[1:]), len(code.bare)]
    for match, limit in zip(functions, limits, strict=False):
        start, end = _find_block(code, code.end_of(match.end()))
        body = min(start, limit - 1), min(end, limit - 1)
        title = ".".join(part for part in (match["receiver"], match["name"]) if part)
        found.append(_build(title, match.start(), body, _count_go_cases(code, *body)))
        found.extend(_find_runs(code, *body))
    return name_tests(found)


def _find_runs(code: Code, start: int, end: int) -> Iterator[CodeTest]:
    for match in _GO_RUN.finditer(code.bare, start, end):
        parts = code.list_arguments(match.end())
        first = code.code[slice(*parts[0])].strip() if parts else ""
        if len(parts) > 1 and first[0] in '"`' and first[-1] == first[0]:
            closing = code.find_near(_CLOSING, parts[1][0])
            body = _find_block(code, closing.start() if closing else parts[1][0])
            yield _build(first[1:-1], match.start(), body)


def _count_go_cases(code: Code, start: int, end: int) -> int:
    """The rows of the tables that are gone through."""
    rows = 0
    ranged = {match[1] for match in _GO_RANGE.finditer(code.bare, start, end)}
    for match in _GO_TABLE.finditer(code.bare, start, end):
        if match[1] not in ranged:
            continue
        opening = _find_literal(code, match.end(), end)
        rows += count_elements(code, opening) if opening >= 0 else 0
    return max(1, rows)


def _find_literal(code: Code, position: int, end: int) -> int:
    """The brace of the rows, behind the type of the table, which may have braces of its own."""
    brace = code.find_near(_GO_TYPE_END, position)
    if brace is None or brace.group() != "{" or brace.start() >= end:
        return -1
    if not code.bare[position : brace.start()].rstrip().endswith(("struct", "interface")):
        return brace.start()
    following = code.skip_space(code.end_of(brace.start()) + 1, end)
    return following if code.bare.startswith("{", following) else -1


def find_rust_tests(code: Code) -> list[CodeTest]:
    """Functions below an attribute that makes them tests, in their modules."""
    found = [
        CodeTest(match["name"], match.start(), code.end_of(match.end()) + 1, match.end(), match.end(), is_group=True)
        for match in _RUST_MODULE.finditer(code.bare)
    ]
    for marks, function in find_rust_functions(code):
        if any(_RUST_TEST.match(mark.name) for mark in marks):
            cases = sum(_RUST_CASE.match(mark.name) is not None for mark in marks)
            opening = code.find_near(_OPENING, function.end())
            body = _find_block(code, code.end_of(opening.start()) if opening else function.end())
            found.append(_build(function["name"], marks[0].start, body, max(1, cases)))
    return name_tests(found)


def find_rust_functions(code: Code) -> Iterator[tuple[list[Mark], re.Match[str]]]:
    """Functions with attributes, and these."""
    for marks in find_attributes(code):
        function = _RUST_FUNCTION.match(code.bare, marks[-1].end)
        if function is not None:
            yield marks, function


def find_attributes(code: Code) -> Iterator[list[Mark]]:
    """Attributes of Rust, those together that stand on the same thing."""
    position = 0
    while (start := code.bare.find("#[", position)) >= 0:
        marks: list[Mark] = []
        while code.bare.startswith("#[", start):
            end = code.end_of(start + 1)
            marks.append(Mark(code.bare[start + 2 : end].strip(), start, min(end + 1, len(code.bare))))
            start = code.skip_space(marks[-1].end)
        yield marks
        position = marks[-1].end


def find_java_tests(code: Code) -> list[CodeTest]:
    """Methods below an annotation that makes them tests, or named as before there were any, in their classes."""
    found = [
        CodeTest(match["name"], match.start(), code.end_of(match.end()) + 1, match.end(), match.end(), is_group=True)
        for match in _JAVA_CLASS.finditer(code.bare)
    ]
    taken: set[int] = set()
    for marks, method in find_java_methods(code):
        if any(mark.name.rpartition(".")[2] in _JAVA_TESTS for mark in marks):
            quoted = method["quoted"]
            title = method["name"] if quoted is None else code.text[slice(*method.span("quoted"))]
            cases = max([_count_java_cases(code, mark) for mark in marks])
            found.append(_build(title, marks[0].start, _find_java_body(code, method.end()), cases))
            taken.add(method.end())
    found.extend(
        _build(match["name"], match.start(), _find_java_body(code, match.end()))
        for match in _JAVA_OLD_TEST.finditer(code.bare)
        if match.end() not in taken
    )
    return name_tests(found)


def find_java_methods(code: Code) -> Iterator[tuple[list[Mark], re.Match[str]]]:
    """Methods with annotations, and these."""
    for marks in find_annotations(code):
        method = _JAVA_METHOD.match(code.bare, marks[-1].end)
        if method is not None:
            yield marks, method


def find_annotations(code: Code) -> Iterator[list[Mark]]:
    """Annotations, those together that stand on the same thing."""
    position = 0
    while (match := _ANNOTATION.search(code.bare, position)) is not None:
        marks = list(_list_annotations(code, match))
        yield marks
        position = marks[-1].end


def _list_annotations(code: Code, match: re.Match[str] | None) -> Iterator[Mark]:
    while match is not None:
        end = match.end()
        opening = code.skip_space(end)
        if code.bare.startswith("(", opening):
            end = min(code.end_of(opening) + 1, len(code.bare))
        yield Mark(match["name"], match.start(), end)
        match = _ANNOTATION.match(code.bare, code.skip_space(end))


def _count_java_cases(code: Code, mark: Mark) -> int:
    """The values that an annotation lists."""
    if mark.name.rpartition(".")[2] not in _JAVA_SOURCES:
        return 1
    values = _JAVA_LIST.search(code.bare, mark.start, mark.end)
    if values is None:
        return 1
    opening = values.start() if values.group() in {"[", "{"} else values.end()
    return count_elements(code, opening)


def _find_java_body(code: Code, opening: int) -> tuple[int, int]:
    """The block of a method, or the expression that a function of Kotlin is equal to."""
    end = code.end_of(opening)
    line = code.find_near(_LINE_END, min(end, len(code.bare)))
    line_end = line.start() if line else end
    equals = code.bare.find("=", end, line_end)
    brace = code.bare.find("{", end, line_end)
    if code.family is Family.KOTLIN and equals >= 0 and (brace < 0 or equals < brace):
        if brace < 0:
            return equals + 1, line_end
        return brace + 1, code.end_of(brace)
    return _find_block(code, end)


def _find_block(code: Code, position: int) -> tuple[int, int]:
    """What stands between the next brace and the one that closes it; empty where a statement ends before it."""
    start = min(position, len(code.bare))
    match = code.find_near(_BLOCK, start)
    if match is None or match.group() != "{":
        return start, start
    return match.end(), code.end_of(match.start())


def _build(title: str, start: int, body: tuple[int, int], cases: int = 1) -> CodeTest:
    return CodeTest(title, start, body[1] + 1, body[0], body[1], cases)
