from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.agents.step.start import refuse_moved_start
from handoff_tui.core.errors import ShownMovedError
from handoff_tui.decisions.examine import examine
from handoff_tui.handoffs.session import open_desk
from handoff_tui.log.open_log import open_log
from tests.support.gates import HANDOFF, GateDesk


def test_everything_that_a_start_rests_on_is_asked_again(gate_desk: GateDesk) -> None:
    """The gate, every decision about the handoff, the agents, the files: each that moved is named."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    desk = open_desk(gate_desk.root)
    examined = examine(desk, open_log(desk.repository), HANDOFF)
    refuse_moved_start(examined)
    assert gate_desk.decide(bo, "reject", "--reason", "no tests").code == 0
    with pytest.raises(ShownMovedError, match="the gate behind review is rejected now, and was pending"):
        refuse_moved_start(examined)
    Path(gate_desk.root, "handoff-tui.toml").write_text('[agents.heron]\ncommand = ["sh"]\n', encoding="utf-8")
    with pytest.raises(ShownMovedError, match=r"handoff-tui\.toml.*the configuration of agents is another one"):
        refuse_moved_start(examined)
