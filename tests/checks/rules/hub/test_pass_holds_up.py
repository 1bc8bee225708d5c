from __future__ import annotations

import json

import pytest

from handoff_tui.checks.rule import NotApplicableError
from handoff_tui.checks.rules.hub.pass_holds_up import PASS_HOLDS_UP
from tests.support.world import MemoryWorld, find_subjects, judge

HEAD = "# Handoff Context\nRun ID: 12 | Project: Boats | Task: T060\n\n## Previous Agent Work\n"


def context(*attempts: tuple[str, str, str]) -> dict[str, str | bytes]:
    told = "".join(
        f"### {role} Agent (now)\n**Status**: {status}\n**Summary**: {role} worked\n\n```\n{output}\n```\n---\n"
        for role, status, output in attempts
    )
    return {"HANDOFF_12_T060.md": HEAD + told}


def subjects(files: dict[str, str | bytes]) -> list[str]:
    return find_subjects(PASS_HOLDS_UP, MemoryWorld(files))


def test_pass_with_clean_output_holds() -> None:
    """Nothing in it speaks against it."""
    assert subjects(context(("QA", "pass", "GET /boats 200\n12 checks done"))) == []


@pytest.mark.parametrize(
    "output",
    [
        "GET /boats -> HTTP 500 Internal Server Error",
        "POST /row: 502 Bad Gateway",
        "Traceback (most recent call last):\n  boom",
        "starting session | model: local",
        "curl: Connection refused",
        "bash: pytset: command not found",
    ],
)
def test_pass_with_speaking_output_does_not_hold(output: str) -> None:
    """Server errors, tracebacks, a mere banner, and what the settings call suspicious."""
    found = judge(PASS_HOLDS_UP, MemoryWorld(context(("QA", "pass", output))))
    assert [one.subject for one in found] == ["T060 QA"]
    assert found[0].place is not None


def test_pass_that_shows_no_work_does_not_hold() -> None:
    """A pass without output and without a summary of its own is empty."""
    text = HEAD + "### SECURITY Agent (now)\n**Status**: pass\n**Summary**: SECURITY agent execution completed\n"
    assert subjects({"HANDOFF_12_T060.md": text}) == ["T060 SEC"]


def test_failure_may_show_errors() -> None:
    """Only a pass is contradicted by them."""
    assert subjects(context(("QA", "fail", "HTTP 500"))) == []


def test_pass_that_was_tried_again_no_longer_counts() -> None:
    """The newest try at a stage is the one that stands."""
    assert subjects(context(("QA", "pass", "HTTP 500"), ("QA", "pass", "12 checks done"))) == []


def test_pass_in_a_work_cycle_is_judged() -> None:
    """Its report is its raw output."""
    cycle = {"id": 1, "task": "T061", "from_role": "dev", "to_role": "qa", "stage": "qa", "status": "completed"}
    files: dict[str, str | bytes] = {
        "hub/handoffs.json": json.dumps({"handoffs": [{**cycle, "report_status": "pass", "report": "HTTP 503"}]})
    }
    assert subjects(files) == ["T061 QA"]


@pytest.mark.parametrize(
    ("output", "count"), [("Traceback (most recent call last)", 1), ("quota exceeded", 1), ("all well", 0)]
)
def test_pass_in_a_report_of_json_is_judged(output: str, count: int) -> None:
    """An agent's own report with its raw output."""
    report = {"role": "qa", "status": "pass", "summary": "fine", "raw_output": output}
    assert len(subjects({"reports/qa_report.json": json.dumps(report)})) == count


def test_pass_is_not_looked_for_where_nobody_reports() -> None:
    """No hub, or no report yet."""
    for files in ({}, {"HANDOFF_12_T060.md": HEAD + "No previous reports.\n"}):
        with pytest.raises(NotApplicableError):
            judge(PASS_HOLDS_UP, MemoryWorld(dict(files)))


TEXT = "# Top\n### QA Agent\nok\n```\n## no heading\n```\nend\n### SEC Agent\nother\n"
