"""JavaScript and TypeScript: `it`, `test` and the like inside `describe`, their assertions and skips."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from handoff_tui.checks.testcode import parts
from handoff_tui.checks.testcode.code_text import CodeText
from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.lazy_pattern import compile_later

_CALL: Final = compile_later(
    r"(?<![\w.$])(?P<owner>(?:Deno|QUnit|tap|t)\s*\.\s*)?(?P<flag>[xf]?)(?P<word>it|test|describe|context|specify|suite)(?![\w$])"
)
_GROUPS: Final = frozenset({"describe", "context", "suite"})
_NO_TESTS: Final = frozenset(
    {"beforeEach", "afterEach", "beforeAll", "afterAll", "before", "after", "step", "use", "extend", "setTimeout"}
)
"""Members that set up tests and define none."""
_MEMBER: Final = compile_later(r"\.\s*(\w+)")
_GENERIC: Final = compile_later(r"<[^<>(){};]{0,500}>")
_FUNCTION: Final = compile_later(r"=>|\bfunction\b")
_LONGEST_TITLE = 1000
_QUOTES: Final = "'\"`"
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
"""Some of these compare if they have one more argument: `toThrow("text")`."""
_NEEDS_MORE: Final = {"toThrow": 1, "toThrowError": 1, "throw": 1, "throws": 2, "rejects": 2}
_EQUALITIES: Final = frozenset(
    {
        *("toBe", "toEqual", "toStrictEqual", "toMatchObject", "equal", "equals", "eql", "strictEqual", "deepEqual"),
        *("deepStrictEqual", "is", "same", "strictSame"),
    }
)
_TRUTHS: Final = frozenset({"toBeTruthy", "toBeDefined", "ok", "true", "exist", "isOk", "isTrue", "truthy"})
_SKIPPING: Final = frozenset({"skip", "only", "todo", "failing", "fails", "fixme", "skipIf", "runIf", "if", "ignore"})
_SKIP_FLAGS: Final = compile_later(r"(?:x(?:it|test|describe|context|specify)|f(?:it|describe))$")
_SKIP_MEMBER: Final = compile_later(r"\s*(?:\.\s*(?P<name>\w+)|\[\s*(?P<quote>['\"`])\s*(?P=quote)\s*\])")
_SKIP_CALLS: Final = compile_later(
    r"(?<![\w.$])(?:this|ctx|context|t|testInfo)\s*\.\s*(?:skip|todo|fixme)\s*(?=\()|(?<![\w.$])pending\s*(?=\()"
)
_SKIP_OPTION: Final = compile_later(r"[{,]\s*(?:skip|todo|only|fails)\s*:(?!\s*(?:false|undefined)\b)")


def find_tests(code: CodeText) -> list[parts.CodeTest]:
    """Tests and groups, in the order of the text."""
    functions = _Functions.of(code)
    return parts.name_tests([test for call in _find_calls(code) if (test := _build(code, call, functions)) is not None])


@dataclass(slots=True)
class _Call:
    """A call such as `it.each(table)("title", body)`, taken apart."""

    start: int
    word: str
    is_member: bool = False
    """Whether it is a member of something else, like `t.test`."""
    members: list[str] = field(default_factory=list)
    opening: int = -1
    """The bracket of the call with the title; -1 if there is none."""
    cases: int = 1


def _find_calls(code: CodeText) -> Iterator[_Call]:
    """Every call that may define a test or a group."""
    for match in _CALL.finditer(code.bare):
        call = _Call(match.start(), f"{match['flag']}{match['word']}", is_member=match["owner"] is not None)
        _follow(code, match.end(), call)
        if call.opening >= 0:
            yield call


class _Functions(NamedTuple):
    """Where functions begin, found once per text."""

    starts: list[int]

    @classmethod
    def of(cls, code: CodeText) -> _Functions:
        return cls([match.start() for match in _FUNCTION.finditer(code.bare)])

    def find(self, start: int, end: int) -> int | None:
        """The first function between two positions."""
        index = bisect_left(self.starts, start)
        return self.starts[index] if index < len(self.starts) and self.starts[index] < end else None


def _follow(code: CodeText, position: int, call: _Call) -> None:
    """Follows members, types and tables up to the call with the title."""
    while (position := code.skip_space(position)) < len(code.bare):
        sign = code.bare[position]
        if sign == "." and (member := _MEMBER.match(code.bare, position)) is not None:
            call.members.append(member[1])
            position = member.end()
        elif sign == "<" and (generic := _GENERIC.match(code.bare, position)) is not None:
            position = generic.end()
        elif sign == "[" and position in code.closing:
            call.members.append(code.code[position + 1 : code.closing[position]].strip().strip(_QUOTES))
            position = code.closing[position] + 1
        elif sign == "`" and (end := code.bare.find("`", position + 1)) >= 0:
            call.cases = max(1, sum(bool(line.strip()) for line in code.code[position + 1 : end].split("\n")) - 1)
            position = end + 1
        elif sign == "(":
            end = code.end_of(position)
            following = code.skip_space(end + 1)
            if not code.bare.startswith(("(", "`"), following):
                call.opening = position
                return
            call.cases = _count_table(code, position)
            position = end + 1
        else:
            return


def _count_table(code: CodeText, opening: int) -> int:
    """The rows of a table that is written out; 1 if it is only named."""
    first = code.skip_space(opening + 1)
    return parts.count_elements(code, first) if code.bare.startswith("[", first) else 1


def _build(code: CodeText, call: _Call, functions: _Functions) -> parts.CodeTest | None:
    """None for a call with neither a title in quotes nor a function; a member needs the function."""
    pieces = code.list_arguments(call.opening)
    has_function = functions.find(call.opening, code.end_of(call.opening)) is not None
    if not pieces or not _NO_TESTS.isdisjoint(call.members):
        return None
    first = code.skip_space(pieces[0][0])
    if not has_function and (call.is_member or code.bare[first] not in _QUOTES):
        return None
    end = min(code.end_of(call.opening) + 1, len(code.bare))
    body = _find_body(code, pieces, functions) if has_function else (end, end)
    return parts.CodeTest(
        title=_read_title(code, first, pieces[0][1], has_function=functions.find(*pieces[0]) is not None),
        start=call.start,
        end=end,
        body_start=body[0],
        body_end=body[1],
        cases=call.cases,
        is_group=call.word.lstrip("xf") in _GROUPS or not _GROUPS.isdisjoint(call.members),
    )


def _read_title(code: CodeText, start: int, end: int, *, has_function: bool) -> str:
    """The text in the quotes, or the text of any other expression."""
    quote = code.bare[start]
    if quote not in _QUOTES and has_function:
        return "(no title)"
    closing = code.bare.find(quote, start + 1, end) if quote in _QUOTES else -1
    is_whole = closing >= 0 and code.skip_space(closing + 1, end) >= end
    span = (start + 1, closing) if is_whole else (start, end)
    text = code.text if is_whole else code.code
    return " ".join(text[span[0] : min(span[1], span[0] + _LONGEST_TITLE)].split())


def _find_body(code: CodeText, pieces: list[tuple[int, int]], functions: _Functions) -> tuple[int, int]:
    """The block of the function, or its expression; the argument if neither is clear."""
    for start, end in pieces:
        function = functions.find(start, end)
        if function is None:
            continue
        if code.bare.startswith("=>", function):
            position = code.skip_space(function + len("=>"), end)
        else:
            opening = code.bare.find("(", function, end)
            position = code.bare.find("{", code.end_of(opening), end) if opening >= 0 else -1
        if position >= 0 and code.bare.startswith("{", position):
            return position + 1, min(code.end_of(position), end)
        return (position, end) if position >= 0 else (start, end)
    return pieces[-1]


def find_assertions(code: CodeText) -> Iterator[parts.Assertion]:
    for match in _EXPECT.finditer(code.bare):
        member = match["member"]
        if member is None or member in _SUBJECTS:
            yield _judge_expect(code, match)
        elif member in _COUNTED:
            yield parts.build_assertion(code, match.start(), code.end_of(match.end()) + 1, parts.Strength.LOOSE)
    for match in (*_ASSERT.finditer(code.bare), *_TAKEN.finditer(code.bare)):
        yield _judge_assert(code, match)
    for match in _OWN.finditer(code.bare):
        if not match.group().startswith("expectTypeOf"):
            yield parts.build_assertion(code, match.start(), code.end_of(match.end()) + 1, parts.Strength.LOOSE)
    for match in _SHOULD.finditer(code.bare):
        chain = parts.read_chain(code, match.end())
        yield parts.build_assertion(code, match.start(), chain.end, _judge_chain(chain.members, chain.arguments))
    for match in _SWALLOWED.finditer(code.bare):
        yield parts.Assertion(match.start(), parts.Strength.TRIVIAL, "catch that passes over a failed assertion")


def _judge_expect(code: CodeText, match: re.Match[str]) -> parts.Assertion:
    """Trivial without a matcher, or if something is compared with itself."""
    subject = parts.read_arguments(code, match.end())
    chain = parts.read_chain(code, min(code.end_of(match.end()) + 1, len(code.bare)))
    last = chain.members[-1] if chain.members else ""
    is_same = last in _EQUALITIES and subject[:1] == chain.arguments[:1] and bool(subject)
    is_true = last in _TRUTHS and bool(subject) and parts.is_always_true(subject[0])
    negated = "not" in chain.members
    if not chain.members or ((is_same or is_true) and not negated):
        strength = parts.Strength.TRIVIAL
    else:
        strength = _judge_chain(chain.members, chain.arguments)
    return parts.build_assertion(code, match.start(), chain.end, strength)


def _judge_chain(members: tuple[str, ...], arguments: tuple[str, ...]) -> parts.Strength:
    last = members[-1] if members else ""
    takes_anything = bool(arguments) and arguments[0].startswith("expect.any")
    is_loose = last in _LOOSE and len(arguments) < _NEEDS_MORE.get(last, len(arguments) + 1)
    return parts.Strength.LOOSE if is_loose or takes_anything or "not" in members else parts.Strength.EXACT


def _judge_assert(code: CodeText, match: re.Match[str]) -> parts.Assertion:
    groups = match.groupdict()
    named = groups.get("member") or (groups.get("members") or "").rpartition(".")[2].strip()
    arguments = parts.read_arguments(code, match.end())
    if named == "pass" or (named in _EQUALITIES and parts.is_pair_of_equals(arguments)):
        strength = parts.Strength.TRIVIAL
    elif not named or named in _TRUTHS or named == "assert":
        strength = parts.judge_truth(code, match.end(), arguments)
    else:
        strength = _judge_chain((named,), arguments[1:] if named not in _NEEDS_MORE else arguments)
    return parts.build_assertion(code, match.start(), code.end_of(match.end()) + 1, strength)


def find_skips(code: CodeText, tests: list[parts.CodeTest]) -> Iterator[parts.CodeSkip]:
    for match in _CALL.finditer(code.bare):
        end, members = _read_members(code, match.end())
        is_called = code.bare.startswith(("(", "`", "<"), code.skip_space(end))
        if not _SKIPPING.isdisjoint(members) or (is_called and _SKIP_FLAGS.match(match.group())):
            yield parts.build_skip(code, match.start(), end)
    for match in _SKIP_CALLS.finditer(code.bare):
        yield parts.build_skip(code, match.start(), match.end())
    for test in tests:
        for match in _SKIP_OPTION.finditer(code.bare, test.start, max(test.start, test.body_start)):
            start = match.start() + 1
            yield parts.CodeSkip(" ".join(code.code[start : match.end()].split()), start, match.end(), test.start)


def _read_members(code: CodeText, position: int) -> tuple[int, list[str]]:
    """The names after the word in `it.concurrent["skip"]`, and where they end."""
    members: list[str] = []
    while (match := _SKIP_MEMBER.match(code.bare, position)) is not None:
        text = code.code[match.start() : match.end()]
        members.append(match["name"] or text.strip("[ ]\n\t").strip("'\"`"))
        position = match.end()
    return position, members
