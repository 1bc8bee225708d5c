from __future__ import annotations

import json

import pytest

from handoff_tui.config.settings.root import Hub, Settings
from handoff_tui.core.place import Severity
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.claims.blocking import find_blocking, list_doubtful, says_failed
from handoff_tui.handoffs.formats.hub import layout
from handoff_tui.handoffs.formats.hub.format import HUB, recognise
from handoff_tui.handoffs.handoff import Handoff, WordSort
from handoff_tui.handoffs.reading.format import Confidence, Source
from tests.support.memory_files import MemoryFiles, read_with


def _context(run: int, time: str, title: str) -> str:
    return (
        f"# Handoff Context\nGenerated: {time}\nRun ID: {run} | Project: Lantern | Task: T007\n\n"
        f"## Current Task: T007\n**Title**: {title}\n"
    )


def test_findings_join_the_handoff_of_their_folder_run_or_content() -> None:
    """A report is filed where it can be told to belong; else with the task that the newest run is at."""
    finding = [{"title": "a", "severity": "low"}]
    files = {
        "work/HANDOFF_10_T007.md": _context(10, "2031-02-03 04:05:06", "x"),
        "work/bugs.json": json.dumps(finding),
        "runs/10/security_report.json": json.dumps({"findings": finding}),
        "away/security_report.json": json.dumps({"findings": finding, "task": "T007"}),
        "lost/security_report.json": json.dumps({"findings": finding}),
    }
    handoffs = read_with(HUB, MemoryFiles(files)).handoffs
    assert [(handoff.id, len(handoff.findings)) for handoff in handoffs] == [("T007", 4)]


def _report(role: str, when: str, status: str, output: str = "") -> str:
    shown = f"\n```\n{output}\n```\n" if output else ""
    return f"### {role} Agent ({when})\n**Status**: {status}\n**Summary**: {role} agent execution completed\n{shown}\n"


def test_all_contexts_of_a_task_are_its_attempts() -> None:
    """Oldest to newest, each report once however often it is told; a hollow pass is caught wherever it is."""
    first = _report("DEV", "02-01 08:00", "fail") + _report("DEV", "02-01 08:00", "fail")
    second = first + _report("QA", "02-01 09:00", "pass", "Server error (500 Internal Server Error): no lamp")
    third = _report("DEV", "02-03 08:00", "pass", "12 passed") + _report("SECURITY", "02-03 09:00", "pass")
    files = {
        f"HANDOFF_{run}_T007.md": _context(run, f"2031-02-0{day} 10:00:00", "x") + "\n## Previous Agent Work\n" + told
        for run, day, told in ((40, 1, first), (40, 2, second), (41, 3, third))
        if run != 40 or day == 2
    } | {"old/HANDOFF_40_T007.md": _context(40, "2031-02-01 10:00:00", "x") + "\n## Previous Agent Work\n" + first}
    (task,) = read_with(HUB, MemoryFiles(files)).handoffs
    told = [(one.number, one.run, one.agent, one.status, bool(one.warning)) for one in task.attempts]
    assert told == [
        (1, "40", "DEV", "fail", False),
        (2, "40", "DEV", "fail", False),
        (3, "40", "QA", "pass", True),
        (4, "41", "DEV", "pass", False),
        (5, "41", "SECURITY", "pass", True),
    ]
    assert task.attempt == 3
    assert [one.number for one in list_doubtful(task)] == [3, 5]


def test_tasks_of_two_projects_with_one_id_stay_two() -> None:
    """The older keeps the id, the other says so; a report with its run is its own."""
    older, newer = _context(5, "2031-02-03 04:05:06", "x"), _context(6, "2031-02-04 04:05:06", "x")
    project = next(line for line in older.split("\n") if line.startswith("Run ID")).split("|")[1].split(":")[1].strip()
    other = newer.replace(f"Project: {project}", "Project: Ferry")
    report = {"role": "qa", "status": "fail", "summary": "It broke twice in ten cases.", "task": "T007", "run_id": 6}
    files = {"a/HANDOFF_5_T007.md": older, "b/HANDOFF_6_T007.md": other, "out/qa_report.json": json.dumps(report)}
    read = MemoryFiles(files)
    first, second = read_with(HUB, read).handoffs
    assert (first.id, second.id) == ("T007", "T007-Ferry")
    assert [one.path for one in second.documents] == ["b/HANDOFF_6_T007.md", "out/qa_report.json"]
    assert [one.path for one in first.documents] == ["a/HANDOFF_5_T007.md"]
    assert f"has the id T007, as has a/HANDOFF_5_T007.md of the project {project}; it is listed as T007-Ferry" in [
        one.message for one in read.problems()
    ]
    assert len(read_with(HUB, MemoryFiles(files | {"b/HANDOFF_6_T007.md": newer})).handoffs) == 1


def test_cycles_of_two_projects_with_one_task_stay_two() -> None:
    """By the name of the project; a number may stand for any."""
    cycle = {"task": "T001", "from_role": "dev", "to_role": "qa", "stage": "QA", "status": "pending"}

    def read(first: object, second: object) -> list[str]:
        cycles = [cycle | {"run": 1, "project": first}], [cycle | {"run": 2, "project": second}]
        files = {f"{name}/work_cycles.json": json.dumps(one) for name, one in zip("ab", cycles, strict=True)}
        return [one.id for one in read_with(HUB, MemoryFiles(files)).handoffs]

    assert read("Quay", "Ferry") == ["T001", "T001-Ferry"]
    assert read("Quay", {"id": 3, "name": "quay"}) == read("Quay", 3) == ["T001"]


def test_run_of_another_task_is_reported() -> None:
    """By what the run says it executes; tasks that the run lists are its own."""
    position = "\n## Pipeline Position\n- **Run**: Execute Task: T001 - wick\n"
    listing = "\n## Tasks in This Run\n- **T007**: lamp [in_progress] (stage: DEV)\n"
    files = MemoryFiles({"HANDOFF_5_T007.md": _context(5, "2031-02-03 04:05:06", "x") + position})
    read_with(HUB, files)
    assert [one.message for one in files.problems()] == ["names run 5, which is a run of T001"]
    listed = MemoryFiles({"HANDOFF_5_T007.md": _context(5, "2031-02-03 04:05:06", "x") + position + listing})
    read_with(HUB, listed)
    assert listed.problems() == []


def test_report_without_a_task_belongs_to_the_task_of_its_run() -> None:
    """The one that the newest context of the run is at; a critical finding in any report counts against it."""
    report = {"role": "qa", "status": "pass", "summary": "All is well, 12 cases tried.", "run_id": 5}
    report |= {"findings": [{"id": "F1", "title": "anyone can log in", "severity": "critical"}]}
    older, newer = _context(5, "2031-02-03 04:05:06", "x"), _context(5, "2031-02-04 04:05:06", "x")
    files = MemoryFiles(
        {
            "HANDOFF_5_T007.md": older,
            "HANDOFF_5_T008.md": newer.replace("T007", "T008"),
            "out/qa_report.json": json.dumps(report),
        }
    )
    handoffs = {one.id: one for one in read_with(HUB, files).handoffs}
    assert [one.id for one in handoffs["T008"].findings] == ["F1"]
    assert list(find_blocking(handoffs["T008"], {}, (), ())) == ["critical finding: anyone can log in"]
    assert "says pass, but lists 1 open finding that is critical or high" in [one.message for one in files.problems()]


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
        "says green, but lists 1 open finding that is low"
    ]
    standard = MemoryFiles(files)
    read_with(HUB, standard)
    assert len(standard.source("work_cycles.json").problems()) == 2


_HEAD = "Generated: 2031-02-03 04:05:06\nRun ID: 12 | Project: Lantern | Task: T007\n"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("HANDOFF_12_T007.md", f"# Handoff Context\n{_HEAD}", Confidence.CERTAIN),
        ("docs/context.md", f"\n# WorkCycle Context\n{_HEAD}", Confidence.CERTAIN),
        ("WORK_CYCLE_0_T009.md", "# WorkCycle Context\nRun 0 not found.", Confidence.CERTAIN),
        ("HANDOFF_12_T007.md", "# Handoff Context\nGenera", Confidence.LIKELY),
        ("docs/context.md", "# Handoff Context\n\nFreely told.", Confidence.NO),
        ("HANDOFF_12_T007.md", "# Something else\n", Confidence.NO),
        ("HANDOFF_12_T007.md", "", Confidence.POSSIBLE),
        ("HANDOFF.md", "", Confidence.NO),
        ("todo.json", '{"project": "Lantern", "tasks": [{"id": 1, "title": "wick"}]}', Confidence.CERTAIN),
        ("todo.json", '{"tasks": [{"id": 1, "title": "wick"}]}', Confidence.LIKELY),
        ("todo.json", '{"tasks": [{"cron": "* *"}]}', Confidence.NO),
        ("todo.json", '["milk"]', Confidence.NO),
        ("todo.json", '{"tasks": [', Confidence.POSSIBLE),
        ("handoffs/a.json", '{"from_role": "DEV", "to_role": "QA", "status": "pending"}', Confidence.CERTAIN),
        ("handoffs/a.json", '[{"from_role": "DEV", "to_role": "QA", "stage": "qa"}]', Confidence.CERTAIN),
        (
            "handoffs/a.json",
            '{"work_cycles": [{"from_role": "DEV", "to_role": "QA", "stage": "qa"}]}',
            Confidence.CERTAIN,
        ),
        ("handoffs/a.json", '{"from": "here"}', Confidence.NO),
        ("handoffs/a.json", "{", Confidence.NO),
        ("security_report.json", '{"vulnerabilities": [{"severity": "low"}]}', Confidence.CERTAIN),
        ("security_report.json", '{"vulnerabilities": []}', Confidence.LIKELY),
        ("security_report.json", '{"colour": "red"}', Confidence.NO),
        ("bugs.json", '[{"title": "x", "severity": "low"}]', Confidence.CERTAIN),
        ("bugs.json", "[]", Confidence.POSSIBLE),
        ("bugs.json", "[1, 2]", Confidence.NO),
        ("runs/12/qa_report.json", '{"role": "QA", "status": "pass", "summary": "ok"}', Confidence.LIKELY),
        ("runs/12/qa_report.json", '{"role": "QA", "status": "shiny", "summary": "ok"}', Confidence.NO),
    ],
)
def test_recognise_judges_by_content(path: str, text: str, expected: float) -> None:
    """Content decides; a name alone never gives more than possible, foreign content nothing."""
    assert recognise(Source.of_text(path, text)) == expected


@pytest.mark.parametrize(
    ("path", "task", "run"),
    [
        ("proofs/T007/run-12/a.png", "T007", "12"),
        ("workspaces/lantern/proofs/task_LN-3/a.log", "LN-3", None),
        ("tasks/633/runs/9/proofs/a.png", "633", "9"),
        ("proofs/V2/final/a.png", None, None),
        ("T007.png", None, None),
    ],
)
def test_task_and_run_are_read_from_folders(path: str, task: str | None, run: str | None) -> None:
    """Folders name the task and the run; what only resembles an id names nothing."""
    assert (layout.find_task(path), layout.find_run(path)) == (task, run)


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
    assert [(word.name, word.text, word.sort) for word in handoffs[1].words] == [
        ("QA report", "pass", WordSort.GOOD),
        ("status", "pending", WordSort.UNDER_WAY),
    ]


def test_bad_report_is_the_authors_word_and_blocks_once() -> None:
    """A completed cycle whose report says fail is not ready, and says so in one reason."""
    handoffs, _ = _read(_cycle(task_id="T007", report_status="fail", report="2 failed"))
    assert handoffs[0].said == "QA report: fail"
    assert says_failed(handoffs[0])
    reasons = [*find_blocking(handoffs[0], {}, (), ())]
    assert len([reason for reason in reasons if "QA report" in reason]) == 1


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


def _read_todo(content: object) -> tuple[Handoff, list[str]]:
    text = content if isinstance(content, str) else json.dumps(content, indent=1)
    shelf = MemoryFiles({"todo.json": text})
    return read_with(HUB, shelf).handoffs[0], [problem.message for problem in shelf.source("todo.json").problems()]


def test_todo_is_one_handoff_with_all_tasks() -> None:
    """Tasks keep their words; done is known only for known words."""
    tasks = [
        {"id": "LN-1", "title": "Oil", "status": "done", "priority": 1},
        {"id": "LN-2", "title": "Wick", "status": "pending", "priority": "high", "blocked_by": ["LN-1"]},
        {"title": "Glass", "status": "simmering"},
    ]
    handoff, problems = _read_todo({"project": "Lantern", "last_updated": "2031-02-03", "tasks": tasks})
    assert (handoff.id, handoff.title, handoff.created) == ("todo", "Lantern", "2031-02-03")
    assert [(task.id, task.status, task.done, task.priority) for task in handoff.tasks] == [
        ("LN-1", "done", True, "1"),
        ("LN-2", "pending", False, "high"),
        ("task-3", "simmering", None, None),
    ]
    assert [(fact.name, fact.value) for fact in handoff.facts] == [
        ("blocked by", "LN-2 waits for LN-1"),
        ("tasks done", "1 of 3"),
    ]
    assert problems == []


def test_todo_reports_repeated_and_unknown_ids() -> None:
    """A repeated task and a blocker that is not in the list are problems."""
    tasks = [{"id": "A-1", "title": "a"}, {"id": "A-1", "title": "b", "blocked_by": "A-9"}, 7]
    _, problems = _read_todo({"project": "Lantern", "tasks": tasks})
    assert problems == [
        "tasks[2] should be an object, but is a number",
        "the task A-1 is listed twice",
        "A-1 is blocked by A-9, which is not in the list",
    ]
