"""Assertions of Go, Rust, Java and Kotlin."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
from handoff_tui.checks.testcode.code_text import Code, Family
from handoff_tui.core.lazy_pattern import compile_later

_GO_TESTING: Final = compile_later(r"\b(\w+)\s+\*?testing\.(?:TB|T|B|F)\b")
_GO_FAILURE: Final = compile_later(r"(?<![\w.])(?P<receiver>\w+)\.(?:Errorf?|Fatalf?|Fail|FailNow)\s*(?=\()")
_GO_CALL: Final = compile_later(r"(?<![\w.])(?:assert|require)\.(?P<member>[A-Z]\w*)\s*(?=\()")
_GO_SUITE: Final = compile_later(
    r"(?<![\w.])(?:s|suite|ts)\.(?:(?:Require|Assert)\(\)\.)?(?P<member>(?:Not|No)?(?:Equal\w*|True|False|Nil|Error\w*|Contains"
    r"|Len|Empty|Zero|Panics\w*|Same|Greater\w*|Less\w*|ElementsMatch|InDelta|JSONEq|Regexp|Subset|IsType))\s*(?=\()"
)
_GO_USUAL: Final = frozenset({"t", "b", "f", "tb"})
_GO_LOOSE: Final = frozenset(
    {"True", "False", "NotNil", "NotEmpty", "NotZero", "NotEqual", "Error", "NoError", "Condition"}
)
_GO_EQUAL: Final = frozenset({"Equal", "EqualValues", "Exactly", "Same", "JSONEq", "ElementsMatch"})
_GO_TRIVIAL: Final = {"True": "true", "False": "false", "Nil": "nil", "NoError": "nil"}
_RUST: Final = compile_later(
    r"\b(?P<name>(?:debug_|prop_)?assert(?:_\w+)?|panic|unreachable)!\s*(?=[(\[{])|\.(?:unwrap_err|expect_err)\s*(?=\()"
)
_JAVA: Final = compile_later(
    r"(?<![\w$])(?P<name>assert\w*|verify\w*|fail|expectThat|expectThrows|shouldThrow\w*)"
    r"(?:\s*<(?P<type>[^<>(){};]{0,200})>)?\s*(?=[({])|\.andExpect\s*(?=\()"
)
_JAVA_STATEMENT: Final = compile_later(r"(?<![\w$.])assert\s+(?=[\w!])(?P<condition>[^;\n]+)")
_INFIX: Final = compile_later(r"(?<![\w$.])should(?P<rest>[A-Z]\w*)\b(?!\s*[<({])")
_JAVA_LOOSE: Final = frozenset(
    {
        *(
            "assertTrue",
            "assertFalse",
            "assertNotNull",
            "assertNotEquals",
            "assertNotSame",
            "assertDoesNotThrow",
            "fail",
        ),
        *("assertIsNot", "assert"),
    }
)
_JAVA_EQUAL: Final = frozenset({"assertEquals", "assertSame", "assertArrayEquals", "assertIterableEquals"})
_JAVA_TRIVIAL: Final = {"assertTrue": "true", "assertFalse": "false", "assertNull": "null", "assert": "true"}
_NEEDED: Final = {**dict.fromkeys(_JAVA_EQUAL, 2), **dict.fromkeys(_JAVA_TRIVIAL, 1)}
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


def find_receivers(code: Code) -> frozenset[str]:
    """Names under which functions of Go are given their test."""
    return _GO_USUAL | {match[1] for match in _GO_TESTING.finditer(code.bare)}


def find_go_assertions(code: Code) -> Iterator[Assertion]:
    receivers = find_receivers(code)
    for match in _GO_FAILURE.finditer(code.bare):
        if match["receiver"] in receivers:
            yield build_assertion(code, match.start(), code.end_of(match.end()) + 1, Strength.LOOSE)
    for match in (*_GO_CALL.finditer(code.bare), *_GO_SUITE.finditer(code.bare)):
        if match["member"] != "New":
            yield _judge_go(code, match, receivers)


def _judge_go(code: Code, match: re.Match[str], receivers: frozenset[str]) -> Assertion:
    arguments = read_arguments(code, match.end())
    skipped = 1 if arguments and (arguments[0] in receivers or arguments[0].endswith(".T()")) else 0
    member, rest = match["member"], arguments[skipped:]
    if (member in _GO_EQUAL and is_pair_of_equals(rest)) or (bool(rest) and rest[0] == _GO_TRIVIAL.get(member)):
        strength = Strength.TRIVIAL
    elif member in {"True", "False"}:
        strength = judge_truth(code, match.end(), arguments, skipped) if member == "True" else Strength.LOOSE
    else:
        strength = Strength.LOOSE if member in _GO_LOOSE else Strength.EXACT
    return build_assertion(code, match.start(), code.end_of(match.end()) + 1, strength)


def find_rust_assertions(code: Code) -> Iterator[Assertion]:
    for match in _RUST.finditer(code.bare):
        name = match["name"] or ""
        arguments = read_arguments(code, match.end())
        if name.endswith("assert"):
            strength = judge_truth(code, match.end(), arguments)
        elif name.endswith("assert_eq") and is_pair_of_equals(arguments):
            strength = Strength.TRIVIAL
        else:
            is_loose = not name.startswith(("assert", "debug_", "prop_")) or name.endswith("_ne")
            strength = Strength.LOOSE if is_loose else Strength.EXACT
        yield build_assertion(code, match.start(), code.end_of(match.end()) + 1, strength)


def find_java_assertions(code: Code) -> Iterator[Assertion]:
    for match in _JAVA.finditer(code.bare):
        yield _judge_java(code, match)
    for match in _JAVA_STATEMENT.finditer(code.bare):
        text = "".join(match["condition"].split())
        strength = Strength.TRIVIAL if is_always_true(text) else Strength.LOOSE
        yield build_assertion(code, match.start(), match.end(), strength)
    for match in _INFIX.finditer(code.bare) if code.family is Family.KOTLIN else ():
        strength = Strength.LOOSE if match["rest"].startswith("Not") else Strength.EXACT
        yield build_assertion(code, match.start(), match.end(), strength)
    for match in _SWALLOWED.finditer(code.bare):
        yield Assertion(match.start(), Strength.TRIVIAL, "catch that passes over a failed assertion")


def _judge_java(code: Code, match: re.Match[str]) -> Assertion:
    name = match["name"] or ""
    end = min(code.end_of(match.end()) + 1, len(code.bare))
    arguments = read_arguments(code, match.end())
    if name in {"assertThat", "expectThat"} and len(arguments) == 1:
        chain = read_chain(code, end)
        strength = _judge_chain(arguments[0], chain.members, chain.arguments)
        return build_assertion(code, match.start(), chain.end, strength)
    return build_assertion(code, match.start(), end, _judge_call(code, match, name, arguments))


def _judge_call(code: Code, match: re.Match[str], name: str, arguments: tuple[str, ...]) -> Strength:
    first = 1 if len(arguments) > _NEEDED.get(name, len(arguments)) and arguments[0].startswith('"') else 0
    rest = arguments[first:]  # a message may come first
    if (name in _JAVA_EQUAL and is_pair_of_equals(rest)) or rest[:1] == (_JAVA_TRIVIAL.get(name),):
        return Strength.TRIVIAL
    if name in {"assertTrue", "assert"}:
        return judge_truth(code, match.end(), arguments, first)
    if name in _THROWING:
        expected = match["type"] or (arguments[0] if arguments else "")
        return Strength.LOOSE if _BROAD.fullmatch(expected.strip()) else Strength.EXACT
    return Strength.LOOSE if name in _JAVA_LOOSE else Strength.EXACT


def _judge_chain(subject: str, members: tuple[str, ...], arguments: tuple[str, ...]) -> Strength:
    """Without anything behind it, it checks nothing."""
    last = members[-1] if members else ""
    is_same = last in _CHAIN_EQUAL and arguments[:1] == (subject,)
    if not members or is_same or subject == _CHAIN_TRIVIAL.get(last):
        return Strength.TRIVIAL
    return Strength.LOOSE if last in _CHAIN_LOOSE else Strength.EXACT
