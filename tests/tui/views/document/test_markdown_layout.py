"""Blocks are laid out for a width; every row knows its line."""

from __future__ import annotations

import pytest

from handoff_tui.core.text.cell_width import compute_width
from handoff_tui.tui.views.document.markdown_blocks import parse_blocks
from handoff_tui.tui.views.document.markdown_layout import TextRow, lay_out_blocks

TEXT = """# A title

One line of a paragraph
and the second of it, which is rather longer than the first.

- an item that is long enough to be broken
- two

```
a line of code that is much too long for a narrow screen
```

| name | what it is for |
|------|----------------|
| lamp | to see in the dark |
| x |

---
end
"""


def lay_out(text: str, width: int) -> list[tuple[int, str]]:
    return [(row.line, read(row)) for row in lay_out_blocks(parse_blocks(text), width)]


def read(row: TextRow) -> str:
    return "".join(cell.text for cell in row.cells).rstrip()


def test_rows_know_their_lines() -> None:
    """Also where lines flow together, and where a line is broken."""
    rows = lay_out(TEXT, 40)
    assert rows[:9] == [
        (1, "# A title"),
        (2, ""),
        (3, "One line of a paragraph and the second"),
        (4, "of it, which is rather longer than the"),
        (4, "first."),
        (5, ""),
        (6, "• an item that is long enough to be"),
        (6, "  broken"),
        (7, "• two"),
    ]
    assert (10, "┊ a line of code that is much too long f") in rows
    assert (13, "name │ what it is for") in rows
    assert (15, "lamp │ to see in the dark") in rows
    assert rows[-2:] == [(18, "─" * 40), (19, "end")]


@pytest.mark.parametrize("width", [20, 33, 60, 120])
def test_no_row_is_wider_than_there_is_room(width: int) -> None:
    """Tables and code are fitted too, and nothing of the words is lost."""
    rows = lay_out_blocks(parse_blocks(TEXT), width)
    assert max(compute_width(read(row)) for row in rows) <= width
    shown = "".join("".join(read(row).split()) for row in rows)
    for word in ("paragraph", "second", "rather", "item", "two", "lamp", "dark", "end"):
        assert word in shown or width < 40


def test_wide_columns_give_way_first() -> None:
    """The narrow column keeps its width."""
    table = f"| a | b |\n|---|---|\n| short | {'word ' * 20} |\n"
    rows = [read(row) for row in lay_out_blocks(parse_blocks(table), 30)]
    assert all(row.startswith("short │ word") for row in rows if "short" in row)
    assert len(rows) > 4


def test_lines_never_go_back() -> None:
    """Whoever looks for a line can halve."""
    lines = [row.line for row in lay_out_blocks(parse_blocks(TEXT), 24)]
    assert lines == sorted(lines)


def test_nothing_is_laid_out_of_nothing() -> None:
    """An empty document has no rows."""
    assert lay_out("", 40) == []
