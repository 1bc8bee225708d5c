"""Our themes as the framework takes them."""

from __future__ import annotations

import pytest

from handoff_tui.config.theme import ROLES, list_themes, load_theme
from handoff_tui.core.text.cell_width import compute_width
from handoff_tui.tui.drawing.theming import ASCII_GLYPHS, Ink, build_framework_theme, is_native


@pytest.mark.parametrize("name", list_themes(None))
def test_every_theme_can_be_drawn(name: str) -> None:
    """Each role has a style, and the framework accepts the colours for its own widgets."""
    theme = load_theme(name, None)
    ink = Ink(theme)
    assert all(ink.get(role) is not None for role in ROLES)
    assert build_framework_theme(theme).to_color_system().generate()["background"]


def test_themes_of_the_terminal_stay_native() -> None:
    """A theme without colours of its own is not turned into true colour."""
    assert is_native(load_theme("terminal", None))
    assert is_native(load_theme("monochrome", None))
    assert not is_native(load_theme("dark", None))


def test_ascii_glyphs_are_ascii_and_one_column() -> None:
    """One for one: a line keeps its width."""
    assert all(str(glyph).isascii() for glyph in ASCII_GLYPHS.values())
    assert all(compute_width(chr(code)) == len(str(glyph)) for code, glyph in ASCII_GLYPHS.items())


def test_changed_lines_have_a_ground_only_where_the_theme_has_one() -> None:
    """Themes in the terminal's own colours tell changes by the words alone."""
    tinted = {name: Ink(load_theme(name, None)).tinted for name in list_themes(None)}
    assert {name for name, has_ground in tinted.items() if not has_ground} == {"monochrome", "terminal"}
