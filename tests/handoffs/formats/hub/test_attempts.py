from __future__ import annotations

from handoff_tui.core.place import Problem, ProblemLevel
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.hub.format import HUB
from handoff_tui.handoffs.handoff import Handoff
from tests.support.memory_files import MemoryFiles, read_with

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


def _read(state: str) -> tuple[Handoff, list[Problem]]:
    shelf = MemoryFiles({_PATH: _HEAD.format(state=state)})
    return read_with(HUB, shelf).handoffs[0], shelf.source(_PATH).problems()


def test_attempts_are_told_in_order() -> None:
    """Each report is an attempt with role, stage, status, summary and time; the last role hands over."""
    handoff, _ = _read("docs")
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
    handoff, _ = _read("docs")
    checks = [(claim.subject, claim.value) for claim in handoff.claims if claim.kind is ClaimKind.CHECK]
    assert checks == [
        ("DEV report", "fail"),
        ("DEV report", "pass"),
        ("SECURITY report", "pass"),
        ("QA report", "maybe"),
    ]


def test_pass_with_an_error_in_its_output_is_doubted() -> None:
    """The attempt carries the warning, and a problem stands at the line of the error."""
    handoff, problems = _read("docs")
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
    assert _read("sec")[0].attempt == 1
    assert _read("dev")[0].attempt == 2
    assert _read("docs")[0].attempt == 2
