"""A strict reader of TAP 14, as far as it is written here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import yaml

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
