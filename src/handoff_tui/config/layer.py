"""One configuration file as read: its table, the line of each key, and dotted keys."""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import ConfigError
from handoff_tui.core.lazy_pattern import compile_later

_PLAIN = compile_later(r"[A-Za-z0-9_.-]+")


def join_path(parts: Iterable[str | int]) -> str:
    """The dotted key. A part with odd characters is quoted and escaped: it may come from an untrusted repository."""
    return ".".join(_render_part(str(part)) for part in parts)


def _render_part(part: str) -> str:
    return part if _PLAIN.fullmatch(part) else f'"{repr(part)[1:-1]}"'


def find_leaves(table: dict[str, object], above: tuple[str, ...] = ()) -> Iterator[tuple[str, object]]:
    """Every dotted key with its value, in order. A list is one value; so is an empty table."""
    for key, value in table.items():
        path = (*above, key)
        if isinstance(value, dict) and value:
            yield from find_leaves(value, path)
        else:
            yield join_path(path), value


def merge_tables(below: dict[str, object], above: dict[str, object]) -> dict[str, object]:
    """Tables merge key by key; anything else is replaced."""
    merged = dict(below)
    for key, value in above.items():
        lower = merged.get(key)
        merged[key] = merge_tables(lower, value) if isinstance(lower, dict) and isinstance(value, dict) else value
    return merged


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
        """The path that the key of a header means: through the last entry of each list on the way."""
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
    """The position after the line on which the statement ends."""
    for token in _TOKEN.finditer(text, position):
        if token["opening"]:
            depth += 1
        elif token["closing"]:
            depth -= 1
        elif token["end"] and depth <= 0:
            return token.end()
    return len(text)


_DEPTH = 20
_DOTS_IN_A_LINE = 200
_PLACE = compile_later(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_KEYMAP = "keymap"


class SettingRow(NamedTuple):
    """One setting in force: its dotted key, its value, and the file and line that set it."""

    key: str
    value: object
    origin: str


class Layer(NamedTuple):
    """A file's settings and the line of each. `name` is how the file is shown."""

    name: str
    table: dict[str, object]
    lines: dict[str, int]

    def place(self, key: str) -> str:
        """The file and, if known, the line of a dotted key or of the nearest table around it."""
        line = self.find_line(key)
        return self.name if line is None else f"{self.name}:{line}"

    def find_line(self, key: str) -> int | None:
        while key:
            if key in self.lines:
                return self.lines[key]
            key = key.rpartition(".")[0]
        return None


def parse_layer(content: bytes, name: str) -> Layer:
    """Reads TOML; the error says file, line and column."""
    import tomllib  # noqa: PLC0415 - not every repository has a configuration file

    text = _decode(content, name)
    _refuse_deep_keys(text, name)
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise _refuse_depth(name) from None
    except ValueError as invalid:  # TOMLDecodeError is one; a number with thousands of digits is another
        raise _explain_invalid(invalid, name, text) from invalid
    if _measure_depth(table) > _DEPTH:
        raise _refuse_depth(name)
    if isinstance(keymap := table.get(_KEYMAP), dict):
        table[_KEYMAP] = dict(_flatten(keymap))
    return Layer(name, table, find_lines(text))


def find_foreign_values(layer: Layer) -> Iterator[tuple[str, str]]:
    """Values that TOML has and no setting takes: dates, times, infinities."""
    for key, value in find_leaves(layer.table):
        for place, single in _find_singles(key, value):
            if isinstance(single, (datetime, date, time)):
                yield place, "is a date or a time, and no setting is one; put it in quotes if it is a text"
            elif isinstance(single, float) and not math.isfinite(single):
                yield place, f"should be a finite number, is {single}"


def _find_singles(key: str, value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, list):
        for position, entry in enumerate(value):
            yield from _find_singles(f"{key}.{position}", entry)
    elif isinstance(value, dict):
        for name, entry in value.items():
            yield from _find_singles(f"{key}.{join_path([name])}", entry)
    else:
        yield key, value


def _decode(content: bytes, name: str) -> str:
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as invalid:
        line = content.count(b"\n", 0, invalid.start) + 1
        raise ConfigError(f"{name}:{line}: is not UTF-8", "Save the file as UTF-8.") from invalid
    return text.replace("\r\n", "\n")


def _refuse_deep_keys(text: str, name: str) -> None:
    """The TOML reader takes time quadratic in a key's parts, so a planted key could stall it for hours."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > _DOTS_IN_A_LINE:
            raise ConfigError(f"{name}:{number}: has more than {_DOTS_IN_A_LINE} dots in one line", "Break it up.")


def _measure_depth(table: dict[str, object]) -> int:
    depth, level = 0, [*table.values()]
    while level and depth <= _DEPTH:
        depth += 1
        level = [inner for value in level for inner in _find_children(value)]
    return depth


def _find_children(value: object) -> list[object]:
    if isinstance(value, dict):
        return [*value.values()]
    return value if isinstance(value, list) else []


def _refuse_depth(name: str) -> ConfigError:
    return ConfigError(f"{name}: is nested more than {_DEPTH} levels deep", "No setting lies that deep.")


def _explain_invalid(invalid: ValueError, name: str, text: str) -> ConfigError:
    reason = str(invalid)
    place = _PLACE.search(reason)
    if not place:
        return ConfigError(f"{name}: is not TOML: {reason}")
    line = place[1] or text.count("\n") + 1
    column = place[2] or len(text) - text.rfind("\n")
    return ConfigError(f"{name}:{line}:{column}: is not TOML: {reason[: place.start()]}")


def _flatten(table: dict[str, object], above: str = "") -> Iterator[tuple[str, object]]:
    """`decide.approve = "a"` and `"decide.approve" = "a"` mean the same action."""
    for key, value in table.items():
        if isinstance(value, dict) and value:
            yield from _flatten(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value
