"""Pages laid out for a width."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.core.text.cell_width import compute_width
from handoff_tui.core.text.page import Cell, Column, Line, Page
from handoff_tui.core.text.page_layout import lay_out, lay_out_line, wrap_words

TEXTS = st.text(alphabet="ab cd漢́ e", max_size=60)


def join(row: tuple[Cell, ...]) -> str:
    return "".join(cell.text for cell in row)


@given(st.lists(TEXTS, max_size=4), st.integers(4, 40))
def test_wrapped_words_fit_and_lose_nothing_but_blanks(texts: list[str], width: int) -> None:
    """No row is wider than there is room, blanks at its end apart, and every letter is still there, in order."""
    rows = wrap_words([Cell(text) for text in texts], width)
    assert all(compute_width(join(row).rstrip(" ")) <= width for row in rows)
    assert "".join(map(join, rows)).replace(" ", "") == "".join(texts).replace(" ", "")


def test_words_break_between_words() -> None:
    """A word stays whole where a line has room for it."""
    assert [join(row).rstrip() for row in wrap_words([Cell("one two three")], 8)] == ["one two", "three"]


def test_long_word_is_broken_anywhere() -> None:
    """A word that fits no line fills lines."""
    assert [join(row).rstrip() for row in wrap_words([Cell("abcdefghij")], 4)] == ["abcd", "efgh", "ij"]


def test_long_word_after_blanks_leaves_no_empty_row() -> None:
    """It begins where the blanks end."""
    rows = wrap_words([Cell("    "), Cell("abcdefghij")], 8, 4)
    assert [join(row).rstrip() for row in rows] == ["    abcd", "efgh", "ij"]


def test_line_hangs_at_its_indent() -> None:
    """What does not fit goes on further in."""
    rows = lay_out_line(Line((Cell("- one two three four"),), indent=4), 12)
    assert [join(row).rstrip() for row in rows] == ["- one two", "    three", "    four"]


@pytest.mark.parametrize(("width", "first"), [(60, "NAME  WHAT"), (20, "a  ")])
def test_grid_becomes_a_table_or_is_stacked(width: int, first: str) -> None:
    """With room the long column wraps beside the others; without, it goes under its row."""
    page = Page()
    page.grid((Column("NAME"), Column("WHAT", fold=True)), [(Cell("a"), Cell("a longer text that wraps"))])
    assert join(lay_out(page, width)[0]).startswith(first)


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=4), st.integers(20, 90))
def test_grid_rows_fit(rows: list[tuple[str, str, str]], width: int) -> None:
    """Whatever is in a grid, no row is wider than the page, but for its gap at the end."""
    page = Page()
    columns = (Column("A"), Column("B", right=True), Column("C", fold=True))
    page.grid(columns, [tuple(Cell(text) for text in row) for row in rows])
    assert all(compute_width(join(row).rstrip(" ")) <= width for row in lay_out(page, width))
