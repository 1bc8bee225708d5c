"""Why an action cannot be done now."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handoff_tui.live.state.app import AppState, TravelPart
from handoff_tui.tui.actions import find_refusal
from tests.support.debug_states import build_travel
from tests.support.desk_states import make_state


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (AppState(), "no handoff selected"),
        (make_state(reviewer="ada@example.com"), ""),
        (make_state(reviewer="ada@example.com", fatal=("an entry is gone",)), "the log isn't intact"),
        (make_state(reviewer_note="no key is configured"), "no key is configured"),
        (make_state(), "nobody can sign here"),
    ],
)
def test_decision_is_refused_with_its_reason(state: AppState, words: str) -> None:
    """Who cannot decide is told why before anything is opened."""
    refusal = find_refusal("decide.approve", state, read_only=False)
    assert refusal.startswith(words)
    assert bool(refusal) == bool(words)


def test_read_only_desk_decides_nothing() -> None:
    """Whatever else would allow it."""
    state = make_state(reviewer="ada@example.com")
    assert "--read-only" in find_refusal("decide.reject", state, read_only=True)
    assert find_refusal("nav.down", state, read_only=True) == ""


@pytest.mark.parametrize(
    "action",
    ["decide.approve", "checks.run", "checks.bisect", "agent.step", "pipeline.step", "diff.comment", "app.edit"],
)
def test_past_changes_nothing(action: str) -> None:
    """The reason names the moment and the way back; to look is never refused."""
    past = replace(make_state(reviewer="ada@example.com"), travel=build_travel())
    assert find_refusal(action, past, read_only=False) == "read-only as of 2026-03-05; esc returns to now"
    assert find_refusal("nav.down", past, read_only=False) == ""
    assert find_refusal("travel.next", past, read_only=False) == ""


def test_travel_needs_a_repository_that_was_read_and_stops() -> None:
    """Who is in the present is told how to leave it."""
    now = make_state()
    assert "still being read" in find_refusal("travel.begin", now, read_only=False)
    assert "still being read" in find_refusal("log.time-travel", now, read_only=False)
    assert "T in the log" in find_refusal("travel.previous", now, read_only=False)
    waiting = replace(now, travel=TravelPart())
    assert "being read" in find_refusal("travel.previous", waiting, read_only=False)
    assert "already" in find_refusal("travel.begin", waiting, read_only=False)
    assert find_refusal("travel.end", waiting, read_only=False) == ""
