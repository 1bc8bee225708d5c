from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from handoff_tui.changes.risk import risk
from handoff_tui.changes.risk import risk as tree_risk
from handoff_tui.changes.risk.risk import RiskMemory, read_risks
from handoff_tui.handoffs.session import open_desk
from handoff_tui.log.gates.all_gates import LogGates
from handoff_tui.log.index import build_log_index
from handoff_tui.status.inbox import Measured
from handoff_tui.status.inbox_item import RiskKind
from handoff_tui.status.refresh import open_log_gates, refresh
from tests.support.gates import HANDOFF, GateDesk
from tests.support.logs import LogBuilder
from tests.support.repositories import RepositoryBuilder


def read(folder: Path, memory: RiskMemory | None = None) -> dict[str, Measured]:
    desk = open_desk(folder)
    return read_risks(desk, refresh(desk), open_log_gates(desk), memory or RiskMemory())


def list_kinds(measured: Measured) -> list[RiskKind]:
    return [fact.kind for fact in measured.risks]


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Every pair of trees that was compared."""
    pairs: list[tuple[str, str]] = []
    measure: Callable[..., Measured] = tree_risk.measure_trees

    def count(desk: object, old: str, new: str) -> Measured:
        pairs.append((old, new))
        return measure(desk, old, new)

    monkeypatch.setattr(risk, "measure_trees", count)
    return pairs


def test_handoffs_with_one_baseline_cost_one_comparison(
    builder: RepositoryBuilder, tmp_path: Path, compared: list[tuple[str, str]]
) -> None:
    """And none at all as long as nothing moves."""
    builder.write("a.txt").commit().push(tmp_path / "remote")
    for number in range(20):
        builder.write(f"docs/handoffs/2026-01-{number + 1:02}-x.md", "# Handoff\n\nStatus: COMPLETE\n")
    builder.write("Jenkinsfile", "x").commit()
    memory = RiskMemory()
    found = read(builder.folder, memory)
    assert len(found) == 20
    assert all(list_kinds(measured) == [RiskKind.CI_EDITED] for measured in found.values())
    assert read(builder.folder, memory) == found
    assert len(compared) == 1
    builder.write("b.txt")
    read(builder.folder, memory)
    assert len(compared) == 2


def test_uncommitted_work_is_measured_too(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """The work tree as it is, against where unpushed work began."""
    builder.write("a.txt").commit().push(tmp_path / "remote")
    builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").commit()
    builder.write(".env", "KEY=1\n")
    [measured] = read(builder.folder).values()
    assert list_kinds(measured) == [RiskKind.SENSITIVE_PATH]
    assert measured.size is not None
    assert measured.size.files == 2


def test_without_a_baseline_only_the_claims_speak(builder: RepositoryBuilder) -> None:
    """Nothing is called new where nothing can be compared."""
    text = "# Handoff\n\nStatus: COMPLETE\n\n- created `src/gone.py`\n"
    builder.write("HANDOFF.md", text).write("Jenkinsfile").commit()
    [measured] = read(builder.folder).values()
    assert measured.size is None
    assert set(list_kinds(measured)) <= {RiskKind.CONTRADICTED}


def test_approved_work_is_the_baseline(gate_desk: GateDesk) -> None:
    """What came after the approval is measured; the approved rest is not."""
    bo = gate_desk.person("bo")
    gate_desk.builder.write("Jenkinsfile", "x").commit()
    gate_desk.begin(bo)
    gate_desk.decide(bo, "approve")
    gate_desk.change(path=".env")
    measured = read(gate_desk.root)[HANDOFF]
    assert list_kinds(measured) == [RiskKind.SENSITIVE_PATH]
    assert measured.size is not None
    assert measured.size.files == 1


def test_memory_keeps_only_the_last_comparisons(builder: RepositoryBuilder, compared: list[tuple[str, str]]) -> None:
    """A day of saving files does not fill it."""
    builder.write("a.txt").commit()
    tree = builder.head("HEAD^{tree}")
    desk, memory = open_desk(builder.folder), RiskMemory()
    trees = []
    for number in range(10):
        builder.write("a.txt", str(number)).commit()
        trees.append(builder.head("HEAD^{tree}"))
        memory.measure(desk, tree, trees[-1])
    memory.measure(desk, tree, trees[-1])
    assert len(compared) == 10
    memory.measure(desk, tree, trees[0])
    assert len(compared) == 11


def test_policy_that_changed_since_the_last_decision_is_told(builder: RepositoryBuilder) -> None:
    """Whoever may decide now is not whom the last decision was made under."""
    builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").commit()
    log = LogBuilder()
    log.add_policy()
    log.add_decision()
    desk = open_desk(builder.folder)
    gates = LogGates(desk)
    gates.__dict__["index"] = build_log_index(log.judge(pin=log.genesis))
    [before] = read_risks(desk, refresh(desk), gates, RiskMemory()).values()
    assert RiskKind.POLICY_EDITED not in list_kinds(before)
    log.add_policy()
    gates = LogGates(desk)
    gates.__dict__["index"] = build_log_index(log.judge(pin=log.genesis))
    [after] = read_risks(desk, refresh(desk), gates, RiskMemory()).values()
    assert "version 2 is in force" in after.risks[0].text
