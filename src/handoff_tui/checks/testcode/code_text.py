"""Source text of languages with braces: comments and strings blanked, every place kept, brackets paired.

Patterns run over what is left, so that neither a comment nor a string can look like code.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from itertools import accumulate
from typing import Final, NamedTuple

from handoff_tui.checks.testcode.code_scanner import Spans, scan_go, scan_java, scan_kotlin, scan_rust, scan_script
from handoff_tui.core.lazy_pattern import compile_later


class Family(StrEnum):
    """Languages that are read in the same way."""

    SCRIPT = "script"
    GO = "go"
    RUST = "rust"
    JAVA = "java"
    KOTLIN = "kotlin"


_FAMILIES: Final = {
    **dict.fromkeys(("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"), Family.SCRIPT),
    "go": Family.GO,
    "rs": Family.RUST,
    "java": Family.JAVA,
    "kt": Family.KOTLIN,
    "kts": Family.KOTLIN,
}
_SCANNERS: Final = {
    Family.SCRIPT: scan_script,
    Family.GO: scan_go,
    Family.RUST: scan_rust,
    Family.JAVA: scan_java,
    Family.KOTLIN: scan_kotlin,
}
_NOT_NEWLINE: Final = compile_later(r"[^\n]")
_BRACKET: Final = compile_later(r"[()\[\]{}]")
_CLOSES: Final = {")": "(", "]": "[", "}": "{"}
_NEAR = 2000
_STOP: Final = compile_later(r"[,()\[\]{}]")


class Code(NamedTuple):
    """A text in three forms of one length, so that a position means the same in each."""

    family: Family
    text: str
    """As written."""
    code: str
    """Without comments."""
    bare: str
    """Without comments and without what stands in quotes; the quotes are there."""
    closing: Mapping[int, int]
    """The closing bracket of each opening one."""
    opening: Mapping[int, int]
    lines: tuple[int, ...]
    """Where each line begins."""

    def line_of(self, position: int) -> int:
        return bisect_right(self.lines, position)

    def skip_space(self, position: int, end: int | None = None) -> int:
        """The first place from here that is no white space."""
        limit = len(self.bare) if end is None else end
        while position < limit and self.bare[position].isspace():
            position += 1
        return position

    def skip_space_back(self, position: int, start: int = 0) -> int:
        """The last place before this one that is no white space; one before `start` where there is none."""
        position -= 1
        while position >= start and self.bare[position].isspace():
            position -= 1
        return position

    def end_of(self, opening: int) -> int:
        """The bracket that closes this one; the end of the text where none does."""
        return self.closing.get(opening, len(self.bare))

    def find_near(self, pattern: re.Pattern[str], position: int) -> re.Match[str] | None:
        """The next match that is not far away: signs that belong together stand together, and no text takes long."""
        return pattern.search(self.bare, position, min(len(self.bare), position + _NEAR))

    def list_arguments(self, opening: int) -> list[tuple[int, int]]:
        """Where each part between commas begins and ends, inside the bracket at a place; none where it is empty."""
        found: list[tuple[int, int]] = []
        end = self.end_of(opening)
        start = position = opening + 1
        while (match := _STOP.search(self.bare, position, end)) is not None:
            position = match.end()
            if match.group() == ",":
                found.append((start, match.start()))
                start = position
            elif match.group() not in _CLOSES:
                position = min(self.end_of(match.start()) + 1, end)
        found.append((start, end))
        return [(start, stop) for start, stop in found if self.skip_space(start, stop) < stop]


def find_family(path: str) -> Family | None:
    """By the end of the name; nothing for languages that are not known here."""
    return _FAMILIES.get(path.rpartition(".")[2].lower())


@lru_cache(maxsize=8)
def parse_code(text: str, family: Family) -> Code:
    """Any text has a form; what is left open runs to the end of its line or of the text."""
    spans = _SCANNERS[family](text)
    code = _blank(text, spans.comments)
    bare = _blank(code, spans.strings)
    closing = _pair_brackets(bare)
    lines = tuple(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))[:-1]
    return Code(family, text, code, bare, closing, {end: start for start, end in closing.items()}, lines)


def _blank(text: str, spans: Spans) -> str:
    pieces: list[str] = []
    last = 0
    for start, end in spans:
        pieces += (text[last:start], _NOT_NEWLINE.sub(" ", text[start:end]))
        last = end
    return "".join((*pieces, text[last:]))


def _pair_brackets(bare: str) -> dict[int, int]:
    """A bracket that was left open ends where one around it is closed; one that nothing opened is passed over."""
    pairs: dict[int, int] = {}
    waiting: list[tuple[str, int]] = []
    open_now = dict.fromkeys("([{", 0)
    for match in _BRACKET.finditer(bare):
        bracket, position = match.group(), match.start()
        if bracket in open_now:
            waiting.append((bracket, position))
            open_now[bracket] += 1
            continue
        wanted = _CLOSES[bracket]
        while open_now[wanted]:
            kind, start = waiting.pop()
            open_now[kind] -= 1
            pairs[start] = position
            if kind == wanted:
                break
    return pairs
