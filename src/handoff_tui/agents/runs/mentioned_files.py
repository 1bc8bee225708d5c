"""Files that an output names, with their lines: what a person would open next. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_PLACE = re.compile(r'(?<![\w./:@+-])((?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.\w{1,8})(?:(?:", line |:)(\d{1,7}))?(?![\w/])')
"""`src/app.py:12`, `File "src/app.py", line 12`, `src/app.py`; nothing that begins at the root."""
_NEVER = frozenset({"..", ".git"})
"""A path through these is none of the work."""
_MOST = 50
_LONGEST_LINE = 500


class MentionedFile(NamedTuple):
    """A file of the repository, as an output spells it; nobody has looked whether it is there."""

    path: str
    line: int | None = None


def find_mentioned_files(lines: Iterable[str], root: str = "") -> tuple[MentionedFile, ...]:
    """Each place once, in the order of the lines; paths below `root` are taken from there on.

    A name alone must have a folder or a line to be taken for a file.
    """
    places: dict[MentionedFile, None] = {}
    for line in lines:
        text = line[:_LONGEST_LINE]
        for match in _PLACE.finditer(text.replace(f"{root}/", "") if root else text):
            path, number = match[1].removeprefix("./"), match[2]
            if ("/" in path or number) and _NEVER.isdisjoint(path.split("/")):
                places[MentionedFile(path, int(number) if number else None)] = None
    return tuple(places)[:_MOST]
