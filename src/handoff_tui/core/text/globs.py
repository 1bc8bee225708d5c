"""File name patterns."""

from __future__ import annotations

from fnmatch import fnmatchcase


def matches_glob(text: str, pattern: str) -> bool:
    """Works like `fnmatchcase`, which compiles every pattern first; most patterns have nothing but stars."""
    if "?" in pattern or "[" in pattern:
        return fnmatchcase(text, pattern)
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    *between, last = rest
    place, end = len(first), len(text) - len(last)
    if place > end or not (text.startswith(first) and text.endswith(last)):
        return False
    for piece in between:
        place = text.find(piece, place, end)
        if place < 0:
            return False
        place += len(piece)
    return True
