"""Any text is Markdown: it is rendered without a fault, safely, and nothing of it is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.core.text.safe_text import find_hidden
from handoff_tui.tui.views.documents.markdown_blocks import lay_out_blocks, parse_blocks
from handoff_tui.tui.views.documents.rows import LineNotes, RawText, RenderedText

PIECES = st.sampled_from(
    [
        *("# ", "- ", "1. ", "> ", "```", "`", "**", "*", "[", "](", ")", "|", "---", "<!--", "-->", "<b>", "~~", "\\"),
        *("word", "漢字", " ", "\n", "\n\n", "    ", "\t", "\x1b[31m", "\u202e", "\r\n", "&amp;", "https://a.example"),
    ]
)
TEXTS = st.lists(PIECES, max_size=40).map("".join)


@given(TEXTS, st.integers(min_value=1, max_value=90))
def test_any_text_is_laid_out_safely(text: str, width: int) -> None:
    """No cell holds what a terminal would obey; lines never go back."""
    rows = lay_out_blocks(parse_blocks(text), width)
    assert not any(find_hidden(cell.text) or "\t" in cell.text for row in rows for cell in row.cells)
    rendered = RenderedText(rows, LineNotes(), width)
    lines = [rendered.find_line(index) for index in range(rendered.count)]
    assert lines == sorted(lines)


@given(TEXTS)
def test_every_word_of_a_text_is_shown(text: str) -> None:
    """Rendered on a wide page, every word that was written is there."""
    rows = lay_out_blocks(parse_blocks(text), 4_000)
    shown = "".join(cell.text for row in rows for cell in row.cells)
    assert shown.count("word") + shown.count("漢字") >= text.count("word") + text.count("漢字")


@given(TEXTS, st.integers(min_value=1, max_value=60))
def test_raw_rows_find_their_lines(text: str, line: int) -> None:
    """From a line to its row and back."""
    raw = RawText(text, LineNotes())
    assert raw.find_line(raw.find_row(line)) == min(line, raw.line_count)
    assert not any(find_hidden(cell.text) for n in range(raw.count) for cell in raw.build_row(n, 80, 0))
