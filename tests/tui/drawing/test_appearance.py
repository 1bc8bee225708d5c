"""The user's own desk: theme, glyphs, keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.core.errors import ConfigError
from handoff_tui.tui.drawing.appearance import list_theme_names, load_appearance, load_named_theme


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
    """The console has no glyphs of ours."""
    assert not settings.exists()
    monkeypatch.setenv("TERM", "linux")
    assert load_appearance().ascii_only


def test_own_themes_are_listed_and_loaded(settings: Path) -> None:
    """A theme in the user's folder stands beside those that are shipped."""
    folder = settings.parent / "themes"
    folder.mkdir()
    shipped = Path(__file__).resolve().parents[3] / "themes" / "dark.toml"
    (folder / "mine.toml").write_bytes(shipped.read_bytes())
    assert {"mine", "dark", "high-contrast"} <= set(list_theme_names())
    assert load_named_theme("mine").name == "mine"


def test_unknown_theme_is_told(settings: Path) -> None:
    """With the nearest name."""
    assert not settings.exists()
    with pytest.raises(ConfigError, match="light"):
        load_appearance("ligth")
