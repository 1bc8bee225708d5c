"""Nothing that a terminal would obey passes the filter."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import ControlType, Segment
from textual.color import Color

from handoff_tui.core.text.safe_text import find_hidden
from handoff_tui.tui.drawing.line_filter import SafeFilter

BACKGROUND = Color(0, 0, 0)


@given(
    st.lists(st.text(alphabet=st.sampled_from("ab漢\x1b[]\x07\x9b\u202e\u200b\t\n\x7f52;é"), max_size=12), max_size=4)
)
def test_filter_lets_nothing_through_and_keeps_the_width(texts: list[str]) -> None:
    """No control, override or invisible character is left; the line stays as wide as the framework thinks it is."""
    segments = [Segment(text) for text in texts]
    found = SafeFilter().apply(segments, BACKGROUND)
    drawn = "".join(segment.text for segment in found)
    assert not find_hidden(drawn)
    assert not set(drawn) & {"\t", "\n"}
    assert sum(cell_len(segment.text) for segment in found) == sum(cell_len(text) for text in texts)


def test_plain_lines_are_left_alone() -> None:
    """What is harmless is handed on as it is, controls of the framework itself too."""
    segments = [Segment("plain ✓"), Segment("", None, [(ControlType.BELL,)])]
    assert SafeFilter().apply(segments, BACKGROUND) is segments
