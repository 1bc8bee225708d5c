from __future__ import annotations

import pytest

from handoff_tui.core.text.columns import GAP, fit_grid
from handoff_tui.core.text.page import Cell, Column, Grid

COLUMNS = (
    Column("outcome", whole=True),
    Column("who"),
    Column("waited", rank=1),
    Column("asked for", rank=2),
)
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
