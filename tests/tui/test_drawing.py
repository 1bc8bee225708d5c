"""How things are drawn: themes, cells, the filter for what a terminal would obey."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import ControlType, Segment
from textual.color import Color
from textual.drivers.headless_driver import HeadlessDriver
from textual.drivers.linux_driver import LinuxDriver

from handoff_tui.config.theme import ROLES, list_themes, load_theme, peek_look
from handoff_tui.core.errors import ConfigError
from handoff_tui.core.text.columns import compute_width
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import find_hidden
from handoff_tui.tui.drawing.appearance import list_theme_names, load_appearance, load_named_theme
from handoff_tui.tui.drawing.cells import AsciiFilter, SafeFilter, draw_cells
from handoff_tui.tui.drawing.theming import ASCII_GLYPHS, Ink, build_framework_theme, is_native
from handoff_tui.tui.run import LastingFile, OutlivingDriver, outlive_terminal


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's file, empty, in a home of its own."""
    folder = tmp_path / "config" / "handoff-tui"
    folder.mkdir(parents=True)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    return folder / "config.toml"


def test_look_follows_the_users_file(settings: Path) -> None:
    """Theme, glyphs, keys and editor."""
    settings.write_text(
        'theme = "light"\nascii = true\neditor = ["vim", "+{line}", "{path}"]\n'
        '[keymap]\n"nav.down" = "n"\n"find.next" = ""\n'
    )
    look = load_appearance()
    assert (look.theme.name, look.ascii_only, look.editor[0]) == ("light", True, "vim")
    assert look.keymap["nav.down"] == "n"
    assert look.keymap["nav.up"] == "k,up"


def test_no_color_wins_over_the_file_and_a_wish_over_both(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NO_COLOR is for the terminal one sits at; who names a theme means it."""
    settings.write_text('theme = "light"\n')
    monkeypatch.setenv("NO_COLOR", "1")
    assert load_appearance().theme.name == "monochrome"
    assert load_appearance("high-contrast").theme.name == "high-contrast"


def test_bare_terminal_gets_ascii(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The console has no glyphs of ours, not even for the first paint; a person can ask for it, too, or set it."""
    assert not settings.exists()
    assert not load_appearance().ascii_only
    assert load_appearance(ascii_only=True).ascii_only
    assert peek_look(None, ascii_only=True).ascii_only
    monkeypatch.setenv("TERM", "linux")
    assert load_appearance().ascii_only
    assert peek_look(None).ascii_only
    monkeypatch.setenv("TERM", "xterm-256color")
    settings.write_text("ascii = true\n")
    assert peek_look(None).ascii_only


def test_own_themes_are_listed_and_loaded(settings: Path) -> None:
    """A theme in the user's folder stands beside those that are shipped."""
    folder = settings.parent / "themes"
    folder.mkdir()
    shipped = Path(__file__).resolve().parents[2] / "themes" / "dark.toml"
    (folder / "mine.toml").write_bytes(shipped.read_bytes())
    assert {"mine", "dark", "high-contrast"} <= set(list_theme_names())
    assert load_named_theme("mine").name == "mine"


def test_unknown_theme_is_told(settings: Path) -> None:
    """With the nearest name."""
    assert not settings.exists()
    with pytest.raises(ConfigError, match="light"):
        load_appearance("ligth")


INK = Ink(load_theme("dark", None))


@given(st.lists(st.text(alphabet="ab漢é ✓", max_size=20), max_size=5), st.integers(1, 60))
def test_line_is_exactly_as_wide_as_asked(texts: list[str], width: int) -> None:
    """Filled up or cut, whatever is in it."""
    assert draw_cells([Cell(text) for text in texts], width, INK).cell_length == width


def test_cut_line_says_so() -> None:
    """An ellipsis stands for what is left out."""
    assert draw_cells([Cell("abcdef")], 4, INK).text == "abc…"


def test_filter_spells_glyphs_in_ascii() -> None:
    """Whatever draws them; a line keeps its width."""
    drawn = draw_cells([Cell("✓ pass · 2… ┃▇⟨")], 18, INK)
    assert drawn.apply_filter(AsciiFilter(), BACKGROUND).text == "v pass - 2~ |*<   "
    assert draw_cells([Cell("↵ opens it")], 12, INK).apply_filter(AsciiFilter(), BACKGROUND).text == "enter opens "


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


def test_writing_goes_on_when_the_terminal_is_gone() -> None:
    """What is written is lost, and nothing is raised; the plain file would."""
    ours, theirs = os.openpty()
    with os.fdopen(theirs, "w", encoding="utf-8") as plain:
        file = LastingFile(plain)
        assert file.write("seen") == 4
        file.flush()
        assert os.read(ours, 4) == b"seen"
        os.close(ours)
        assert file.write("lost") == 4
        file.flush()
        with pytest.raises(OSError, match="Input/output error"):
            plain.flush()
        assert file.fileno() == theirs
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, theirs)  # so that closing it has somewhere to go
        os.close(nowhere)


def test_only_the_driver_of_a_terminal_is_changed() -> None:
    """One without a terminal has nothing to outlive."""
    assert outlive_terminal(HeadlessDriver) is HeadlessDriver
    assert outlive_terminal(LinuxDriver) is OutlivingDriver


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
    """One for one; only the key that has no sign is a word."""
    assert all(str(glyph).isascii() for glyph in ASCII_GLYPHS.values())
    longer = [chr(code) for code, glyph in ASCII_GLYPHS.items() if compute_width(chr(code)) != len(str(glyph))]
    assert longer == ["↵"]


def test_changed_lines_have_a_ground_only_where_the_theme_has_one() -> None:
    """Themes in the terminal's own colours tell changes by the words alone."""
    tinted = {name: Ink(load_theme(name, None)).tinted for name in list_themes(None)}
    assert {name for name, has_ground in tinted.items() if not has_ground} == {"monochrome", "terminal"}
