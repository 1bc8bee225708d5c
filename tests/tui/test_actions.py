"""Actions by id, and the keys that do them."""

from __future__ import annotations

import pytest
from textual import events

from handoff_tui.config.keymap import DEFAULT_KEYMAP
from handoff_tui.tui.actions import GROUPS, WORDS, Keys, get_scope


def press(key: str, character: str | None) -> events.Key:
    return events.Key(key, character)


def test_every_action_has_words_and_a_group() -> None:
    """The keymap, the words and the groups speak of the same actions."""
    assert set(WORDS) == set(DEFAULT_KEYMAP)
    assert {get_scope(action) for action in WORDS} == set(GROUPS)


@pytest.mark.parametrize(
    ("key", "character", "scopes", "action"),
    [
        ("j", "j", ("nav",), "nav.down"),
        ("down", None, ("nav",), "nav.down"),
        ("G", "G", ("nav",), "nav.bottom"),
        ("slash", "/", ("find",), "find.open"),
        ("space", " ", ("nav",), "nav.page-down"),
        ("ctrl+p", "\x10", ("app",), "app.palette"),
        ("right_square_bracket", "]", ("diff", "nav"), "diff.next-hunk"),
        ("right_square_bracket", "]", ("document", "nav"), "document.next-section"),
        ("right_square_bracket", "]", ("inbox", "nav"), None),
    ],
)
def test_key_means_what_the_view_says(key: str, character: str | None, scopes: tuple[str, ...], action: str) -> None:
    """The same key does another thing in another view, and nothing where no action has it."""
    assert Keys(DEFAULT_KEYMAP).find(press(key, character), scopes) == action


def test_remapped_key_replaces_the_usual_one() -> None:
    """An action answers to the keys it was given, and to no others."""
    keys = Keys({**DEFAULT_KEYMAP, "decide.approve": "f5"})
    assert keys.find(press("f5", None), ("decide",)) == "decide.approve"
    assert keys.find(press("a", "a"), ("decide",)) is None
    assert keys.show("decide.approve") == "f5"


def test_keys_are_shown_short() -> None:
    """Hints have no room for long names."""
    keys = Keys(DEFAULT_KEYMAP)
    assert (keys.show("app.palette"), keys.show("app.open"), keys.show("app.back")) == ("^p", "↵", "esc")
    assert keys.show_all("nav.down") == ("j", "↓")
    assert keys.show("decide.skip") == ""
