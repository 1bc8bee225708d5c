"""Earlier decisions as points to compare with."""

from __future__ import annotations

from typing import NamedTuple


class Approved(NamedTuple):
    """An approval in the log."""

    digest: str
    commit: str | None
    is_ancestor: bool
    """Whether its commit lies behind the work at hand."""


class Mark(NamedTuple):
    """A moment to compare with, and what it is in words: `your review of 3 May`, `attempt 2`, `v1.4`."""

    words: str
    snapshot: str | None = None
    commit: str | None = None
