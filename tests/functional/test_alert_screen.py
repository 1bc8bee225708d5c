"""A log that is not intact takes the whole screen, once, and closes the gates."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from handoff_tui.core.classes import replace
from handoff_tui.live.state.app import AppState
from handoff_tui.tui.dialogs.alert import AlertScreen
from handoff_tui.tui.messages import AppActionWanted, DecisionWanted
from tests.support.desk_app import StillApp
from tests.support.screens import at_desk, settle
from tests.support.view_states import DESK

pytestmark = pytest.mark.usefixtures("quick_alarm")


@pytest.fixture
def quick_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is confirmed at once."""
    monkeypatch.setattr("handoff_tui.tui.main_screen._CONFIRM_SECONDS", 0.01)


async def raise_alarm(pilot: Pilot[None], app: StillApp, state: AppState) -> str:
    """Gives a state and waits until what is wrong with it was confirmed."""
    app.give(state)
    await pilot.pause(0.05)
    return await settle(pilot)


BROKEN = replace(DESK, repositories=(replace(DESK.repositories[0], fatal=("an entry is gone\x1b[2K",)),))
WORSE = replace(DESK, repositories=(replace(DESK.repositories[0], fatal=("two entries are gone",)),))


@at_desk(DESK)
async def test_alert_takes_the_screen_once_for_each_set_of_problems(pilot: Pilot[None], app: StillApp) -> None:
    """It says what is wrong; the same problems do not interrupt again, others do."""
    screen = await raise_alarm(pilot, app, BROKEN)
    assert isinstance(app.screen, AlertScreen)
    assert "THE SIGNED LOG IS NOT INTACT" in screen
    assert "an entry is gone␛[2K" in screen
    screen = await settle(pilot, "escape")
    assert "IS NOT INTACT: an entry is gone" in screen.splitlines()[2]
    await raise_alarm(pilot, app, replace(BROKEN, generation=5))
    assert not isinstance(app.screen, AlertScreen)
    assert "two entries are gone" in await raise_alarm(pilot, app, WORSE)
    assert isinstance(app.screen, AlertScreen)


@at_desk(DESK)
async def test_alert_answers_to_nothing_that_decides(pilot: Pilot[None], app: StillApp) -> None:
    """Keys of the desk are dead under it; `2` goes to the log; afterwards every gate is closed."""
    await raise_alarm(pilot, app, BROKEN)
    await settle(pilot, "a", "x", "enter", "space", "ctrl+s", "3")
    assert isinstance(app.screen, AlertScreen)
    await settle(pilot, "j", "2")
    assert app.main_screen.view_name == "log"
    screen = await settle(pilot, "a")
    assert "every gate is closed" in screen
    assert not any(isinstance(one, DecisionWanted) for one in app.asked)


@at_desk(DESK)
async def test_alert_goes_when_the_log_is_repaired_and_comes_back_when_it_breaks_again(
    pilot: Pilot[None], app: StillApp
) -> None:
    """Nobody has to close it, and nothing says any more that gates are closed."""
    await raise_alarm(pilot, app, BROKEN)
    assert isinstance(app.screen, AlertScreen)
    screen = await raise_alarm(pilot, app, DESK)
    assert not isinstance(app.screen, AlertScreen)
    assert "IS NOT INTACT" not in screen
    await raise_alarm(pilot, app, BROKEN)
    assert isinstance(app.screen, AlertScreen)


@at_desk(DESK)
async def test_entry_that_is_just_being_written_alarms_nobody(
    pilot: Pilot[None], app: StillApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log is read again first; gone by then, it wasn't an alarm."""
    monkeypatch.setattr("handoff_tui.tui.main_screen._CONFIRM_SECONDS", 0.2)
    app.give(BROKEN)
    await pilot.pause(0.02)
    app.give(DESK)
    await pilot.pause(0.4)
    assert not isinstance(app.screen, AlertScreen)
    assert any(isinstance(one, AppActionWanted) and one.action == "app.rescan" for one in app.asked)
