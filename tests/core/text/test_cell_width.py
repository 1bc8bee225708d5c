from __future__ import annotations

import pytest

from handoff_tui.core.text.cell_width import compute_width, wrap_cells
from handoff_tui.core.text.page import Cell


@pytest.mark.parametrize(("text", "width"), [("", 0), ("abc", 3), ("漢字", 4), ("e\u0301", 1), ("é", 1)])
def test_width_is_that_of_the_terminal(text: str, width: int) -> None:
    """Wide characters take two columns, combining ones none."""
    assert compute_width(text) == width


@pytest.mark.parametrize("text", ["", "abc", "abcdef", "a" * 25, "漢" * 9, "a漢b字c" * 4, "e\u0301" * 20])
@pytest.mark.parametrize("width", [1, 2, 5, 6])
def test_every_line_has_the_same_width(text: str, width: int) -> None:
    """Filled up with blanks, nothing lost, roles kept."""
    lines = wrap_cells((Cell(text[:3], "added"), Cell(text[3:], "removed")), width)
    drawn = ["".join(cell.text for cell in line) for line in lines]
    assert {compute_width(line) for line in drawn} == {max(width, 2)}
    cells = [cell for line in lines for cell in line]
    assert "".join(cell.text for cell in cells if cell.role == "added") == text[:3]
    assert "".join(cell.text for cell in cells if cell.role == "removed") == text[3:]
