"""What stands around every view: bars, keys, refusals, the arming of keys, the travel bar."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual import events

from handoff_tui.config.keymap import DEFAULT_KEYMAP, WORDS
from handoff_tui.core.text.cell_width import compute_width
from handoff_tui.core.text.page import Cell
from handoff_tui.git.watch.noticed import Watching
from handoff_tui.live.state.app import AppState, Loaded, RepositoryPart, TravelPart, Trouble
from handoff_tui.log.gates.gate_state import GateName, GateState, Mover, NextMove
from handoff_tui.status.inbox_item import close_items
from handoff_tui.tui import messages
from handoff_tui.tui.actions import GROUPS, Keys, find_refusal, get_scope
from handoff_tui.tui.app import IN_THE_PAST, REQUESTS
from handoff_tui.tui.arming import PAUSE_SECONDS, Arming
from handoff_tui.tui.chrome import build_tabs, build_title, build_why
from handoff_tui.tui.first_paint import NAMES
from handoff_tui.tui.widgets.travel_bar import (
    build_lead,
    build_travel_bar,
    compute_track,
    describe_as_of,
    describe_missing,
    describe_notes,
    find_clicked_stop,
)
from tests.support.desk_states import make_state
from tests.support.view_states import STOPS, build_travel, build_visited

KEYS = {name: str(number) for number, name in enumerate(NAMES, start=1)}
STATE = make_state(reviewer="ada@example.com", watching=Watching.LIVE)


def join(row: tuple[Cell, ...]) -> str:
    return "".join(cell.text for cell in row)


def join_parts(parts: list[tuple[str, tuple[Cell, ...]]]) -> str:
    return "".join(join(row) for _, row in parts)


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
    assert compute_width(join_parts(title)) <= width
    assert "live" in join_parts(title)
    tabs = build_tabs(STATE, view, KEYS, width)
    if width >= 80:
        assert sum(compute_width(join(row)) for _, row in tabs) <= width
    assert [name for name, _ in tabs] == list(NAMES)


def test_title_says_who_is_waited_for() -> None:
    """For me, for somebody else, or decided."""
    assert "NEEDS YOU" in join_parts(build_title(STATE, "diff", 80))
    review = NextMove(who=Mover.REVIEWER, what="review and decide")
    assert "waiting for somebody else" in join_parts(
        build_title(with_gate(GateState(state=GateName.PENDING, next_move=review)), "diff", 80)
    )
    done = GateState(state=GateName.APPROVED, next_move=NextMove(who=Mover.NOBODY, what="decided"))
    assert "APPROVED" in join_parts(build_title(with_gate(done), "diff", 80))


def test_long_name_is_cut_at_its_beginning() -> None:
    """The end of a name tells more, and the state is never cut."""
    item = STATE.inbox[0]
    key = item.key._replace(handoff="h" * 100 + "-end")
    state = replace(STATE, inbox=(item._replace(key=key),), chosen=key)
    title = join_parts(build_title(state, "diff", 80))
    assert "-end" in title
    assert "NEEDS YOU" in title
    assert compute_width(title) == 80
    wide = key._replace(handoff="漢" * 60)
    state = replace(STATE, inbox=(item._replace(key=wide),), chosen=wide)
    assert 79 <= compute_width(join_parts(build_title(state, "diff", 80))) <= 80


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
    assert "■ GATES CLOSED" in join_parts(build_title(closed, "diff", 80))
    assert "■ gates closed" in join_parts(build_title(closed, "inbox", 80))


def test_settings_that_cannot_be_used_are_said() -> None:
    """And that every gate is closed by that."""
    words = join(build_why(make_state(refused="handoff-tui.toml:1: no such key"), 100))
    assert "■ Every gate is closed: handoff-tui.toml:1: no such key" in words


def test_repository_that_cannot_be_read_says_why() -> None:
    """With what to do about it."""
    part = RepositoryPart("/gone", "gone", state=Loaded(trouble=Trouble("it is not there", "Go to another one.")))
    assert "it is not there Go to another one." in join(build_why(AppState(repositories=(part,)), 100))


@pytest.mark.parametrize("view", list(NAMES))
def test_past_is_named_in_title_and_below(view: str) -> None:
    """And nothing there says that somebody is waited for now."""
    past = replace(STATE, travel=build_travel())
    title, why = join_parts(build_title(past, view, 80)), join(build_why(past, 160))
    assert "AS OF b2b2b2b · READ-ONLY" in title
    assert "NEEDS YOU" not in title
    assert "live" not in title
    assert compute_width(title) <= 80
    assert why.startswith(" ⟲ AS OF commit b2b2b2b 2026-03-05 09:00 · read-only")


def press(key: str, character: str | None) -> events.Key:
    return events.Key(key, character)


def test_every_action_has_words_and_a_group() -> None:
    """The keymap, the words and the groups speak of the same actions."""
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


def test_keys_count_a_pause_after_the_paint() -> None:
    """Those typed before, while it was painted, and shortly after do not."""
    arming = Arming()
    arming.note_painted(10.0)
    assert [arming.admits(at) for at in (9.0, 10.0, 10.29, 10.3, 11.0)] == [False, False, False, True, True]


def test_second_paint_of_the_same_changes_nothing() -> None:
    """Only what is new must be looked at anew."""
    arming = Arming()
    arming.note_painted(10.0)
    arming.note_painted(20.0)
    assert arming.admits(10.5)


def test_other_input_begins_the_pause_again() -> None:
    """A pasted text that ends with the key is no confirmation; input from before the paint does not shorten it."""
    arming = Arming()
    arming.begin_again(5.0)
    assert not arming.admits(100.0)
    arming.note_painted(10.0)
    arming.begin_again(9.0)
    assert arming.admits(10.0 + PAUSE_SECONDS)
    arming.begin_again(12.0)
    assert not arming.admits(12.1)
    assert arming.admits(12.0 + PAUSE_SECONDS)


def test_disarmed_waits_for_another_paint() -> None:
    """What has moved must be shown first."""
    arming = Arming()
    arming.note_painted(10.0)
    arming.disarm()
    assert not arming.admits(100.0)
    arming.note_painted(100.0)
    assert arming.admits(101.0)


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


def test_requests_answer_every_message_that_asks() -> None:
    """What a view can ask for reaches the desk: no message without its line, no line without its message."""
    assert set(REQUESTS) == set(messages.Request.__subclasses__())


def test_past_can_only_be_looked_at() -> None:
    """Nothing that writes, signs, starts or ends something is among what may be asked for there."""
    words = ("Written", "Removed", "Marked", "Kept", "Confirmed", "Paused", "Decision", "Proposal", "Checks", "Course")
    assert set(REQUESTS) >= IN_THE_PAST
    assert [one.__name__ for one in IN_THE_PAST if any(word in one.__name__ for word in words)] == []


TRAVEL_KEYS = ("<", ">", "esc")


def test_as_of_names_the_stop_that_is_shown_not_the_one_being_read() -> None:
    """The slider may be ahead of what the views show; the words never are."""
    ahead = replace(build_travel(0), index=2, loading=True)
    assert "AS OF commit a1a1a1a 2026-03-04 08:00 · read-only" in describe_as_of(ahead, short=False).text
    assert "AS OF a1a1a1a · READ-ONLY" in describe_as_of(ahead, short=True).text
    assert describe_as_of(ahead, short=True).role == "warning"


def test_as_of_says_that_now_is_shown_until_the_first_stop_was_read() -> None:
    """And why it is, where it could not be read."""
    assert "showing now · read-only" in describe_as_of(TravelPart(), short=False).text
    failed = TravelPart(loading=False, trouble=Trouble("there is no commit yet"))
    assert "there is no commit yet · showing now" in describe_as_of(failed, short=False).text


def test_missing_handoff_is_named() -> None:
    """Another one stands in its place on the screen."""
    gone = replace(build_travel(), visited=build_visited(STOPS[1], missing="H-9\x1b"))
    assert join(describe_missing(gone)) == "H-9␛ didn't exist yet · "
    assert describe_missing(build_travel()) == ()


def test_notes_say_what_the_past_does_not_show() -> None:
    """What concerns every stop comes first."""
    travel = replace(
        build_travel(), notes=("this clone is shallow",), visited=build_visited(STOPS[1], notes=("rewritten",))
    )
    assert join(describe_notes(travel)) == " · ! this clone is shallow · rewritten"
    assert describe_notes(TravelPart()) == ()


def test_bar_says_place_and_happening() -> None:
    """How far along, what happened there, by whom and when."""
    words = join(build_travel_bar(build_travel(2), TRAVEL_KEYS, 160))
    assert " < 3/3 " in words
    assert "entry dddddddddddd approve H-1 · build · attempt 1 · ada@example.org · 2026-03-06 11:00" in words
    assert "esc now" in words


@pytest.mark.parametrize(
    ("travel", "words"),
    [
        (TravelPart(), "Reading the stops…"),
        (replace(build_travel(), loading=True), "reading…"),
        (replace(build_travel(), trouble=Trouble("an object is missing")), "✗ an object is missing"),
        (TravelPart(loading=False, trouble=Trouble("there is no commit yet")), "there is no commit yet"),
    ],
)
def test_bar_says_what_it_waits_for_and_what_failed(travel: TravelPart, words: str) -> None:
    """The way out is always there."""
    shown = join(build_travel_bar(travel, TRAVEL_KEYS, 80))
    assert words in shown
    assert "esc now" in shown


@pytest.mark.parametrize("width", [60, 80, 160, 400])
def test_click_on_the_slider_finds_the_stop_under_it(width: int) -> None:
    """Both ends of the track are both ends of the line; beside it is nothing."""
    travel = replace(build_travel(), stops=STOPS * 50)
    start, track = compute_width(build_lead(travel, TRAVEL_KEYS).text), compute_track(width)
    assert find_clicked_stop(travel, TRAVEL_KEYS, width, start) == 0
    assert find_clicked_stop(travel, TRAVEL_KEYS, width, start + track - 1) == 149
    assert find_clicked_stop(travel, TRAVEL_KEYS, width, start - 1) is None
    assert find_clicked_stop(travel, TRAVEL_KEYS, width, start + track) is None
    assert find_clicked_stop(TravelPart(), TRAVEL_KEYS, width, start) is None


def test_slider_stands_at_its_share_of_the_track() -> None:
    """The first stop is at the left end, the last at the right one."""
    for index, place in ((0, 0), (2, compute_track(80) - 1)):
        bar = join(build_travel_bar(build_travel(index), TRAVEL_KEYS, 80))
        assert bar.index("●") - compute_width(build_lead(build_travel(index), TRAVEL_KEYS).text) == place
