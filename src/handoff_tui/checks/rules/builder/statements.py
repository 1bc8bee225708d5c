"""Short entries of results: whether one says yes, or that there was nothing, and does not take it back."""

from __future__ import annotations

import re
from typing import Final

from handoff_tui.checks.context import Context
from handoff_tui.core.lazy_pattern import compile_later

_FAILURES: Final = compile_later(r"\b[1-9][0-9]*\s+(?:tests?\s+)?(?:fail|error)", re.IGNORECASE)
_CHOICE: Final = compile_later(r"^\W*yes\W*[/|]\W*no\b", re.IGNORECASE)


def says_nothing(context: Context, text: str) -> bool:
    """`NONE`, `0`, `No new failures`; not «NONE except test_tide»."""
    return _begins_with(context, text, "builder.nothing_words") and not _is_taken_back(context, text)


def says_yes(context: Context, text: str) -> bool:
    """`YES`, `PASS (8/8)`; not «YES/NO», which is a choice nobody made, nor «YES, 2 failed»."""
    return (
        _begins_with(context, text, "builder.yes_words")
        and not _CHOICE.match(text)
        and not _is_taken_back(context, text)
    )


def _begins_with(context: Context, text: str, key: str) -> bool:
    words = re.findall(r"[a-z0-9]+", text.lower())
    return bool(words) and words[0] in context.setting(key, tuple)


def _is_taken_back(context: Context, text: str) -> bool:
    words = set(re.findall(r"[a-z0-9]+", text.lower()))
    return bool(words & set(context.setting("builder.exception_words", tuple))) or _FAILURES.search(text) is not None
