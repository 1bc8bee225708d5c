"""Suggestions for a word that is not known."""

from __future__ import annotations

from collections.abc import Iterable

from handoff_tui.core.text.labels import name_some

_LISTED = 40
_COMPARED_LENGTH = 100

_SHOWN = 60


def find_nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like this one; None if none is."""
    from difflib import get_close_matches  # noqa: PLC0415 - only an error asks for it

    by_lower_case = {name.lower().replace("-", "_"): name for name in known}
    wanted = word[:_COMPARED_LENGTH].lower().replace("-", "_")
    matches = get_close_matches(wanted, by_lower_case, n=1)
    return by_lower_case[matches[0]] if matches else None


def suggest(word: str, known: Iterable[str]) -> str:
    """A sentence for an error: the nearest known word, or all of them."""
    names = tuple(known)
    nearest = find_nearest(word, names)
    if nearest is not None:
        return f"did you mean {nearest}?"
    if not names:
        return "nothing can be set here"
    return f"known are {name_some(names, _LISTED)}"


def shorten(value: object) -> str:
    """The value as it may be shown: on one line, escaped, not too long."""
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
