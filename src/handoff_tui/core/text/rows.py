"""Rows of a list as data: a front end draws those in view, and asks for no others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from handoff_tui.core.text.page import Cell


class RowSource(Protocol):
    """A list of any length. `keys` stay the same over refreshes: the cursor holds on to a key, not to a number."""

    @property
    def keys(self) -> Sequence[str]:
        """One for each row. An empty key: the cursor passes over that row (a rule, a heading)."""
        ...

    def build_row(self, index: int, width: int) -> tuple[Cell, ...]:
        """The cells of one row, for that many columns; what is longer is cut by whoever draws."""
        ...
