"""Contexts, findings, proofs and reports of a hub."""

from __future__ import annotations

import json

import pytest

from handoff_tui.core.place import Problem, Severity
from handoff_tui.core.tasks import Proof, ProofKind
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.hub.context import read_context
from handoff_tui.handoffs.formats.hub.format import HUB
from handoff_tui.handoffs.formats.hub.reports import find_contradiction
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.reading.format import Source
from tests.support.memory_files import MemoryFiles, read_with


def test_context_that_contradicts_its_name_is_reported() -> None:
    """Content wins over the name, and that is said."""
    source = Source.of_text("HANDOFF_11_T001.md", "# Handoff Context\nRun ID: 12 | Project: Lantern | Task: T007\n")
    assert read_context(source).handoff_id == "T007"
    assert [problem.message for problem in source.problems()] == [
        "is named for task T001, but is about task T007",
        "is named for run 11, but is about run 12",
    ]


def test_truncated_context_falls_back_to_its_name() -> None:
    """A context without a run is reported and filed under its name."""
    source = Source.of_text("HANDOFF_12_T007.md", "# Handoff Context\nGener")
    assert read_context(source).handoff_id == "T007"
    assert [problem.message for problem in source.problems()] == ["the context has no Run ID"]


_CONTEXT = """\
# Handoff Context
Run ID: 12 | Project: Lantern | Task: T007

## Recent Git Commits
- `12345678` feat: digits only (AB)
- `abcdef12` fix: letters (AB)

## Uncommitted Changes
```
LAMP.md            |   5 +
 .../deep/oil.py   |  10 +-
 src/{a => b}/c.py |   0
 src/wick.py       |   3 ++-
 img/lamp.png      | Bin 12 -> 34 bytes
 5 files changed, 12 insertions(+), 3 deletions(-)
```
"""


def _read() -> Handoff:
    return read_with(HUB, MemoryFiles({"HANDOFF_12_T007.md": _CONTEXT})).handoffs[0]


def test_context_claims_commits_of_any_digits() -> None:
    """A commit id of digits only is one too."""
    commits = [claim for claim in _read().claims if claim.kind is ClaimKind.COMMIT]
    assert [(claim.value, claim.where.line) for claim in commits] == [("12345678", 5), ("abcdef12", 6)]


def test_context_claims_uncommitted_files_by_full_path() -> None:
    """Full paths and the total are claims; shortened and renamed paths are facts."""
    handoff = _read()
    uncommitted = [claim for claim in handoff.claims if claim.kind is ClaimKind.UNCOMMITTED]
    assert [(claim.subject, claim.value) for claim in uncommitted] == [
        ("LAMP.md", None),
        ("src/wick.py", None),
        ("img/lamp.png", None),
        (None, 5),
    ]
    shortened = [fact.value for fact in handoff.facts if fact.name == "uncommitted, path shortened"]
    assert shortened == [".../deep/oil.py", "src/{a => b}/c.py"]


_PATH = "HANDOFF_12_T007.md"

_HEAD = """\
# Handoff Context
Run ID: 12 | Project: Lantern | Task: T007

## Pipeline Position
- **Current State**: {state}

## Previous Agent Work
### DEV Agent (02-03 01:00)
**Status**: fail
**Summary**: DEV agent execution completed

---
### DEV Agent (02-03 02:00)
**Status**: pass
**Summary**: Wick trimmed

---
### SECURITY Agent (02-03 03:00)
**Status**: pass
**Summary**: SECURITY agent execution completed

```
starting session | provider: lamp
Ran into this: 500 Internal Server Error
```
---
### QA Agent
**Status**: maybe
"""


def _read_attempts(state: str) -> tuple[Handoff, list[Problem]]:
    shelf = MemoryFiles({_PATH: _HEAD.format(state=state)})
    return read_with(HUB, shelf).handoffs[0], shelf.source(_PATH).problems()


def test_attempt_number_counts_the_present_stage_or_development() -> None:
    """The present stage's tries count; before its first one, those of development."""
    assert _read_attempts("sec")[0].attempt == 1
    assert _read_attempts("dev")[0].attempt == 2
    assert _read_attempts("docs")[0].attempt == 2


def _read_report(path: str, content: object) -> tuple[Handoff, list[str]]:
    shelf = MemoryFiles({path: json.dumps(content, indent=1)})
    return read_with(HUB, shelf).handoffs[0], [problem.message for problem in shelf.source(path).problems()]


@pytest.mark.parametrize("key", [None, "vulnerabilities", "findings", "bugs", "issues"])
def test_findings_are_read_from_every_shape(key: str | None) -> None:
    """A bare list and a list under any known name give the same findings."""
    listed = [
        {"id": "F1", "title": "Open flame", "severity": "HIGH", "file": "lamp.py", "line": 4, "status": "open"},
        {"name": "Soot", "severity": "moderate", "location": "glass.py:7"},
        "Loose lid",
    ]
    handoff, problems = _read_report("bugs.json", listed if key is None else {key: listed})
    assert handoff.id == "bugs"
    assert [(found.id, found.title, found.severity, found.file, found.line) for found in handoff.findings] == [
        ("F1", "Open flame", Severity.HIGH, "lamp.py", 4),
        ("finding-2", "Soot", Severity.MEDIUM, "glass.py", 7),
        ("finding-3", "Loose lid", None, None, None),
    ]
    assert problems == []


def test_findings_that_disagree_with_their_summary_are_reported() -> None:
    """Numbers of the summary are compared with the list, one by one."""
    content = {
        "summary": {"critical": 1, "high": 1, "low": 0, "total": 3, "files_scanned": 9},
        "vulnerabilities": [{"title": "a", "severity": "high"}, {"title": "b", "severity": "high"}],
    }
    _, problems = _read_report("security_report.json", content)
    assert problems == [
        "summary.critical is 1, but the list has 0",
        "summary.high is 1, but the list has 2",
        "summary.total is 3, but the list has 2",
    ]


def test_findings_against_a_pass_are_reported() -> None:
    """A report that passes with open critical or high findings contradicts itself; fixed ones do not count."""
    severe = {"title": "a", "severity": "critical"}
    handoff, problems = _read_report("security_report.json", {"status": "pass", "findings": [severe]})
    assert [(claim.kind, claim.subject, claim.value) for claim in handoff.claims] == [
        (ClaimKind.CHECK, "security report", "pass")
    ]
    assert problems == ["says pass, but lists 1 open finding that is critical or high"]
    _, problems = _read_report("security_report.json", {"status": "pass", "findings": [{**severe, "status": "fixed"}]})
    assert problems == []


def test_findings_with_wrong_content_are_reported() -> None:
    """An unknown severity is left out with a problem; an element of another type too."""
    handoff, problems = _read_report("security_report.json", {"findings": [{"title": "a", "severity": "spicy"}, 5]})
    assert [found.severity for found in handoff.findings] == [None]
    assert problems == [
        "severity is none of critical, high, medium, low: spicy",
        "findings[1] should be an object, but is a number",
    ]


_BANNER = "starting session | provider: lamp model: wick\n    session id: 3\n    working directory: .\n"


@pytest.mark.parametrize(
    ("output", "summary", "words", "line"),
    [
        (_BANNER + "Server said: 503 Service Unavailable", "done", "an HTTP 503 error", 3),
        ("GET / HTTP/1.1 502", "done", "an HTTP 502 error", 0),
        ("ok\nTraceback (most recent call last):", "done", "a traceback", 1),
        ("ok\nRan into this error: wet wick", "done", "an error", 1),
        (_BANNER, "done", "empty apart from a banner", 0),
        ("", "done", "empty apart from a banner", 0),
        (None, "DEV agent execution completed", "shows no work", 0),
        (None, None, "shows no work", 0),
    ],
)
def test_output_speaks_against_a_pass(output: str | None, summary: str | None, words: str, line: int) -> None:
    """Server errors, tracebacks, errors and empty output contradict a pass, at their line."""
    found = find_contradiction(output, summary)
    assert found is not None
    assert words in found[0]
    assert found[1] == line


@pytest.mark.parametrize("ending", ["3 passed in 0.1s", "All tests pass.", "======= 12 passed ======="])
def test_traceback_before_tests_that_pass_is_a_tools(ending: str) -> None:
    """What the agent ends with counts; an outage of its server is never settled by it."""
    trace = "Traceback (most recent call last):\nAssertionError: an error\n1 failed\n"
    assert find_contradiction(f"{trace}fixed\n{ending}\n", "done") is None
    assert find_contradiction(f"{ending}\n{trace}", "done") is not None
    assert find_contradiction(f"{trace}1 failed, 2 passed\n", "done") is not None
    assert find_contradiction(f"HTTP 500 error\n{ending}\n", "done") is not None


@pytest.mark.parametrize(
    ("output", "summary"),
    [
        ("12 passed, 0 errors", "done"),
        ("No errors found; error handling covered", None),
        ('{"status": "pass", "errors": []}', None),
        ("served 500 rows", None),
        (None, "Wick trimmed and tested"),
    ],
)
def test_output_of_honest_work_is_not_doubted(output: str | None, summary: str | None) -> None:
    """Words that only resemble errors, and a real summary, raise no doubt."""
    assert find_contradiction(output, summary) is None


_BARE_CONTEXT = "# Handoff Context\nGenerated: 2031-02-03 04:05:06\nRun ID: 12 | Project: Lantern | Task: T007\n"

_LATER = _BARE_CONTEXT.replace("T007", "T008").replace("12", "13").replace("2031", "2032")

_TODO = '{"project": "Lantern", "tasks": [{"id": "LN-1", "title": "x"}]}'


def test_proofs_join_the_handoff_of_their_task_or_run() -> None:
    """Folders name task and run; the size is taken, the content is not read."""
    files = {
        "HANDOFF_12_T007.md": _BARE_CONTEXT,
        "HANDOFF_13_T008.md": _LATER,
        "proofs/T007/run-12/lamp.png": "1234",
        "workspaces/x/proofs/run_12/a.log": "",
        "screenshots/any.png": "",
        "screenshots/notes.txt": "",
        "proofs/script.py": "",
    }
    reading = read_with(HUB, MemoryFiles(files))
    proofs = {handoff.id: handoff.proofs for handoff in reading.handoffs}
    assert proofs["T007"] == (
        Proof(path="proofs/T007/run-12/lamp.png", kind=ProofKind.SCREENSHOT, task="T007", run="12", size=4),
        Proof(path="workspaces/x/proofs/run_12/a.log", kind=ProofKind.LOG, run="12", size=0),
    )
    assert [proof.path for proof in proofs["T008"]] == ["screenshots/any.png"]
    assert reading.used == {"proofs/T007/run-12/lamp.png", "workspaces/x/proofs/run_12/a.log", "screenshots/any.png"}


def test_proofs_of_no_known_task_join_the_list() -> None:
    """With a task list, proofs that cannot be placed belong there."""
    files = {"todo.json": _TODO, "HANDOFF_12_T007.md": _BARE_CONTEXT, "proofs/T999/a.png": ""}
    proofs = {handoff.id: len(handoff.proofs) for handoff in read_with(HUB, MemoryFiles(files)).handoffs}
    assert proofs == {"T007": 0, "todo": 1}


_CONTEXT_REPORTS = "# Handoff Context\nRun ID: 12 | Project: Lantern | Task: T007\n"


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
        "HANDOFF_12_T007.md": _CONTEXT_REPORTS,
        "HANDOFF_13_T008.md": _CONTEXT_REPORTS.replace("12", "13").replace("T007", "T008"),
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
