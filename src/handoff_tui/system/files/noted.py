"""Notes which files a run looks at: an answer is repeated only while everything it depends on stays the same."""

from __future__ import annotations

import os

_noted: set[str] | None = None


def begin_noting() -> set[str]:
    """Starts a new list of noted paths, until somebody else does; returns the list, which grows."""
    global _noted  # noqa: PLW0603 - a process answers one question at a time
    _noted = set()
    return _noted


def note(place: str | os.PathLike[str]) -> None:
    """A reader of a file outside git's folder says so here, whether it is there or not."""
    if _noted is not None:
        _noted.add(os.fspath(place))
