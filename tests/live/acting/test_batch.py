"""Several approvals in one go, over a real repository with a real log."""

from __future__ import annotations

import pytest

from handoff_tui.live.state.app import BatchStage
from handoff_tui.status.inbox_item import HandoffKey
from tests.support.gates import HANDOFF, GateDesk
from tests.support.live_desks import looking
from tests.support.signed import Person, list_entries


def test_each_handoff_gets_an_entry_of_its_own_and_the_others_are_named(
    gate_desk: GateDesk, bo: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is not there is left out with the reason; what was not confirmed is not signed."""
    bo.become(monkeypatch)
    monkeypatch.setattr("handoff_tui.live.acting.decision_work.require_person", lambda *_: None)
    before = set(list_entries(gate_desk.root))
    with looking(gate_desk.root) as onlooker:
        state = onlooker.wait_until_live()
        key = state.inbox[0].key
        keys = (key, HandoffKey(key.root, "H-404"))
        onlooker.desk.batch.begin(keys)
        state = onlooker.wait_for(lambda state: state.batch is not None and state.batch.stage is BatchStage.READY)
        assert state.batch is not None
        assert [bool(item.left_out) for item in state.batch.items] == [False, True]
        assert set(list_entries(gate_desk.root)) == before
        onlooker.desk.batch.sign(state.batch.number + 1)
        onlooker.desk.batch.sign(state.batch.number)
        state = onlooker.wait_for(lambda state: state.batch is not None and state.batch.stage is BatchStage.DONE)
        assert state.batch is not None
        [new] = set(list_entries(gate_desk.root)) - before
        assert state.batch.items[0].entry == new
        assert key.handoff == HANDOFF
