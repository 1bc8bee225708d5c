from __future__ import annotations

from handoff_tui.core.place import Problem, ProblemLevel
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.hub.context import read_context
from handoff_tui.handoffs.formats.hub.format import HUB
from handoff_tui.handoffs.handoff import Handoff, HandoffType
from handoff_tui.handoffs.reading.format import Source
from tests.support.memory_files import MemoryFiles, read_with


def test_context_without_a_task_is_the_handoff_of_its_run() -> None:
    """A context of a whole run is known by the run."""
    source = Source.of_text("WORK_CYCLE_12.md", "# WorkCycle Context\nRun ID: 12 | Project: Lantern\n")
    assert read_context(source).handoff_id == "RUN-12"
    assert source.problems() == []


def test_context_that_contradicts_its_name_is_reported() -> None:
    """Content wins over the name, and that is said."""
    source = Source.of_text("HANDOFF_11_T001.md", "# Handoff Context\nRun ID: 12 | Project: Lantern | Task: T007\n")
    assert read_context(source).handoff_id == "T007"
    assert [problem.message for problem in source.problems()] == [
        "is named for task T001, but speaks of task T007",
        "is named for run 11, but speaks of run 12",
    ]


def test_truncated_context_falls_back_to_its_name() -> None:
    """A context without a run is reported and filed under its name."""
    source = Source.of_text("HANDOFF_12_T007.md", "# Handoff Context\nGener")
    assert read_context(source).handoff_id == "T007"
    assert [problem.message for problem in source.problems()] == ["the context has no Run ID"]


_CONTEXT = """\
# Handoff Context
Generated: 2031-02-03 04:05:06
Run ID: 12 | Project: Lantern | Task: T007

## Pipeline Position
- **Current State**: qa
- **Your Role**: QA
- **Run**: Execute Task: T007 - Trim the wick
- **Goal**: Light

## Current Task: T007
**Title**: LN-3: Trim the wick
**Status**: in_progress
**Pipeline Stage**: QA
**Priority**: 4

### Description
The wick smokes.

### Acceptance Criteria
1. It does not smoke
2. It burns

## Tasks in This Run
- **T007**: Trim the wick [in_progress] (stage: QA)
- **LN-9**: Switch to [NEW] oil [done] (stage: COMPLETE)
- loose words

## Previous Agent Work
No previous reports. You are the first agent on this run.

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

## Your Deliverables
- Report as JSON
"""


def _read() -> Handoff:
    return read_with(HUB, MemoryFiles({"HANDOFF_12_T007.md": _CONTEXT})).handoffs[0]


def test_context_gives_position_and_task() -> None:
    """Stage, role, title, status and priority, with the next stage by the order."""
    handoff = _read()
    assert (handoff.id, handoff.title, handoff.type) == ("T007", "LN-3: Trim the wick", HandoffType.WORKFLOW_HANDOFF)
    assert (handoff.source_phase, handoff.target_phase, handoff.target_agent) == ("QA", "SEC", "QA")
    assert (handoff.status, handoff.priority, handoff.created) == ("IN_PROGRESS", "4", "2031-02-03 04:05:06")
    assert (handoff.message, handoff.attempt, handoff.source_agent) == ("The wick smokes.", 1, None)
    facts = {(fact.name, fact.value) for fact in handoff.facts}
    assert {("run", "Execute Task: T007 - Trim the wick"), ("goal", "Light"), ("pipeline stage", "QA")} <= facts


def test_context_lists_become_tasks() -> None:
    """Criteria, the run's tasks and deliverables, each with what is known of it."""
    tasks = [(task.id, task.title, task.status, task.stage, task.done) for task in _read().tasks]
    assert tasks == [
        ("criterion-1", "It does not smoke", None, None, None),
        ("criterion-2", "It burns", None, None, None),
        ("T007", "Trim the wick", "in_progress", "QA", False),
        ("LN-9", "Switch to [NEW] oil", "done", "COMPLETE", True),
        ("task-3", "loose words", None, None, None),
        ("deliverable-1", "Report as JSON", None, None, None),
    ]


def test_context_claims_commits_of_any_digits() -> None:
    """A commit id of digits only is one too."""
    commits = [claim for claim in _read().claims if claim.kind is ClaimKind.COMMIT]
    assert [(claim.value, claim.where.line) for claim in commits] == [("12345678", 33), ("abcdef12", 34)]


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


def test_attempts_are_told_in_order() -> None:
    """Each report is an attempt with role, stage, status, summary and time; the last role hands over."""
    handoff, _ = _read_attempts("docs")
    assert [
        (attempt.number, attempt.agent, attempt.phase, attempt.status, attempt.when) for attempt in handoff.attempts
    ] == [
        (1, "DEV", "DEV", "fail", "02-03 01:00"),
        (2, "DEV", "DEV", "pass", "02-03 02:00"),
        (3, "SECURITY", "SEC", "pass", "02-03 03:00"),
        (4, "QA", "QA", "maybe", None),
    ]
    assert handoff.attempts[1].summary == "Wick trimmed"
    assert (handoff.source_agent, handoff.producers) == ("QA", ("DEV", "SECURITY", "QA"))


def test_attempts_claim_their_results_as_checks() -> None:
    """Each report is a check that is said to have passed or failed."""
    handoff, _ = _read_attempts("docs")
    checks = [(claim.subject, claim.value) for claim in handoff.claims if claim.kind is ClaimKind.CHECK]
    assert checks == [
        ("DEV report", "fail"),
        ("DEV report", "pass"),
        ("SECURITY report", "pass"),
        ("QA report", "maybe"),
    ]


def test_pass_with_an_error_in_its_output_is_doubted() -> None:
    """The attempt carries the warning, and a problem stands at the line of the error."""
    handoff, problems = _read_attempts("docs")
    assert [attempt.warning for attempt in handoff.attempts] == [
        None,
        None,
        "it says pass, but its output holds an HTTP 500 error",
        None,
    ]
    assert [(problem.line, problem.level) for problem in problems] == [
        (24, ProblemLevel.WARNING),
        (28, ProblemLevel.WARNING),
    ]
    assert "HTTP 500" in problems[0].message
    assert "neither pass nor fail" in problems[1].message


def test_attempt_number_counts_the_present_stage_or_development() -> None:
    """The present stage's tries count; before its first one, those of development."""
    assert _read_attempts("sec")[0].attempt == 1
    assert _read_attempts("dev")[0].attempt == 2
    assert _read_attempts("docs")[0].attempt == 2
