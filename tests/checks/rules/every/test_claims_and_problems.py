from __future__ import annotations

import pytest

from handoff_tui.checks.rule import NotApplicableError
from handoff_tui.checks.rules.every.claims_and_problems import CLAIMS_HOLD, PROBLEMS_ABSENT
from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import Claim, ClaimKind, Verdict, VerdictState
from tests.support.world import MemoryWorld, judge

NOTE_CLAIMS = "# Handoff\n\n## Status\nDone, see `src/row.py`.\n\n## Next steps\n- rest\n"
ID = "notes/HANDOFF.md"


def world(kind: ClaimKind, state: VerdictState) -> MemoryWorld:
    claim = Claim(text="as written", kind=kind, where=Place(path="HANDOFF.md", line=4), subject="row", value=12)
    verdict = Verdict(claim=claim, state=state, measured=11, evidence="counted here")
    return MemoryWorld({"HANDOFF.md": NOTE_CLAIMS}, measured={ID: (verdict,)})


@pytest.mark.parametrize("kind", sorted(set(ClaimKind) - {ClaimKind.STATUS, ClaimKind.CHECK}))
def test_claim_that_is_contradicted_is_found(kind: ClaimKind) -> None:
    """With what was claimed and what was measured."""
    [found] = judge(CLAIMS_HOLD, world(kind, VerdictState.CONTRADICTED))
    assert (found.expected, found.actual) == ("12", "11")
    assert found.place == Place(path="HANDOFF.md", line=4)
    assert "counted here" in found.message


@pytest.mark.parametrize("state", [VerdictState.HOLDS, VerdictState.UNVERIFIED])
def test_claim_that_is_not_contradicted_passes(state: VerdictState) -> None:
    """What could not be verified is no contradiction."""
    assert judge(CLAIMS_HOLD, world(ClaimKind.COUNT, state)) == []


@pytest.mark.parametrize("kind", [ClaimKind.STATUS, ClaimKind.CHECK])
def test_claim_of_a_status_is_left_to_other_rules(kind: ClaimKind) -> None:
    """A status is what the checks decide."""
    assert judge(CLAIMS_HOLD, world(kind, VerdictState.CONTRADICTED)) == []


def test_claims_of_other_handoffs_are_not_judged() -> None:
    """Only what is under review."""
    both = world(ClaimKind.COUNT, VerdictState.CONTRADICTED)
    both.files["docs/HANDOFF.md"] = NOTE_CLAIMS
    assert judge(CLAIMS_HOLD, both, "notes/docs/HANDOFF.md") == []


def test_rule_does_not_apply_where_nothing_is_claimed() -> None:
    """No handoff, or a silent one."""
    for files in ({}, {"HANDOFF.md": "# Handoff\n\n## Next steps\n- rest\n\n## Context\nNone.\n"}):
        with pytest.raises(NotApplicableError):
            judge(CLAIMS_HOLD, MemoryWorld(dict(files)))


BROKEN = '{"phase": '
NOTE_PROBLEMS = "# Handoff\n\n## Status\nDone.\n\n## Next steps\n- rest\n"


def test_document_that_can_be_read_passes() -> None:
    """Warnings are no errors."""
    assert judge(PROBLEMS_ABSENT, MemoryWorld({"HANDOFF.md": NOTE_PROBLEMS})) == []


def test_document_that_cannot_be_read_is_found() -> None:
    """With its place and the reason."""
    [found] = judge(PROBLEMS_ABSENT, MemoryWorld({".planning/HANDOFF.json": BROKEN}))
    assert found.place is not None
    assert (found.place.path, found.place.line) == (".planning/HANDOFF.json", 1)
    assert "JSON" in found.message


def test_file_that_is_missing_is_found() -> None:
    """A state file that should be there is nobody's document."""
    files = {".mosaic/agent_state.json": '{"last_agent": "x", "handoff_message": "y", "current_task": "z"}'}
    found = judge(PROBLEMS_ABSENT, MemoryWorld(dict(files)))
    assert {one.place.path for one in found if one.place} == {".mosaic/blockers.json", ".mosaic/current_task.json"}


def test_problems_of_other_handoffs_are_not_judged() -> None:
    """Only what is under review, and what lies beside it."""
    files = {"docs/HANDOFF.md": NOTE_PROBLEMS, ".planning/HANDOFF.json": BROKEN}
    assert judge(PROBLEMS_ABSENT, MemoryWorld(dict(files)), "notes/docs/HANDOFF.md") == []


def test_rule_does_not_apply_without_handoffs() -> None:
    """Nothing was read."""
    with pytest.raises(NotApplicableError):
        judge(PROBLEMS_ABSENT, MemoryWorld({"src/row.py": ""}))
