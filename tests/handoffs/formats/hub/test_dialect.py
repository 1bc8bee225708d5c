from __future__ import annotations

import json

from handoff_tui.config.settings.root import Hub, Settings
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.formats.hub.format import HUB
from tests.support.memory_files import MemoryFiles, read_with


def _context(run: int, time: str, title: str) -> str:
    return (
        f"# Handoff Context\nGenerated: {time}\nRun ID: {run} | Project: Lantern | Task: T007\n\n"
        f"## Current Task: T007\n**Title**: {title}\n"
    )


def test_runs_of_one_task_are_one_handoff() -> None:
    """The newest context speaks; older ones stay as documents."""
    files = {
        "HANDOFF_9_T007.md": _context(9, "2031-02-03 04:05:06", "old"),
        "HANDOFF_10_T007.md": _context(10, "2031-02-03 04:05:06", "new"),
        "WORK_CYCLE_0_T007.md": "# WorkCycle Context\nRun 0 not found.",
    }
    handoffs = read_with(HUB, MemoryFiles(files)).handoffs
    assert [(handoff.id, handoff.title) for handoff in handoffs] == [("T007", "new")]
    assert [document.path for document in handoffs[0].documents] == [
        "HANDOFF_10_T007.md",
        "HANDOFF_9_T007.md",
        "WORK_CYCLE_0_T007.md",
    ]
    earlier = [fact.value for fact in handoffs[0].facts if fact.name == "earlier run"]
    assert earlier == ["9, 2031-02-03 04:05:06", "0, no time given"]


def test_findings_join_the_handoff_of_their_folder_run_or_content() -> None:
    """A report is filed where it can be told to belong; else it stands alone under its folder."""
    finding = [{"title": "a", "severity": "low"}]
    files = {
        "work/HANDOFF_10_T007.md": _context(10, "2031-02-03 04:05:06", "x"),
        "work/bugs.json": json.dumps(finding),
        "runs/10/security_report.json": json.dumps({"findings": finding}),
        "away/security_report.json": json.dumps({"findings": finding, "task": "T007"}),
        "lost/security_report.json": json.dumps({"findings": finding}),
    }
    handoffs = read_with(HUB, MemoryFiles(files)).handoffs
    assert [(handoff.id, len(handoff.findings)) for handoff in handoffs] == [("T007", 3), ("lost/security-report", 1)]


def test_empty_context_is_a_handoff_with_a_problem() -> None:
    """A context that was never written is shown, not dropped."""
    shelf = MemoryFiles({"WORK_CYCLE_0.md": "# WorkCycle Context\nRun 0 not found."})
    handoffs = read_with(HUB, shelf).handoffs
    assert [(handoff.id, handoff.claims, handoff.tasks) for handoff in handoffs] == [("RUN-0", (), ())]
    assert len(shelf.source("WORK_CYCLE_0.md").problems()) == 1


def test_words_of_the_hub_come_from_the_settings() -> None:
    """Stages, where failure leads, statuses of cycles and reports, and what fails a stage."""
    words = Hub(
        stages=("DEV", "PROOF", "COMPLETE"),
        failure_stage="PROOF",
        run_failure_targets={"qa_failed": "proof"},
        statuses=("waiting", "over"),
        report_statuses=("green", "red"),
        failing_severities=(Severity.LOW,),
    )
    cycle = {"from_role": "dev", "to_role": "proof", "status": "waiting", "stage": "dev", "report_status": "green"}
    failed = _context(4, "2031-02-03 04:05:06", "x") + "\n## Pipeline Position\n- **Current State**: sec_failed\n"
    files = {
        "work_cycles.json": json.dumps([{**cycle, "task": "T001"}]),
        "HANDOFF_4_T007.md": failed,
        "bugs.json": json.dumps({"status": "green", "bugs": [{"title": "a", "severity": "low"}]}),
    }
    shelf = MemoryFiles(files, Settings(hub=words))
    handoffs = {handoff.id: handoff for handoff in read_with(HUB, shelf).handoffs}
    assert (handoffs["T001"].source_phase, handoffs["T001"].target_phase) == ("DEV", "PROOF")
    assert (handoffs["T007"].source_phase, handoffs["T007"].target_phase) == ("SEC_FAILED", "PROOF")
    assert [problem.message for problem in shelf.source("work_cycles.json").problems()] == []
    assert [problem.message for problem in shelf.source("bugs.json").problems()] == [
        "says green, but lists 1 open findings that are low"
    ]
    standard = MemoryFiles(files)
    read_with(HUB, standard)
    assert len(standard.source("work_cycles.json").problems()) == 2
