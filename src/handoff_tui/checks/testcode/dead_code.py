"""Stretches of a function's body that are never reached: after a return that is always taken, under a constant."""

from __future__ import annotations

from typing import Final

from handoff_tui.checks.testcode.code_text import Code
from handoff_tui.core.lazy_pattern import compile_later

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
