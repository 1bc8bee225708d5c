from __future__ import annotations

from handoff_tui.core.text.page import Cell, Column, Grid, Line, Page


def test_heading_at_the_top_has_no_blank_line_before_it() -> None:
    """Only later headings are parted from what stands above."""
    page = Page()
    page.heading("One")
    page.heading("Two", "a note")
    assert page.parts == [
        Line((Cell("One", "heading"),)),
        Line(()),
        Line((Cell("Two", "heading"), Cell("  a note", "muted"))),
    ]


def test_line_keeps_cells_and_indent() -> None:
    """Cells stay in order; plain text has the role of text."""
    page = Page()
    page.line(Cell("a"), Cell("b", "path"), indent=2)
    assert page.parts == [Line((Cell("a", "text"), Cell("b", "path")), 2)]


def test_grid_without_rows_is_left_out() -> None:
    """Headings over nothing say nothing."""
    page = Page()
    page.grid((Column("name"),), [])
    assert page.parts == []


def test_grid_keeps_its_rows() -> None:
    """Columns and rows as given."""
    page = Page()
    columns = (Column("name"), Column("size", right=True))
    page.grid(columns, [(Cell("a"), Cell("1")), (Cell("b"), Cell("2"))])
    assert page.parts == [Grid(columns, ((Cell("a"), Cell("1")), (Cell("b"), Cell("2"))))]


def test_pages_do_not_share_their_parts() -> None:
    """What is added to one is not on the next."""
    Page().blank()
    assert Page().parts == []
