"""Finds the files that an output mentions, with line numbers, so that a person can open them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from handoff_tui.core.classes import NamedTuple

_PLACE = re.compile(r'(?<![\w./:@+-])((?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.\w{1,8})(?:(?:", line |:)(\d{1,7}))?(?![\w/])')
"""`src/app.py:12`, `File "src/app.py", line 12`, `src/app.py`; no absolute paths."""
_NEVER = frozenset({"..", ".git"})
"""A path through these is not part of the work."""
_MOST = 50
_LONGEST_LINE = 500


class MentionedFile(NamedTuple):
    """A file of the repository as an output mentions it; it may not exist."""

    path: str
    line: int | None = None


def find_mentioned_files(lines: Iterable[str], root: str = "") -> tuple[MentionedFile, ...]:
    """Lists each file and line once, in the order of the lines; cuts `root` off.

    A mere name counts as a file only with a folder or a line number.
    """
    places: dict[MentionedFile, None] = {}
    for line in lines:
        text = line[:_LONGEST_LINE]
        for match in _PLACE.finditer(text.replace(f"{root}/", "") if root else text):
            path, number = match[1].removeprefix("./"), match[2]
            if ("/" in path or number) and _NEVER.isdisjoint(path.split("/")):
                places[MentionedFile(path, int(number) if number else None)] = None
    return tuple(places)[:_MOST]
