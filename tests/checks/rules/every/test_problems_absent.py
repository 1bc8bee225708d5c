from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.every.claims_and_problems import PROBLEMS_ABSENT
from tests.support.world import MemoryWorld, judge

BROKEN = '{"phase": '
NOTE = "# Handoff\n\n## Status\nDone.\n\n## Next steps\n- rest\n"


def test_document_that_can_be_read_passes() -> None:
    """Warnings are no errors."""
    assert judge(PROBLEMS_ABSENT, MemoryWorld({"HANDOFF.md": NOTE})) == []


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
    files = {"docs/HANDOFF.md": NOTE, ".planning/HANDOFF.json": BROKEN}
    assert judge(PROBLEMS_ABSENT, MemoryWorld(dict(files)), "notes/docs/HANDOFF.md") == []


def test_rule_does_not_apply_without_handoffs() -> None:
    """Nothing was read."""
    with pytest.raises(NotApplicableError):
        judge(PROBLEMS_ABSENT, MemoryWorld({"src/row.py": ""}))
