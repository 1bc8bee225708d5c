"""Patterns of paths: `*` and `?` stay within a part of a path, `**` is any number of parts, none included."""

from __future__ import annotations

import re
from collections.abc import Iterable


def build_matcher(patterns: Iterable[str]) -> re.Pattern[str]:
    """One expression for all patterns; it matches whole paths, and nothing where there are no patterns."""
    translated = [_translate(pattern) for pattern in patterns]
    return re.compile("|".join(f"(?:{part})" for part in translated) or r"(?!)", re.DOTALL)


def _translate(pattern: str) -> str:
    parts = [part for part in pattern.removeprefix("./").split("/") if part]
    translated = ""
    for number, part in enumerate(parts):
        is_last = number == len(parts) - 1
        if part == "**":
            translated += ".+" if is_last else "(?:[^/]+/)*"
        else:
            translated += _translate_part(part) + ("" if is_last else "/")
    return translated or r"(?!)"


def _translate_part(part: str) -> str:
    wild = {"*": "[^/]*", "?": "[^/]"}
    return "".join(wild.get(character) or re.escape(character) for character in re.sub(r"\*+", "*", part))
