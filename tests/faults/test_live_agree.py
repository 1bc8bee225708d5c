"""Two desks on one repository: what one person does shows at the other's, and nothing that is ours goes in circles."""

from __future__ import annotations

import time

import pytest

from handoff_tui.live.state.app import AppState, DecisionStage, Part
from handoff_tui.log.gates.gate_state import GateName
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.gates import HANDOFF, GateDesk
from tests.support.live_desks import Onlooker, build_work, looking, without_moment
from tests.support.repositories import RepositoryBuilder

PARTS = (Part.SHOWN, Part.CHECKS, Part.GATE, Part.LOG)
QUIET_SECONDS = 1.5


def find_gate(state: AppState) -> GateName | None:
    return state.item.reviewed.gate.state if state.item else None


def watch_quiet(*onlookers: Onlooker) -> None:
    """Nothing is told while nothing happens."""
    for onlooker in onlookers:
        onlooker.wait_until_live()
    before = [onlooker.state.generation for onlooker in onlookers]
    time.sleep(QUIET_SECONDS)  # the absence of something cannot be waited for
    assert [onlooker.state.generation for onlooker in onlookers] == before


def test_decision_at_one_desk_shows_at_the_other(gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gate, log and inbox; afterwards both say the same, and are quiet."""
    bob = gate_desk.person("bob")
    gate_desk.begin(bob)
    bob.become(monkeypatch)
    with looking(gate_desk.root) as one, looking(gate_desk.root) as other:
        for onlooker in (one, other):
            onlooker.wait_until_live()
            onlooker.choose(HANDOFF, *PARTS)
        one.desk.deciding.begin("reject")
        one.wait_for(lambda state: state.decision is not None and state.decision.stage is DecisionStage.READY)
        one.desk.deciding.sign("the tests are missing")
        one.wait_for(lambda state: state.decision is not None and state.decision.stage is DecisionStage.STORED)
        other.wait_for(lambda state: find_gate(state) is GateName.REJECTED)
        other.wait_for(lambda state: bool(state.log.value and len(state.log.value.rows) == 2))
        one.wait_for(lambda state: find_gate(state) is GateName.REJECTED)
        one.desk.deciding.leave()
        watch_quiet(one, other)
        mine, theirs = without_moment(one.wait_until_live()), without_moment(other.wait_until_live())
        assert mine == theirs


def test_looking_for_long_is_quiet_and_writes_nothing(builder: RepositoryBuilder) -> None:
    """Its own cache does not wake it, and `.git` stays as it is, also when files are saved meanwhile."""
    build_work(builder)
    before = read_fingerprint(builder.folder / ".git")
    with looking(builder.folder) as onlooker:
        onlooker.wait_until_live()
        onlooker.choose("H-1", *PARTS, Part.FILES, Part.DIFFERENCE)
        watch_quiet(onlooker)
        builder.write("src/part.py", "value = 12\n")
        onlooker.wait_for(lambda state: state.checks.stale or state.shown.stale or state.files.stale)
        watch_quiet(onlooker)
    assert compare_fingerprints(before, read_fingerprint(builder.folder / ".git")) == []
