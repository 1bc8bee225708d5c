"""The shape of a JUnit report, as a table: what Jenkins' xunit plugin and Maven Surefire both accept.

Written from the two published schemas (`junit-10` and `surefire-test-report`); where they differ, the stricter one
holds, but for the root, which Surefire does not have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

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
