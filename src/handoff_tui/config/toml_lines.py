"""On which line a key of a TOML file stands. Works on text that is known to be TOML; good enough for messages."""

from __future__ import annotations

import re

from handoff_tui.config.paths import join_path
from handoff_tui.core.lazy_pattern import compile_later

_PART = r"""(?:[A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*')"""
_KEY = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_FIRST_PART = compile_later(_PART)
_HEADER = compile_later(rf"[ \t]*(\[\[?)[ \t]*({_KEY})[ \t]*\]")
_ASSIGNMENT = compile_later(rf"[ \t]*({_KEY})[ \t]*=")
_TOKEN = compile_later(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|(?P<opening>[\[{])"
    r"|(?P<closing>[\]}])"
    r"|(?P<end>\n)",
    re.DOTALL,
)


def find_lines(text: str) -> dict[str, int]:
    """Dotted key to line, from 1. Entries of `[[lists]]` are counted from 0: `pipelines.own.phases.0.name`."""
    finder = _LineFinder()
    position, line = 0, 1
    while position < len(text):
        header = _HEADER.match(text, position)
        assignment = None if header else _ASSIGNMENT.match(text, position)
        if header:
            finder.enter(_split_key(header[2]), line, in_list=header[1] == "[[")
            position = header.end() - 1  # the closing bracket is skipped below, as the end of a value is
        elif assignment:
            finder.note(_split_key(assignment[1]), line)
            position = assignment.end()
        end = _skip_statement(text, position, depth=1 + (header[1] == "[[") if header else 0)
        line += text.count("\n", position, end)
        position = end
    return finder.lines


class _LineFinder:
    """The table that is being read, and the lines found so far."""

    def __init__(self) -> None:
        self.lines: dict[str, int] = {}
        self._table: tuple[str, ...] = ()
        self._entries: dict[tuple[str, ...], int] = {}

    def enter(self, key: tuple[str, ...], line: int, *, in_list: bool) -> None:
        above = self._find_place(key[:-1])
        self._note_all(above, line)
        path = (*above, key[-1])
        if in_list:
            self.lines.setdefault(join_path(path), line)
            self._entries[path] = self._entries.get(path, -1) + 1
        self._table = self._find_place(path[len(above) :], above)
        self._note_all(self._table, line)

    def note(self, key: tuple[str, ...], line: int) -> None:
        for length in range(1, len(key) + 1):
            self._note_all((*self._table, *key[:length]), line)

    def _find_place(self, key: tuple[str, ...], above: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Where a key of a header leads: through the last entry of each list on its way."""
        path = above
        for part in key:
            path = (*path, part)
            if path in self._entries:
                path = (*path, str(self._entries[path]))
        return path

    def _note_all(self, path: tuple[str, ...], line: int) -> None:
        if path:
            self.lines.setdefault(join_path(path), line)


def _split_key(key: str) -> tuple[str, ...]:
    return tuple(_unquote(part[0]) for part in _FIRST_PART.finditer(key))


def _unquote(part: str) -> str:
    if part[0] not in "\"'":
        return part
    import tomllib  # noqa: PLC0415 - few keys are quoted

    return str(tomllib.loads(f"key = {part}")["key"])


def _skip_statement(text: str, position: int, depth: int) -> int:
    """The place after the line on which the statement ends."""
    for token in _TOKEN.finditer(text, position):
        if token["opening"]:
            depth += 1
        elif token["closing"]:
            depth -= 1
        elif token["end"] and depth <= 0:
            return token.end()
    return len(text)
