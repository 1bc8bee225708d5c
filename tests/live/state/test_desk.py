"""The state of the desk."""

from __future__ import annotations

from dataclasses import replace

from handoff_tui.live.state.desk import DeskState, RepositoryPart
from handoff_tui.status.inbox_item import HandoffKey
from tests.support.desk_states import make_state


def test_repository_in_view_is_that_of_the_chosen_handoff_or_the_first() -> None:
    """With several at the desk it is never another one's."""
    first, second = RepositoryPart("/a", "a"), RepositoryPart("/b", "b")
    state = DeskState(repositories=(first, second))
    assert state.repository is first
    assert replace(state, chosen=HandoffKey("/b", "H-1")).repository is second
    assert DeskState().repository is None


def test_item_in_view_is_found_by_its_key() -> None:
    """A handoff that is gone is not in view any more."""
    state = make_state()
    assert state.item is state.inbox[0]
    assert replace(state, chosen=HandoffKey("/desk", "H-2")).item is None
