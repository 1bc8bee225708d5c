"""The metrics view, driven as a person would."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from handoff_tui.core.classes import replace
from handoff_tui.live.state.app import Loaded, Trouble
from handoff_tui.tui.messages import CopyWanted
from handoff_tui.tui.views.log.view import LogView
from tests.support.desk_app import StillApp
from tests.support.screens import at_desk, compare_looks, cut_view, list_asked, settle
from tests.support.view_states import FIGURES, build_desk, build_id

pytestmark = pytest.mark.usefixtures("still_clock")
DESK = build_desk()


@at_desk(DESK)
async def test_figures_look_as_committed(pilot: Pilot[None]) -> None:
    """Values beside their targets, and what the selected one is based on."""
    await settle(pilot, "3")
    await compare_looks(pilot, "metrics")


@at_desk(DESK, size=(120, 40))
async def test_entry_behind_a_figure_opens_in_the_log(pilot: Pilot[None], app: StillApp) -> None:
    """Enter on the figure leads to its entries, enter on an entry to the log, with the cursor on it."""
    await settle(pilot, "3", "enter", "j", "y", "enter")
    assert [one.text for one in list_asked(pilot, CopyWanted)] == [build_id("c")]
    assert app.main_screen.view_name == "log"
    view = app.main_screen.view
    assert isinstance(view, LogView)
    assert view.rows.key == build_id("c")


@at_desk(DESK, size=(120, 40))
async def test_entry_is_gone_to_as_soon_as_the_log_is_read(pilot: Pilot[None], app: StillApp) -> None:
    """The log may come later than the wish, and a filter does not hide it."""
    await settle(pilot, "2", "slash", *"policy", "enter", "3", "enter", "j")
    app.give(replace(DESK, log=Loaded()))
    assert "Reading the log…" in await settle(pilot)
    await settle(pilot, "enter")
    app.give(DESK)
    await settle(pilot)
    view = app.main_screen.view
    assert isinstance(view, LogView)
    assert view.rows.key == build_id("c")


@at_desk(DESK, size=(120, 40))
async def test_list_is_narrowed_to_missed_targets_and_by_words(pilot: Pilot[None]) -> None:
    """A figure without a value is not missed."""
    screen = cut_view(pilot, await settle(pilot, "3", "f"))
    assert "Handoff failure rate" in screen
    assert "Time to resume" not in screen
    screen = await settle(pilot, "f", "slash", *"loops")
    assert "1 metric matches" in screen
    assert "By phase" in screen
    assert "No matches" in await settle(pilot, "x")


@at_desk(DESK, size=(120, 40))
async def test_status_says_what_is_missed_and_what_cannot_be_counted(pilot: Pilot[None], app: StillApp) -> None:
    """Of a log that is not intact nothing is."""
    assert "✗ 1 missed · 4 entries, 1 submission, 2 decisions" in await settle(pilot, "3")
    unsound = FIGURES.model_copy(update={"fatal": True})
    for part, words in (
        (Loaded(unsound), "✗ The log isn't intact: nothing is counted"),
        (Loaded(trouble=Trouble("it cannot be read", "Look.")), "✗ it cannot be read. Look."),
        (Loaded(), "Verifying the log and counting…"),
    ):
        app.give(replace(DESK, metrics=part))
        assert words in await settle(pilot)
