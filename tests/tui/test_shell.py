"""What stands around every view: bars, keys, refusals, the arming of keys, the travel bar."""

from __future__ import annotations

import pytest
from textual import events

from handoff_tui.config.keymap import DEFAULT_KEYMAP, MODAL_SCOPES, WORDS, split_keys
from handoff_tui.core.classes import replace
from handoff_tui.core.text.columns import compute_width
from handoff_tui.core.text.page import Cell
from handoff_tui.git.watch.noticed import Watching
from handoff_tui.live.state.app import AppState, Loaded, RepositoryPart, TravelPart, Trouble
from handoff_tui.log.gates.gate_state import GateName, GateState, Mover, NextMove
from handoff_tui.status.inbox_item import MeasuredGate, ReviewProblem, close_items
from handoff_tui.tui import messages
from handoff_tui.tui.actions import GROUPS, Keys, find_refusal, get_scope
from handoff_tui.tui.app import IN_THE_PAST, REQUESTS
from handoff_tui.tui.chrome import build_banner, build_tabs, build_title
from handoff_tui.tui.dialogs.box import PAUSE_SECONDS, Arming
from handoff_tui.tui.first_paint import REPOSITORY, REVIEW
from handoff_tui.tui.widgets.travel_bar import (
    build_lead,
    build_travel_bar,
    compute_track,
    describe_as_of,
    describe_missing,
    describe_notes,
    find_clicked_stop,
)
from tests.support.desk_states import build_state, make_state
from tests.support.view_states import STOPS, build_travel, build_visited

REVIEW_KEYS = {name: str(number) for number, name in enumerate(REVIEW, start=1)}
KEYS = REVIEW_KEYS | {name: str(number) for number, name in enumerate(REPOSITORY, start=1)}
STATE = make_state(reviewer="ada@example.com", watching=Watching.LIVE, state=Loaded(build_state()))


def join(row: tuple[Cell, ...]) -> str:
    return "".join(cell.text for cell in row)


def with_gate(gate: GateState, *, mine: bool = False) -> AppState:
    """The usual state with another gate."""
    item = STATE.inbox[0]
    reviewed = item.reviewed.model_copy(update={"gate": gate})
    return replace(STATE, inbox=(item._replace(reviewed=reviewed, waits_on_me=mine),))


@pytest.mark.parametrize("width", [60, 80, 100, 160])
@pytest.mark.parametrize("view", [*REPOSITORY, *REVIEW])
def test_bars_fit_the_width(width: int, view: str) -> None:
    """No title or row of tabs is wider than the screen; the tabs are those of the level, in order."""
    assert compute_width(join(build_title(STATE, view, "2 of 6 looked at", width))) <= width
    tabs = build_tabs(STATE, view, KEYS, width)
    if width >= 80:
        assert sum(compute_width(join(row)) for _, row in tabs) <= width
    assert [name for name, _ in tabs] == [f"view.{name}" for name in (REVIEW if view in REVIEW else REPOSITORY)]


def test_title_of_the_repository_says_how_much_needs_you() -> None:
    """And nothing of the kind while nobody knows."""
    assert "1 needs you" in join(build_title(STATE, "queue", "", 100))
    assert "ada@example.com" in join(build_title(STATE, "queue", "", 100))
    nothing = replace(STATE, inbox=())
    assert "nothing needs you" in join(build_title(nothing, "queue", "", 100))
    reading = replace(nothing, repositories=(RepositoryPart("/r", "r"),))
    assert "nothing needs you" not in join(build_title(reading, "queue", "", 100))
    assert "reading" in join(build_title(reading, "queue", "", 100))
    assert "nobody can sign" not in join(build_title(reading, "queue", "", 100))


def test_title_of_a_review_names_the_handoff_and_how_it_stands() -> None:
    """For me, for somebody else, or decided; and how much of it was looked at."""
    assert "H-1" in join(build_title(STATE, "changes", "", 80))
    assert "YOUR CALL · 2 of 6 looked at" in join(build_title(STATE, "changes", "2 of 6 looked at", 80))
    review = NextMove(who=Mover.REVIEWER, what="review and decide")
    waiting = with_gate(GateState(state=GateName.PENDING, next_move=review))
    assert "○ waiting" in join(build_title(waiting, "changes", "", 80))
    done = GateState(state=GateName.APPROVED, next_move=NextMove(who=Mover.NOBODY, what="decided"))
    assert "✓ approved" in join(build_title(with_gate(done), "changes", "", 80))


def test_long_name_is_cut_and_the_state_is_not() -> None:
    """Also one of wide characters."""
    item = STATE.inbox[0]
    for name in ("h" * 100, "漢" * 60):
        key = item.key._replace(handoff=name)
        handoff = item.reviewed.handoff.model_copy(update={"title": name})
        reviewed = item.reviewed.model_copy(update={"handoff": handoff})
        state = replace(STATE, inbox=(item._replace(key=key, reviewed=reviewed),), chosen=key)
        title = join(build_title(state, "changes", "", 80))
        assert "YOUR CALL" in title
        assert "…" in title
        assert 79 <= compute_width(title) <= 80


def test_figure_of_a_tab_is_never_stale() -> None:
    """Three dots while it is computed; then what blocks, what else is wrong, or that nothing is."""
    problem = ReviewProblem("k", "a test is gone")
    cases: tuple[tuple[Loaded[MeasuredGate], str], ...] = (
        (Loaded(MeasuredGate(1, 2, (problem,), 1)), "✗1"),
        (Loaded(MeasuredGate(2, 2, (problem._replace(blocks=False),))), "!1"),
        (Loaded(MeasuredGate(2, 2)), "✓"),
        (Loaded(MeasuredGate(2, 2), stale=True), "…"),
        (Loaded(loading=True), "…"),
    )
    for part, figure in cases:
        tabs = dict(build_tabs(replace(STATE, problems=part), "overview", KEYS, 160))
        assert join(tabs["view.evidence"]).endswith(f"3 Evidence {figure}")
    older = replace(STATE, problems=Loaded(MeasuredGate(1, 2, (problem,), 1)), checks=Loaded(stale=True))
    tabs = dict(build_tabs(older, "agent", KEYS, 160))  # a tab in which nobody reads the checks
    assert join(tabs["view.evidence"]).endswith("3 Evidence ✗1")


def test_banner_is_empty_on_most_days() -> None:
    """And says what must not be overlooked on the others."""
    assert build_banner(STATE, "queue", ".") == ()
    words = join(build_banner(make_state(fatal=("entry 3 is gone",)), "queue", "."))
    assert "IS NOT INTACT: entry 3 is gone" in words
    assert "Every gate is closed" in words
    words = join(build_banner(make_state(refused="handoff-tui.toml:1: no such key"), "queue", "."))
    assert "■ Every gate is closed: handoff-tui.toml:1: no such key" in words
    part = RepositoryPart("/gone", "gone", state=Loaded(trouble=Trouble("it is not there", "Go to another one.")))
    assert "it is not there Go to another one." in join(build_banner(AppState(repositories=(part,)), "queue", "."))
    moved = replace(STATE, moved=("a.py",))
    assert "1 file of this handoff changed since you opened it; . takes it in" in join(
        build_banner(moved, "changes", ".")
    )
    assert build_banner(moved, "queue", ".") == ()


def test_closed_gates_are_said_where_somebody_would_be_waited_for() -> None:
    """In the title, whatever the handoff says itself; in the queue, too."""
    state = make_state(fatal=("entry 3 is gone",), state=Loaded(build_state()))
    closed = replace(state, inbox=close_items(state.inbox, state.repositories[0].closed))
    assert "■ GATES CLOSED" in join(build_title(closed, "changes", "", 80))
    assert "■ gates closed" in join(build_title(closed, "queue", "", 80))


@pytest.mark.parametrize("view", [*REPOSITORY, *REVIEW])
def test_past_is_named_in_title_and_below(view: str) -> None:
    """And nothing there says that somebody is waited for now."""
    past = replace(STATE, travel=build_travel())
    title, banner = join(build_title(past, view, "", 80)), join(build_banner(past, view, "."))
    assert "AS OF b2b2b2b · READ-ONLY" in title
    assert "you" not in title
    assert "live" not in title
    assert compute_width(title) <= 80
    assert banner.startswith(" ⟲ AS OF commit b2b2b2b 2026-03-05 09:00 · read-only")


def press(key: str, character: str | None) -> events.Key:
    return events.Key(key, character)


def test_every_action_has_words_and_a_group() -> None:
    """The keymap, the words and the groups mention the same actions."""
    assert {get_scope(action) for action in WORDS} == set(GROUPS)


@pytest.mark.parametrize(
    ("key", "character", "action"),
    [
        ("j", "j", "nav.down"),
        ("down", None, "nav.down"),
        ("G", "G", "nav.bottom"),
        ("slash", "/", "find.open"),
        ("space", " ", "review.next"),
        ("ctrl+p", "\x10", "app.palette"),
        ("right_square_bracket", "]", "nav.next-section"),
        ("escape", None, "app.back"),
        ("ctrl+s", None, None),
    ],
)
def test_key_means_one_thing(key: str, character: str | None, action: str | None) -> None:
    """Whatever the view; the keys of a dialog mean nothing outside it."""
    assert Keys(DEFAULT_KEYMAP).find(press(key, character)) == action


PROMISED = {
    "j": "nav.down", "k": "nav.up", "J": "nav.next-handoff", "K": "nav.previous-handoff", "enter": "app.open",
    "escape": "app.back", "q": "app.quit", "space": "review.next", "tab": "focus.next", "z": "focus.zoom",
    "/": "find.open", "n": "find.next", "N": "find.previous", "?": "app.help", "ctrl+p": "app.palette",
    "a": "decide.approve", "x": "decide.reject", "r": "decide.retry", "A": "decide.choose", "c": "review.comment",
    "C": "review.comments", "m": "review.mark", "v": "review.select", "s": "agent.start", "S": "agent.stop",
    "b": "review.bisect", "t": "travel.begin", "o": "app.edit", "y": "app.copy", "u": "app.undo", "R": "review.run",
    "w": "review.lens", "f": "review.filter", "]": "nav.next-section", "[": "nav.previous-section",
    "}": "nav.next-file", "{": "nav.previous-file", "T": "app.theme",
}  # fmt: skip
"""Each key that people learn, and the one thing it means."""
LENT = {"b", "u", "d", "space", "enter", "escape", "ctrl+r"}
"""What an open dialog uses for its own content: since when, undo, open, back, look again; and digests."""


def test_keys_mean_what_people_learn() -> None:
    """In every view; a dialog takes no other key for itself that means something outside it."""
    usual: dict[str, str] = {}
    modal: dict[str, str] = {}
    for action, keys in DEFAULT_KEYMAP.items():
        (modal if get_scope(action) in MODAL_SCOPES else usual).update(dict.fromkeys(split_keys(keys), action))
    assert {key: usual.get(key) for key in PROMISED} == PROMISED
    assert modal.keys() & usual.keys() == LENT


def test_dialog_has_keys_of_its_own() -> None:
    """Before those it lets through."""
    keys = Keys(DEFAULT_KEYMAP)
    assert keys.find(press("escape", None), ("decision", "app")) == "decision.cancel"
    assert keys.find(press("q", "q"), ("decision", "app")) == "app.quit"


def test_remapped_key_replaces_the_usual_one() -> None:
    """An action answers to the keys it was given, and to no others."""
    keys = Keys({**DEFAULT_KEYMAP, "decide.approve": "f5"})
    assert keys.find(press("f5", None)) == "decide.approve"
    assert keys.find(press("a", "a")) is None
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
    """Only what is new must be looked at again."""
    arming = Arming()
    arming.note_painted(10.0)
    arming.note_painted(20.0)
    assert arming.admits(10.5)


def test_other_input_begins_the_pause_again() -> None:
    """A pasted text that ends with the key isn't a confirmation; input from before the paint does not shorten it."""
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
    ["decide.approve", "review.run", "review.bisect", "agent.start", "review.comment", "app.edit", "app.undo"],
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
    assert "t travels back" in find_refusal("travel.previous", now, read_only=False)
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
