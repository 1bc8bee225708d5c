"""Why an action cannot be done now."""

from __future__ import annotations

import pytest

from handoff_tui.models.desk_state import DeskState
from handoff_tui.tui.refusals import find_refusal
from tests.support.desk_states import make_state


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (DeskState(), "no handoff is chosen"),
        (make_state(reviewer="ada@example.com"), ""),
        (make_state(reviewer="ada@example.com", fatal=("an entry is gone",)), "the log is not sound"),
        (make_state(reviewer_note="no key is configured"), "no key is configured"),
        (make_state(), "nobody can sign here"),
    ],
)
def test_decision_is_refused_with_its_reason(state: DeskState, words: str) -> None:
    """Who cannot decide is told why before anything is opened."""
    refusal = find_refusal("decide.approve", state, read_only=False, views=())
    assert refusal.startswith(words)
    assert bool(refusal) == bool(words)


def test_read_only_desk_decides_nothing() -> None:
    """Whatever else would allow it."""
    state = make_state(reviewer="ada@example.com")
    assert "--read-only" in find_refusal("decide.reject", state, read_only=True, views=())
    assert find_refusal("nav.down", state, read_only=True, views=()) == ""


def test_view_that_is_not_there_is_refused() -> None:
    """Its key says so instead of doing nothing."""
    assert find_refusal("view.agent", DeskState(), read_only=False, views=("inbox",)) != ""
    assert find_refusal("view.inbox", DeskState(), read_only=False, views=("inbox",)) == ""
