"""JSON with places: a tree whose nodes know their line, and whose typed reads collect problems instead of raising."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, TypeAlias

from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place, Problem, ProblemLevel
from handoff_tui.handoffs.claim import quote

if TYPE_CHECKING:
    import yaml


JsonValue: TypeAlias = "dict[str, JsonValue] | list[JsonValue] | str | int | float | bool | None"
Pointer = tuple[str | int, ...]

_TOKEN: Final = compile_later(r'"(?:[^"\\\n]|\\.)*"|[{}\[\],:]|\n|[^\s{}\[\],:"]+')
_SURROGATE: Final = compile_later("[\ud800-\udfff]")
_ESCAPED_SURROGATE: Final = compile_later(r"\\u[dD][89a-fA-F]")
_LARGEST_TEXT_OF_A_NUMBER = 64
_TYPE_NAMES: Final[dict[type, str]] = {
    type(None): "null",
    bool: "true or false",
    str: "text",
    list: "a list",
    dict: "an object",
}


@dataclass(slots=True, eq=False)
class ParsedJson:
    """A parsed text with its lines. Readers don't change it: each opens its own `JsonDocument`."""

    path: str
    text: str
    first_line: int = 1
    value: JsonValue = None
    valid: bool = False
    problems: list[Problem] = field(default_factory=list)
    """What the parser found."""
    lines: dict[Pointer, int] | None = None
    """By pointer; indexed when first asked for."""

    def line_of(self, pointer: Pointer) -> int:
        """The line of a value, or of its nearest known parent."""
        if self.lines is None:
            self.lines = _index_lines(self.text, self.first_line)[0]
        while pointer and pointer not in self.lines:
            pointer = pointer[:-1]
        return self.lines.get(pointer, self.first_line)


class JsonDocument:
    """One reader's view of a parsed text. `root` is None if it is not valid; `problems` grows as nodes are read."""

    def __init__(self, parsed: ParsedJson) -> None:
        self.path = parsed.path
        self.line_of = parsed.line_of
        self.problems = list(parsed.problems)
        self.root = JsonNode(self, parsed.value) if parsed.valid else None
        self._reported: set[tuple[int, str]] = set()

    def report(self, pointer: Pointer, message: str, level: ProblemLevel = ProblemLevel.WARNING) -> None:
        line = self.line_of(pointer)
        if (line, message) not in self._reported:
            self._reported.add((line, message))
            self.problems.append(Problem(path=self.path, line=line, message=message, level=level))


class JsonNode(NamedTuple):
    """A value inside a document.

    Typed reads return None for what is absent, null or of another type; the last is reported as a problem of
    the document.
    """

    document: JsonDocument
    value: JsonValue
    pointer: Pointer = ()

    @property
    def where(self) -> Place:
        return Place(path=self.document.path, line=self.document.line_of(self.pointer))

    @property
    def name(self) -> str:
        return _name_pointer(self.pointer)

    @property
    def key(self) -> str:
        """The last step that leads here: the name of a member, the position of an element."""
        return str(self.pointer[-1]) if self.pointer else ""

    def report(self, message: str, key: str | None = None) -> None:
        """Reports a problem with this value, or with one of its members."""
        self.document.report(self.pointer if key is None else (*self.pointer, key), message)

    def report_choice(self, key: str, known: Iterable[str]) -> None:
        """Reports a member that is none of the known words."""
        member = self.get(key)
        if member is not None:
            member.report(f"{member.name} is none of {', '.join(known)}: {quote(str(member.value)) or 'empty'}")

    def has(self, *keys: str) -> bool:
        """Whether this is an object with all these keys (whatever their values)."""
        return isinstance(self.value, dict) and all(key in self.value for key in keys)

    def keys(self) -> tuple[str, ...]:
        return tuple(self.value) if isinstance(self.value, dict) else ()

    def get(self, key: str) -> JsonNode | None:
        """The member, or None if it is absent or null."""
        if not isinstance(self.value, dict):
            return None
        value = self.value.get(key)
        return None if value is None else JsonNode(self.document, value, (*self.pointer, key))

    def find(self, *keys: str) -> JsonNode | None:
        """The first of these members that is there."""
        return next((member for key in keys if (member := self.get(key)) is not None), None)

    def place_of(self, key: str) -> Place:
        return Place(path=self.document.path, line=self.document.line_of((*self.pointer, key)))

    def text(self, key: str) -> str | None:
        """A string member; anything else is reported."""
        member = self.get(key)
        return member.value if member is not None and isinstance(member.value, str) else self._report(member, "text")

    def scalar(self, key: str) -> str | None:
        """A string, number or boolean member as text; for fields that are written either way in practice."""
        member = self.get(key)
        return None if member is None else member.as_text()

    def first(self, *keys: str) -> str | None:
        """The first of these members that has a text, number or boolean, as text."""
        return next((text for key in keys if (text := self.scalar(key))), None)

    def integer(self, key: str) -> int | None:
        member = self.get(key)
        if member is not None and isinstance(member.value, int) and not isinstance(member.value, bool):
            return member.value
        return self._report(member, "a whole number")

    def boolean(self, key: str) -> bool | None:
        member = self.get(key)
        if member is not None and isinstance(member.value, bool):
            return member.value
        return self._report(member, "true or false")

    def object(self, key: str) -> JsonNode | None:
        member = self.get(key)
        return member if member is not None and isinstance(member.value, dict) else self._report(member, "an object")

    def items(self, key: str) -> list[JsonNode]:
        """The elements of an array member; an absent one has none, another type is reported."""
        member = self.get(key)
        if member is not None and isinstance(member.value, list):
            return member.elements()
        self._report(member, "a list")
        return []

    def texts(self, key: str) -> tuple[str, ...]:
        """The strings of an array member; an element of another type is reported."""
        return tuple(str(node.value) for node in self._items_of(str, key, "text"))

    def objects(self, key: str) -> list[JsonNode]:
        """The objects of an array member; an element of another type is reported."""
        return self._items_of(dict, key, "an object")

    def _items_of(self, kind: type, key: str, wanted: str) -> list[JsonNode]:
        items = self.items(key)
        for node in items:
            if not isinstance(node.value, kind):
                node.report_type(wanted)
        return [node for node in items if isinstance(node.value, kind)]

    @staticmethod
    def _report(member: JsonNode | None, wanted: str) -> None:
        if member is not None:
            member.report_type(wanted)

    def elements(self) -> list[JsonNode]:
        if not isinstance(self.value, list):
            return []
        return [JsonNode(self.document, value, (*self.pointer, number)) for number, value in enumerate(self.value)]

    def each(self) -> list[JsonNode]:
        """The elements of a list; any other value by itself."""
        return self.elements() if isinstance(self.value, list) else [self]

    def members_of(self, key: str) -> list[JsonNode]:
        """The members of an object member; an absent one has none, another type is reported."""
        member = self.object(key)
        return [] if member is None else member.members()

    def members(self) -> list[JsonNode]:
        """The values of an object, nulls left out; the key is the last step of the pointer."""
        if not isinstance(self.value, dict):
            return []
        return [
            JsonNode(self.document, value, (*self.pointer, key))
            for key, value in self.value.items()
            if value is not None
        ]

    def as_text(self) -> str | None:
        """This value as text if it is a string, number or boolean."""
        if isinstance(self.value, bool):
            return "true" if self.value else "false"
        if isinstance(self.value, str):
            return self.value
        if isinstance(self.value, int | float):
            return str(self.value)
        self.report_type("text or a number")
        return None

    def walk(self) -> Iterator[JsonNode]:
        """This node and everything below it, in the order of the file; without recursion."""
        waiting: list[JsonNode] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.elements() or node.members()))

    def report_type(self, wanted: str) -> None:
        name = self.name or "the top level"
        self.document.report(
            self.pointer, f"{name} should be {wanted}, but is {_TYPE_NAMES.get(type(self.value), 'a number')}"
        )


def parse_json(path: str, text: str, *, first_line: int = 1) -> ParsedJson:
    """Parses a file; what is wrong with it becomes a problem with its line."""
    parsed = ParsedJson(path, text, first_line)
    duplicates: list[str] = []

    def build_object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
        members = dict(pairs)
        if len(members) != len(pairs):
            duplicates.append("")
        return members

    try:
        parsed.value = json.loads(
            text, object_pairs_hook=build_object, parse_constant=_refuse_constant, parse_int=_parse_integer
        )
        if _ESCAPED_SURROGATE.search(text):
            parsed.value = _replace_surrogates(parsed.value)
    except json.JSONDecodeError as wrong:
        parsed.problems.append(_syntax_problem(parsed, wrong))
    except RecursionError:
        parsed.problems.append(Problem(path=path, line=first_line, message="is nested too deeply to be read"))
    except ValueError as wrong:
        parsed.problems.append(Problem(path=path, line=first_line, message=f"is not valid JSON: {wrong}"))
    else:
        parsed.valid = True
        if duplicates:
            _report_duplicates(parsed)
    return parsed


def parse_json_lines(path: str, text: str) -> list[ParsedJson]:
    """Parses a file with one JSON value per line; blank lines are skipped."""
    return [
        parse_json(path, line, first_line=number)
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    ]


def _name_pointer(pointer: Pointer) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in pointer).lstrip(".")


def _syntax_problem(document: ParsedJson, wrong: json.JSONDecodeError) -> Problem:
    line = document.first_line + wrong.lineno - 1
    if not document.text.strip():
        return Problem(path=document.path, line=line, message="is empty")
    return Problem(
        path=document.path, line=line, message=f"is not valid JSON: {wrong.msg} (line {line}, column {wrong.colno})"
    )


def _refuse_constant(name: str) -> JsonValue:
    raise ValueError(f"{name} is not a JSON value")


def _parse_integer(digits: str) -> int:
    if len(digits) > _LARGEST_TEXT_OF_A_NUMBER:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _replace_surrogates(value: JsonValue) -> JsonValue:
    """Half of a surrogate pair isn't a character and couldn't be printed."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_replace_surrogates(element) for element in value]
    if isinstance(value, dict):
        return {_SURROGATE.sub("\ufffd", key): _replace_surrogates(member) for key, member in value.items()}
    return value


def _report_duplicates(document: ParsedJson) -> None:
    for pointer, line in _index_lines(document.text, document.first_line)[1]:
        name = _name_pointer(pointer)
        document.problems.append(
            Problem(
                path=document.path,
                line=line,
                message=f"{name} is given twice; the last one is used",
                level=ProblemLevel.WARNING,
            )
        )


def _index_lines(text: str, first_line: int) -> tuple[dict[Pointer, int], list[tuple[Pointer, int]]]:
    """Lines by pointer, and keys that occur twice in one object. One pass over the tokens of valid JSON."""
    lines: dict[Pointer, int] = {}
    duplicates: list[tuple[Pointer, int]] = []
    line = first_line
    pointer: list[str | int] = []
    expecting_key = False
    for token in _TOKEN.findall(text):
        if token == "\n":
            line += 1
        elif token in "{[":
            lines.setdefault(tuple(pointer), line)
            expecting_key = token == "{"
            pointer.append("" if expecting_key else 0)
        elif token in "}]":
            pointer.pop()
            expecting_key = False
        elif token == ",":
            last = pointer[-1]
            expecting_key = isinstance(last, str)
            if isinstance(last, int):
                pointer[-1] = last + 1
        elif token == ":":
            expecting_key = False
        elif expecting_key:
            pointer[-1] = _SURROGATE.sub("\ufffd", json.loads(token)) if "\\" in token else token[1:-1]
            if tuple(pointer) in lines:
                duplicates.append((tuple(pointer), line))
            lines[tuple(pointer)] = line
        elif pointer and isinstance(pointer[-1], int):
            lines[tuple(pointer)] = line
    return lines, duplicates


_FENCE = "---"
_MAX_LINES = 400
_MAX_DEPTH = 32


def split_frontmatter(path: str, text: str) -> tuple[ParsedJson | None, str]:
    """The frontmatter, if there is any, and the text with those lines blanked, so that line numbers stay."""
    if not text.startswith(_FENCE + "\n"):
        return None, text
    lines = text.split("\n")
    for number in range(1, min(len(lines), _MAX_LINES)):
        if lines[number].rstrip() in {_FENCE, "..."}:
            blanked = [""] * (number + 1) + lines[number + 1 :]
            return parse_yaml(path, "\n".join(lines[1:number]), first_line=2), "\n".join(blanked)
    return None, text


def parse_yaml(path: str, source: str, *, first_line: int = 1) -> ParsedJson:
    """Parses plain data only: no tags, no aliases (an alias can expand without end)."""
    plain = _read_plain(source)
    if plain is not None:
        value, at = plain
        return ParsedJson(
            path, source, first_line, value, valid=True, lines={one: line + first_line for one, line in at.items()}
        )
    import yaml  # noqa: PLC0415 - it takes longer to import than most of what is written needs to be read

    lines: dict[Pointer, int] = {}
    parsed = ParsedJson(path, source, first_line, lines=lines)
    subject = "has frontmatter that" if first_line > 1 else "has content that"
    try:
        node = yaml.compose(source, Loader=yaml.SafeLoader)
        parsed.value = {} if node is None else _build_value(node, (), lines, set())
    except yaml.YAMLError as wrong:
        mark = getattr(wrong, "problem_mark", None)
        line = (mark.line if mark else 0) + first_line
        reason = getattr(wrong, "problem", None) or str(wrong).split("\n", 1)[0]
        parsed.problems.append(Problem(path=path, line=line, message=f"{subject} is not YAML: {reason}"))
        return parsed
    except (RecursionError, ValueError) as wrong:
        parsed.problems.append(Problem(path=path, line=first_line, message=f"{subject} cannot be read: {wrong}"))
        return parsed
    parsed.valid = True
    for pointer in lines:
        lines[pointer] += first_line
    return parsed


_PLAIN_LINE = compile_later(
    r"([A-Za-z_][\w-]{,60}): +(?:([1-9][0-9]{,16})|(\w(?:[\w ./-]*\w)?|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z))"
)
_NOT_TEXT = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
"""What YAML takes for something other than text, in any case."""


def _read_plain(source: str) -> tuple[JsonValue, dict[Pointer, int]] | None:
    """Reads what nearly all frontmatter is: a name and a word, a text, a number or a date on each line.

    None if it is, or might be, anything else: that is YAML's to read.
    """
    members: dict[str, JsonValue] = {}
    lines: dict[Pointer, int] = {(): 0}
    for number, line in enumerate(source.split("\n")):
        match = _PLAIN_LINE.fullmatch(line) if line.isascii() else None
        if match is None:
            return None
        name, digits, text = match.groups()
        if name in members or (text is not None and (text.isdecimal() or text.lower() in _NOT_TEXT)):
            return None
        members[name] = int(digits) if digits else text
        lines[name,] = number
    return members, lines


def _build_value(node: yaml.Node, pointer: Pointer, lines: dict[Pointer, int], seen: set[int]) -> JsonValue:
    import yaml  # noqa: PLC0415

    if len(pointer) > _MAX_DEPTH:
        raise ValueError("it is nested too deeply")
    if id(node) in seen:
        raise ValueError("it uses aliases")
    seen.add(id(node))
    lines[pointer] = node.start_mark.line
    if isinstance(node, yaml.MappingNode):
        members: dict[str, JsonValue] = {}
        for key, member in node.value:
            name = str(getattr(key, "value", ""))
            members[name] = _build_value(member, (*pointer, name), lines, seen)
        return members
    if isinstance(node, yaml.SequenceNode):
        return [_build_value(element, (*pointer, index), lines, seen) for index, element in enumerate(node.value)]
    return _build_scalar(str(node.value), node.tag)


def _build_scalar(text: str, tag: str) -> JsonValue:
    """Numbers and truth values as such; dates and everything else as they are written."""
    if tag.endswith(":null"):
        return None
    if tag.endswith(":bool"):
        return text.lower() in {"true", "yes", "on"}
    if tag.endswith(":int") and text.lstrip("-").isdecimal() and len(text) <= 18:  # noqa: PLR2004 - fits 64 bits
        return int(text)
    return text
