"""TOML: any text read without surprises, and the place of one table, so that the text around it can stay as it is."""

from __future__ import annotations

import re
from typing import Any

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later

_HEADER = compile_later(r"^[ \t]*\[", re.MULTILINE)


class TablePlace(NamedTuple):
    """Where a table stands in a text; all three are the end of the text if it has none."""

    start: int
    content: int
    """Behind the line with its name."""
    end: int
    """Where the next table begins."""


def parse_toml(content: bytes | str) -> dict[str, Any]:
    """Returns the root table; raises a ValueError whatever is wrong: also a number of more digits than Python reads."""
    import tomllib  # noqa: PLC0415 - not every run reads such a file

    try:
        return tomllib.loads(content if isinstance(content, str) else content.decode())
    except RecursionError as deep:
        raise ValueError("it is nested too deeply") from deep


def find_first_table(text: str) -> int:
    """Where the first table begins, behind the keys at the top; the end of the text if there is none."""
    found = _HEADER.search(text)
    return found.start() if found else len(text)


def find_table(text: str, outer: str, name: str) -> TablePlace:
    """Finds `[outer.name]`, the name with or without quotes."""
    wanted = re.escape(name)
    header = rf"^[ \t]*\[[ \t]*{outer}[ \t]*\.[ \t]*(?:\"{wanted}\"|'{wanted}'|{wanted})[ \t]*\][ \t]*(?:\#.*)?$"
    found = re.search(header, text, re.MULTILINE)
    if found is None:
        return TablePlace(len(text), len(text), len(text))
    return TablePlace(found.start(), found.end(), found.end() + find_first_table(text[found.end() :]))
