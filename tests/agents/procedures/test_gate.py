"""The gate of a run: git is asked, and nothing else is believed."""

from __future__ import annotations

import pytest

from handoff_tui.agents.procedures.gate import judge_run_gate, read_run_gate, refuse_closed_gate
from handoff_tui.agents.procedures.report import RunRequest
from handoff_tui.core.errors import ProcedureError
from handoff_tui.handoffs.session import open_desk
from handoff_tui.log.gates.gate_state import Approval, GateName, GateReport
from tests.support.gates import HANDOFF, GateDesk

REQUEST = RunRequest(procedure="P", handoff=HANDOFF, phase="review", attempt=1)


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (GateName.APPROVED, True),
        (GateName.OVERRIDDEN, True),
        (GateName.SKIPPED, True),
        (GateName.REJECTED, False),
        (GateName.RETRY, False),
        (GateName.PENDING, None),
        (GateName.HELD, None),
        (GateName.SUPERSEDED, None),
        (GateName.EXPIRED, None),
        (GateName.WITHDRAWN, None),
        (GateName.BLOCKED, None),
    ],
)
def test_state_of_the_gate_opens_refuses_or_is_waited_for(state: GateName, *, expected: bool | None) -> None:
    """Only a decision opens it, only being sent back refuses it; everything else is no answer."""
    report = GateReport(handoff="H-1", phase="review", attempt=1, state=state, why=("so it is",))
    found = judge_run_gate(report, 1)
    assert (found.open, "so it is" in found.why) == (expected, True)


def test_attempt_that_is_over_is_refused() -> None:
    """An approval of the next attempt is none of this one."""
    report = GateReport(handoff="H-1", phase="review", attempt=2, state=GateName.APPROVED)
    found = judge_run_gate(report, 1)
    assert (found.open, found.why) == (False, "attempt 1 is over: this is attempt 2")


def test_entry_that_counts_is_named() -> None:
    """The latest of them, and none that is of no effect."""
    approvals = tuple(
        Approval(entry=name, principal="bob", verb="approve", time=time, counted=not why, why=why)
        for name, time, why in (("old", "2026-01-01", ""), ("new", "2026-01-02", ""), ("void", "2026-01-03", "changed"))
    )
    report = GateReport(handoff="H-1", phase="review", attempt=1, state=GateName.APPROVED, approvals=approvals)
    assert judge_run_gate(report, 1).entry == "new"


def test_real_gate_is_looked_at_in_git(gate_desk: GateDesk) -> None:
    """Nobody has decided, then somebody has, then the work moves on and it is open no more."""
    reviewer = gate_desk.person("bob")
    gate_desk.begin(reviewer)
    assert read_run_gate(gate_desk.root, REQUEST).open is None
    entry = gate_desk.decide(reviewer, "approve").json["entry"]
    found = read_run_gate(gate_desk.root, REQUEST)
    assert (found.open, found.entry) == (True, entry)
    gate_desk.change()
    assert read_run_gate(gate_desk.root, REQUEST).open is None


def test_repository_without_a_log_waits(gate_desk: GateDesk) -> None:
    """Without anybody who may decide, nothing is decided."""
    assert read_run_gate(gate_desk.root, REQUEST).open is None


def test_phase_without_a_gate_is_open(gate_desk: GateDesk) -> None:
    """The pipeline says so, and it is said in the run."""
    (gate_desk.root / "handoff-tui.toml").write_text(
        '[pipelines.mine]\nphases = [{ name = "review", gate = false }]\n', encoding="utf-8"
    )
    found = read_run_gate(gate_desk.root, REQUEST)
    assert (found.open, found.why) == (True, "the phase review has no gate")


def test_step_behind_a_gate_is_not_begun_on_the_engines_word(gate_desk: GateDesk) -> None:
    """An edited checkpoint says that the gate was passed; git says that nobody has decided."""
    reviewer = gate_desk.person("bob")
    gate_desk.begin(reviewer)
    request = REQUEST.model_copy(update={"procedure": "PHASE_TRANSITION_STANDARD"})
    with pytest.raises(ProcedureError, match="nobody has approved it: pending"):
        refuse_closed_gate(open_desk(gate_desk.root), request, "validate_handoff")
    refuse_closed_gate(open_desk(gate_desk.root), request, "transfer_resources")
    assert gate_desk.decide(reviewer, "approve").code == 0
    refuse_closed_gate(open_desk(gate_desk.root), request, "validate_handoff")
