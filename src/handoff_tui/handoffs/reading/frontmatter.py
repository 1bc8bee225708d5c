"""YAML frontmatter at the head of a Markdown file, as a JSON-like document with places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handoff_tui.core.place import Problem
from handoff_tui.handoffs.reading.json_document import JsonValue, ParsedJson, Pointer

if TYPE_CHECKING:
    import yaml

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
    import yaml  # noqa: PLC0415 - few files have frontmatter

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
