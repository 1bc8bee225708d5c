"""Pages laid out for a width."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.core.text.columns import (
    GAP,
    Field,
    build_cells,
    build_headings,
    choose_columns,
    compute_width,
    fit,
    fit_grid,
)
from handoff_tui.core.text.page import Cell, Column, Grid, Line, Page
from handoff_tui.core.text.page_layout import lay_out, lay_out_line, wrap_words


@pytest.mark.parametrize(("text", "width"), [("", 0), ("abc", 3), ("漢字", 4), ("e\u0301", 1), ("é", 1)])
def test_width_is_that_of_the_terminal(text: str, width: int) -> None:
    """Wide characters take two columns, combining ones none."""
    assert compute_width(text) == width


FIELDS = (
    Field("name", "NAME", 6, grows=4),
    Field("count", "COUNT", 5, rank=1),
    Field("age", "AGE", 3, rank=2, right=True),
    Field("state", "STATE", 5),
)


def list_names(width: int) -> list[str]:
    return [place.field.name for place in choose_columns(FIELDS, width)]


def join(cells: tuple[Cell, ...]) -> str:
    return "".join(cell.text for cell in cells)


def test_columns_are_left_out_by_rank_and_some_never() -> None:
    """Counts go before the age; the name and the state stay in any width."""
    assert list_names(40) == ["name", "count", "age", "state"]
    assert list_names(20) == ["name", "age", "state"]
    assert list_names(15) == list_names(1) == ["name", "state"]


def test_room_that_is_left_is_shared_by_those_that_grow() -> None:
    """Evenly, and nobody gets more than they want."""
    fields = (Field("a", "", 2, grows=2), Field("b", "", 2, grows=10), Field("c", "", 2))
    assert [place.width for place in choose_columns(fields, 20)] == [4, 10, 2]
    assert [place.width for place in choose_columns(fields, 12)] == [3, 3, 2]
    assert [place.width for place in choose_columns(fields, 100)] == [4, 12, 2]


def test_row_has_its_values_under_their_headings() -> None:
    """Numbers stand at the right of their column."""
    values = {"name": (Cell("lamp"),), "age": (Cell("2h"),), "state": (Cell("ok"),), "count": (Cell("12"),)}
    assert join(build_headings(FIELDS, 30)) == "NAME        COUNT  AGE  STATE"
    assert join(build_cells(FIELDS, values, 30)) == "lamp        12      2h  ok   "
    assert join(build_cells(FIELDS, {}, 30)).strip() == ""


def test_cells_are_cut_by_columns_of_the_terminal() -> None:
    """A wide character takes two and is never halved; the ellipsis has the colour of what it stands for."""
    assert join(fit((Cell("abc", "key"), Cell("def", "path")), 5)) == "abcd…"
    assert fit((Cell("abc", "key"), Cell("def", "path")), 5)[-1] == Cell("…", "path")
    for width in range(1, 8):
        assert compute_width(join(fit((Cell("日本語"),), width))) == width
    assert fit((Cell("ab"),), 2) == (Cell("ab"),)


COLUMNS = (Column("outcome", whole=True), Column("who"), Column("waited", rank=1), Column("asked for", rank=2))
GRID = Grid(COLUMNS, ((Cell("✗ rejected"), Cell("heron and others"), Cell("–"), Cell("2 of 4 addressed")),))


@pytest.mark.parametrize(
    ("width", "headings", "widths"),
    [
        (80, ["outcome", "who", "waited", "asked for"], (10, 16, 6, 16)),
        (40, ["outcome", "who", "waited", "asked for"], (10, 8, 6, 10)),
        (36, ["outcome", "who", "asked for"], (10, 10, 12)),
        (20, ["outcome", "who"], (10, 8)),
    ],
)
def test_columns_go_before_words_break(width: int, headings: list[str], widths: tuple[int, ...]) -> None:
    """The lowest rank goes first; what is left wraps between words, or not at all."""
    grid, found = fit_grid(GRID, width)
    assert [column.heading for column in grid.columns] == headings
    assert [len(row) for row in grid.rows] == [len(headings)]
    assert found == widths
    assert sum(widths) + GAP * (len(widths) - 1) <= width


def test_grid_that_never_fits_keeps_what_must_stay() -> None:
    """Whoever draws folds it then; a very long word pushes no column out."""
    grid, widths = fit_grid(GRID, 12)
    assert ([column.heading for column in grid.columns], widths) == (["outcome", "who"], None)
    long = Grid((Column("who"), Column("when", rank=1)), ((Cell("x" * 90), Cell("now")),))
    assert fit_grid(long, 60) == (long, (54, 4))


def test_grid_without_ranks_is_left_alone() -> None:
    """It folds as it always did."""
    plain = Grid((Column("a"),), ((Cell("b"),),))
    assert fit_grid(plain, 1) == (plain, None)


TEXTS = st.text(alphabet="ab cd漢́ e", max_size=60)


def join_row(row: tuple[Cell, ...]) -> str:
    return "".join(cell.text for cell in row)


@given(st.lists(TEXTS, max_size=4), st.integers(4, 40))
def test_wrapped_words_fit_and_lose_nothing_but_blanks(texts: list[str], width: int) -> None:
    """No row is wider than there is room, blanks at its end apart, and every letter is still there, in order."""
    rows = wrap_words([Cell(text) for text in texts], width)
    assert all(compute_width(join_row(row).rstrip(" ")) <= width for row in rows)
    assert "".join(map(join_row, rows)).replace(" ", "") == "".join(texts).replace(" ", "")


def test_long_word_after_blanks_leaves_no_empty_row() -> None:
    """It begins where the blanks end."""
    rows = wrap_words([Cell("    "), Cell("abcdefghij")], 8, 4)
    assert [join_row(row).rstrip() for row in rows] == ["    abcd", "efgh", "ij"]


def test_line_hangs_at_its_indent() -> None:
    """What does not fit goes on further in."""
    rows = lay_out_line(Line((Cell("- one two three four"),), indent=4), 12)
    assert [join_row(row).rstrip() for row in rows] == ["- one two", "    three", "    four"]


@pytest.mark.parametrize(("width", "first"), [(60, "NAME  WHAT"), (20, "a  ")])
def test_grid_becomes_a_table_or_is_stacked(width: int, first: str) -> None:
    """With room the long column wraps beside the others; without, it goes under its row."""
    page = Page()
    page.grid((Column("NAME"), Column("WHAT", fold=True)), [(Cell("a"), Cell("a longer text that wraps"))])
    assert join_row(lay_out(page, width)[0]).startswith(first)


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=4), st.integers(20, 90))
def test_grid_rows_fit(rows: list[tuple[str, str, str]], width: int) -> None:
    """Whatever is in a grid, no row is wider than the page, but for its gap at the end."""
    page = Page()
    columns = (Column("A"), Column("B", right=True), Column("C", fold=True))
    page.grid(columns, [tuple(Cell(text) for text in row) for row in rows])
    assert all(compute_width(join_row(row).rstrip(" ")) <= width for row in lay_out(page, width))
