from __future__ import annotations

import json

import pytest

from handoff_tui.checks.rule import NotApplicableError
from handoff_tui.checks.rules.hub.lifecycle_legal import LIFECYCLE_LEGAL
from tests.support.world import MemoryWorld, find_subjects, judge

PATH = "hub/handoffs.json"
GOOD = {
    "id": 7,
    "task": "T031",
    "from_role": "dev",
    "to_role": "qa",
    "stage": "qa",
    "status": "completed",
    "report_status": "pass",
    "report": "14 pages opened, all of them as drawn",
    "created_at": "2026-04-01T10:00:00Z",
    "accepted_at": "2026-04-01T10:05:00Z",
    "completed_at": "2026-04-01T11:00:00Z",
}


def cycles(*changes: dict[str, object]) -> str:
    return json.dumps({"handoffs": [{**GOOD, **change} for change in changes]}, indent=1)


def subjects(*changes: dict[str, object]) -> list[str]:
    return find_subjects(LIFECYCLE_LEGAL, MemoryWorld({PATH: cycles(*changes)}))


def test_lifecycle_of_a_good_cycle_is_legal() -> None:
    """Accepted, then completed, at times in order."""
    assert subjects({}) == []


@pytest.mark.parametrize(
    "change",
    [
        {"status": "pending", "accepted_at": None, "completed_at": None, "report_status": None},
        {"status": "in_progress", "completed_at": None, "report_status": None},
        {"status": "failed", "accepted_at": None, "completed_at": None},
        {"status": "skipped", "accepted_at": None, "completed_at": None, "report_status": None},
    ],
)
def test_lifecycle_of_every_other_status_is_legal(change: dict[str, object]) -> None:
    """Pending and in progress with the times they can have; failed and skipped from any."""
    assert subjects(change) == []


@pytest.mark.parametrize(
    ("change", "subject"),
    [
        ({"status": "done"}, "cycle 7 status"),
        ({"status": None}, "cycle 7 status"),
        ({"report_status": "passed"}, "cycle 7 report_status"),
        ({"accepted_at": None}, "cycle 7 accepted_at"),
        ({"completed_at": None}, "cycle 7 completed_at"),
        ({"status": "in_progress"}, "cycle 7 completed_at"),
        ({"accepted_at": "2026-04-01T09:00:00Z"}, "cycle 7 accepted_at order"),
        ({"completed_at": "2026-04-01T10:01:00Z"}, "cycle 7 completed_at order"),
        ({"accepted_at": "this morning"}, "cycle 7 accepted_at form"),
    ],
)
def test_lifecycle_names_what_is_illegal(change: dict[str, object], subject: str) -> None:
    """Words that are none, steps left out, times out of order or no times."""
    assert subjects(change) == [subject]


def test_lifecycle_of_a_pending_cycle_has_no_later_times() -> None:
    """What was accepted is not pending any more."""
    assert subjects({"status": "pending"}) == ["cycle 7 accepted_at", "cycle 7 completed_at"]


@pytest.mark.parametrize(
    ("before", "now", "legal"),
    [("pending", "completed", True), ("completed", "failed", True), ("failed", "completed", False)],
)
def test_lifecycle_since_the_baseline_takes_only_allowed_steps(before: str, now: str, *, legal: bool) -> None:
    """A failed cycle is not completed after all; any may fail."""
    world = MemoryWorld(
        {PATH: cycles({"status": now})},
        base="b" * 40,
        old_files={("b" * 40, PATH): cycles({"status": before}).encode()},
    )
    found = judge(LIFECYCLE_LEGAL, world)
    assert [one.subject for one in found] == ([] if legal else ["cycle 7 step"])
    assert all(one.place is not None and one.place.line for one in found)


def test_lifecycle_judges_reports_of_context_files() -> None:
    """A report is pass or fail and nothing else."""
    text = "# Handoff Context\nRun ID: 5 | Project: Boats | Task: T031\n\n### QA Agent (now)\n**Status**: fine\n"
    [found] = judge(LIFECYCLE_LEGAL, MemoryWorld({"HANDOFF_5_T031.md": text}))
    assert (found.actual, found.expected) == ("fine", "pass | fail")


def test_lifecycle_does_not_apply_without_cycles() -> None:
    """No hub, or a hub with only a list of tasks."""
    for files in ({}, {"todo.json": '{"project": "Boats", "tasks": [{"id": "T1", "title": "Row"}]}'}):
        with pytest.raises(NotApplicableError):
            judge(LIFECYCLE_LEGAL, MemoryWorld(dict(files)))
