"""JUnit, SARIF, TAP and Markdown reports, checked strictly.

JUnit and SARIF by the published schemas, and by what Surefire's schema and the prose of SARIF ask for besides.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element

import xmlschema
import yaml
from markdown_it import MarkdownIt

if TYPE_CHECKING:
    from markdown_it.token import Token

_SCHEMAS = Path(__file__).parents[1] / "data" / "schemas"
JUNIT = xmlschema.XMLSchema(str(_SCHEMAS / "junit-10.xsd"))
PUBLISHED_SARIF: dict[str, Any] = json.loads((_SCHEMAS / "sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
_NUMBERS = {"tests", "failures", "errors", "skipped"}
_REQUIRED = {"failure": {"type"}, "error": {"type"}, "testcase": {"time"}, "testsuite": {"skipped"}}
_ORDER = (
    *("failure", "rerunFailure", "flakyFailure", "skipped", "error", "rerunError", "flakyError"),
    *("system-out", "system-err"),
)


def list_faults(root: Element) -> list[str]:
    """What is not as the schemas want it."""
    published = [str(error.reason) for error in JUNIT.iter_errors(root)]
    return published + [fault for element in root.iter() for fault in _list_element_faults(element)]


def _list_element_faults(element: Element) -> Iterator[str]:
    """What Surefire's schema wants besides."""
    names = set(element.attrib)
    yield from (f"{element.tag} lacks {name}" for name in _REQUIRED.get(element.tag, set()) - names)
    yield from (f"{name} is {element.attrib[name]}" for name in _NUMBERS & names if not element.attrib[name].isdigit())
    if element.tag == "testcase":
        places = [_ORDER.index(child.tag) for child in element]
        if places != sorted(places):
            yield f"a case holds {[child.tag for child in element]}"


def _build_strict_sarif() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(json.dumps(PUBLISHED_SARIF))
    parts = schema["definitions"]
    parts["message"]["required"] = ["text"]
    parts["artifactLocation"]["properties"]["uri"]["pattern"] = r"^(?![A-Za-z][A-Za-z0-9+.-]*:)(?!/)[A-Za-z0-9._~/%-]+$"
    parts["result"]["properties"]["locations"]["minItems"] = 1
    parts["result"] |= {
        "required": ["message", "locations"],
        "if": {"properties": {"kind": {"const": "fail"}}},
        "then": {"properties": {"level": {"enum": ["note", "warning", "error"]}}},
        "else": {"properties": {"level": {"const": "none"}}},
    }
    return schema


SARIF_SCHEMA = _build_strict_sarif()


_POINT = re.compile(r"(?:not )?ok (\d+) - ")


@dataclass(frozen=True)
class Point:
    """One test point and the block under it."""

    line: str
    diagnostics: dict[str, Any] | None


def read_tap(text: str) -> list[Point]:
    """The points in order; anything that is not of the format is an error."""
    version, plan, *lines = text.split("\n")
    assert version == "TAP version 14"
    points: list[Point] = []
    block: list[str] | None = None
    for line in lines:
        if block is not None and line == "  ...":
            points[-1] = Point(points[-1].line, yaml.safe_load("\n".join(block)))
            block = None
        elif block is not None:
            assert line.startswith("  ")
            block.append(line[2:])
        elif line == "  ---":
            block = []
        elif match := _POINT.match(line):
            points.append(Point(line, None))
            assert match.group(1) == str(len(points))
        else:
            assert line.startswith("# ")
    assert block is None
    assert plan.split(" ")[0] == f"1..{len(points)}"
    return points


def read_directive(line: str) -> str | None:
    """What stands behind the first hash that is not escaped."""
    match = re.match(r"(?:[^\\#]|\\.)*# (\w+)", line)
    return match.group(1).upper() if match else None


_READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def read_markdown(text: str) -> list[Token]:
    return _READER.parse(text)


def list_tables(text: str) -> list[list[list[str]]]:
    """The cells of each row of each table, the head first, as plain text."""
    tables: list[list[list[str]]] = []
    inside = False
    for token in read_markdown(text):
        if token.type in {"table_open", "table_close"}:
            inside = token.type == "table_open"
            tables.extend([[]] if inside else [])
        elif token.type == "tr_open":
            tables[-1].append([])
        elif token.type == "inline" and inside:
            tables[-1][-1].append(read_words(token))
    return tables


def read_words(token: Token) -> str:
    """The text of an inline token, code included, tags left out."""
    kept = {"text", "code_inline", "text_special"}
    return "".join(child.content for child in token.children or () if child.type in kept)
