"""The hints at the foot of every tab."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from handoff_tui.tui.first_paint import REPOSITORY, REVIEW
from tests.support.desk_app import StillApp, drive
from tests.support.desk_states import make_state
from tests.support.screens import settle

pytestmark = pytest.mark.usefixtures("still_clock")


def test_help_is_hinted_at_in_every_tab() -> None:
    """However many keys a tab has, and on the narrowest screen that is supported."""

    async def script(pilot: Pilot[None]) -> None:
        for number in range(1, len(REPOSITORY) + 1):
            check_bar(await settle(pilot, str(number)))
        await settle(pilot, "1", "enter")
        for number in range(1, len(REVIEW) + 1):
            check_bar(await settle(pilot, str(number)))

    drive(StillApp(make_state(reviewer="ada@example.com")), script, size=(60, 24))


def check_bar(screen: str) -> None:
    last = screen.splitlines()[-1]
    assert "? help" in last
    assert len(last) <= 60
