"""The log, driven as a person would."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from handoff_tui.core.classes import replace
from handoff_tui.live.state.app import Loaded, Trouble
from handoff_tui.log.show.view import EntryView, LogReport
from handoff_tui.tui.messages import CopyWanted, EntryWanted, HandoffChosen, VerifyWanted
from handoff_tui.tui.widgets.row_list import RowList
from tests.support.desk_app import StillApp, drive
from tests.support.screens import at_desk, compare_looks, cut_view, list_asked, settle
from tests.support.view_states import DESK, READ_AT, ROWS, VIEW, build_id

pytestmark = pytest.mark.usefixtures("still_clock")
REPORT = LogReport(fatal=False, entries=4, heads=(build_id("d"),), log=build_id("a"), anchor="user", refused=1)


def list_wanted(pilot: Pilot[None]) -> list[str]:
    return [message.entry[7] for message in list_asked(pilot, EntryWanted)]


@at_desk(DESK)
async def test_log_looks_as_committed(pilot: Pilot[None]) -> None:
    """Graph, states, people and work, and the entry under the cursor."""
    await settle(pilot, "2")
    await compare_looks(pilot, "log")


@at_desk(DESK, size=(100, 40))
async def test_entry_under_the_cursor_is_asked_for_and_shown(pilot: Pilot[None], app: StillApp) -> None:
    """Until it is read in full, what the list knows; an agent's submission has no human input."""
    screen = await settle(pilot, "2", "j")
    assert list_wanted(pilot) == ["d", "c"]
    assert "No human input is recorded for build of H-2, attempt 3." in screen
    view = EntryView(row=ROWS[1], entry=None, size=77, places=("work tree",))
    app.give(replace(DESK, entry=Loaded(view)))
    assert "77 bytes" in await settle(pilot)


@at_desk(DESK)
async def test_filter_takes_fields_and_words(pilot: Pilot[None]) -> None:
    """The status line says how many fit; escape ends it."""
    screen = await settle(pilot, "2", "slash", *"who:bo")
    assert "1 entry · who: handoff: verb:" in screen
    assert "heron" not in cut_view(pilot, screen)
    screen = await settle(pilot, "escape")
    assert "heron" in cut_view(pilot, screen)


@at_desk(DESK)
async def test_verify_now_shows_the_report_until_the_cursor_moves(pilot: Pilot[None], app: StillApp) -> None:
    """First that it is underway, then what it says."""
    screen = await settle(pilot, "2", "R")
    assert any(isinstance(one, VerifyWanted) for one in app.asked)
    assert "Verifying every byte of the log" in screen
    app.give(replace(DESK, report=Loaded(REPORT, at=READ_AT)))
    screen = await settle(pilot)
    assert "✓ clean  4 entries" in screen
    assert "verified 2 min ago" in screen
    assert "Verification" not in await settle(pilot, "j")


@at_desk(DESK)
async def test_handoff_of_an_entry_is_gone_to_where_it_is(pilot: Pilot[None], app: StillApp) -> None:
    """One that is not here any more, and an entry about none, say so."""
    screen = await settle(pilot, "2", "j", "enter")
    assert "H-2 is no longer in this repository" in screen
    screen = await settle(pilot, "G", "enter")
    assert "this entry isn't about a handoff" in screen
    await settle(pilot, "g", "y", "enter")
    assert [one.text for one in list_asked(pilot, CopyWanted)] == [build_id("d")]
    assert [one.key.handoff for one in list_asked(pilot, HandoffChosen)][-1] == "H-1"
    assert app.main_screen.view_name == "history"


@at_desk(replace(DESK, log=Loaded(VIEW.model_copy(update={"rows": ROWS[1:], "total": 4}))))
async def test_following_keeps_the_cursor_on_the_newest(pilot: Pilot[None], app: StillApp) -> None:
    """Without it the cursor stays on what it stood on when entries arrive."""
    await settle(pilot, "2")
    rows = app.main_screen.view.query_one(RowList)
    app.give(DESK)
    await settle(pilot)
    assert rows.key == build_id("c")
    await settle(pilot, "F")
    assert rows.key == build_id("d")


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (Loaded(), "Reading the log…"),
        (Loaded(VIEW.model_copy(update={"rows": (), "total": 0})), "No signed log here yet"),
        (Loaded(trouble=Trouble("the log cannot be read", "Look at it.")), "✗ the log cannot be read. Look at it."),
    ],
)
def test_empty_log_says_why(part: Loaded[object], words: str) -> None:
    """Not read yet, not begun, not readable."""

    async def script(pilot: Pilot[None]) -> None:
        assert words in await settle(pilot, "2")

    drive(StillApp(replace(DESK, log=part)), script)  # type: ignore[arg-type]
