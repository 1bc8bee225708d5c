from __future__ import annotations

from threading import Event

import pytest

from handoff_tui.checks.run.check import ProgressCallbacks
from handoff_tui.core.errors import DecisionForbiddenError, NoHumanError
from handoff_tui.decisions.examine import ExaminedGate
from handoff_tui.decisions.submit import Submitted, is_over, submit, wait
from handoff_tui.handoffs.session import open_session
from handoff_tui.log.entry import EntryKind
from handoff_tui.log.open_log import open_log
from tests.support.command_line import TERMINAL, open_pty
from tests.support.gates import HANDOFF, GateDesk
from tests.support.signed import Person, list_entries


def hand_over(desk: GateDesk, person: Person | None = None, telling: ProgressCallbacks | None = None) -> Submitted:
    opened = open_session(desk.root)
    key = None if person is None else person.key
    log = open_log(opened.repository)
    return submit(opened, log, HANDOFF, signed=person is not None, key_file=key, telling=telling)


def test_unsigned_submission_writes_nothing(gate_desk: GateDesk) -> None:
    """It says what a reviewer will decide on, with or without a log."""
    done = hand_over(gate_desk)
    assert done.entry is None
    assert done.examined.key.handoff == HANDOFF
    assert not (gate_desk.root / ".handoff-tui").exists()


def test_signed_submission_binds_the_subject(gate_desk: GateDesk) -> None:
    """By an agent with a key of its own, who is a producer from then on."""
    bo, robot = gate_desk.person("bo"), gate_desk.person("robot")
    gate_desk.begin(bo, agents=[robot])
    done = hand_over(gate_desk, robot)
    assert done.entry is not None
    assert done.entry.work is not None
    assert (done.entry.kind, done.entry.actor) == (EntryKind.SCOPED_SUBMISSION, robot.email)
    assert done.entry.work.subject == done.examined.subject
    assert robot.email in done.entry.work.producers
    assert gate_desk.gate(bo).json["attempt"] == 1


def test_submission_after_a_veto_begins_the_next_attempt(gate_desk: GateDesk) -> None:
    """Whatever was sent back or held; an approval of the very same work stands, and a second submission adds none."""
    bo, robot = gate_desk.person("bo"), gate_desk.person("robot")
    gate_desk.begin(bo, agents=[robot])
    for number, verb in enumerate(("reject", "hold", "retry"), 1):
        gate_desk.decide(bo, verb, "--reason", "look again")
        assert gate_desk.gate(bo).json["attempt"] == number
        assert hand_over(gate_desk, robot).examined.gate.state.value == "pending"
        hand_over(gate_desk, robot)
        gate = gate_desk.gate(bo).json
        assert (gate["attempt"], gate["state"]) == (number + 1, "pending")
    gate_desk.decide(bo, "approve")
    hand_over(gate_desk, robot)
    gate = gate_desk.gate(bo).json
    assert (gate["attempt"], gate["state"]) == (4, "approved")


def test_submission_of_other_files_than_approved_begins_the_next_attempt(gate_desk: GateDesk) -> None:
    """A saved file alone does not, it only supersedes."""
    bo, robot = gate_desk.person("bo"), gate_desk.person("robot")
    gate_desk.begin(bo, agents=[robot])
    gate_desk.decide(bo, "approve")
    gate_desk.builder.write("src/app.py", "# other\n")
    gate = gate_desk.gate(bo).json
    assert (gate["attempt"], gate["state"]) == (1, "superseded")
    hand_over(gate_desk, robot)
    gate = gate_desk.gate(bo).json
    assert (gate["attempt"], gate["state"]) == (2, "superseded")


def test_only_who_may_submit_does(gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """No log at all, a key that nobody enrolled, one that has no role; a reviewer may, at a terminal."""
    bo, robot, guest = gate_desk.person("bo"), gate_desk.person("robot"), gate_desk.person("guest")
    with pytest.raises(NoHumanError, match="no signed log"):
        hand_over(gate_desk, robot)
    gate_desk.begin(bo, guests=[guest])
    with pytest.raises(NoHumanError, match="not in the policy"):
        hand_over(gate_desk, robot)
    with pytest.raises(DecisionForbiddenError, match="no role that submits"):
        hand_over(gate_desk, guest)
    assert len(list_entries(gate_desk.root)) == 1
    with open_pty() as place:
        monkeypatch.setattr(TERMINAL, place)
        assert hand_over(gate_desk, bo).entry is not None


def test_interrupted_submission_is_not_signed(gate_desk: GateDesk) -> None:
    """What was cancelled is not handed over."""
    bo, robot = gate_desk.person("bo"), gate_desk.person("robot")
    gate_desk.begin(bo, agents=[robot])
    telling = ProgressCallbacks()
    telling.cancel.set()
    assert hand_over(gate_desk, robot, telling).entry is None
    assert len(list_entries(gate_desk.root)) == 1


class Clock:
    """Time that passes only while somebody waits; at each pause something may happen."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.pauses: list[float] = []
        self.events: list[object] = []
        monkeypatch.setattr("handoff_tui.decisions.submit.read_monotonic", lambda: self.now)
        monkeypatch.setattr("handoff_tui.decisions.submit.pause", self._pause)

    def _pause(self, seconds: float, ending: Event) -> bool:
        self.pauses.append(seconds)
        self.now += seconds
        if self.events:
            event = self.events.pop(0)
            assert callable(event)
            event()
        return ending.is_set()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock that stands still."""
    return Clock(monkeypatch)


def test_time_runs_out_without_a_decision(gate_desk: GateDesk, clock: Clock) -> None:
    """Still pending: neither a yes nor a no. The work is examined once, as nothing has moved."""
    looks: list[ExaminedGate] = []
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    examined = wait(open_session(gate_desk.root), HANDOFF, None, 5.0, looks.append)
    assert (examined.gate.state.value, sum(clock.pauses), len(looks)) == ("pending", 5.0, 1)


def test_caller_ends_the_waiting(gate_desk: GateDesk, bo: Person, clock: Clock) -> None:
    """Without a decision, and without another look."""
    telling = ProgressCallbacks()
    clock.events = [lambda: None, telling.cancel.set]
    assert wait(open_session(gate_desk.root), HANDOFF, None, None, telling=telling).gate.state.value == "pending"
    assert len(clock.pauses) == 2


def test_decision_ends_the_waiting(gate_desk: GateDesk, bo: Person, clock: Clock) -> None:
    """Made by somebody else meanwhile; without a timeout it would have waited for ever."""
    clock.events = [lambda: None, lambda: gate_desk.decide(bo, "approve")]
    looks: list[ExaminedGate] = []
    examined = wait(open_session(gate_desk.root), HANDOFF, None, None, looks.append)
    assert (examined.gate.state.value, len(clock.pauses), len(looks)) == ("approved", 2, 2)


def test_hold_is_waited_through(gate_desk: GateDesk, bo: Person, clock: Clock) -> None:
    """Held is not decided."""
    gate_desk.decide(bo, "hold", "--reason", "wait")
    clock.events = [lambda: gate_desk.decide(bo, "retry", "--reason", "again")]
    examined = wait(open_session(gate_desk.root), HANDOFF, None, 60.0)
    assert examined.gate.state.value == "retry"


def test_broken_log_ends_the_waiting(gate_desk: GateDesk, clock: Clock) -> None:
    """No decision can come any more: a person must look first."""
    bo = gate_desk.person("bo")
    genesis = gate_desk.begin(bo).removeprefix("sha256:")

    def remove() -> None:
        (gate_desk.root / ".handoff-tui" / "log" / genesis[:2] / f"{genesis}.intoto.jsonl").unlink()

    clock.events = [remove]
    examined = wait(open_session(gate_desk.root), HANDOFF, None, None)
    assert is_over(examined)
    assert examined.index.verdict.fatal
