"""Assertions of JavaScript and TypeScript: `expect`, `assert`, `should`, and those of a test's own `t`."""

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
from handoff_tui.checks.testcode.code_text import Code
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
