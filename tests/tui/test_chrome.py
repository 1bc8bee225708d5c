"""What stands around every view."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handoff_tui.core.text.cell_width import compute_width
from handoff_tui.core.text.page import Cell
from handoff_tui.git.watch.noticed import Watching
from handoff_tui.live.state.app import AppState, Loaded, RepositoryPart, Trouble
from handoff_tui.log.gates.gate_state import GateName, GateState, Mover, NextMove
from handoff_tui.status.inbox_item import close_items
from handoff_tui.tui.chrome import build_tabs, build_title, build_why, count_waiting
from handoff_tui.tui.first_paint import NAMES
from tests.support.debug_states import build_travel
from tests.support.desk_states import make_state

KEYS = {name: str(number) for number, name in enumerate(NAMES, start=1)}
STATE = make_state(reviewer="ada@example.com", watching=Watching.LIVE)


def join(row: tuple[Cell, ...]) -> str:
    return "".join(cell.text for cell in row)


def with_gate(gate: GateState, *, mine: bool = False) -> AppState:
    """The usual state with another gate."""
    item = STATE.inbox[0]
    reviewed = item.reviewed.model_copy(update={"gate": gate})
    return replace(STATE, inbox=(item._replace(reviewed=reviewed, waits_on_me=mine),))


@pytest.mark.parametrize("width", [60, 80, 100, 160])
@pytest.mark.parametrize("view", list(NAMES))
def test_bars_fit_the_width(width: int, view: str) -> None:
    """No view's title or tabs are wider than the screen, and the state is in the title."""
    title = build_title(STATE, view, width)
    assert compute_width(join(title)) <= width
    assert "live" in join(title)
    tabs = build_tabs(STATE, view, KEYS, width)
    if width >= 80:
        assert sum(compute_width(join(row)) for _, row in tabs) <= width
    assert [name for name, _ in tabs] == list(NAMES)


def test_title_says_who_is_waited_for() -> None:
    """For me, for somebody else, or decided."""
    assert "NEEDS YOU" in join(build_title(STATE, "diff", 80))
    review = NextMove(who=Mover.REVIEWER, what="review and decide")
    assert "waiting for somebody else" in join(
        build_title(with_gate(GateState(state=GateName.PENDING, next_move=review)), "diff", 80)
    )
    done = GateState(state=GateName.APPROVED, next_move=NextMove(who=Mover.NOBODY, what="decided"))
    assert "APPROVED" in join(build_title(with_gate(done), "diff", 80))


def test_long_name_is_cut_at_its_beginning() -> None:
    """The end of a name tells more, and the state is never cut."""
    item = STATE.inbox[0]
    key = item.key._replace(handoff="h" * 100 + "-end")
    state = replace(STATE, inbox=(item._replace(key=key),), chosen=key)
    title = join(build_title(state, "diff", 80))
    assert "-end" in title
    assert "NEEDS YOU" in title
    assert compute_width(title) == 80
    wide = key._replace(handoff="漢" * 60)
    state = replace(STATE, inbox=(item._replace(key=wide),), chosen=wide)
    assert 79 <= compute_width(join(build_title(state, "diff", 80))) <= 80


def test_narrow_tabs_keep_what_fails() -> None:
    """Where not every number fits, those of the inbox, the diff and the log go before a contradicted claim."""
    item = STATE.inbox[0]
    claims = item.reviewed.claims.model_copy(update={"contradicted": 2})
    reviewed = item.reviewed.model_copy(update={"claims": claims})
    state = replace(STATE, inbox=tuple(item._replace(reviewed=reviewed) for _ in range(1_000)))
    tabs = dict(build_tabs(state, "diff", KEYS, 75))
    assert sum(compute_width(join(row)) for row in tabs.values()) <= 75
    assert "✗2" in join(tabs["claims"])
    assert "1000" not in join(tabs["inbox"])


def test_decided_gate_is_not_called_blocked() -> None:
    """Who let it pass is no obstacle."""
    nobody = NextMove(who=Mover.NOBODY, what="decided")
    gate = GateState(state=GateName.APPROVED, why=("decided by ada",), next_move=nobody)
    why = join(build_why(with_gate(gate), 80))
    assert "✓ approved · decided by ada" in why
    assert "blocked" not in why


def test_why_says_whose_move_it_is_and_what_blocks() -> None:
    """The first reason, and how many more there are."""
    gate = GateState(
        state=GateName.PENDING,
        blocking=("two claims are contradicted", "a check fails"),
        next_move=NextMove(who=Mover.AGENT, name="heron", what="repair it"),
    )
    words = join(build_why(with_gate(gate), 120))
    assert "heron's turn: repair it" in words
    assert "two claims are contradicted (+1 more)" in words


def test_unsound_log_is_said_before_anything_else() -> None:
    """Whatever is chosen."""
    words = join(build_why(make_state(fatal=("entry 3 is gone",)), 100))
    assert "IS NOT INTACT: entry 3 is gone" in words
    assert "Every gate is closed" in words


def test_closed_gates_are_said_where_somebody_would_be_waited_for() -> None:
    """In the title, whatever the handoff says itself; in the inbox, too."""
    state = make_state(fatal=("entry 3 is gone",))
    closed = replace(state, inbox=close_items(state.inbox, state.repositories[0].closed))
    assert "■ GATES CLOSED" in join(build_title(closed, "diff", 80))
    assert "■ gates closed" in join(build_title(closed, "inbox", 80))


def test_settings_that_cannot_be_used_are_said() -> None:
    """And that every gate is closed by that."""
    words = join(build_why(make_state(refused="handoff-tui.toml:1: no such key"), 100))
    assert "■ Every gate is closed: handoff-tui.toml:1: no such key" in words


def test_repository_that_cannot_be_read_says_why() -> None:
    """With what to do about it."""
    part = RepositoryPart("/gone", "gone", state=Loaded(trouble=Trouble("it is not there", "Go to another one.")))
    assert "it is not there Go to another one." in join(build_why(AppState(repositories=(part,)), 100))


def test_hostile_names_are_made_visible() -> None:
    """Nothing of a name reaches the terminal as it is."""
    item = STATE.inbox[0]
    gate = GateState(state=None, next_move=NextMove(who=Mover.AGENT, name="\x1b]52;c;x\x07", what="\u202eevil"))
    state = replace(
        STATE, inbox=(item._replace(reviewed=item.reviewed.model_copy(update={"gate": gate}), waits_on_me=False),)
    )
    words = join(build_why(state, 100))
    assert "\x1b" not in words
    assert "\u202e" not in words


@pytest.mark.parametrize("view", list(NAMES))
def test_past_is_named_in_title_and_below(view: str) -> None:
    """And nothing there says that somebody is waited for now."""
    past = replace(STATE, travel=build_travel())
    title, why = join(build_title(past, view, 80)), join(build_why(past, 160))
    assert "AS OF b2b2b2b · READ-ONLY" in title
    assert "NEEDS YOU" not in title
    assert "live" not in title
    assert compute_width(title) <= 80
    assert why.startswith(" ⟲ AS OF commit b2b2b2b 2026-03-05 09:00 · read-only")


def test_tabs_far_away_are_shortened_first() -> None:
    """The one in view keeps its whole name; every key stays."""
    tabs = dict(build_tabs(STATE, "figures", KEYS, 80))
    assert "Metrics" in join(tabs["figures"])
    assert "Inbox" not in join(tabs["inbox"])
    wide = dict(build_tabs(STATE, "figures", KEYS, 160))
    assert "Inbox" in join(wide["inbox"])
    narrow = build_tabs(STATE, "figures", KEYS, 60)
    assert all(KEYS[name] in join(row) for name, row in narrow)
    assert sum(compute_width(join(row)) for _, row in narrow) <= 60


def test_waiting_is_counted() -> None:
    """Only what waits for the person at the desk."""
    assert count_waiting(STATE) == 1
    assert count_waiting(AppState()) == 0
