"""Laws of folded output: nothing is lost, nothing is told twice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.history.failure.failure import fold_output, is_error_line

LINES = st.lists(st.sampled_from(["x", "error: y", "0 errors", "", "not ok"]) | st.text(max_size=10), max_size=80)


@given(LINES, st.integers(0, 1_000))
def test_every_line_is_shown_or_folded_once(lines: list[str], skipped: int) -> None:
    """In their order, with the numbers that they have in the file."""
    number = 1
    for line in fold_output("/log", lines, skipped).lines:
        assert line.number == number
        if not line.folded:
            assert line.text == lines[number - 1 - skipped]
            assert line.is_error == is_error_line(line.text)
        number += line.folded or 1
    assert number == len(lines) + skipped + 1


@given(st.text())
def test_any_line_can_be_asked_about(line: str) -> None:
    """Nothing raises."""
    assert is_error_line(line) in {True, False}
