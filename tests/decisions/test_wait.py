from __future__ import annotations

import pytest

from handoff_tui.decisions import submit as waiting
from handoff_tui.decisions.examine import ExaminedGate
from handoff_tui.handoffs.session import open_desk
from tests.support.gates import HANDOFF, GateDesk


class Clock:
    """Time that passes only while somebody waits; at each pause something may happen."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.pauses: list[float] = []
        self.events: list[object] = []
        monkeypatch.setattr(waiting, "read_monotonic", lambda: self.now)
        monkeypatch.setattr(waiting, "pause", self._pause)

    def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds
        if self.events:
            event = self.events.pop(0)
            assert callable(event)
            event()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock that stands still."""
    return Clock(monkeypatch)


def test_time_runs_out_without_a_decision(gate_desk: GateDesk, clock: Clock) -> None:
    """Still pending: neither a yes nor a no. The work is examined once, as nothing has moved."""
    looks: list[ExaminedGate] = []
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    examined = waiting.wait(open_desk(gate_desk.root), HANDOFF, None, 5.0, looks.append)
    assert (examined.gate.state.value, sum(clock.pauses), len(looks)) == ("pending", 5.0, 1)


def test_decision_ends_the_waiting(gate_desk: GateDesk, clock: Clock) -> None:
    """Made by somebody else meanwhile; without a timeout it would have waited for ever."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    clock.events = [lambda: None, lambda: gate_desk.decide(bo, "approve")]
    looks: list[ExaminedGate] = []
    examined = waiting.wait(open_desk(gate_desk.root), HANDOFF, None, None, looks.append)
    assert (examined.gate.state.value, len(clock.pauses), len(looks)) == ("approved", 2, 2)


def test_hold_is_waited_through(gate_desk: GateDesk, clock: Clock) -> None:
    """Held is not decided."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    gate_desk.decide(bo, "hold", "--reason", "wait")
    clock.events = [lambda: gate_desk.decide(bo, "retry", "--reason", "again")]
    examined = waiting.wait(open_desk(gate_desk.root), HANDOFF, None, 60.0)
    assert examined.gate.state.value == "retry"


def test_broken_log_ends_the_waiting(gate_desk: GateDesk, clock: Clock) -> None:
    """No decision can come any more: a person must look first."""
    bo = gate_desk.person("bo")
    genesis = gate_desk.begin(bo).removeprefix("sha256:")

    def remove() -> None:
        (gate_desk.root / ".handoff-tui" / "log" / genesis[:2] / f"{genesis}.intoto.jsonl").unlink()

    clock.events = [remove]
    examined = waiting.wait(open_desk(gate_desk.root), HANDOFF, None, None)
    assert waiting.is_over(examined)
    assert examined.index.verdict.fatal
