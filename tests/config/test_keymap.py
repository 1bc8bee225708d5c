from __future__ import annotations

import pytest
from pydantic import ValidationError

from handoff_tui.config.keymap import DEFAULT_KEYMAP, find_collisions
from handoff_tui.config.settings.root import Settings


def test_default_keymap_names_actions_by_screen_and_verb() -> None:
    """Every action id is `screen.verb`."""
    assert all(action.count(".") == 1 and action == action.lower() for action in DEFAULT_KEYMAP)


def test_collisions_are_found_with_keys_that_work_everywhere() -> None:
    """A view's key cannot hide one that every view has."""
    assert find_collisions({"decide.approve": "a", "log.follow": "a"}) == (
        "the key a is given to both decide.approve and log.follow",
    )


def test_collisions_are_found_within_one_view() -> None:
    """One key does one thing in a view."""
    assert len(find_collisions({"diff.wrap": "w", "diff.mode": "v,w"})) == 1


def test_collisions_are_none_between_views_and_in_the_dialog() -> None:
    """Two views may use one key; the dialog has keys of its own."""
    assert find_collisions({"inbox.sort": "s", "agent.step": "s"}) == ()
    assert find_collisions({"app.back": "escape", "decision.cancel": "escape"}) == ()


@pytest.mark.parametrize(
    ("keymap", "message"),
    [
        ({"nav.dwn": "d"}, "did you mean nav.down"),
        ({"nav.down": "ctrl+nothing"}, "is not a key"),
        ({"nav.down": "j,,k"}, "is not a key"),
        ({"nav.down": "é"}, "is not a key"),
        ({"decision.confirm": "y"}, "a decision needs"),
        ({"decision.confirm": "enter"}, "a decision needs"),
        ({"decision.confirm": "ctrl+m"}, "a decision needs"),
        ({"decision.confirm": "ctrl+j"}, "a decision needs"),
        ({"decision.confirm": "ctrl+s,space"}, "a decision needs"),
        ({"decide.approve": "x", "decide.reject": "x"}, "given to both"),
    ],
)
def test_keymap_refuses(keymap: dict[str, str], message: str) -> None:
    """Unknown actions, odd keys, collisions, and a decision by a key that is pressed by accident."""
    with pytest.raises(ValidationError, match=message):
        Settings(keymap=keymap)


@pytest.mark.parametrize("keys", ["", "f10", "ctrl+y"])
def test_keymap_accepts_deliberate_keys_to_confirm(keys: str) -> None:
    """The confirming key may be changed or taken away."""
    assert Settings(keymap={"decision.confirm": keys}).keymap == {"decision.confirm": keys}
