from __future__ import annotations

import pytest

from handoff_tui.cli.exit_codes import ExitCode
from tests.support.gates import HANDOFF, GateDesk


def test_each_end_has_its_exit_code(gate_desk: GateDesk) -> None:
    """Still pending 5, sent back 1 with the packet, approved 0; the same in JSON."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    words = ("wait", HANDOFF, "--repo", gate_desk.root, "--timeout", "0")
    pending = gate_desk.speaking(bo, *words)
    assert (pending.code, "pending" in pending.stdout) == (ExitCode.STILL_PENDING, True)
    gate_desk.decide(bo, "reject", "--reason", "no tests")
    sent_back = gate_desk.speaking(bo, *words)
    assert (sent_back.code, "no tests" in sent_back.stdout, sent_back.stdout[:2]) == (ExitCode.BLOCKED, True, "# ")
    value = gate_desk.speaking(bo, *words, "--json").json
    assert (value["schema"], value["gate"]["state"]) == ("handoff-tui/wait/v1", "rejected")
    assert value["packet"]["schema"] == "handoff-tui/packet/v1"
    gate_desk.decide(bo, "approve")
    approved = gate_desk.speaking(bo, *words, "--json")
    assert (approved.code, approved.json["packet"]) == (ExitCode.OK, None)
    assert f"{HANDOFF}: approved" in approved.stderr


@pytest.mark.parametrize("time", ["nan", "-1", "soon", "1d", "inf", ""])
def test_time_that_is_none_is_a_usage_error(gate_desk: GateDesk, time: str) -> None:
    """Nobody waits for ever by mistake."""
    bo = gate_desk.person("bo")
    said = gate_desk.speaking(bo, "wait", HANDOFF, "--repo", gate_desk.root, f"--timeout={time}")
    assert said.code == ExitCode.USAGE


@pytest.mark.parametrize(("time", "seconds"), [("0.5", 0.5), ("2s", 2.0), ("15m", 900.0), ("2h", 7200.0)])
def test_time_has_units(gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch, time: str, seconds: float) -> None:
    """Seconds unless it says otherwise."""
    bo = gate_desk.person("bo")
    given: list[object] = []

    def stop(*arguments: object) -> None:
        given.append(arguments[3])
        raise KeyboardInterrupt

    monkeypatch.setattr("handoff_tui.cli.commands.wait.wait", stop)
    said = gate_desk.speaking(bo, "wait", HANDOFF, "--repo", gate_desk.root, "--timeout", time)
    assert (said.code, given) == (ExitCode.INTERRUPTED, [seconds])
