"""States and keys that arrive while the desk is at work."""

from __future__ import annotations

import asyncio

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from handoff_tui.core.classes import replace
from handoff_tui.tui.main_screen import VIEW_MAKERS
from handoff_tui.tui.messages import DecisionWanted
from tests.support.desk_app import StillApp
from tests.support.screens import at_desk, get_app, settle
from tests.support.view_states import DESK


@pytest.mark.parametrize("view", [name for name in VIEW_MAKERS if name != "queue"])
@at_desk(DESK)
async def test_state_may_arrive_while_a_view_is_opened(pilot: Pilot[None], view: str) -> None:
    """A view is shown a state only when it is complete."""
    desk = get_app(pilot).main_screen
    opening = asyncio.create_task(desk.open_view(view))
    number = 0
    while not opening.done():
        number += 1
        desk.show(replace(DESK, generation=number, inbox=(*DESK.inbox,)))
        await asyncio.sleep(0)
    await opening
    assert desk.view_name == view


@at_desk(DESK)
async def test_letters_typed_ahead_of_the_field_are_letters(pilot: Pilot[None], app: StillApp) -> None:
    """All that follows a slash is looked for, however fast it is typed: none of it decides, quits or edits."""
    for key, letter in (("slash", "/"), *((letter, letter) for letter in "xaqer")):
        app.post_message(events.Key(key, letter))  # all of them before the first is handled
    for _ in range(10):
        await pilot.pause()
    screen = await settle(pilot)
    assert app.main_screen.query_one(Input).value == "xaqer"
    assert " / xaqer" in screen
    assert not any(isinstance(one, DecisionWanted) for one in app.asked)
