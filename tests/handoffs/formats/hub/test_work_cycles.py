from __future__ import annotations

import json

from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.hub.format import HUB
from handoff_tui.handoffs.handoff import Handoff
from tests.support.memory_files import MemoryFiles, read_with

_PATH = "handoffs/export.json"


def _read(content: object, **others: str) -> tuple[list[Handoff], list[str]]:
    shelf = MemoryFiles({_PATH: json.dumps(content, indent=1), **others})
    return read_with(HUB, shelf).handoffs, [problem.message for problem in shelf.source(_PATH).problems()]


def _cycle(**fields: object) -> dict[str, object]:
    return {"from_role": "DEV", "to_role": "QA", "stage": "qa", "status": "completed", **fields}


def test_cycle_is_the_handoff_of_its_task() -> None:
    """Roles, stage, status and life are read; its report is a check and an attempt."""
    cycle = _cycle(
        task={"task_id": "T007", "title": "Trim the wick"},
        run_id=12,
        report_status="fail",
        report="2 failed",
        summary="Smokes",
        created_at="2031-02-03T01:00:00",
        accepted_at="2031-02-03T02:00:00",
        completed_at="2031-02-03T03:00:00",
    )
    handoffs, problems = _read(cycle)
    handoff = handoffs[0]
    assert (handoff.id, handoff.title, handoff.status) == ("T007", "Trim the wick", "COMPLETE")
    assert (handoff.source_agent, handoff.target_agent) == ("DEV", "QA")
    assert (handoff.source_phase, handoff.target_phase) == ("QA", "SEC")
    assert [(claim.kind, claim.subject, claim.value) for claim in handoff.claims] == [
        (ClaimKind.STATUS, None, "COMPLETE"),
        (ClaimKind.CHECK, "QA report", "fail"),
    ]
    assert [(attempt.agent, attempt.status, attempt.when) for attempt in handoff.attempts] == [
        ("QA", "fail", "2031-02-03T03:00:00")
    ]
    facts = {(fact.name, fact.value) for fact in handoff.facts}
    assert {("cycle accepted at", "2031-02-03T02:00:00"), ("cycle run id", "12")} <= facts
    assert handoff.producers == ("DEV", "QA")
    assert problems == []


def test_cycles_of_one_task_are_one_handoff_led_by_the_newest() -> None:
    """The newest cycle says how things stand; attempts are told oldest first."""
    content = {
        "work_cycles": [
            _cycle(task_id="T007", stage="sec", to_role="SEC", status="pending", created_at="2031-02-03T09:00:00"),
            _cycle(task_id="T007", report_status="pass", report="fine", completed_at="2031-02-03T08:00:00"),
            _cycle(task_id="T007", report_status="fail", report="bad", completed_at="2031-02-03T07:00:00"),
            _cycle(run="12", status="skipped"),
        ]
    }
    handoffs, _ = _read(content)
    assert [handoff.id for handoff in handoffs] == ["RUN-12", "T007"]
    assert (handoffs[1].source_phase, handoffs[1].status) == ("SEC", "PENDING")
    assert [(attempt.number, attempt.status) for attempt in handoffs[1].attempts] == [(1, "fail"), (2, "pass")]


def test_cycle_newer_than_the_context_decides() -> None:
    """A context and a cycle of one task are one handoff; the newer says where the task stands."""
    context = (
        "# Handoff Context\nGenerated: 2031-02-03 08:00:00\nRun ID: 12 | Project: Lantern | Task: T007\n\n"
        "## Pipeline Position\n- **Current State**: dev\n- **Your Role**: DEV\n\n"
        "## Current Task: T007\n**Title**: Trim\n**Status**: in_progress\n"
    )
    newer = _cycle(task_id="T007", created_at="2031-02-03T09:00:00")
    older = _cycle(task_id="T007", created_at="2031-02-03T07:00:00")
    for cycle, expected in ((newer, ("QA", "COMPLETE", "QA")), (older, ("DEV", "IN_PROGRESS", "DEV"))):
        handoffs, _ = _read(cycle, **{"HANDOFF_12_T007.md": context})
        assert len(handoffs) == 1
        assert (handoffs[0].source_phase, handoffs[0].status, handoffs[0].target_agent) == expected
        assert handoffs[0].title == "Trim"
        assert len(handoffs[0].documents) == 2


def test_cycle_with_unknown_words_is_reported_and_kept() -> None:
    """A status outside the list is a problem; a pass whose report holds an error is doubted."""
    handoffs, problems = _read(_cycle(task="T1", status="napping", report_status="pass", report="HTTP 502"))
    assert handoffs[0].status == "napping"
    assert handoffs[0].attempts[0].warning == "it says pass, but its output holds an HTTP 502 error"
    assert problems == [
        "status is none of pending, in_progress, completed, failed, skipped: napping",
        "the QA report is doubtful: it says pass, but its output holds an HTTP 502 error",
    ]


def test_cycle_without_task_or_run_is_named_for_its_file() -> None:
    """Nothing is dropped for lack of an id."""
    handoffs, _ = _read(_cycle())
    assert [handoff.id for handoff in handoffs] == ["handoffs/export"]
