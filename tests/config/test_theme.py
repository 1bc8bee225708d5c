"""The theme for the first paint."""

from __future__ import annotations

import colorsys
from pathlib import Path

import pytest

from handoff_tui.checks.report import Outcome
from handoff_tui.config.theme import (
    FIELD_ROLES,
    ROLES,
    TEXT_ROLES,
    adapt_theme,
    list_themes,
    load_theme,
    parse_theme,
    peek_look,
)
from handoff_tui.core.errors import ConfigError
from handoff_tui.core.place import Severity
from handoff_tui.core.text.labels import label_verdict
from handoff_tui.handoffs.claim import VerdictState

SHIPPED = ("colour-blind", "dark", "high-contrast", "light", "monochrome", "terminal")
COLOURED = ("colour-blind", "dark", "high-contrast", "light")


def parse_colour(value: str) -> tuple[float, float, float]:
    red, green, blue = (int(value[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return red, green, blue


def compute_luminance(value: str) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parse_colour(value)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def compute_contrast(first: str, second: str) -> float:
    """The WCAG contrast ratio."""
    darker, lighter = sorted((compute_luminance(first), compute_luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def write_theme(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.toml").write_text(text)


def render_theme(**changed: str | None) -> str:
    roles = {**dict.fromkeys(ROLES, "default"), **{role.replace("_", "-"): value for role, value in changed.items()}}
    lines = [f'{role} = "{value}"' for role, value in roles.items() if value is not None]
    return "dark = true\n[roles]\n" + "\n".join(lines)


def test_shipped_themes_are_all_there() -> None:
    """Six themes come with the program, and each loads."""
    assert list_themes(None) == SHIPPED
    assert [load_theme(name, None).name for name in SHIPPED] == list(SHIPPED)


def test_roles_cover_every_outcome_verdict_and_severity() -> None:
    """Each word that the program can show has a role."""
    words = [word.value for kind in (Outcome, Severity) for word in kind]
    assert {*words, *(label_verdict(state).role for state in VerdictState)} <= set(ROLES)
    assert len(ROLES) == len(set(ROLES))


@pytest.mark.parametrize("name", COLOURED)
def test_words_can_be_read(name: str) -> None:
    """WCAG contrast of at least 4.5 on every ground, 7 in the high-contrast theme."""
    theme = load_theme(name, None)
    least = 7 if name == "high-contrast" else 4.5
    faint = [
        (role, field, round(contrast, 2))
        for role in TEXT_ROLES
        for field in FIELD_ROLES
        if (contrast := compute_contrast(theme.style(role).colour, theme.style(field).colour)) < least
    ]
    assert faint == []


def test_colour_blind_theme_has_neither_red_nor_green() -> None:
    """No role is told from another by red against green."""
    theme = load_theme("colour-blind", None)
    for role in ROLES:
        hue, saturation, _ = colorsys.rgb_to_hsv(*parse_colour(theme.style(role).colour))
        degrees = hue * 360
        assert saturation < 0.2 or 20 < degrees < 65 or 190 < degrees < 260, role


@pytest.mark.parametrize(
    ("first", "second"),
    [
        *(("pass", "fail"), ("holds", "contradicted"), ("human", "agent")),
        *(("added", "removed"), ("added-word", "removed-word"), ("added", "added-word"), ("removed", "removed-word")),
        *(("hidden", "text"), ("hidden", "added-word"), ("hidden", "removed-word")),
    ],
)
@pytest.mark.parametrize("name", SHIPPED)
def test_opposites_are_drawn_differently(name: str, first: str, second: str) -> None:
    """What must not be confused does not look the same."""
    theme = load_theme(name, None)
    assert theme.style(first) != theme.style(second)


def test_monochrome_theme_has_no_colours() -> None:
    """Only attributes, and the terminal's own colours."""
    theme = load_theme("monochrome", None)
    assert {theme.style(role).colour for role in ROLES} == {"default"}


def test_users_theme_is_found_and_wins(tmp_path: Path) -> None:
    """A theme of the user's own is loaded, also one with the name of a shipped one."""
    write_theme(tmp_path, "own", render_theme(text="bright-blue bold italic"))
    write_theme(tmp_path, "dark", render_theme())
    assert load_theme("own", tmp_path).style("text") == ("bright-blue", ("bold", "italic"))
    assert load_theme("dark", tmp_path).roles["text"] == "default"
    assert "own" in list_themes(tmp_path)


@pytest.mark.parametrize("name", ["drak", "../themes/dark", "", "nothing like it at all", "\x1b[31m"])
def test_unknown_theme_is_refused(name: str, tmp_path: Path) -> None:
    """A name that isn't a theme, or would lead into another folder, is refused and escaped."""
    with pytest.raises(ConfigError, match="there is no theme") as refused:
        load_theme(name, tmp_path / "missing")
    assert refused.value.message.isprintable()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (render_theme(txet="default"), "there is no role 'txet'; did you mean text?"),
        (render_theme(text=None), "roles without a colour: text"),
        (render_theme(text="#12345"), "text begins with '#12345', which is not #rrggbb"),
        (render_theme(text="default bald"), "text has 'bald'; did you mean bold?"),
        (render_theme(text=""), "text is empty"),
        (render_theme().replace('text = "default"', "text = 1"), "text should be a text in quotes, is 1"),
        (render_theme().replace("true", "1"), "dark should be true or false"),
        ("dark = true\nroles = 1", "roles should be a table"),
        ("drk = true\n" + render_theme(), "'drk' is unknown; did you mean dark?"),
        ("dark =", "is not TOML"),
    ],
)
def test_faulty_theme_is_refused(text: str, message: str) -> None:
    """Each fault is named with its file and, where known, its line."""
    with pytest.raises(ConfigError) as refused:
        parse_theme(text.encode(), "own", "own.toml")
    assert refused.value.message.startswith("own.toml:")
    assert message in refused.value.message


def test_unreadable_theme_is_an_error_of_the_configuration(tmp_path: Path) -> None:
    """A folder in the place of a theme is refused, not skipped."""
    (tmp_path / "dark.toml").mkdir()
    with pytest.raises(ConfigError, match="not a regular file"):
        load_theme("dark", tmp_path)


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
    assert peek_look(wanted).theme.name == name


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
