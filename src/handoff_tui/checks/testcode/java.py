"""Java and Kotlin: methods with a test annotation, their assertions and skips."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from handoff_tui.checks.testcode import parts
from handoff_tui.checks.testcode.code_text import CodeText, Family
from handoff_tui.core.lazy_pattern import compile_later

_ANNOTATION: Final = compile_later(r"@(?:\w+:)?(?P<name>[\w.]+)")
_MODIFIERS: Final = (
    r"(?:(?:public|protected|private|internal|suspend|final|static|synchronized"
    r"|open|override|inline|default|abstract)\s+)*"
)
_METHOD: Final = compile_later(
    rf"\s*{_MODIFIERS}(?:<[^<>(){{}};]{{0,200}}>\s*)?"
    r"(?:fun\s+(?:<[^<>(){};]{0,200}>\s*)?|[\w.]+(?:<[^(){};=]{0,200}>)?(?:\[\])*\s+)"
    r"(?:`(?P<quoted>[^`\n]*)`|(?P<name>\w+))\s*(?=\()"
)
_OLD_TEST: Final = compile_later(r"\bpublic\s+void\s+(?P<name>test[A-Z_0-9]\w*)\s*(?=\(\s*\))")
_TESTS: Final = frozenset(
    {"Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Property", "Example", "Theory"}
)
_SOURCES: Final = frozenset({"ValueSource", "CsvSource", "EnumSource", "MethodSource"})
_CLASS: Final = compile_later(r"\b(?:class|object|interface|record)\s+(?P<name>\w+)[^{};]{0,500}+(?=\{)")
_LINE_END: Final = compile_later(r"\n|\Z")
_LIST: Final = compile_later(r"[\[{]|\w+ArrayOf\s*(?=\()|\barrayOf\s*(?=\()")
_ASSERTION: Final = compile_later(
    r"(?<![\w$])(?P<name>assert\w*|verify\w*|fail|expectThat|expectThrows|shouldThrow\w*)"
    r"(?:\s*<(?P<type>[^<>(){};]{0,200})>)?\s*(?=[({])|\.andExpect\s*(?=\()"
)
_STATEMENT: Final = compile_later(r"(?<![\w$.])assert\s+(?=[\w!])(?P<condition>[^;\n]+)")
_INFIX: Final = compile_later(r"(?<![\w$.])should(?P<rest>[A-Z]\w*)\b(?!\s*[<({])")
_LOOSE: Final = frozenset(
    {
        *("assertTrue", "assertFalse", "assertNotNull", "assertNotEquals", "assertNotSame", "assertDoesNotThrow"),
        *("fail", "assertIsNot", "assert"),
    }
)
_EQUAL: Final = frozenset({"assertEquals", "assertSame", "assertArrayEquals", "assertIterableEquals"})
_TRIVIAL: Final = {"assertTrue": "true", "assertFalse": "false", "assertNull": "null", "assert": "true"}
_NEEDED: Final = {**dict.fromkeys(_EQUAL, 2), **dict.fromkeys(_TRIVIAL, 1)}
_CHAIN_LOOSE: Final = frozenset(
    {
        *("isNotNull", "isTrue", "isFalse", "isNotEmpty", "isPresent", "isNotEqualTo", "isNotBlank", "isNotSameAs"),
        *("doesNotThrowAnyException", "isNotZero", "exists"),
    }
)
_CHAIN_TRIVIAL: Final = {"isTrue": "true", "isFalse": "false", "isNull": "null"}
_CHAIN_EQUAL: Final = frozenset({"isEqualTo", "isSameAs", "isEqualByComparingTo"})
_THROWING: Final = frozenset({"assertThrows", "assertThrowsExactly", "assertFailsWith", "expectThrows", "shouldThrow"})
_BROAD: Final = compile_later(r"(?:\w+\.)*(?:Exception|Throwable)(?:::class)?(?:\.class|\.java)?")
_SWALLOWED: Final = compile_later(
    r"\bcatch\s*\((?:final\s+)?(?:\w+\s*:\s*)?(?:[\w.]+\s*\|\s*)*(?:Throwable|Error|AssertionError)\b[^()]*\)\s*\{\s*\}"
)
_SKIP: Final = compile_later(r"(?:\w+\.)*(?:Disabled\w*|Ignore|Ignored|Enabled(?:If|On|For)\w*)$")
_TEST: Final = compile_later(r"(?:\w+\.)*Test$")
_OFF: Final = compile_later(r"\benabled\s*=\s*false\b")
_ASSUMPTION: Final = compile_later(r"\bassum(?:e(?:True|False|That|NotNull|NoException)?|ingThat)\s*(?=\()")


def find_tests(code: CodeText) -> list[parts.CodeTest]:
    """Methods with a test annotation, or named as in JUnit 3, in their classes."""
    found = parts.find_groups(code, _CLASS)
    taken: set[int] = set()
    for marks, method in parts.find_marked(code, _find_annotations(code), _METHOD):
        if any(mark.name.rpartition(".")[2] in _TESTS for mark in marks):
            quoted = method["quoted"]
            title = method["name"] if quoted is None else code.text[slice(*method.span("quoted"))]
            cases = max([_count_cases(code, mark) for mark in marks])
            found.append(parts.build_test(title, marks[0].start, _find_body(code, method.end()), cases))
            taken.add(method.end())
    found.extend(
        parts.build_test(match["name"], match.start(), _find_body(code, match.end()))
        for match in _OLD_TEST.finditer(code.bare)
        if match.end() not in taken
    )
    return parts.name_tests(found)


def _find_annotations(code: CodeText) -> Iterator[list[parts.Mark]]:
    """Annotations, grouped by what they belong to."""
    position = 0
    while (match := _ANNOTATION.search(code.bare, position)) is not None:
        marks = list(_list_annotations(code, match))
        yield marks
        position = marks[-1].end


def _list_annotations(code: CodeText, match: re.Match[str] | None) -> Iterator[parts.Mark]:
    while match is not None:
        end = match.end()
        opening = code.skip_space(end)
        if code.bare.startswith("(", opening):
            end = min(code.end_of(opening) + 1, len(code.bare))
        yield parts.Mark(match["name"], match.start(), end)
        match = _ANNOTATION.match(code.bare, code.skip_space(end))


def _count_cases(code: CodeText, mark: parts.Mark) -> int:
    """How many values an annotation lists."""
    if mark.name.rpartition(".")[2] not in _SOURCES:
        return 1
    values = _LIST.search(code.bare, mark.start, mark.end)
    if values is None:
        return 1
    opening = values.start() if values.group() in {"[", "{"} else values.end()
    return parts.count_elements(code, opening)


def _find_body(code: CodeText, opening: int) -> tuple[int, int]:
    """The block of a method, or the expression of a Kotlin function."""
    end = code.end_of(opening)
    line = code.find_near(_LINE_END, min(end, len(code.bare)))
    line_end = line.start() if line else end
    equals = code.bare.find("=", end, line_end)
    brace = code.bare.find("{", end, line_end)
    if code.family is Family.KOTLIN and equals >= 0 and (brace < 0 or equals < brace):
        if brace < 0:
            return equals + 1, line_end
        return brace + 1, code.end_of(brace)
    return parts.find_block(code, end)


def find_assertions(code: CodeText) -> Iterator[parts.Assertion]:
    for match in _ASSERTION.finditer(code.bare):
        yield _judge(code, match)
    for match in _STATEMENT.finditer(code.bare):
        text = "".join(match["condition"].split())
        strength = parts.Strength.TRIVIAL if parts.is_always_true(text) else parts.Strength.LOOSE
        yield parts.build_assertion(code, match.start(), match.end(), strength)
    for match in _INFIX.finditer(code.bare) if code.family is Family.KOTLIN else ():
        strength = parts.Strength.LOOSE if match["rest"].startswith("Not") else parts.Strength.EXACT
        yield parts.build_assertion(code, match.start(), match.end(), strength)
    for match in _SWALLOWED.finditer(code.bare):
        yield parts.Assertion(match.start(), parts.Strength.TRIVIAL, "catch that passes over a failed assertion")


def _judge(code: CodeText, match: re.Match[str]) -> parts.Assertion:
    name = match["name"] or ""
    end = min(code.end_of(match.end()) + 1, len(code.bare))
    arguments = parts.read_arguments(code, match.end())
    if name in {"assertThat", "expectThat"} and len(arguments) == 1:
        chain = parts.read_chain(code, end)
        strength = _judge_chain(arguments[0], chain.members, chain.arguments)
        return parts.build_assertion(code, match.start(), chain.end, strength)
    return parts.build_assertion(code, match.start(), end, _judge_call(code, match, name, arguments))


def _judge_call(code: CodeText, match: re.Match[str], name: str, arguments: tuple[str, ...]) -> parts.Strength:
    first = 1 if len(arguments) > _NEEDED.get(name, len(arguments)) and arguments[0].startswith('"') else 0
    rest = arguments[first:]  # a message may come first
    if (name in _EQUAL and parts.is_pair_of_equals(rest)) or rest[:1] == (_TRIVIAL.get(name),):
        return parts.Strength.TRIVIAL
    if name in {"assertTrue", "assert"}:
        return parts.judge_truth(code, match.end(), arguments, first)
    if name in _THROWING:
        expected = match["type"] or (arguments[0] if arguments else "")
        return parts.Strength.LOOSE if _BROAD.fullmatch(expected.strip()) else parts.Strength.EXACT
    return parts.Strength.LOOSE if name in _LOOSE else parts.Strength.EXACT


def _judge_chain(subject: str, members: tuple[str, ...], arguments: tuple[str, ...]) -> parts.Strength:
    """Trivial if no check follows."""
    last = members[-1] if members else ""
    is_same = last in _CHAIN_EQUAL and arguments[:1] == (subject,)
    if not members or is_same or subject == _CHAIN_TRIVIAL.get(last):
        return parts.Strength.TRIVIAL
    return parts.Strength.LOOSE if last in _CHAIN_LOOSE else parts.Strength.EXACT


def find_skips(code: CodeText, _: list[parts.CodeTest]) -> Iterator[parts.CodeSkip]:
    for marks in _find_annotations(code):
        for mark in marks:
            is_off = _TEST.match(mark.name) and _OFF.search(code.bare, mark.start, mark.end)
            if is_off or _SKIP.match(mark.name):
                yield parts.build_marked_skip(code, marks, mark)
    for match in _ASSUMPTION.finditer(code.bare):
        yield parts.build_skip(code, match.start(), match.end())
