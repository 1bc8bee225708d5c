"""The hints at the foot of every view."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from handoff_tui.config.keymap import DEFAULT_KEYMAP
from handoff_tui.tui.first_paint import NAMES
from tests.support.desk_app import StillApp, drive
from tests.support.desk_states import make_state
from tests.support.screens import settle

pytestmark = pytest.mark.usefixtures("still_clock")


def test_help_is_hinted_at_in_every_view() -> None:
    """However many keys a view has of its own, and on the narrowest screen that is supported."""

    async def script(pilot: Pilot[None]) -> None:
        for name in NAMES:
            lines = (await settle(pilot, DEFAULT_KEYMAP[f"view.{name}"])).splitlines()
            assert "? help" in lines[-1], name
            assert len(lines[-1]) <= 60

    drive(StillApp(make_state(reviewer="ada@example.com")), script, size=(60, 24))
