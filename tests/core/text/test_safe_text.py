from __future__ import annotations

import pytest

from handoff_tui.core.text.safe_text import (
    find_hidden,
    has_hidden_characters,
    render_safe,
    render_safe_lines,
    split_hidden,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]52;c;cHdu\x07", "␛]52;c;cHdu␇"),
        ("\x9b31m", "⟨U+009B⟩31m"),
        ("abc\u202edcba", "abc⟨U+202E⟩dcba"),
        ("a\u200bb", "a⟨U+200B⟩b"),
        ("a\tb\nc", "a    b c"),
        ("\x7f", "␡"),
        ("caf\udce9", "caf\\xe9"),
        ("\ud800", "\ufffd"),
        ("\U000e0041", "⟨U+E0041⟩"),
        ("[red]x[/red] é 漢 🙂", "[red]x[/red] é 漢 🙂"),
    ],
)
def test_hidden_characters_are_shown(text: str, shown: str) -> None:
    """Controls, overrides and invisible characters are visible; everything else is as it was."""
    assert render_safe(text) == shown


def test_long_text_is_cut_with_a_mark() -> None:
    """The limit counts the mark."""
    assert render_safe("abcdef", 4) == "abc…"
    assert render_safe("abcd", 4) == "abcd"


def test_lines_are_made_safe_one_by_one() -> None:
    """Line ends stay line ends."""
    assert render_safe_lines("a\x1b\nb") == ["a␛", "b"]


def test_hidden_characters_are_noticed() -> None:
    """Tabs and line ends are no cause for alarm."""
    assert not has_hidden_characters("a\tb\n")
    assert has_hidden_characters("a\u202eb")


def test_hidden_characters_are_set_apart() -> None:
    """Each stands in a piece of its own, marked; together the pieces are the safe text."""
    text = "a\u202eb\x1b\x1bc\td"
    assert split_hidden(text) == [
        ("a", False),
        ("⟨U+202E⟩", True),
        ("b", False),
        ("␛", True),
        ("␛", True),
        ("c    d", False),
    ]
    assert split_hidden("") == []


def test_hidden_characters_are_named_once() -> None:
    """By their code points, bytes that are not UTF-8 as such, tabs and line ends not at all."""
    assert find_hidden("a\u202eb\u202e\x1b\udce9\t\n") == ("U+202E", "U+001B", "byte e9")
    assert find_hidden("plain é") == ()
