"""Source text of languages with braces: comments and strings blanked, positions kept, brackets paired.

Patterns run over the rest, so that neither a comment nor a string can look like code.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import lru_cache
from itertools import accumulate
from typing import Final

from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.lazy_pattern import compile_later

Spans = list[tuple[int, int]]

_LONGEST_PATTERN = 2000
_SLASHES_TRIED = 20
"""How many slashes of a line are tried in vain: without a limit, a line of slashes takes quadratic time."""
_TAIL = 20
_SCRIPT_START: Final = compile_later(r"//|/\*|[/\"'`]")
_GO_START: Final = compile_later(r"//|/\*|[\"'`]")
_RUST_START: Final = compile_later(r"//|/\*|(?<!\w)(?:b|c)?r(?P<marks>#*)\"|[\"']")
_JAVA_START: Final = compile_later(r"//|/\*|\"\"\"|[\"']")
_KOTLIN_START: Final = compile_later(r"//|/\*|\"\"\"|[\"'`]")
_ONE_LINE: Final = {
    quote: compile_later(rf"[^{quote}\\\n]*(?:\\(?:.|\n)[^{quote}\\\n]*)*") for quote in ('"', "'", "`")
}
_MANY_LINES: Final = compile_later(r'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
_CHARACTER: Final = compile_later(r"'(?:\\(?:x[0-9a-fA-F]{2}|u\{[^}'\n]*\}|.)|[^'\\\n])'")
_TEXT_BLOCK_END: Final = compile_later(r'\\.|"""', re.DOTALL)
_NESTED_COMMENT: Final = compile_later(r"/\*|\*/")
_PATTERN: Final = compile_later(r"/(?![*/>])(?:[^\n\\/\[]|\\.|\[(?:[^\]\n\\]|\\.)*\])+/")
_BEFORE_PATTERN: Final = frozenset(
    {
        *("return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do", "await", "yield"),
        "instanceof",
    }
)
_LAST_WORD: Final = compile_later(r"[\w$]+$")
_IN_TEMPLATE: Final = compile_later(r"\\.|`|\$\{", re.DOTALL)
_IN_KOTLIN_LINE: Final = compile_later(r"\\.|\"|\$\{|\n")
_IN_KOTLIN_BLOCK: Final = compile_later(r'"""+|\$\{')
_IN_SCRIPT_PART: Final = compile_later(r"//[^\n]*|/\*.*?(?:\*/|\Z)|[{}`\"']", re.DOTALL)
_IN_KOTLIN_PART: Final = compile_later(r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"\"\"|[{}\"']", re.DOTALL)


@dataclass(slots=True)
class Scanned:
    """Where the comments are, and the contents of strings between their quotes."""

    comments: Spans = field(default_factory=list)
    strings: Spans = field(default_factory=list)


def scan_script(text: str) -> Scanned:
    """JavaScript and TypeScript, with code inside templates, and regular expressions."""
    found = Scanned()
    slashes = _Slashes(text)
    position, before = 0, ""
    while (match := _SCRIPT_START.search(text, position)) is not None:
        start, token = match.start(), match.group()
        before = text[position:start].rstrip()[-_TAIL:] or before
        if token in {"//", "/*"}:
            position = _end_comment(text, start, nested=False)
            found.comments.append((start, position))
            continue
        end: int | None = start + 1
        if token == "/":
            end = slashes.end_pattern(start, before)
            if end is not None:
                found.strings.append((start + 1, end - 1))
        elif token == "`":
            end = _end_template(text, start + 1, _SCRIPT_TEMPLATE)
            found.strings.append((start + 1, end - text.endswith("`", start + 1, end)))
        else:
            inner, inner_end, end = _end_quoted(text, start, token)
            found.strings.append((inner, inner_end))
        position = start + 1 if end is None else end
        before = "/" if end is None else '"'
    return found


_StringEnd = Callable[[str, int, str], tuple[int, int, int]]
"""Given the text and where a token opens a string: where its content begins and ends, and where the code goes on."""


def _end_quoted(text: str, start: int, token: str) -> tuple[int, int, int]:
    """A string that ends with its line at the latest."""
    match = _ONE_LINE[token].match(text, start + 1)
    end = match.end() if match else start + 1
    return start + 1, end, end + 1 if text.startswith(token, end) else end


def _end_raw(text: str, start: int, token: str) -> tuple[int, int, int]:
    """A string without escapes, up to the same quotes and marks: `raw` of Go, r#"raw"# of Rust."""
    closing = token if token == "`" else '"' + "#" * token.count("#")
    inner = start + len(token)
    end = text.find(closing, inner)
    return (inner, len(text), len(text)) if end < 0 else (inner, end, end + len(closing))


def _end_character(text: str, start: int, _: str) -> tuple[int, int, int]:
    """A character of Rust; a lifetime is none."""
    character = _CHARACTER.match(text, start)
    end = character.end() if character else start + 1
    return start + 1, end - 1 if character else start + 1, end


def _end_lines(text: str, start: int, _: str) -> tuple[int, int, int]:
    match = _MANY_LINES.match(text, start + 1)
    end = match.end() if match else len(text)
    return start + 1, end, min(end + 1, len(text))


def _end_text_block(text: str, start: int, token: str) -> tuple[int, int, int]:
    closing = next((match for match in _TEXT_BLOCK_END.finditer(text, start + 3) if match.group() == token), None)
    return (start + 3, len(text), len(text)) if closing is None else (start + 3, closing.start(), closing.end())


def _end_kotlin(text: str, start: int, token: str) -> tuple[int, int, int]:
    inner = start + len(token)
    end = _end_template(text, inner, _KOTLIN_BLOCK if len(token) > 1 else _KOTLIN_LINE)
    return inner, end - len(token) if text.endswith(token, inner, end) else end, end


class _Strings(NamedTuple):
    """How comments and strings of a language begin, how each string ends, and whether comments nest."""

    starts: re.Pattern[str]
    ends: Mapping[str, _StringEnd]
    nested: bool = False

    def scan(self, text: str) -> Scanned:
        found, position = Scanned(), 0
        while (match := self.starts.search(text, position)) is not None:
            start, token = match.start(), match.group()
            if token in {"//", "/*"}:
                position = _end_comment(text, start, nested=self.nested)
                found.comments.append((start, position))
            else:
                inner, end, position = self.ends.get(token, _end_raw)(text, start, token)
                if position > inner:  # a lifetime isn't a string
                    found.strings.append((inner, end))
        return found


scan_go: Final = _Strings(_GO_START, {'"': _end_quoted, "'": _end_quoted}).scan
scan_rust: Final = _Strings(_RUST_START, {'"': _end_lines, "'": _end_character}, nested=True).scan
scan_java: Final = _Strings(_JAVA_START, {'"': _end_quoted, "'": _end_quoted, '"""': _end_text_block}).scan
_KOTLIN_ENDS: Final = {'"': _end_kotlin, '"""': _end_kotlin, "'": _end_quoted, "`": _end_quoted}
scan_kotlin: Final = _Strings(_KOTLIN_START, _KOTLIN_ENDS, nested=True).scan


def _end_comment(text: str, start: int, *, nested: bool) -> int:
    if text.startswith("//", start):
        end = text.find("\n", start)
        return len(text) if end < 0 else end
    if not nested:
        end = text.find("*/", start + 2)
        return len(text) if end < 0 else end + 2
    depth = 0
    for match in _NESTED_COMMENT.finditer(text, start):
        depth += 1 if match.group() == "/*" else -1
        if depth == 0:
            return match.end()
    return len(text)


@dataclass(slots=True)
class _Slashes:
    """Tells regular expressions from divisions and tags."""

    text: str
    line_end: int = -1
    tried: int = 0

    def end_pattern(self, start: int, before: str) -> int | None:
        """The end of a regular expression; None if the slash divides or belongs to a tag."""
        word = _LAST_WORD.search(before)
        if word is not None and word.group() not in _BEFORE_PATTERN:
            return None
        if before.endswith((")", "]", "}", '"', "<")):
            return None
        if start > self.line_end:
            line_end = self.text.find("\n", start)
            self.line_end = len(self.text) if line_end < 0 else line_end
            self.tried = 0
        if self.tried >= _SLASHES_TRIED:
            return None
        match = _PATTERN.match(self.text, start, min(len(self.text), start + _LONGEST_PATTERN))
        self.tried += match is None
        return match.end() if match else None


class _Template(NamedTuple):
    """A string with code inside: patterns for the string and for the code, and what ends the string."""

    inside: re.Pattern[str]
    part: re.Pattern[str]
    ends: str


_SCRIPT_TEMPLATE: Final = _Template(_IN_TEMPLATE, _IN_SCRIPT_PART, "`")
_KOTLIN_LINE: Final = _Template(_IN_KOTLIN_LINE, _IN_KOTLIN_PART, '"')
_KOTLIN_BLOCK: Final = _Template(_IN_KOTLIN_BLOCK, _IN_KOTLIN_PART, '"""')
_INNER: Final = {
    (_IN_SCRIPT_PART, "`"): _SCRIPT_TEMPLATE,
    (_IN_KOTLIN_PART, '"'): _KOTLIN_LINE,
    (_IN_KOTLIN_PART, '"""'): _KOTLIN_BLOCK,
}


def _end_template(text: str, position: int, template: _Template) -> int:
    """The position after the last quote, through templates inside templates."""
    waiting: list[_Template | int] = [template]
    """Templates, and between them how many braces are open."""
    while waiting:
        top = waiting[-1]
        if isinstance(top, _Template):
            match = top.inside.search(text, position)
            if match is None:
                return len(text)
            position = match.end()
            if match.group() == "\n":  # a string left open ends with its line, with all around it
                return match.start()
            if match.group() == "${":
                waiting.append(0)
            elif match.group().startswith(top.ends):
                waiting.pop()
        else:
            position = _pass_part(text, position, waiting, top)
    return position


def _pass_part(text: str, position: int, waiting: list[_Template | int], depth: int) -> int:
    """One step through the code inside a template."""
    part = _find_part(waiting)
    match = part.search(text, position)
    if match is None:
        waiting.clear()
        return len(text)
    token = match.group()
    if token == "{":
        waiting[-1] = depth + 1
    elif token == "}":
        if depth:
            waiting[-1] = depth - 1
        else:
            waiting.pop()
    elif (part, token) in _INNER:
        waiting.append(_INNER[part, token])
    elif token in _ONE_LINE:
        return _end_quoted(text, match.start(), token)[2]
    return match.end()


def _find_part(waiting: list[_Template | int]) -> re.Pattern[str]:
    below = waiting[-2]
    return below.part if isinstance(below, _Template) else _IN_SCRIPT_PART


class Family(StrEnum):
    """Languages that are read the same way."""

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


class CodeText(NamedTuple):
    """A text in three forms of the same length, so that a position means the same in each."""

    family: Family
    text: str
    """As written."""
    code: str
    """Without comments."""
    bare: str
    """Without comments and the contents of strings; the quotes stay."""
    closing: Mapping[int, int]
    """The closing bracket of each opening one."""
    opening: Mapping[int, int]
    lines: tuple[int, ...]
    """Where each line begins."""

    def line_of(self, position: int) -> int:
        return bisect_right(self.lines, position)

    def skip_space(self, position: int, end: int | None = None) -> int:
        """The first position from here that is not white space."""
        limit = len(self.bare) if end is None else end
        while position < limit and self.bare[position].isspace():
            position += 1
        return position

    def skip_space_back(self, position: int, start: int = 0) -> int:
        """The last position before this one that is not white space; `start - 1` if there is none."""
        position -= 1
        while position >= start and self.bare[position].isspace():
            position -= 1
        return position

    def end_of(self, opening: int) -> int:
        """The bracket that closes this one; the end of the text if none does."""
        return self.closing.get(opening, len(self.bare))

    def find_near(self, pattern: re.Pattern[str], position: int) -> re.Match[str] | None:
        """The next match nearby; the limit keeps odd texts from taking long."""
        return pattern.search(self.bare, position, min(len(self.bare), position + _NEAR))

    def list_arguments(self, opening: int) -> list[tuple[int, int]]:
        """The start and end of each part between commas, inside the bracket at a position."""
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
    """The language by the file's extension; None if it is not known."""
    return _FAMILIES.get(path.rpartition(".")[2].lower())


@lru_cache(maxsize=8)
def parse_code(text: str, family: Family) -> CodeText:
    """Parses any text; what is left open runs to the end of its line or of the text."""
    spans = _SCANNERS[family](text)
    code = _blank(text, spans.comments)
    bare = _blank(code, spans.strings)
    closing = _pair_brackets(bare)
    lines = tuple(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))[:-1]
    return CodeText(family, text, code, bare, closing, {end: start for start, end in closing.items()}, lines)


def _blank(text: str, spans: Spans) -> str:
    pieces: list[str] = []
    last = 0
    for start, end in spans:
        pieces += (text[last:start], _NOT_NEWLINE.sub(" ", text[start:end]))
        last = end
    return "".join((*pieces, text[last:]))


def _pair_brackets(bare: str) -> dict[int, int]:
    """Pairs brackets. One left open ends where one around it closes; a stray closing one is ignored."""
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
