from __future__ import annotations

import json

from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.hub.format import HUB
from tests.support.memory_files import MemoryFiles, read_with

_CONTEXT = "# Handoff Context\nRun ID: 12 | Project: Lantern | Task: T007\n"


def test_report_joins_the_handoff_it_names() -> None:
    """A report is a document of its task, with its result as a check and its commit as a claim."""
    report = {
        "role": "DOCS",
        "status": "pass",
        "summary": "Manual written",
        "task_id": "T007",
        "details": {"commit_hash": "abc1234", "tests_passed": 5, "files": ["a"]},
    }
    files = {
        "HANDOFF_12_T007.md": _CONTEXT,
        "HANDOFF_13_T008.md": _CONTEXT.replace("12", "13").replace("T007", "T008"),
        "elsewhere/report.json": json.dumps(report),
    }
    handoffs = {handoff.id: handoff for handoff in read_with(HUB, MemoryFiles(files)).handoffs}
    assert set(handoffs) == {"T007", "T008"}
    handoff = handoffs["T007"]
    assert [document.path for document in handoff.documents] == ["HANDOFF_12_T007.md", "elsewhere/report.json"]
    assert [(claim.kind, claim.subject, claim.value) for claim in handoff.claims] == [
        (ClaimKind.CHECK, "DOCS report", "pass"),
        (ClaimKind.COMMIT, None, "abc1234"),
    ]
    facts = {(fact.name, fact.value) for fact in handoff.facts}
    assert {("DOCS report summary", "Manual written"), ("DOCS report tests passed", "5")} <= facts


def test_report_that_stands_alone_is_kept_and_doubted() -> None:
    """Without a handoff it is one of its own; an error in its output speaks against its pass."""
    report = {"agent": "QA", "status": "pass", "summary": "ok", "raw_output": "Traceback"}
    shelf = MemoryFiles({"report.json": json.dumps(report)})
    handoffs = read_with(HUB, shelf).handoffs
    assert [handoff.id for handoff in handoffs] == ["reports"]
    assert [problem.message for problem in shelf.source("report.json").problems()] == [
        "the QA report is doubtful: it says pass, but its output holds a traceback"
    ]
