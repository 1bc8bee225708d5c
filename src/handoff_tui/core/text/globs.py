"""File name patterns."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import lru_cache

_MANY = 64


@lru_cache(maxsize=_MANY)
def build_path_matcher(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    """Tells whether a path matches a pattern: patterns without a slash are names, others the end of paths.

    Asked of every file of a large change: most paths are ruled out by how they end and what they contain.
    """
    tails: list[str] = []
    others: list[tuple[str, str, bool]] = []
    for pattern in patterns:
        start, *rest = pattern.split("*")
        if {"?", "["} & set(pattern):
            others.append(("", pattern, "/" in pattern))
        elif not rest:
            tails.append(f"/{pattern}")
        elif not start and len(rest) == 1 and "/" not in pattern:
            tails.append(rest[0])
        else:
            others.append((f"/{start}", pattern, "/" in pattern))
    ends = tuple(tails)

    def is_match(path: str) -> bool:
        text = f"/{path}"
        if text.endswith(ends):
            return True
        for start, pattern, is_path in others:
            if start in text and (
                matches_glob(text, f"*/{pattern}") if is_path else matches_glob(path.rpartition("/")[2], pattern)
            ):
                return True
        return False

    return is_match


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
