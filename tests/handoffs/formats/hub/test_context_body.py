from __future__ import annotations

from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.hub.format import HUB
from handoff_tui.handoffs.handoff import Handoff, HandoffType
from tests.support.memory_files import MemoryFiles, read_with

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
