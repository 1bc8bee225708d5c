"""The rules of a hub."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest

from handoff_tui.checks.rule import NotApplicableError, Rule, RuleFinding
from handoff_tui.checks.rules.hub.lifecycle import deploy_has_a_human, lifecycle_legal, run_complete_when_tasks_are
from handoff_tui.checks.rules.hub.proofs import (
    bugs_report_clears,
    is_picture,
    parse_result,
    pass_holds_up,
    proofs_exist_and_match,
    security_report_clears,
)
from handoff_tui.core.tasks import TestCounts
from tests.support.memory_files import MemoryFiles
from tests.support.world import MemoryWorld, find_subjects, judge


def deploy_context(state: str, more: str = "") -> dict[str, str | bytes]:
    return {
        "HANDOFF_90_T091.md": "# Handoff Context\nRun ID: 90 | Project: Boats | Task: T091\n\n"
        f"## Pipeline Position\n- **Current State**: {state}\n\n{more}\n"
    }


@pytest.mark.parametrize("state", ["deploy", "ready_for_deploy", "deployed"])
def test_deploy_without_an_approval_is_found(state: str) -> None:
    """Each state on the way out needs a person."""
    [found] = judge(deploy_has_a_human, MemoryWorld(deploy_context(state)))
    assert (found.subject, found.actual) == ("T091 deploy", "none")


@pytest.mark.parametrize("line", ["**Approved by**: Ingrid Moen", "- Deploy approved by: I. Moen (2026-04-02)"])
def test_deploy_with_a_named_person_passes(line: str) -> None:
    """A name that isn't an agent's, and a signed entry."""
    files = deploy_context("ready_for_deploy", line)
    assert judge(deploy_has_a_human, MemoryWorld(files, signed=("ingrid@example.org",))) == []


def test_deploy_that_nobody_signed_does_not_pass() -> None:
    """B9: a name in a document is a claim. Without a log nothing can bear it out; with one it is false.

    The person who is about to decide on that very handoff is told, and not kept from it.
    """
    files = deploy_context("ready_for_deploy", "Approved by: Marit Holm")
    with pytest.raises(NotApplicableError, match="approved by Marit Holm; there is no signed log here"):
        judge(deploy_has_a_human, MemoryWorld(files))
    world = MemoryWorld(files, signed=())
    [found] = judge(deploy_has_a_human, world)
    assert "says it was approved by Marit Holm; the signed log has no such decision" in found.message
    [handoff] = world.handoffs_read().handoffs
    with pytest.raises(NotApplicableError, match="no such decision"):
        judge(deploy_has_a_human, world, scope=handoff.id)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("Approved by: CICD Agent", "not a person"),
        ("Approved by: claude-opus", "not a person"),
        ("Approved by: Director", "not a person"),
        ("Approved by: human", "names nobody"),
        ("Human approval: yes", "names nobody"),
        ("Approved by: pending", "no approval"),
        ("Approved by: ________", "no approval"),
        ("Approved by: <name>", "no approval"),
        ("Approval is needed from Ingrid Moen.", "no approval"),
        ("```\nApproved by: Ingrid Moen\n```", "no approval"),
    ],
)
def test_deploy_with_anything_less_is_found(line: str, reason: str) -> None:
    """Agents, roles, words for a name, blanks, a mere mention, and what stands in raw output."""
    [found] = judge(deploy_has_a_human, MemoryWorld(deploy_context("ready_for_deploy", line)))
    assert reason in found.message


def test_deploy_approved_by_its_producer_is_found() -> None:
    """Nobody approves their own work."""
    told = "Approved by: Dunlin\n\n### Dunlin Agent (now)\n**Status**: pass\n**Summary**: rowed\n"
    [found] = judge(deploy_has_a_human, MemoryWorld(deploy_context("deploy", told)))
    assert found.actual == "Dunlin"


@pytest.mark.parametrize(
    ("approval", "good"),
    [("Ingrid Moen", True), ({"name": "Ingrid Moen"}, True), (True, False), ("deploy-bot", False), (None, False)],
)
def test_deploy_in_a_work_cycle_needs_a_name(approval: object, *, good: bool) -> None:
    """The role that deploys takes over: its cycle must name who let it."""
    cycle = {"id": 1, "task": "T092", "from_role": "docs", "to_role": "cicd", "stage": "deploy", "status": "pending"}
    files: dict[str, str | bytes] = {
        "hub/handoffs.json": json.dumps({"handoffs": [{**cycle, "approved_by": approval}]})
    }
    [found] = judge(deploy_has_a_human, MemoryWorld(files, signed=()))
    assert ("says it was approved by Ingrid Moen" in found.message) is good


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


def lifecycle_subjects(*changes: dict[str, object]) -> list[str]:
    return find_subjects(lifecycle_legal, MemoryWorld({PATH: cycles(*changes)}))


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
    assert lifecycle_subjects(change) == []


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
    assert lifecycle_subjects(change) == [subject]


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
    found = judge(lifecycle_legal, world)
    assert [one.subject for one in found] == ([] if legal else ["cycle 7 step"])
    assert all(one.place is not None and one.place.line for one in found)


def test_lifecycle_judges_reports_of_context_files() -> None:
    """A report is pass or fail and nothing else."""
    text = "# Handoff Context\nRun ID: 5 | Project: Boats | Task: T031\n\n### QA Agent (now)\n**Status**: fine\n"
    [found] = judge(lifecycle_legal, MemoryWorld({"HANDOFF_5_T031.md": text}))
    assert (found.actual, found.expected) == ("fine", "pass | fail")


def test_lifecycle_names_a_context_of_another_task_s_run() -> None:
    """The run says what it executes; a context that names it for another task describes nobody's work."""
    position = "## Pipeline Position\n- **Current State**: qa\n- **Run**: Execute Task: T031 - moor\n\n"
    text = "# Handoff Context\nRun ID: 5 | Project: Boats | Task: T044\n\n" + position
    [found] = judge(lifecycle_legal, MemoryWorld({"HANDOFF_5_T044.md": text}))
    assert found.actual == "run 5 is a run of T031"


HEAD = "# Handoff Context\nRun ID: 12 | Project: Boats | Task: T060\n\n## Previous Agent Work\n"


def report_context(*attempts: tuple[str, str, str]) -> dict[str, str | bytes]:
    told = "".join(
        f"### {role} Agent (now)\n**Status**: {status}\n**Summary**: {role} worked\n\n```\n{output}\n```\n---\n"
        for role, status, output in attempts
    )
    return {"HANDOFF_12_T060.md": HEAD + told}


def pass_subjects(files: dict[str, str | bytes]) -> list[str]:
    return find_subjects(pass_holds_up, MemoryWorld(files))


@pytest.mark.parametrize(
    "output",
    [
        "GET /boats -> HTTP 500 Internal Server Error",
        "POST /row: 502 Bad Gateway",
        "Traceback (most recent call last):\n  boom",
        "starting session | model: local",
        "curl: Connection refused",
        "bash: pytset: command not found",
        '127.0.0.1 "GET /boats HTTP/1.1" 503 12',
        "status_code=500",
        "thread 'main' panicked at src/main.rs:3",
        "Exception in thread main\n\tat a.b(C.java:3)",
        "(no output)",
        "null",
    ],
)
def test_pass_with_speaking_output_does_not_hold(output: str) -> None:
    """Server errors, tracebacks, a mere banner, and what the settings call suspicious."""
    found = judge(pass_holds_up, MemoryWorld(report_context(("QA", "pass", output))))
    assert [one.subject for one in found] == ["T060 QA"]
    assert found[0].place is not None


@pytest.mark.parametrize(
    "output",
    [
        "Fixed the HTTP 500 on login. 14 tests passed",
        "GET /boats?limit=500 200 OK",
        "processed 500 rows",
        "Traceback (most recent call last):\n\n12 passed",
    ],
)
def test_pass_whose_output_only_speaks_of_trouble_holds(output: str) -> None:
    """What was mended, numbers that aren't statuses, and what a tool printed on the way."""
    assert pass_subjects(report_context(("QA", "pass", output))) == []


def test_pass_that_shows_no_work_does_not_hold() -> None:
    """A pass without output and without a summary of its own is empty."""
    text = HEAD + "### SECURITY Agent (now)\n**Status**: pass\n**Summary**: SECURITY agent execution completed\n"
    assert pass_subjects({"HANDOFF_12_T060.md": text}) == ["T060 SEC"]


def test_failure_may_show_errors() -> None:
    """They make only a pass false."""
    assert pass_subjects(report_context(("QA", "fail", "HTTP 500"))) == []


def test_pass_that_was_tried_again_no_longer_counts() -> None:
    """The newest try at a stage is the one that stands."""
    assert pass_subjects(report_context(("QA", "pass", "HTTP 500"), ("QA", "pass", "12 checks done"))) == []


def test_pass_in_a_work_cycle_is_judged() -> None:
    """Its report is its raw output."""
    cycle = {"id": 1, "task": "T061", "from_role": "dev", "to_role": "qa", "stage": "qa", "status": "completed"}
    files: dict[str, str | bytes] = {
        "hub/handoffs.json": json.dumps({"handoffs": [{**cycle, "report_status": "pass", "report": "HTTP 503"}]})
    }
    assert pass_subjects(files) == ["T061 QA"]


@pytest.mark.parametrize(
    ("output", "count"), [("Traceback (most recent call last)", 1), ("quota exceeded", 1), ("all well", 0)]
)
def test_pass_in_a_report_of_json_is_judged(output: str, count: int) -> None:
    """An agent's own report with its raw output."""
    report = {"role": "qa", "status": "pass", "summary": "fine", "raw_output": output}
    assert len(pass_subjects({"reports/qa_report.json": json.dumps(report)})) == count


CONTEXT = "HANDOFF_3_T070.md"

PROOF_HEAD = "# Handoff Context\nRun ID: 3 | Project: Boats | Task: T070\n\n"


def told(summary: str, status: str = "pass") -> str:
    return f"{PROOF_HEAD}### QA Agent (now)\n**Status**: {status}\n**Summary**: {summary}\n"


def proof_subjects(files: dict[str, str | bytes]) -> list[str]:
    """Pictures are bytes, which the files of the formats list by name only."""
    names = {path: content if isinstance(content, str) else "binary" for path, content in files.items()}
    world = MemoryWorld(files, shelf=MemoryFiles(names))
    return find_subjects(proofs_exist_and_match, world)


def test_proofs_that_are_what_they_say_pass() -> None:
    """A picture with a header, a log with lines, a result that agrees."""
    assert (
        proof_subjects(
            {
                CONTEXT: told("35 passed, see proofs/T070/page.png"),
                "proofs/T070/page.png": b"\x89PNG\r\n\x1a\n rest",
                "proofs/T070/page.jpg": b"\xff\xd8\xff\xe0 rest",
                "proofs/T070/server.log": "start\n",
                "proofs/T070/test_results.json": '{"total": 37, "passed": 35, "failed": 0, "skipped": 2}',
            }
        )
        == []
    )


def test_proof_that_is_named_and_missing_is_found() -> None:
    """In what an agent reported; what the next one is told to make is not named yet."""
    text = told("done, see proofs/T070/page.png") + "\n## Your Deliverables\n- Save proofs/T070/later.png\n"
    assert proof_subjects({CONTEXT: text}) == ["missing proofs/T070/page.png"]


def test_proof_that_a_report_lists_and_is_missing_is_found() -> None:
    """Under the keys that the settings name."""
    report = {"role": "qa", "task": "T070", "status": "pass", "summary": "ok", "screenshots": ["shots/a.png"]}
    assert proof_subjects({CONTEXT: told("done"), "reports/qa_report.json": json.dumps(report)}) == [
        "missing shots/a.png"
    ]


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("proofs/T070/page.png", b""),
        ("proofs/T070/page.png", b"\xff\xd8\xff\xe0 a photo"),
        ("proofs/T070/page.png", b"<html>error</html>"),
        ("proofs/T070/page.gif", b"\x89PNG\r\n\x1a\n"),
        ("proofs/T070/page.jpeg", b"GIF89a"),
        ("proofs/T070/server.log", b"\n \n"),
        ("proofs/T070/test_results.json", b"{broken"),
        ("proofs/T070/test_results.json", b'{"note": "all fine"}'),
    ],
)
def test_proof_that_is_empty_or_something_else_is_found(path: str, content: bytes) -> None:
    """Nothing in it, another picture than its name says, no picture, no result."""
    assert proof_subjects({CONTEXT: told("done"), path: content}) == [f"{path} content"]


@pytest.mark.parametrize(
    ("summary", "content", "aspects"),
    [
        ("done", '{"total": 10, "passed": 8, "failed": 2}', ["content"]),
        ("12 passed", '{"total": 10, "passed": 10, "failed": 0}', ["passed"]),
        ("done", '{"total": 10, "passed": 5, "failed": 0}', ["sum"]),
    ],
)
def test_proof_of_tests_that_disagrees_is_found(summary: str, content: str, aspects: list[str]) -> None:
    """Failures beside a pass, other numbers than claimed, numbers that do not add up."""
    path = "proofs/T070/test_results.json"
    assert proof_subjects({CONTEXT: told(summary), path: content}) == [f"{path} {aspect}" for aspect in aspects]


def test_proof_of_failures_agrees_with_a_failure() -> None:
    """Who says fail may show failures."""
    files: dict[str, str | bytes] = {
        CONTEXT: told("done", "fail"),
        "proofs/T070/junit.xml": '<testsuite><testcase name="a"><failure/></testcase></testsuite>',
    }
    assert proof_subjects(files) == []


def test_proofs_are_not_asked_for_where_none_is_named() -> None:
    """Neither offered nor named."""
    with pytest.raises(NotApplicableError):
        proof_subjects({CONTEXT: told("done")})


@pytest.mark.parametrize(
    ("path", "content", "answer"),
    [
        ("a.png", b"\x89PNG\r\n\x1a\n", True),
        ("a.PNG", b"\x89PNG\r\n\x1a\n", True),
        ("a.jpg", b"\xff\xd8\xff\xe0", True),
        ("a.gif", b"GIF89a", True),
        ("a.bmp", b"BM..", True),
        ("a.webp", b"RIFF....WEBPVP8 ", True),
        ("a.webp", b"RIFF....WAVEfmt ", False),
        ("a.svg", b'<?xml version="1.0"?><svg xmlns="x">', True),
        ("a.svg", b"<html>", False),
        ("a.png", b"\x89PNG", False),
        ("a.tiff", b"II*\x00", None),
    ],
)
def test_pictures_are_told_by_their_first_bytes(path: str, content: bytes, *, answer: bool | None) -> None:
    """Each by its own; an ending that is not known is not judged."""
    assert is_picture(path, content) is answer


@pytest.mark.parametrize(
    ("path", "content", "counts"),
    [
        ("a.json", b'{"summary": {"total": 3, "passed": 2, "failed": 1}}', TestCounts(total=3, passed=2, failed=1)),
        ("a.json", b'{"passed": true}', None),
        ("a.json", b"[]", None),
        ("a.txt", b"= 3 passed, 1 failed, 2 skipped in 1s =", TestCounts(passed=3, failed=1, skipped=2)),
        ("a.txt", b"Ran 4 tests in 1s\n\nFAILED (failures=1, errors=1)\n", TestCounts(total=4, failed=2)),
        ("a.txt", b"Ran 4 tests in 1s\n\nOK\n", TestCounts(total=4, failed=0)),
        ("a.log", b"all is well", None),
        ("a.tap", b"1..2\nok 1 - a\nnot ok 2 - b\n", TestCounts(total=2, passed=1, failed=1, skipped=0)),
        (
            "a.xml",
            b"<testsuite><testcase name='a'/><testcase name='b'><skipped/></testcase></testsuite>",
            TestCounts(total=2, passed=1, failed=0, skipped=1),
        ),
        ("a.xml", b"<html/>", None),
    ],
)
def test_results_are_read_in_every_form(path: str, content: bytes, counts: TestCounts | None) -> None:
    """JSON, closing lines of runners, TAP and JUnit; empty without numbers."""
    assert parse_result(path, content) == counts


class Report(NamedTuple):
    """A report that decides a stage."""

    rule: Rule
    path: str
    key: str
    agent: str

    def write(self, *findings: dict[str, object], **more: object) -> str:
        return json.dumps({"task": "T050", "status": "pass", self.key: findings, **more}, indent=1)

    def judge(self, *findings: dict[str, object], **more: object) -> list[RuleFinding]:
        return judge(self.rule, MemoryWorld({self.path: self.write(*findings, **more)}))

    def say_pass(self) -> dict[str, str | bytes]:
        heading = "# Handoff Context\nRun ID: 9 | Project: Boats | Task: T050\n\n"
        return {"HANDOFF_9_T050.md": f"{heading}### {self.agent} Agent (now)\n**Status**: pass\n**Summary**: ok\n"}


SECURITY = Report(security_report_clears, "security_report.json", "vulnerabilities", "SECURITY")

BUGS = Report(bugs_report_clears, "bugs.json", "bugs", "QA")

both_reports = pytest.mark.parametrize("report", [SECURITY, BUGS], ids=lambda report: report.path)


def test_report_with_closed_and_lesser_findings_clears() -> None:
    """Fixed ones, and those below high."""
    fixed: dict[str, object] = {"id": "F-1", "severity": "critical", "status": "fixed", "title": "a"}
    lesser: list[dict[str, object]] = [{"id": name, "severity": name, "title": "b"} for name in ("medium", "info")]
    assert SECURITY.judge(fixed, *lesser) == []


@both_reports
@pytest.mark.parametrize("severity", ["critical", "high", "HIGH", "blocker", None])
@pytest.mark.parametrize("status", [None, "open", "wont_fix", "false_positive", "accepted"])
def test_report_with_an_open_finding_does_not_clear(report: Report, severity: str | None, status: str | None) -> None:
    """Whatever the report's status says: accepting a finding doesn't fix it, and an unknown severity may be any."""
    [found] = report.judge({"id": "F-1", "severity": severity, "status": status, "title": "Leak"})
    assert found.place is not None
    assert (found.subject, found.place.path, bool(found.place.line)) == ("F-1", report.path, True)


@pytest.mark.parametrize(("told", "waits"), [("", False), ("pass", False), ("fail", True)])
def test_report_waits_only_where_its_stage_sent_the_work_back(told: str, *, waits: bool) -> None:
    """Work at DEV with a report of SEC: only after SEC failed will SEC look again before the work goes on."""
    state = "## Pipeline Position\n- **Current State**: dev\n\n"
    attempt = f"### SECURITY Agent (now)\n**Status**: {told}\n**Summary**: looked\n" if told else ""
    files: dict[str, str | bytes] = {
        "HANDOFF_9_T050.md": f"# Handoff Context\nRun ID: 9 | Project: Boats | Task: T050\n\n{state}{attempt}",
        "security_report.json": json.dumps({"status": "pass", "findings": [{"id": "F-1", "severity": "critical"}]}),
    }
    if waits:
        with pytest.raises(NotApplicableError, match="to be rechecked"):
            judge(security_report_clears, MemoryWorld(files))
    else:
        assert find_subjects(security_report_clears, MemoryWorld(files)) == ["F-1"]


def test_report_that_hides_findings_does_not_clear() -> None:
    """A count above the length of the list means findings that are not shown."""
    assert [found.subject for found in SECURITY.judge(summary={"high": 2, "low": 1})] == ["unlisted high"]


@both_reports
def test_report_that_is_broken_or_missing_decides_nothing(report: Report) -> None:
    """A stage that says pass needs a report that can be read."""
    [broken] = judge(report.rule, MemoryWorld({report.path: f'{{"{report.key}": ['}))
    [missing] = judge(report.rule, MemoryWorld(report.say_pass()))
    assert (broken.subject, missing.subject) == (f"unreadable {report.path}", "missing T050")
    assert judge(report.rule, MemoryWorld({**report.say_pass(), report.path: report.write()})) == []


@both_reports
def test_report_is_not_asked_for_elsewhere(report: Report) -> None:
    """No hub, or a hub that hasn't come that far."""
    for files in ({}, {"todo.json": '{"project": "Boats", "tasks": [{"id": "T1", "title": "Row"}]}'}):
        with pytest.raises(NotApplicableError):
            judge(report.rule, MemoryWorld(dict(files)))


def run(state: str, *tasks: str) -> str:
    listed = "\n".join(f"- {task}" for task in tasks)
    return (
        f"# WorkCycle Context\nRun ID: 80 | Project: Boats\n\n## Pipeline Position\n- **Current State**: {state}\n\n"
        f"## Tasks in This Run\n{listed}\n"
    )


def task(state: str, stage: str) -> str:
    return (
        "# Handoff Context\nRun ID: 80 | Project: Boats | Task: T081\n\n"
        f"## Pipeline Position\n- **Current State**: {state}\n\n"
        f"## Current Task: T081\n**Title**: Row\n**Pipeline Stage**: {stage}\n"
    )


def run_subjects(files: dict[str, str]) -> list[str]:
    return find_subjects(run_complete_when_tasks_are, MemoryWorld(dict(files)))


@pytest.mark.parametrize("state", ["complete", "ready_for_commit", "merged", "ready_for_deploy", "deployed"])
def test_run_with_an_open_task_is_not_complete(state: str) -> None:
    """The stage decides: done is not COMPLETE."""
    text = run(state, "**T081**: Row [done] (stage: COMPLETE)", "**T082**: Sail [done] (stage: QA)")
    [found] = judge(run_complete_when_tasks_are, MemoryWorld({"WORK_CYCLE_80.md": text}))
    assert (found.subject, found.actual, found.expected) == ("RUN-80 task T082", "QA", "COMPLETE")
    assert found.place is not None
    assert found.place.line


def test_run_of_unknown_task_state_is_not_complete() -> None:
    """What is not said to be complete is not."""
    assert run_subjects({"WORK_CYCLE_80.md": run("merged", "**T082**: Sail")}) == ["RUN-80 task T082"]


def test_task_that_the_context_is_about_counts() -> None:
    """Its own stage must be the last one."""
    assert run_subjects({"HANDOFF_80_T081.md": task("ready_for_commit", "SEC")}) == ["T081 task T081"]


def test_other_handoffs_of_the_same_run_count() -> None:
    """A task of the run that stands in a file of its own."""
    files = {
        "WORK_CYCLE_80.md": run("merged", "**T080**: Tar [done] (stage: COMPLETE)"),
        "HANDOFF_80_T081.md": task("qa", "QA"),
    }
    assert run_subjects(files) == ["RUN-80 task T081"]


def test_run_that_is_not_said_to_be_complete_is_not_judged() -> None:
    """It is still on its way."""
    with pytest.raises(NotApplicableError):
        run_subjects({"WORK_CYCLE_80.md": run("qa", "**T082**: Sail [open] (stage: QA)")})


@pytest.mark.parametrize(
    ("rule", "world"),
    [
        (deploy_has_a_human, MemoryWorld(deploy_context("qa"))),
        (lifecycle_legal, MemoryWorld({"todo.json": '{"project": "Boats", "tasks": [{"id": "T1", "title": "Row"}]}'})),
        (pass_holds_up, MemoryWorld({"HANDOFF_12_T060.md": HEAD + "No previous reports.\n"})),
    ],
)
def test_rule_is_skipped_where_it_has_nothing_to_judge(rule: Rule, world: MemoryWorld) -> None:
    """It neither passes nor fails."""
    with pytest.raises(NotApplicableError):
        judge(rule, world)
