"""Tests of JavaScript and TypeScript: `it`, `test` and their kin inside `describe`, with tables of cases."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from handoff_tui.checks.testcode.code_tests import CodeTest, count_elements, name_tests
from handoff_tui.checks.testcode.code_text import Code
from handoff_tui.core.lazy_pattern import compile_later

CALL: Final = compile_later(
    r"(?<![\w.$])(?P<owner>(?:Deno|QUnit|tap|t)\s*\.\s*)?(?P<flag>[xf]?)(?P<word>it|test|describe|context|specify|suite)(?![\w$])"
)
_GROUPS: Final = frozenset({"describe", "context", "suite"})
_NO_TESTS: Final = frozenset(
    {"beforeEach", "afterEach", "beforeAll", "afterAll", "before", "after", "step", "use", "extend", "setTimeout"}
)
"""Members that prepare tests and make none."""
_MEMBER: Final = compile_later(r"\.\s*(\w+)")
_GENERIC: Final = compile_later(r"<[^<>(){};]{0,500}>")
_FUNCTION: Final = compile_later(r"=>|\bfunction\b")
_LONGEST_TITLE = 1000
_QUOTES: Final = "'\"`"


@dataclass(slots=True)
class ScriptCall:
    """A call such as `it.each(table)("title", body)`, taken apart."""

    start: int
    word: str
    is_member: bool = False
    """Whether it belongs to something that may have other functions of that name: `t.test`."""
    members: list[str] = field(default_factory=list)
    opening: int = -1
    """The bracket of the call that has the title; none while there is no such call."""
    cases: int = 1


def find_script_tests(code: Code) -> list[CodeTest]:
    """In the order of the text, groups among them."""
    functions = _Functions.of(code)
    return name_tests([test for call in find_calls(code) if (test := _build(code, call, functions)) is not None])


def find_calls(code: Code) -> Iterator[ScriptCall]:
    """Every call of a word that may make a test or a group."""
    for match in CALL.finditer(code.bare):
        call = ScriptCall(match.start(), f"{match['flag']}{match['word']}", is_member=match["owner"] is not None)
        _follow(code, match.end(), call)
        if call.opening >= 0:
            yield call


class _Functions(NamedTuple):
    """Where functions begin, found once for the whole text."""

    starts: list[int]

    @classmethod
    def of(cls, code: Code) -> _Functions:
        return cls([match.start() for match in _FUNCTION.finditer(code.bare)])

    def find(self, start: int, end: int) -> int | None:
        """The first one between two places."""
        place = bisect_left(self.starts, start)
        return self.starts[place] if place < len(self.starts) and self.starts[place] < end else None


def _follow(code: Code, position: int, call: ScriptCall) -> None:
    """Through members, types and tables up to the call with the title."""
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


def _count_table(code: Code, opening: int) -> int:
    """The rows of a table that is written out; one where it is only named."""
    first = code.skip_space(opening + 1)
    return count_elements(code, first) if code.bare.startswith("[", first) else 1


def _build(code: Code, call: ScriptCall, functions: _Functions) -> CodeTest | None:
    """Nothing for a call that has neither a title in quotes nor a function; a member needs the function."""
    parts = code.list_arguments(call.opening)
    has_function = functions.find(call.opening, code.end_of(call.opening)) is not None
    if not parts or not _NO_TESTS.isdisjoint(call.members):
        return None
    first = code.skip_space(parts[0][0])
    if not has_function and (call.is_member or code.bare[first] not in _QUOTES):
        return None
    end = min(code.end_of(call.opening) + 1, len(code.bare))
    body = _find_body(code, parts, functions) if has_function else (end, end)
    return CodeTest(
        title=_read_title(code, first, parts[0][1], has_function=functions.find(*parts[0]) is not None),
        start=call.start,
        end=end,
        body_start=body[0],
        body_end=body[1],
        cases=call.cases,
        is_group=call.word.lstrip("xf") in _GROUPS or not _GROUPS.isdisjoint(call.members),
    )


def _read_title(code: Code, start: int, end: int, *, has_function: bool) -> str:
    """What stands in the quotes; of any other expression its text."""
    quote = code.bare[start]
    if quote not in _QUOTES and has_function:
        return "(no title)"
    closing = code.bare.find(quote, start + 1, end) if quote in _QUOTES else -1
    is_whole = closing >= 0 and code.skip_space(closing + 1, end) >= end
    span = (start + 1, closing) if is_whole else (start, end)
    text = code.text if is_whole else code.code
    return " ".join(text[span[0] : min(span[1], span[0] + _LONGEST_TITLE)].split())


def _find_body(code: Code, parts: list[tuple[int, int]], functions: _Functions) -> tuple[int, int]:
    """The block of the function, or its expression; the whole argument where neither can be told."""
    for start, end in parts:
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
    return parts[-1]
