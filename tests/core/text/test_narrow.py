"""Columns fitted to what the rows of a list say."""

from __future__ import annotations

from handoff_tui.core.text.columns import Field, narrow_fields
from handoff_tui.core.text.page import Cell

NAME = Field("name", "NAME", 6)
WHO = Field("who", "WHO", 8, rank=3, grows=30)
TESTS = Field("tests", "TESTS", 8, rank=2)


def test_column_that_says_nothing_is_left_out_and_none_grows_for_nothing() -> None:
    """A dash is nothing; a column that is always there stays; the rest grows as far as its longest value."""
    rows: list[dict[str, tuple[Cell, ...]]] = [
        {"name": (Cell(""),), "who": (Cell("heron"), Cell("@example"))},
        {"name": (Cell("–"),), "who": (Cell("knot"),), "tests": (Cell("–"),)},
    ]
    assert narrow_fields((NAME, WHO, TESTS), rows) == (NAME, WHO._replace(grows=5))
