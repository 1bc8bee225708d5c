"""JSON as rules read it: strict, never raising anything but its own error, with the line of a key."""

from __future__ import annotations

import json
import re
from typing import NoReturn


class JsonBrokenError(Exception):
    """The bytes are no JSON that can be relied on; `line` is where that shows, if it is known."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def parse_strictly(content: bytes, first_line: int = 1) -> object:
    """The value of a JSON text; keys that stand twice in one object and values that are no JSON are refused."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as invalid:
        line = first_line + content.count(b"\n", 0, invalid.start)
        raise JsonBrokenError("is not UTF-8", line) from invalid
    if not text.strip():
        raise JsonBrokenError("is empty", first_line)
    try:
        value: object = json.loads(text, object_pairs_hook=_build_object, parse_constant=_refuse_constant)
    except json.JSONDecodeError as invalid:
        line = first_line + invalid.lineno - 1
        raise JsonBrokenError(f"is not valid JSON: {invalid.msg}", line) from invalid
    except RecursionError:
        raise JsonBrokenError("is nested too deeply to be read", first_line) from None
    except ValueError as invalid:  # a key that stands twice, NaN, a number with thousands of digits
        raise JsonBrokenError(f"is not JSON that can be relied on: {invalid}") from invalid
    return value


def find_line(content: bytes, key: str, value: str | None = None) -> int | None:
    """The line of the first member of this name (and, where given, of this text); nothing where it is not found."""
    wanted = rf"{re.escape(json.dumps(key))}\s*:"
    if value is not None:
        wanted += rf"\s*{re.escape(json.dumps(value, ensure_ascii=False))}"
    text = content.decode("utf-8", "replace")
    found = re.search(wanted, text)
    return text.count("\n", 0, found.start()) + 1 if found else None


def _build_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members: dict[str, object] = {}
    for key, value in pairs:
        if key in members:
            raise ValueError(f"{key} is given twice")
        members[key] = value
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")
