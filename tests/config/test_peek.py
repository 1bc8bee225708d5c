"""The theme for the first paint."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.config.theme import adapt_theme, peek_theme


@pytest.mark.parametrize(
    ("content", "wanted", "colourless", "name"),
    [
        (None, None, False, "dark"),
        ('theme = "light"', None, False, "light"),
        ('theme = "light"', None, True, "monochrome"),
        ('theme = "light"', "high-contrast", True, "high-contrast"),
        ('theme = "no-such"', None, False, "dark"),
        ("theme = [", None, False, "dark"),
        ("theme = 3", None, False, "dark"),
    ],
)
def test_first_theme_is_the_users_or_the_usual_one(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    content: str | None,
    wanted: str | None,
    colourless: bool,  # noqa: FBT001 - a case of a table
    name: str,
) -> None:
    """A file that is wrong does not stop the first paint."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    if colourless:
        monkeypatch.setenv("NO_COLOR", "1")
    if content is not None:
        (tmp_path / "handoff-tui").mkdir()
        (tmp_path / "handoff-tui" / "config.toml").write_text(content)
    assert peek_theme(wanted).name == name


@pytest.mark.parametrize(
    ("term", "colorterm", "shown"),
    [
        ("xterm", "", "terminal"),
        ("linux", "", "terminal"),
        ("xterm-16color", "", "terminal"),
        ("xterm", "truecolor", "light"),
        ("xterm-256color", "", "light"),
        ("", "", "light"),
    ],
)
def test_terminal_of_sixteen_colours_gets_the_theme_made_of_them(
    monkeypatch: pytest.MonkeyPatch, term: str, colorterm: str, shown: str
) -> None:
    """Colours that would be guessed are not used; a theme without any stays."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", term)
    monkeypatch.setenv("COLORTERM", colorterm)
    assert adapt_theme("light") == shown
    assert adapt_theme("monochrome") == "monochrome"
