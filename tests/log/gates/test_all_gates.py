from __future__ import annotations

from collections.abc import Callable

import pytest

from handoff_tui.git.history import work_commits
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import open_desk
from handoff_tui.log.gates.all_gates import LogGates
from handoff_tui.log.gates.gate_state import GateReport
from tests.support.gates import GateDesk


def judge(desk: GateDesk) -> GateReport:
    opened = open_desk(desk.root)
    return LogGates(opened).judge(read_repository(opened).result.handoffs[0])


def test_gate_is_told_without_running_a_check(gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Approved by the log, superseded when the files have changed."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    gate_desk.decide(bo, "approve")
    monkeypatch.setattr("handoff_tui.checks.run.check.check", None)
    assert judge(gate_desk).state.value == "approved"
    gate_desk.change()
    report = judge(gate_desk)
    assert (report.state.value, "the files" in " ".join(report.why)) == ("superseded", True)


def test_approval_by_a_producer_is_not_counted(gate_desk: GateDesk) -> None:
    """Who made the work is taken from the entries: a submission by the approver undoes the approval."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    gate_desk.decide(bo, "approve")
    assert judge(gate_desk).state.value == "approved"
    assert gate_desk.speaking(bo, "submit", "HANDOFF.md", "--repo", gate_desk.root, "--sign").code == 0
    report = judge(gate_desk)
    assert (report.state.value, "nobody approves their own" in " ".join(report.why)) == ("pending", True)


def test_ancestry_of_all_entries_is_asked_for_at_once(gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many decisions there are."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    for number in range(2):
        gate_desk.decide(bo, "approve")
        gate_desk.change(f"# {number}\n")
    asked: list[int] = []
    find: Callable[..., frozenset[str]] = work_commits.find_ancestors

    def count(*arguments: object) -> frozenset[str]:
        asked.append(1)
        return find(*arguments)

    monkeypatch.setattr("handoff_tui.log.gates.all_gates.find_ancestors", count)
    opened = open_desk(gate_desk.root)
    gates = LogGates(opened)
    for handoff in read_repository(opened).result.handoffs * 3:
        gates.judge(handoff)
    assert len(asked) == 1
