from __future__ import annotations

import pytest

from handoff_tui.checks.run.check import ProgressCallbacks
from handoff_tui.core.errors import DecisionForbiddenError, NoHumanError
from handoff_tui.decisions.submit import Submitted, submit
from handoff_tui.handoffs.session import open_desk
from handoff_tui.log.entry import EntryKind
from handoff_tui.log.open_log import open_log
from tests.support.gates import HANDOFF, GateDesk
from tests.support.signed import Person, list_entries


def hand_over(desk: GateDesk, person: Person | None = None, telling: ProgressCallbacks | None = None) -> Submitted:
    opened = open_desk(desk.root)
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
    assert (done.entry.kind, done.entry.actor) == (EntryKind.SUBMISSION, robot.email)
    assert done.entry.work.subject == done.examined.subject
    assert robot.email in done.entry.work.producers
    assert gate_desk.gate(bo).json["attempt"] == 1


def test_only_who_may_submit_does(gate_desk: GateDesk) -> None:
    """No log at all, a key that nobody enrolled, and one that was enrolled without a role; a reviewer may."""
    bo, robot, guest = gate_desk.person("bo"), gate_desk.person("robot"), gate_desk.person("guest")
    with pytest.raises(NoHumanError, match="no signed log"):
        hand_over(gate_desk, robot)
    gate_desk.begin(bo, guests=[guest])
    with pytest.raises(NoHumanError, match="not in the policy"):
        hand_over(gate_desk, robot)
    with pytest.raises(DecisionForbiddenError, match="no role that submits"):
        hand_over(gate_desk, guest)
    assert len(list_entries(gate_desk.root)) == 1
    assert hand_over(gate_desk, bo).entry is not None


def test_interrupted_submission_is_not_signed(gate_desk: GateDesk) -> None:
    """What was cancelled is not handed over."""
    bo, robot = gate_desk.person("bo"), gate_desk.person("robot")
    gate_desk.begin(bo, agents=[robot])
    telling = ProgressCallbacks()
    telling.cancel.set()
    assert hand_over(gate_desk, robot, telling).entry is None
    assert len(list_entries(gate_desk.root)) == 1
