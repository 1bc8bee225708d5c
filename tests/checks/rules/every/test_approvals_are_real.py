from __future__ import annotations

import json

import pytest

from handoff_tui.checks.rule import NotApplicableError
from handoff_tui.checks.rules.every.approvals_are_real import APPROVALS_ARE_REAL
from tests.support.world import MemoryWorld, judge

HEAD = "# Handoff\n\n## Status\nReady.\n\n## Next steps\n- row\n\n"
AGENT_STATE = {"last_agent": "heron", "handoff_message": "rowed", "implementation_progress": {}, "current_task": "row"}


def note(text: str) -> MemoryWorld:
    return MemoryWorld({"HANDOFF.md": HEAD + text})


def mosaic(**approval: object) -> MemoryWorld:
    verdict = {"verdict": "APPROVE", "evaluator": "Ingrid Moen", "score": 9, "criteria_results": {}, **approval}
    return MemoryWorld(
        {
            ".mosaic/agent_state.json": json.dumps(AGENT_STATE),
            ".mosaic/gemini_approval.json": json.dumps(verdict, indent=1),
        }
    )


@pytest.mark.parametrize(
    "text",
    [
        "Approved by: Ingrid Moen\n",
        "Review verdict: PASS\n",
        "Approved by: Ingrid Moen (not simulated)\n",
        "Approved by: pending\n\nApproved by: Ingrid Moen\n",
    ],
)
def test_approval_by_a_person_passes(text: str) -> None:
    """A name, or a verdict that nothing speaks against."""
    assert judge(APPROVALS_ARE_REAL, note(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "Approved by: Ingrid Moen (simulated)\n",
        "Approved by: Ingrid Moen\n\nThis approval was backfilled.\n",
        "Review verdict: PASS (auto-closed)\n",
        "Final verdict: APPROVED\n\nThe run was a simulation.\n",
        "Approved by: review-agent\n",
        "**Approved by**: Claude\n",
        "Greenlight: auto\n",
    ],
)
def test_approval_that_nobody_gave_is_found(text: str) -> None:
    """Marked words on it or beside it, and names of agents."""
    found = judge(APPROVALS_ARE_REAL, note(text))
    assert len(found) == 1
    assert found[0].place is not None
    assert found[0].place.line


def test_approval_that_says_it_was_simulated_is_found() -> None:
    """Another model's verdict with a note that it was never asked for."""
    world = mosaic(note="Simulated: no API key was set")
    assert {found.actual for found in judge(APPROVALS_ARE_REAL, world)} == {"is marked simulated"}


def test_approval_by_a_model_is_found() -> None:
    """The name of an evaluator that is an agent's."""
    [found] = judge(APPROVALS_ARE_REAL, mosaic(evaluator="gemini-pro"))
    assert found.actual == "is by gemini-pro, which is no person"


def test_approval_by_a_person_in_a_state_file_passes() -> None:
    """The same verdict under a person's name."""
    assert judge(APPROVALS_ARE_REAL, mosaic()) == []


def test_word_far_from_an_approval_is_no_mark() -> None:
    """A project may be about simulation."""
    assert judge(APPROVALS_ARE_REAL, note("The simulation runs.\n\n\n\n\n\nApproved by: Ingrid Moen\n")) == []


def test_results_that_were_backfilled_are_found() -> None:
    """Results written after the fact."""
    results = (
        "# H-7 RESULTS (backfill)\n\n## Status: PASS\n\n## Files Created\n- none\n\n## Test Results\n- Total: 3 tests\n"
        "- Passed: 3\n- Failed: 0\n\n## Full Regression Test\n- Total: 3 tests\n\n## Baseline Snapshot\n- Packages: 1\n"
    )
    found = judge(APPROVALS_ARE_REAL, MemoryWorld({"handoffs/H-7/H-7_RESULTS.md": results}))
    assert [one.subject for one in found] == ["H-7 results backfilled"]


def test_rule_does_not_apply_where_nobody_approved() -> None:
    """No handoff, or none that speaks of approval."""
    for world in (MemoryWorld(), note("Rowing goes on.\n")):
        with pytest.raises(NotApplicableError):
            judge(APPROVALS_ARE_REAL, world)
