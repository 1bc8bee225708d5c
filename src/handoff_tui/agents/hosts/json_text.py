"""Edits JSON as text: what is added can be taken out again byte for byte, and everything else stays as it was. Pure.

Comments and trailing commas are read, because some hosts allow them. Two forms tell later what was there before: an
element added to an empty object or list stands right after its bracket; one in a list of our own never does.
"""

from __future__ import annotations

import json

from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.errors import HookError
from handoff_tui.core.lazy_pattern import compile_later

_BLANK = compile_later(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", 16)  # 16 is re.DOTALL
_SCALAR = compile_later(r"-?[0-9][0-9.eE+-]*|true|false|null")
_STRING = compile_later(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_INDENT = compile_later(r"\n([ \t]+)\S")
_DEEPEST = 60


class Span(NamedTuple):
    """Where an element stands; for a member of an object, with its name."""

    start: int
    end: int


@dataclass(slots=True)
class Node:
    """A value and where it stands."""

    start: int
    end: int = 0
    value: object = None
    """Of a scalar."""
    members: dict[str, Node] = field(default_factory=dict)
    items: list[Node] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    """Of its members or items, in order."""
    names: list[str] = field(default_factory=list)
    kind: str = "scalar"

    def build(self) -> object:
        """Returns the plain value."""
        if self.kind == "object":
            return {name: node.build() for name, node in self.members.items()}
        return [node.build() for node in self.items] if self.kind == "list" else self.value


def parse(text: str, shown: str) -> Node:
    """Parses a JSON text; `shown` names the file in the error."""
    reader = _Reader(text, shown)
    node = reader.read(0)
    reader.skip()
    if reader.at != len(text):
        raise reader.complain("something follows the value")
    return node


def add_member(text: str, node: Node, name: str, value: object) -> str:
    """Adds a member to an object."""
    return _add(text, node, f"{json.dumps(name)}: ", value)


def add_item(text: str, node: Node, value: object) -> str:
    """Adds an item to a list."""
    return _add(text, node, "", value)


def remove(text: str, node: Node, position: int) -> str | None:
    """Removes an element; None if the object or list was made for it, and has to go with it."""
    span = node.spans[position]
    if position > 0:
        return text[: node.spans[position - 1].end] + text[span.end :]
    if len(node.spans) > 1:
        return text[: span.start] + text[node.spans[1].start :]
    return text[: span.start] + text[span.end :] if span.start == node.start + 1 else None


def render_new(value: object) -> str:
    """Renders a whole file."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _add(text: str, node: Node, prefix: str, value: object) -> str:
    if not node.spans:
        return text[: node.start + 1] + prefix + _render_on_line(value) + text[node.start + 1 :]
    first, last = node.spans[0], node.spans[-1]
    between = text[node.start : first.start]
    if "\n" not in between:
        return f"{text[: last.end]}, {prefix}{_render_on_line(value)}{text[last.end :]}"
    newline = "\r\n" if "\r\n" in text else "\n"
    indent = text[text.rfind("\n", 0, first.start) + 1 : first.start]
    indent = indent[: len(indent) - len(indent.lstrip(" \t"))]
    found = _INDENT.search(text)
    unit = found[1] if found else "  "
    rendered = json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", newline + indent)
    return f"{text[: last.end]},{newline}{indent}{prefix}{rendered}{text[last.end :]}"


def _render_on_line(value: object) -> str:
    """Renders on one line, with a blank inside of every bracket."""
    if isinstance(value, dict) and value:
        return "{ " + ", ".join(f"{json.dumps(key)}: {_render_on_line(part)}" for key, part in value.items()) + " }"
    if isinstance(value, list) and value:
        return "[ " + ", ".join(map(_render_on_line, value)) + " ]"
    return json.dumps(value, ensure_ascii=False)


class _Reader:
    """Reads one text from left to right."""

    def __init__(self, text: str, shown: str) -> None:
        self.text = text
        self.at = 0
        self._shown = shown

    def skip(self) -> None:
        found = _BLANK.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def read(self, depth: int) -> Node:
        self.skip()
        if depth > _DEEPEST:
            raise self.complain("it is nested too deeply")
        sign = self.text[self.at : self.at + 1]
        if sign in {"{", "["} and sign:
            return self._read_container(sign, depth)
        matched = _STRING.match(self.text, self.at) if sign == '"' else _SCALAR.match(self.text, self.at)
        if matched is None:
            raise self.complain("a value is missing")
        node = Node(self.at, matched.end())
        try:
            node.value = json.loads(matched[0])
        except ValueError:
            raise self.complain("a value is malformed") from None
        self.at = matched.end()
        return node

    def _read_container(self, sign: str, depth: int) -> Node:
        node = Node(self.at, kind="object" if sign == "{" else "list")
        closing = "}" if sign == "{" else "]"
        self.at += 1
        while True:
            self.skip()
            if self.text.startswith(closing, self.at):
                self.at += 1
                node.end = self.at
                return node
            start = self.at
            name = self._read_name() if sign == "{" else ""
            inner = self.read(depth + 1)
            node.spans.append(Span(start, inner.end))
            node.names.append(name)
            if sign == "{":
                node.members[name] = inner
            else:
                node.items.append(inner)
            self.skip()
            if self.text.startswith(",", self.at):
                self.at += 1
            elif not self.text.startswith(closing, self.at):
                raise self.complain(f"a comma or {closing} is missing")

    def _read_name(self) -> str:
        matched = _STRING.match(self.text, self.at)
        if matched is None:
            raise self.complain("a name in quotes is missing")
        self.at = matched.end()
        self.skip()
        if not self.text.startswith(":", self.at):
            raise self.complain("a colon is missing")
        self.at += 1
        try:
            return str(json.loads(matched[0]))
        except ValueError:
            raise self.complain("a name is malformed") from None

    def complain(self, what: str) -> HookError:
        line = self.text.count("\n", 0, self.at) + 1
        return HookError(f"{self._shown}:{line}: {what}; the file is left alone", "Repair it, then try again.")
