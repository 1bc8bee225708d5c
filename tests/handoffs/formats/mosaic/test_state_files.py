from __future__ import annotations

import json

from handoff_tui.core.place import Problem, ProblemLevel, Severity
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.mosaic.format import MOSAIC
from handoff_tui.handoffs.formats.mosaic.state import build_live_handoff
from handoff_tui.handoffs.handoff import DocumentRole, Handoff
from handoff_tui.handoffs.reading.format import Source, SourceFile
from tests.support.memory_files import MemoryFiles, read_with


def _source(path: str, text: str) -> Source:
    return Source.of_text(f".mosaic/{path}", text)


def test_latest_document_that_equals_a_session_document_says_nothing_twice() -> None:
    """A link and its target are two documents, but their claims count once."""
    text = "# Session handoff\n\nCommit `aaa1111`\n"
    names = ("LATEST_HANDOFF.md", "SESSION_HANDOFF_1.md")
    handoff = build_live_handoff(".mosaic", {name: _source(name, text) for name in names}, "mosaic").build()
    assert [document.path for document in handoff.documents] == [
        ".mosaic/SESSION_HANDOFF_1.md",
        ".mosaic/LATEST_HANDOFF.md",
    ]
    assert len([claim for claim in handoff.claims if claim.kind is ClaimKind.COMMIT]) == 1
    assert [(fact.name, fact.value) for fact in handoff.facts] == [
        ("latest session document", ".mosaic/SESSION_HANDOFF_1.md")
    ]


def test_dangling_latest_document_is_listed_without_a_hash() -> None:
    """A link to nothing is a document of the live handoff; its own problem says why."""
    problem = Problem(path=".mosaic/LATEST_HANDOFF.md", message="is a link to nothing")
    source = Source(SourceFile(".mosaic/LATEST_HANDOFF.md", "", readable=False, problems=[problem]))
    handoff = build_live_handoff(".mosaic", {"LATEST_HANDOFF.md": source}, "mosaic").build()
    assert [(document.path, document.sha256) for document in handoff.documents] == [(".mosaic/LATEST_HANDOFF.md", None)]
    assert source.problems() == [problem]


def test_other_files_of_the_state_are_listed_and_broken_ones_named() -> None:
    """Further JSON is a document; what cannot be parsed is said."""
    sources = {
        "agent_state.json": _source("agent_state.json", '{"last_agent": "robin"}'),
        "schemas/a.json": _source("schemas/a.json", "{}"),
        "schemas/b.json": _source("schemas/b.json", "{"),
        "thoughts.md": _source("thoughts.md", "# Recipes"),
    }
    handoff = build_live_handoff(".mosaic", sources, "mosaic").build()
    assert [(document.path, document.role) for document in handoff.documents] == [
        (".mosaic/agent_state.json", DocumentRole.STATE),
        (".mosaic/schemas/a.json", DocumentRole.OTHER),
        (".mosaic/schemas/b.json", DocumentRole.OTHER),
        (".mosaic/thoughts.md", DocumentRole.NOTE),
    ]
    assert [fact.value for fact in handoff.facts] == [".mosaic/schemas/b.json"]
    assert len(sources["schemas/b.json"].problems()) == 1


_PATH = ".mosaic/blockers.json"


def _read_blockers(content: dict[str, object]) -> tuple[Handoff, list[str]]:
    shelf = MemoryFiles({_PATH: json.dumps(content, indent=1)})
    handoff = read_with(MOSAIC, shelf).handoffs[0]
    return handoff, [problem.message for problem in shelf.source(_PATH).problems()]


def test_blockers_are_open_until_resolved_or_dropped() -> None:
    """Status decides whether a blocker is open; archived ones are read too."""
    blockers = [
        {"id": "B1", "title": "No key", "severity": "critical", "status": "open", "owner": "user"},
        {"id": "B2", "title": "Slow", "severity": "LOW", "status": "resolving"},
        {"id": "B3", "title": "Old", "severity": "high", "status": "wont-fix", "owner": "user"},
    ]
    archived = [{"id": "B4", "title": "Gone", "severity": "medium", "status": "resolved", "resolution": "see 1a2b3c4"}]
    handoff, problems = _read_blockers({"blockers": blockers, "archived_blockers": archived})
    assert [(blocker.id, blocker.open, blocker.needs_human) for blocker in handoff.blockers] == [
        ("B1", True, True),
        ("B2", True, False),
        ("B3", False, False),
        ("B4", False, False),
    ]
    assert handoff.blockers[1].severity is Severity.LOW
    assert handoff.blockers[3].evidence == "see 1a2b3c4"
    assert problems == []


def test_blockers_with_unknown_words_are_reported_and_kept() -> None:
    """A wrong severity is left out, a wrong status kept and open; both are problems with lines."""
    handoff, problems = _read_blockers(
        {"blockers": [{"id": "B1", "title": "a", "severity": "awful", "status": "cooking"}]}
    )
    blocker = handoff.blockers[0]
    assert (blocker.severity, blocker.status, blocker.open) == (None, "cooking", True)
    assert any("severity is none of" in message for message in problems)
    assert any("status is none of" in message for message in problems)


def _read_current_task(task: dict[str, object]) -> Handoff:
    files = {
        ".mosaic/current_task.json": json.dumps(task, indent=1),
        ".mosaic/agent_state.json": json.dumps({"last_agent": "robin", "current_task": "Something shorter"}),
    }
    return read_with(MOSAIC, MemoryFiles(files)).handoffs[0]


def test_current_task_details_become_tasks() -> None:
    """Completed, current and wished-for work are tasks with their lines."""
    details = {
        "completed_tasks": ["Cut the pole", {"id": "c2", "name": "Sand it", "status": "done"}],
        "in_progress": ["Varnish it"],
        "success_criteria": ["It stands"],
    }
    handoff = _read_current_task({"objective": "x", "details": details})
    assert [(task.id, task.title, task.done) for task in handoff.tasks] == [
        ("completed-1", "Cut the pole", True),
        ("c2", "Sand it", True),
        ("in-progress-1", "Varnish it", False),
        ("criterion-1", "It stands", None),
    ]
    assert all(task.where.line for task in handoff.tasks)


def test_current_task_claims_artifacts_and_verification() -> None:
    """Artifacts are referenced files; verification numbers are counts."""
    details = {
        "artifacts_created": ["src/mast.py", "a whole sentence, no path"],
        "verification_results": {"unit": {"tests_passed": 7, "tests_failed": 2}},
    }
    handoff = _read_current_task({"objective": "x", "details": details})
    claims = [(claim.kind, claim.subject, claim.value) for claim in handoff.claims]
    assert claims == [
        (ClaimKind.FILE_REFERENCED, "src/mast.py", None),
        (ClaimKind.COUNT, "unit.passed", 7),
        (ClaimKind.COUNT, "unit.failed", 2),
    ]


_STATE_PROJECT_STATE: dict[str, object] = {
    "git_commit": "aaa1111",
    "updated_by": "wren",
    "current_phase": {"phase_id": "RIG", "phase_name": "Rigging", "status": "ACTIVE"},
    "next_phase": {
        "phase_id": "SAIL",
        "phase_name": "Sailing",
        "status": "READY",
        "implementation_steps": [{"step_id": "1", "description": "Hoist", "status": "PENDING"}],
        "next_session_action": {"action": "HOIST", "description": "Hoist the sail"},
    },
    "gates_status": {"GATE_TIDE": "PASS", "GATE_WIND": {"status": "FAIL"}},
    "implementation_plan": {
        "plan_document": "docs/voyage.md",
        "phases": [
            {"phase_id": "HULL", "phase_name": "Hull", "status": "COMPLETE", "completion_commit": "bbb2222"},
            {"phase_id": "RIG", "phase_name": "Rigging", "status": "ACTIVE"},
        ],
    },
    "session_history": [{"date": "2031-01-01", "commit": "ccc3333"}],
    "blocking_issues": ["No wind", {"title": "No rope", "severity": "high", "status": "open"}],
    "completed_implementations": [{"plan_id": "PAINT", "status": "COMPLETE", "outcomes": {"smoke": "2/3 passed"}}],
}


def _read_project_state() -> Handoff:
    files = {".mosaic/project_state.json": json.dumps(_STATE_PROJECT_STATE, indent=1)}
    return read_with(MOSAIC, MemoryFiles(files)).handoffs[0]


def test_project_state_phases_and_steps_are_tasks_once() -> None:
    """Plan, current phase and steps are tasks; a phase that stands in both places is listed once."""
    tasks = [(task.id, task.status, task.done, task.commit) for task in _read_project_state().tasks]
    assert tasks == [
        ("HULL", "COMPLETE", True, "bbb2222"),
        ("RIG", "ACTIVE", False, None),
        ("SAIL", "READY", False, None),
        ("step-1", "PENDING", False, None),
        ("PAINT", "COMPLETE", True, None),
    ]


def test_project_state_tells_next_action_and_blocking_issues() -> None:
    """The next session's action and every blocking issue are carried over."""
    handoff = _read_project_state()
    assert handoff.next_action == "Hoist the sail"
    assert [(blocker.id, blocker.title, blocker.open) for blocker in handoff.blockers] == [
        ("blocking-issue-1", "No wind", True),
        ("blocking-issue-2", "No rope", True),
    ]


_PATH_SESSION_LOG = ".mosaic/session_log.jsonl"


def test_session_log_claims_commits_files_and_numbers() -> None:
    """The entries of the last session count for claims, each file once; earlier ones are history."""
    lines = [
        json.dumps({"timestamp": "2031-01-01T00:00:00Z", "agent": "r", "files": ["gone.py"], "commit": "ccc3333"}),
        json.dumps({"timestamp": "2031-01-03T00:00:00Z", "files": ["src/a.py"], "commit": "aaa1111"}),
        json.dumps(
            {
                "timestamp": "2031-01-03T01:00:00Z",
                "files": ["src/a.py", "b.md"],
                "outcome": "Commit bbb2222; 3/3 tests passed",
            }
        ),
    ]
    state = json.dumps({"last_agent": "r", "last_session_start": "2031-01-02T00:00:00Z"})
    files = {_PATH_SESSION_LOG: "\n".join(lines), ".mosaic/agent_state.json": state}
    handoff = read_with(MOSAIC, MemoryFiles(files)).handoffs[0]
    assert [(claim.kind, claim.subject, claim.value, claim.where.line) for claim in handoff.claims] == [
        (ClaimKind.COMMIT, None, "aaa1111", 2),
        (ClaimKind.COMMIT, None, "bbb2222", 3),
        (ClaimKind.COUNT, "session_log.total", 3, 3),
        (ClaimKind.COUNT, "session_log.passed", 3, 3),
        (ClaimKind.FILE_REFERENCED, "src/a.py", None, 2),
        (ClaimKind.FILE_REFERENCED, "b.md", None, 3),
    ]


def test_only_the_newest_session_document_tells_of_the_session() -> None:
    """The one that LATEST leads to; what an earlier session said decides nothing now."""
    earlier, newest = "# Session handoff\n\nCommit: `aaa1111`\n", "# Session handoff\n\nCommit: `bbb2222`\n"
    files = {".mosaic/SESSION_HANDOFF_2031-01-01.md": earlier, ".mosaic/SESSION_HANDOFF_2031-01-02.md": newest}
    (handoff,) = read_with(MOSAIC, MemoryFiles(files)).handoffs
    assert [claim.value for claim in handoff.claims] == ["bbb2222"]
    (handoff,) = read_with(MOSAIC, MemoryFiles({**files, ".mosaic/LATEST_HANDOFF.md": earlier})).handoffs
    assert [claim.value for claim in handoff.claims] == ["aaa1111"]
    assert {document.path for document in handoff.documents} == {*files, ".mosaic/LATEST_HANDOFF.md"}


def test_session_log_reports_broken_lines_and_reads_the_rest() -> None:
    """A broken line is a problem at its line; the others are read."""
    shelf = MemoryFiles({_PATH_SESSION_LOG: '{"agent": "r", "action": "x"}\n{"agent": \n[1]\n'})
    handoff = read_with(MOSAIC, shelf).handoffs[0]
    assert [problem.line for problem in shelf.source(_PATH_SESSION_LOG).problems()] == [2, 3]
    assert [fact.value for fact in handoff.facts] == ["1", "r x"]


_PATH_APPROVAL = ".mosaic/gemini_approval.json"


def _read_approval(content: dict[str, object]) -> tuple[Handoff, list[Problem]]:
    shelf = MemoryFiles({_PATH_APPROVAL: json.dumps(content, indent=1)})
    return read_with(MOSAIC, shelf).handoffs[0], shelf.source(_PATH_APPROVAL).problems()


def test_simulated_approval_is_a_warning_with_its_line() -> None:
    """An approval whose note says that nobody was asked is marked as such."""
    for words in ("Simulated run", "There was no Owl API key", "API_KEY not set"):
        handoff, problems = _read_approval({"verdict": "APPROVE", "score": 99, "note": words})
        assert [(problem.message, problem.line, problem.level) for problem in problems] == [
            ("the approval is simulated", 4, ProblemLevel.WARNING)
        ]
        assert ("approval", f"simulated: {words}") in {(fact.name, fact.value) for fact in handoff.facts}


def test_approval_may_call_its_verdict_a_decision() -> None:
    """A decision by a reviewer, or a plain yes or no, is a verdict."""
    cases: list[tuple[dict[str, object], str | None, str]] = [
        ({"decision": "APPROVE", "reviewer": "owl"}, "owl", "APPROVED"),
        ({"approved": False}, None, "REJECTED"),
    ]
    for content, subject, value in cases:
        (claim,) = _read_approval(content)[0].claims
        assert (claim.kind, claim.subject, claim.value) == (ClaimKind.VERDICT, subject, value)
