from __future__ import annotations

import pytest

from handoff_tui.decisions.decide import DecideRequest, build_decision_view, prepare_decision
from handoff_tui.decisions.examine import build_gate_view
from handoff_tui.handoffs.session import open_desk
from handoff_tui.log.entry import DecisionVerb
from handoff_tui.log.open_log import open_log
from tests.support.gates import HANDOFF, GateDesk
from tests.support.repositories import EMAIL


def test_view_is_what_was_examined_and_prepared(gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is computed anew on the way to the page."""
    bo = gate_desk.person("bo")
    genesis = gate_desk.begin(bo)
    bo.become(monkeypatch)
    desk = open_desk(gate_desk.root)
    request = DecideRequest(DecisionVerb.REJECT, HANDOFF, reason="no tests", viewed=("src/app.py",))
    prepared = prepare_decision(desk, open_log(desk.repository), request)
    gate = build_gate_view(prepared.examined)
    assert (gate.digest, gate.subject) == (prepared.examined.digest, prepared.examined.subject)
    assert (gate.producers, gate.checks_passed, gate.failing) == ((EMAIL,), gate.checks_total, ())
    view = build_decision_view(prepared)
    assert (view.gate, view.verb, view.reason) == (gate, "reject", "no tests")
    assert (view.record, view.review, view.policy) == (prepared.record, prepared.review, genesis)
    assert (view.principal, view.key_source, view.touch) == (bo.email, "user.signingkey", False)
