"""The box for several approvals, driven as a person would."""

from __future__ import annotations

from textual.pilot import Pilot

from handoff_tui.core.classes import replace
from handoff_tui.live.state.app import AppState, BatchItem, BatchPart, BatchStage
from handoff_tui.status.inbox_item import MeasuredGate
from handoff_tui.tui.dialogs.box import PAUSE_SECONDS
from handoff_tui.tui.dialogs.decision.batch import BatchScreen
from handoff_tui.tui.messages import BatchConfirmed, BatchLeft, BatchWanted
from tests.support.desk_app import StillApp
from tests.support.desk_states import make_item
from tests.support.screens import at_desk, list_asked, settle
from tests.support.view_states import DESK

ITEMS = tuple(make_item(name)._replace(measured=MeasuredGate(12, 12)) for name in ("H-1", "H-2", "H-3"))
QUEUE: AppState = replace(DESK, inbox=ITEMS, chosen=ITEMS[0].key)
READY = BatchPart(
    1,
    (
        BatchItem(ITEMS[0].key, "build · attempt 1 · 12 checks pass"),
        BatchItem(ITEMS[1].key, left_out="1 blocking check does not pass: tests\x1b[2J"),
    ),
    BatchStage.READY,
)


@at_desk(QUEUE, size=(100, 30))
async def test_selected_rows_are_approved_together_and_signed_by_one_key(pilot: Pilot[None], app: StillApp) -> None:
    """What can't be approved is named and left out; the key counts only once the list has been on the screen."""
    assert "2 selected" in await settle(pilot, "v", "v")
    await settle(pilot, "a")
    [wanted] = list_asked(pilot, BatchWanted)
    assert [key.handoff for key in wanted.keys] == ["H-1", "H-2"]
    assert isinstance(app.screen, BatchScreen)
    app.give(replace(QUEUE, batch=READY))
    screen = await settle(pilot, "ctrl+s", "enter", "y", "a")
    assert list_asked(pilot, BatchConfirmed) == []
    assert "Approve 1 handoff?" in screen
    assert "· H-2  1 blocking check does not pass: tests␛[2J" in screen
    await pilot.pause(PAUSE_SECONDS + 0.1)
    await settle(pilot, "ctrl+s", "ctrl+s")
    assert [one.number for one in list_asked(pilot, BatchConfirmed)] == [1]
    done = replace(READY, stage=BatchStage.DONE, items=(BatchItem(ITEMS[0].key, entry="sha256:" + "b" * 64),))
    app.give(replace(QUEUE, batch=done))
    assert "· H-1  signed as sha256:bbbbbbbbbbbb" in await settle(pilot)
    await settle(pilot, "escape")
    assert len(list_asked(pilot, BatchLeft)) == 1
    assert "selected" not in await settle(pilot, "escape")
