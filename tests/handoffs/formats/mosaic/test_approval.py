from __future__ import annotations

import json

from handoff_tui.core.place import Problem, ProblemLevel
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.mosaic.format import MOSAIC
from handoff_tui.handoffs.handoff import Handoff
from tests.support.memory_files import MemoryFiles, read_with

_PATH = ".mosaic/gemini_approval.json"


def _read(content: dict[str, object]) -> tuple[Handoff, list[Problem]]:
    shelf = MemoryFiles({_PATH: json.dumps(content, indent=1)})
    return read_with(MOSAIC, shelf).handoffs[0], shelf.source(_PATH).problems()


def test_approval_claims_its_verdict_and_criteria() -> None:
    """The verdict is a claim, and so is each criterion; nothing is doubted without a reason."""
    handoff, problems = _read(
        {
            "evaluator": "owl",
            "verdict": "REJECT",
            "score": 12,
            "criteria_results": {"tests_run": False},
            "required_fixes": ["Run the tests"],
        }
    )
    assert [(claim.kind, claim.subject, claim.value) for claim in handoff.claims] == [
        (ClaimKind.VERDICT, "owl", "REJECTED"),
        (ClaimKind.CHECK, "tests_run", False),
    ]
    assert [(task.id, task.done) for task in handoff.tasks] == [("required-fix-1", False)]
    assert problems == []


def test_simulated_approval_is_a_warning_with_its_line() -> None:
    """An approval whose note says that nobody was asked is marked as such."""
    for words in ("Simulated run", "There was no Owl API key", "API_KEY not set"):
        handoff, problems = _read({"verdict": "APPROVE", "score": 99, "note": words})
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
        (claim,) = _read(content)[0].claims
        assert (claim.kind, claim.subject, claim.value) == (ClaimKind.VERDICT, subject, value)
