"""The shapes of JUnit, SARIF, TAP and Markdown reports, checked strictly.

JUnit is written from the published schemas `junit-10` and `surefire-test-report`; where they differ, the stricter one
holds, but for the root, which Surefire does not have. SARIF is the part of the 2.1.0 schema that is used here: closed
objects, required members, enumerations and minima, and what the schema leaves to the prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element

import yaml
from markdown_it import MarkdownIt

if TYPE_CHECKING:
    from markdown_it.token import Token


_NUMBER = re.compile(r"\d+")
_TIME = re.compile(r"\d{1,3}(,?\d{3})*\.\d{0,3}")


@dataclass(frozen=True)
class Shape:
    """Attributes (required, optional), children in their order with the most of each, and whether it holds text."""

    required: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    children: tuple[tuple[str, int], ...] = ()
    text: bool = False


_MANY = 1_000_000
_PROBLEM = Shape(frozenset({"type"}), frozenset({"message"}), text=True)
_RERUN = Shape(frozenset({"type"}), frozenset({"message"}), (("stackTrace", 1), ("system-out", 1), ("system-err", 1)))
_TEXT = Shape(text=True)
SHAPES = {
    "testsuites": Shape(
        optional=frozenset({"name", "time", "tests", "failures", "errors"}), children=(("testsuite", _MANY),)
    ),
    "testsuite": Shape(
        frozenset({"name", "tests", "errors", "skipped", "failures"}),
        frozenset({"time", "group"}),
        (("properties", _MANY), ("testcase", _MANY)),
    ),
    "properties": Shape(children=(("property", _MANY),)),
    "property": Shape(frozenset({"name", "value"})),
    "testcase": Shape(
        frozenset({"name", "time"}),
        frozenset({"classname", "group"}),
        (
            ("failure", _MANY),
            ("rerunFailure", _MANY),
            ("flakyFailure", _MANY),
            ("skipped", 1),
            ("error", 1),
            ("rerunError", _MANY),
            ("flakyError", _MANY),
            ("system-out", 1),
            ("system-err", 1),
        ),
    ),
    "failure": _PROBLEM,
    "error": _PROBLEM,
    "skipped": Shape(optional=frozenset({"message"}), text=True),
    "rerunFailure": _RERUN,
    "flakyFailure": _RERUN,
    "rerunError": _RERUN,
    "flakyError": _RERUN,
    "stackTrace": _TEXT,
    "system-out": _TEXT,
    "system-err": _TEXT,
}


def list_faults(root: Element) -> list[str]:
    """What is not as the schemas want it."""
    if root.tag != "testsuites":
        return [f"the root is {root.tag}"]
    return [fault for element in root.iter() for fault in _list_element_faults(element)]


def _list_element_faults(element: Element) -> Iterator[str]:
    shape = SHAPES.get(element.tag)
    if shape is None:
        yield f"no such element: {element.tag}"
        return
    names = set(element.attrib)
    yield from (f"{element.tag} lacks {name}" for name in sorted(shape.required - names))
    yield from (f"{element.tag} has {name}" for name in sorted(names - shape.required - shape.optional))
    for name, pattern in (("tests", _NUMBER), ("failures", _NUMBER), ("errors", _NUMBER), ("skipped", _NUMBER)):
        if name in names and not pattern.fullmatch(element.attrib[name]):
            yield f"{element.tag} {name} is {element.attrib[name]}"
    if "time" in names and not _TIME.fullmatch(element.attrib["time"]):
        yield f"{element.tag} time is {element.attrib['time']}"
    order = [name for name, _ in shape.children]
    places = [order.index(child.tag) if child.tag in order else -1 for child in element]
    if -1 in places or places != sorted(places):
        yield f"{element.tag} holds {[child.tag for child in element]}"
    yield from (f"{element.tag} has more {name}" for name, most in shape.children if len(element.findall(name)) > most)
    stray = (element.text or "").strip() or any((child.tail or "").strip() for child in element)
    if stray and not shape.text:
        yield f"{element.tag} holds text"


_LEVEL = {"enum": ["none", "note", "warning", "error"]}
_INDEX = {"type": "integer", "minimum": -1}
_BAG = {"$ref": "#/definitions/propertyBag"}


def _object(members: Mapping[str, object], *required: str) -> dict[str, object]:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {**members, "properties": _BAG},
        "required": list(required),
    }


def _list(name: str, *, unique: bool = False) -> dict[str, object]:
    return {"type": "array", "items": {"$ref": f"#/definitions/{name}"}, "uniqueItems": unique}


def _one(name: str) -> dict[str, object]:
    return {"$ref": f"#/definitions/{name}"}


_WORDS = {"type": "string"}
_KIND_AND_LEVEL = {
    "if": {"properties": {"kind": {"const": "fail"}}},
    "then": {"properties": {"level": {"enum": ["note", "warning", "error"]}}},
    "else": {"properties": {"level": {"const": "none"}}},
}
_DEFINITIONS: dict[str, object] = {
    "propertyBag": {
        "type": "object",
        "properties": {"tags": {"type": "array", "uniqueItems": True, "items": _WORDS}},
    },
    "message": _object(
        {"text": _WORDS, "markdown": _WORDS, "id": _WORDS, "arguments": {"type": "array", "items": _WORDS}}, "text"
    ),
    "multiformatMessageString": _object({"text": _WORDS, "markdown": _WORDS}, "text"),
    "artifactLocation": _object(
        {
            "uri": {"type": "string", "pattern": r"^(?![A-Za-z][A-Za-z0-9+.-]*:)(?!/)[A-Za-z0-9._~/%-]+$"},
            "uriBaseId": _WORDS,
            "index": _INDEX,
            "description": _one("message"),
        }
    ),
    "region": _object({"startLine": {"type": "integer", "minimum": 1}, "endLine": {"type": "integer", "minimum": 1}}),
    "physicalLocation": _object(
        {"artifactLocation": _one("artifactLocation"), "region": _one("region")}, "artifactLocation"
    ),
    "location": _object({"id": _INDEX, "physicalLocation": _one("physicalLocation"), "message": _one("message")}),
    "reportingConfiguration": _object({"enabled": {"type": "boolean"}, "level": _LEVEL}),
    "reportingDescriptor": _object(
        {
            "id": _WORDS,
            "name": _WORDS,
            "shortDescription": _one("multiformatMessageString"),
            "fullDescription": _one("multiformatMessageString"),
            "help": _one("multiformatMessageString"),
            "helpUri": _WORDS,
            "defaultConfiguration": _one("reportingConfiguration"),
        },
        "id",
    ),
    "reportingDescriptorReference": _object({"id": _WORDS, "index": _INDEX}, "id"),
    "toolComponent": _object(
        {
            "name": _WORDS,
            "version": _WORDS,
            "informationUri": _WORDS,
            "rules": _list("reportingDescriptor", unique=True),
        },
        "name",
    ),
    "tool": _object({"driver": _one("toolComponent")}, "driver"),
    "notification": _object(
        {"message": _one("message"), "level": _LEVEL, "associatedRule": _one("reportingDescriptorReference")},
        "message",
    ),
    "invocation": _object(
        {"executionSuccessful": {"type": "boolean"}, "toolExecutionNotifications": _list("notification")},
        "executionSuccessful",
    ),
    "runAutomationDetails": _object({"id": _WORDS, "description": _one("message")}),
    "result": {
        **_object(
            {
                "ruleId": _WORDS,
                "ruleIndex": _INDEX,
                "kind": {"enum": ["notApplicable", "pass", "fail", "review", "open", "informational"]},
                "level": _LEVEL,
                "message": _one("message"),
                "locations": {**_list("location"), "minItems": 1},
                "relatedLocations": _list("location", unique=True),
                "partialFingerprints": {"type": "object", "additionalProperties": _WORDS},
            },
            "message",
            "locations",
        ),
        **_KIND_AND_LEVEL,
    },
    "run": _object(
        {
            "tool": _one("tool"),
            "invocations": _list("invocation"),
            "originalUriBaseIds": {"type": "object", "additionalProperties": _one("artifactLocation")},
            "automationDetails": _one("runAutomationDetails"),
            "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
            "results": _list("result"),
        },
        "tool",
    ),
}
SARIF_SCHEMA: dict[str, object] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    **_object(
        {"$schema": {"type": "string", "format": "uri"}, "version": {"enum": ["2.1.0"]}, "runs": _list("run")},
        "version",
        "runs",
    ),
    "definitions": _DEFINITIONS,
}


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
