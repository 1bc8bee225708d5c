"""Cells drawn as one line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.config.theme import load_theme
from handoff_tui.core.text.page import Cell
from handoff_tui.tui.drawing.cells import draw_cells
from handoff_tui.tui.drawing.theming import Ink

INK = Ink(load_theme("dark", None))


@given(st.lists(st.text(alphabet="ab漢é ✓", max_size=20), max_size=5), st.integers(1, 60))
def test_line_is_exactly_as_wide_as_asked(texts: list[str], width: int) -> None:
    """Filled up or cut, whatever is in it."""
    assert draw_cells([Cell(text) for text in texts], width, INK).cell_length == width


def test_cut_line_says_so() -> None:
    """An ellipsis stands for what is left out."""
    assert draw_cells([Cell("abcdef")], 4, INK).text == "abc…"


def test_ascii_ink_draws_ascii() -> None:
    """Glyphs become letters where the terminal has none."""
    ink = Ink(load_theme("terminal", None), ascii_only=True)
    assert draw_cells([Cell("✓ pass · 2…")], 12, ink).text == "v pass - 2~ "


def test_markup_is_text() -> None:
    """Brackets are brackets."""
    assert draw_cells([Cell("[red]x[/]")], 9, INK).text == "[red]x[/]"


def test_row_that_is_turned_round_has_one_ground() -> None:
    """In sixteen colours and in none: cells of the chosen row keep their weight, not their colours."""
    for name in ("terminal", "monochrome"):
        ink = Ink(load_theme(name, None))
        assert ink.selection.reverse
        cells = [Cell("+13", "added"), Cell(" -2", "removed"), Cell(" ✗ no", "critical")]
        strip = draw_cells(cells, 20, ink, ink.selection)
        drawn = {(segment.style.color, segment.style.reverse) for segment in strip if segment.style}
        assert drawn == {(ink.selection.color, True)}


def test_blanks_around_a_word_that_is_turned_round_are_ground() -> None:
    """A word looks like a word, and not like a bar; a single blank parts words that belong together."""
    ink = Ink(load_theme("monochrome", None))
    cells = [Cell("  ◆ needs you  ", "waiting"), Cell("a", "waiting"), Cell(" ", "waiting"), Cell("b", "waiting")]
    strip = draw_cells([*cells, Cell("    ", "waiting")], 30, ink)
    turned = [segment.text for segment in strip if segment.style and segment.style.reverse]
    assert turned == ["◆ needs you", "a b"]
