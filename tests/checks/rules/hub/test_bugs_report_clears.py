from __future__ import annotations

import json

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.hub.reports import BUGS_REPORT_CLEARS
from tests.support.world import MemoryWorld, judge

PATH = "bugs.json"
CONTEXT = (
    "# Handoff Context\nRun ID: 9 | Project: Boats | Task: T050\n\n"
    "### QA Agent (now)\n**Status**: pass\n**Summary**: ok\n"
)


def report(*findings: dict[str, object], **more: object) -> str:
    return json.dumps({"task": "T050", "status": "pass", "bugs": findings, **more}, indent=1)


def subjects(*findings: dict[str, object], **more: object) -> list[str]:
    return [found.subject for found in judge(BUGS_REPORT_CLEARS, MemoryWorld({PATH: report(*findings, **more)}))]


def test_report_with_closed_and_lesser_findings_clears() -> None:
    """Fixed ones, and those below high."""
    assert (
        subjects(
            {"id": "F-1", "severity": "critical", "status": "fixed", "title": "a"},
            {"id": "F-2", "severity": "medium", "title": "b"},
            {"id": "F-3", "severity": "info", "title": "c"},
        )
        == []
    )


@pytest.mark.parametrize("severity", ["critical", "high", "HIGH", "blocker", None])
@pytest.mark.parametrize("status", [None, "open", "wont_fix", "false_positive", "accepted"])
def test_report_with_an_open_finding_does_not_clear(severity: str | None, status: str | None) -> None:
    """Whatever the report's status says; waved through is not fixed, and an unknown severity may be any."""
    found = judge(
        BUGS_REPORT_CLEARS,
        MemoryWorld({PATH: report({"id": "F-1", "severity": severity, "status": status, "title": "Leak"})}),
    )
    assert [one.subject for one in found] == ["F-1"]
    assert found[0].place is not None
    assert (found[0].place.path, bool(found[0].place.line)) == (PATH, True)


def test_report_that_hides_findings_does_not_clear() -> None:
    """Numbers beyond the list are findings that are not shown."""
    assert subjects(summary={"high": 2, "low": 1}) == ["unlisted high"]


def test_report_that_is_broken_does_not_clear() -> None:
    """What cannot be read decides nothing."""
    [found] = judge(BUGS_REPORT_CLEARS, MemoryWorld({PATH: '{"bugs": ['}))
    assert found.subject == f"unreadable {PATH}"


def test_report_that_is_missing_leaves_a_pass_undecided() -> None:
    """The stage says pass, and nothing supports it."""
    [found] = judge(BUGS_REPORT_CLEARS, MemoryWorld({"HANDOFF_9_T050.md": CONTEXT}))
    assert found.subject == "missing T050"


def test_report_beside_the_pass_decides_it() -> None:
    """With the report there, the pass needs nothing more."""
    assert judge(BUGS_REPORT_CLEARS, MemoryWorld({"HANDOFF_9_T050.md": CONTEXT, PATH: report()})) == []


def test_report_is_not_asked_for_elsewhere() -> None:
    """No hub, or a hub that has not come so far."""
    for files in ({}, {"todo.json": '{"project": "Boats", "tasks": [{"id": "T1", "title": "Row"}]}'}):
        with pytest.raises(NotApplicableError):
            judge(BUGS_REPORT_CLEARS, MemoryWorld(dict(files)))
