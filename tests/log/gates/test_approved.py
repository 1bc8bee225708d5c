"""The log asked about all handoffs, and about earlier states."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.changes.diff import ChangesReport, DiffRequest, diff
from handoff_tui.decisions.examine import examine as look
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import open_session
from handoff_tui.log.gates.all_gates import LogGates
from handoff_tui.log.gates.approved import read_comparison_points
from handoff_tui.log.gates.gate_state import GateReport
from handoff_tui.log.open_log import open_log
from tests.support.gates import CODE, HANDOFF, GateDesk
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Person, Speaking


@pytest.fixture
def gates(
    tmp_path: Path, builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> GateDesk:
    """One handoff by an agent; no log yet."""
    return GateDesk(Speaking(monkeypatch, capsys), builder, tmp_path)


def compare(gates: GateDesk, scope: DiffScope, handoff: str | None = None) -> ChangesReport:
    return diff(open_session(gates.root), DiffRequest(scope=scope, handoff=handoff))


def list_paths(found: ChangesReport) -> list[str] | None:
    return None if found.files is None else [change.path for change in found.files.listed.changes]


def test_last_approved_is_the_baseline_of_what_follows(gates: GateDesk) -> None:
    """Not of itself: what was approved just now has nothing before it."""
    bo = gates.person("bo")
    gates.begin(bo)
    assert gates.decide(bo, "approve").code == 0
    same = compare(gates, DiffScope.SINCE_BASELINE)
    assert same.pair.before.snapshot is None
    gates.commit_log()
    gates.change(CODE.replace("a - b", "b - a"))
    found = compare(gates, DiffScope.SINCE_BASELINE)
    assert found.pair.before.reason == "The last approved baseline on this branch"
    assert (found.record is not None, list_paths(found)) == (True, ["src/app.py"])


def test_my_review_is_mine(gates: GateDesk) -> None:
    """Whatever I decided; another's review is not mine."""
    bo, cy = gates.person("bo"), gates.person("cy")
    gates.begin(bo, cy)
    assert gates.decide(bo, "reject", "--reason", "no").code == 0
    gates.commit_log()
    gates.change()
    gates.speaking(bo, "status", "--repo", gates.root)
    mine = compare(gates, DiffScope.SINCE_MY_REVIEW)
    assert mine.pair.before.reason.startswith(f"{bo.email} decided reject on attempt 1")
    assert list_paths(mine) == ["src/app.py"]
    gates.speaking(cy, "status", "--repo", gates.root)
    assert not compare(gates, DiffScope.SINCE_MY_REVIEW).pair.comparable


def test_previous_attempt_is_what_was_decided_on_before(gates: GateDesk) -> None:
    """The work as it was when somebody sent it back."""
    bo = gates.person("bo")
    gates.begin(bo)
    assert gates.decide(bo, "retry", "--reason", "again").code == 0
    gates.commit_log()
    assert not compare(gates, DiffScope.SINCE_PREVIOUS_ATTEMPT, HANDOFF).pair.comparable
    gates.change()
    found = compare(gates, DiffScope.SINCE_PREVIOUS_ATTEMPT, HANDOFF)
    assert list_paths(found) == ["src/app.py"]


def test_log_that_is_not_sound_tells_of_no_moment(gates: GateDesk) -> None:
    """And it is said: nothing approved is not the same as nothing that can be believed."""
    bo = gates.person("bo")
    genesis = gates.begin(bo)
    assert gates.decide(bo, "approve").code == 0
    shutil.rmtree(gates.root / ".handoff-tui/log" / genesis.removeprefix("sha256:")[:2])
    gates.change()
    assert not read_comparison_points(open_session(gates.root), "0" * 40, None).is_intact
    found = compare(gates, DiffScope.SINCE_BASELINE)
    assert found.pair.before.reason.startswith("the log is not intact, so nothing in it counts")


def judge(desk: GateDesk) -> GateReport:
    opened = open_session(desk.root)
    handoffs = read_repository(opened).result.handoffs
    return LogGates(opened, handoffs).judge(handoffs[0])


def test_gate_is_told_without_running_a_check(gate_desk: GateDesk, bo: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Approved by the log, superseded when its files have changed; those of others say nothing."""
    gate_desk.decide(bo, "approve")
    monkeypatch.setattr("handoff_tui.checks.run.check.check", None)
    assert judge(gate_desk).state.value == "approved"
    gate_desk.change(path="elsewhere.py")
    assert judge(gate_desk).state.value == "approved"
    gate_desk.builder.write("src/app.py", "# half saved\n")
    report = judge(gate_desk)
    assert (report.state.value, "src/app.py changed since" in " ".join(report.why)) == ("superseded", True)


def test_approval_by_a_producer_is_not_counted(gate_desk: GateDesk, bo: Person) -> None:
    """Who made the work is taken from the entries: a submission by the approver undoes the approval."""
    gate_desk.decide(bo, "approve")
    assert judge(gate_desk).state.value == "approved"
    assert gate_desk.speaking(bo, "submit", "HANDOFF.md", "--repo", gate_desk.root, "--sign", terminal=True).code == 0
    report = judge(gate_desk)
    assert (report.state.value, "nobody approves their own" in " ".join(report.why)) == ("pending", True)


def test_approval_of_another_handoff_is_no_baseline(gates: GateDesk) -> None:
    """It holds work of this one that nobody has reviewed; its own earlier approval is one."""
    bo = gates.person("bo")
    gates.begin(bo)
    assert gates.decide(bo, "approve").code == 0
    gates.commit_log()
    text = "# Handoff: other\n\nStatus: COMPLETE\n"
    gates.builder.write("docs/handoffs/other-1.md", text).write("other.py", "x\n").commit("other")
    gates.change()
    session = open_session(gates.root)
    baselines = {
        name: look(session, open_log(session.repository), name).baseline
        for name in (HANDOFF, "notes/docs/handoffs/other-1.md")
    }
    assert baselines[HANDOFF].reason == "The last approved baseline on this branch"
    assert baselines["notes/docs/handoffs/other-1.md"].snapshot is None
