"""Coverage of lines as reports give it: Cobertura XML, coverage.py's JSON, LCOV. In hundredths of a percent."""

from __future__ import annotations

import json
import re
from decimal import Decimal, InvalidOperation
from typing import Final
from xml.etree import ElementTree as ET

_WHOLE: Final = 10_000
_LCOV: Final = re.compile(rb"^(LF|LH):(\d{1,12})\s*$", re.MULTILINE)


def parse_coverage(path: str, content: bytes) -> int | str:
    """The coverage, or why there is none in this report."""
    name = path.rpartition("/")[2]
    if name.endswith(".xml"):
        return _parse_cobertura(content)
    return _parse_json(content) if name.endswith(".json") else _parse_lcov(content)


def _parse_cobertura(content: bytes) -> int | str:
    if b"<!ENTITY" in content.replace(b"\0", b""):  # also where it is UTF-16
        return "the report defines entities, which is refused"
    try:
        root = ET.fromstring(content)  # noqa: S314 - entities were refused above
    except (ET.ParseError, LookupError, ValueError) as wrong:  # the last two: an encoding that nobody knows
        return f"the report is not XML: {wrong}"
    if root.tag != "coverage":
        return "the report is no Cobertura report"
    covered, valid = root.get("lines-covered", ""), root.get("lines-valid", "")
    if _is_number(covered) and _is_number(valid) and int(valid) > 0:
        return _divide(int(covered), int(valid))
    try:
        share = Decimal(root.get("line-rate", ""))
        return int((share * _WHOLE).to_integral_value()) if 0 <= share <= 1 else "the line rate is not between 0 and 1"
    except InvalidOperation:
        return "the report has no line rate"


def _parse_json(content: bytes) -> int | str:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return "the report is not JSON"
    totals = value.get("totals") if isinstance(value, dict) else None
    covered = totals.get("covered_lines") if isinstance(totals, dict) else None
    statements = totals.get("num_statements") if isinstance(totals, dict) else None
    if type(covered) is not int or type(statements) is not int or statements < 1 or not 0 <= covered <= statements:
        return "the report has no totals of lines"
    return _divide(covered, statements)


def _parse_lcov(content: bytes) -> int | str:
    found = {b"LF": 0, b"LH": 0}
    for kind, number in _LCOV.findall(content):
        found[kind] += int(number)
    if not found[b"LF"] > 0 or found[b"LH"] > found[b"LF"]:
        return "the report counts no lines"
    return _divide(found[b"LH"], found[b"LF"])


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 12  # noqa: PLR2004 - no program has more lines


def _divide(covered: int, valid: int) -> int:
    return min(covered * _WHOLE // valid, _WHOLE)
