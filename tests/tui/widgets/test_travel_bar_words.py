from __future__ import annotations

from dataclasses import replace

import pytest

from handoff_tui.core.text.cell_width import compute_width
from handoff_tui.core.text.page import Cell
from handoff_tui.live.state.app import TravelPart, Trouble
from handoff_tui.tui.widgets.travel_bar import (
    build_lead,
    build_travel_bar,
    compute_track,
    describe_as_of,
    describe_missing,
    describe_notes,
    find_clicked_stop,
)
from tests.support.debug_states import STOPS, build_travel, build_visited

KEYS = ("<", ">", "esc")


def join(row: tuple[Cell, ...]) -> str:
    return "".join(cell.text for cell in row)


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
    words = join(build_travel_bar(build_travel(2), KEYS, 160))
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
    shown = join(build_travel_bar(travel, KEYS, 80))
    assert words in shown
    assert "esc now" in shown


@pytest.mark.parametrize("width", [60, 80, 160, 400])
def test_click_on_the_slider_finds_the_stop_under_it(width: int) -> None:
    """Both ends of the track are both ends of the line; beside it is nothing."""
    travel = replace(build_travel(), stops=STOPS * 50)
    start, track = compute_width(build_lead(travel, KEYS).text), compute_track(width)
    assert find_clicked_stop(travel, KEYS, width, start) == 0
    assert find_clicked_stop(travel, KEYS, width, start + track - 1) == 149
    assert find_clicked_stop(travel, KEYS, width, start - 1) is None
    assert find_clicked_stop(travel, KEYS, width, start + track) is None
    assert find_clicked_stop(TravelPart(), KEYS, width, start) is None


def test_slider_stands_at_its_share_of_the_track() -> None:
    """The first stop is at the left end, the last at the right one."""
    for index, place in ((0, 0), (2, compute_track(80) - 1)):
        bar = join(build_travel_bar(build_travel(index), KEYS, 80))
        assert bar.index("●") - compute_width(build_lead(build_travel(index), KEYS).text) == place
