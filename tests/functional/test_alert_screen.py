"""A log that is not intact takes the whole screen, once, and closes the gates."""

from __future__ import annotations

from dataclasses import replace

from textual.pilot import Pilot

from handoff_tui.tui.dialogs.alert import AlertScreen
from handoff_tui.tui.messages import DecisionWanted
from tests.support.desk_app import StillApp
from tests.support.screens import at_desk, settle
from tests.support.view_states import DESK

BROKEN = replace(DESK, repositories=(replace(DESK.repositories[0], fatal=("an entry is gone\x1b[2K",)),))
WORSE = replace(DESK, repositories=(replace(DESK.repositories[0], fatal=("two entries are gone",)),))


@at_desk(DESK)
async def test_alert_takes_the_screen_once_for_each_set_of_problems(pilot: Pilot[None], app: StillApp) -> None:
    """It says what is wrong; the same problems do not interrupt again, others do."""
    app.give(BROKEN)
    screen = await settle(pilot)
    assert isinstance(app.screen, AlertScreen)
    assert "THE SIGNED LOG IS NOT INTACT" in screen
    assert "an entry is gone␛[2K" in screen
    screen = await settle(pilot, "escape")
    assert "IS NOT INTACT: an entry is gone" in screen.splitlines()[2]
    app.give(replace(BROKEN, generation=5))
    await settle(pilot)
    assert not isinstance(app.screen, AlertScreen)
    app.give(WORSE)
    assert "two entries are gone" in await settle(pilot)
    assert isinstance(app.screen, AlertScreen)


@at_desk(DESK)
async def test_alert_answers_to_nothing_that_decides(pilot: Pilot[None], app: StillApp) -> None:
    """Keys of the desk are dead under it; `l` goes to the log; afterwards every gate is closed."""
    app.give(BROKEN)
    await settle(pilot, "a", "x", "enter", "space", "ctrl+s", "3")
    assert isinstance(app.screen, AlertScreen)
    await settle(pilot, "j", "l")
    assert app.main_screen.view_name == "log"
    screen = await settle(pilot, "a")
    assert "every gate is closed" in screen
    assert not any(isinstance(one, DecisionWanted) for one in app.asked)
