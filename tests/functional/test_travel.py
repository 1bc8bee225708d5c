"""Time travel, driven as a person would."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from handoff_tui.core.classes import replace
from handoff_tui.live.acting.travelling import present_past
from handoff_tui.live.state.app import TravelPart
from handoff_tui.tui.first_paint import REPOSITORY, REVIEW
from handoff_tui.tui.messages import DecisionWanted, EditorWanted, TravelEnded, TravelMoved, TravelWanted
from handoff_tui.tui.widgets.travel_bar import TravelBar
from tests.support.desk_app import StillApp
from tests.support.desk_states import make_item
from tests.support.screens import at_desk, compare_looks, list_asked, settle
from tests.support.view_states import STOPS, build_desk, build_id, build_travel, build_visited

pytestmark = pytest.mark.usefixtures("still_clock")
NOW = build_desk()
PAST = present_past(replace(NOW, travel=build_travel(1)))


@at_desk(PAST)
async def test_past_looks_as_committed(pilot: Pilot[None]) -> None:
    """With its banner, its bar and what it can't show."""
    await settle(pilot, "2")
    await compare_looks(pilot, "travel", whole=True)


@at_desk(PAST)
async def test_past_is_marked_in_every_view(pilot: Pilot[None]) -> None:
    """In the title and under the tabs; and nothing says that it is live."""
    tabs = [str(number + 1) for number in range(len(REVIEW))]
    for keys in (*([str(number + 1)] for number in range(len(REPOSITORY))), ["1", "enter"], *([tab] for tab in tabs)):
        lines = (await settle(pilot, *keys)).splitlines()
        assert "AS OF b2b2b2b · READ-ONLY" in lines[0]
        assert "AS OF commit b2b2b2b 2026-03-05 09:00 · read-only" in lines[2]
        assert "2/3" in lines[-3]
        assert "live" not in lines[-2]


@at_desk(PAST)
async def test_nothing_can_be_changed_in_the_past(pilot: Pilot[None], app: StillApp) -> None:
    """Each key says why, and nothing is asked of the desk."""
    tries = (("a",), ("o",), ("2", "R"), ("1", "enter", "3", "R"), ("3", "b"), ("2", "m"), ("4", "c"), ("5", "s"))
    for keys in tries:
        assert "read-only as of 2026-03-05; esc returns to now" in await settle(pilot, *keys), keys
    assert not any(isinstance(one, DecisionWanted | EditorWanted) for one in app.asked)
    app.post_message(DecisionWanted("approve"))
    await settle(pilot)
    assert app.screen is app.main_screen


@at_desk(PAST)
async def test_slider_moves_by_keys_and_clicks(pilot: Pilot[None], app: StillApp) -> None:
    """One stop, either end, and where one clicks."""
    await settle(pilot, "less_than_sign", "greater_than_sign", "left_parenthesis", "right_parenthesis")
    bar = app.main_screen.query_one(TravelBar)
    place = "".join(cell.text for cell in bar.cells).index("●")
    await pilot.click(bar, offset=(place, 0))
    await settle(pilot)
    assert [one.index for one in list_asked(pilot, TravelMoved)] == [0, 2, 0, 2, 1]


@at_desk(PAST)
async def test_escape_returns_to_now(pilot: Pilot[None], app: StillApp) -> None:
    """A search is left first."""
    await settle(pilot, "3", "slash", "x", "escape")
    assert not any(isinstance(one, TravelEnded) for one in app.asked)
    await settle(pilot, "escape")
    assert sum(isinstance(one, TravelEnded) for one in app.asked) == 1
    app.give(NOW)
    screen = await settle(pilot)
    assert "AS OF" not in screen
    assert "2/3" not in screen


@at_desk(NOW)
async def test_cursor_of_the_inbox_stays_with_the_handoff_in_view(pilot: Pilot[None], app: StillApp) -> None:
    """Where it was not there yet the cursor stands on the one that is shown, and returns to it."""
    other = make_item("A-0", mine=False)
    gone = replace(build_travel(0), visited=build_visited(STOPS[0], other, missing="H-1"))
    both = build_visited(STOPS[1])
    there = replace(build_travel(1), visited=replace(both, inbox=(other, *both.inbox)))
    for travel, name in ((there, "H-1"), (gone, "A-0"), (there, "H-1")):
        app.give(present_past(replace(NOW, travel=travel)))
        await settle(pilot)
        assert app.main_screen.view.handoff is not None
        assert app.main_screen.view.handoff.handoff == name
    app.give(NOW)
    await settle(pilot)
    assert app.main_screen.view.handoff == NOW.chosen


@at_desk(NOW)
async def test_log_leads_into_the_past_at_the_entry_under_the_cursor(pilot: Pilot[None], app: StillApp) -> None:
    """One that was refused leads to the newest stop; the palette does, too."""
    await settle(pilot, "2", "t", "G", "t")
    await settle(pilot, "ctrl+p", *"travel: time", "enter")
    asked = [one.at for one in list_asked(pilot, TravelWanted)]
    assert asked == [build_id("d"), None, None]
    assert "showing the present" in await settle(pilot, "less_than_sign")


@at_desk(present_past(replace(NOW, travel=TravelPart())))
async def test_journey_that_begins_shows_now_and_says_so(pilot: Pilot[None]) -> None:
    """It is read-only from the first moment on."""
    screen = await settle(pilot)
    assert "Reading the stops; showing now · read-only" in screen
    assert "read-only while the stops are being read" in await settle(pilot, "a")
    assert "the stops are still being read" in await settle(pilot, "less_than_sign")
