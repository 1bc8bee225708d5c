from __future__ import annotations

import json

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.public.waiting_for_people import CHECKPOINT_CLEARED
from tests.support.world import MemoryWorld, judge

PATH = ".claude/handoff.json"
FIELDS = ("feature", "phase", "goal", "scope", "relevant_files", "acceptance_criteria", "verification_commands")


def handoff(**fields: object) -> dict[str, str | bytes]:
    return {PATH: json.dumps({**dict.fromkeys(FIELDS, "x"), "source_spec": "docs/a.md", **fields}, indent=1)}


@pytest.mark.parametrize("value", ["clarification", "architecture-review", "something else", True, 1])
def test_checkpoint_that_is_pending_is_found(value: object) -> None:
    """Whatever it is called."""
    [found] = judge(CHECKPOINT_CLEARED, MemoryWorld(handoff(checkpoint_pending=value)))
    assert found.actual == str(value)
    assert found.place is not None
    assert found.place.line == 10


@pytest.mark.parametrize("fields", [{}, *({"checkpoint_pending": value} for value in (None, False, "", "none"))])
def test_checkpoint_that_is_not_pending_passes(fields: dict[str, object]) -> None:
    """Absent, null, false or said to be none."""
    assert judge(CHECKPOINT_CLEARED, MemoryWorld(handoff(**fields))) == []


def test_checkpoint_in_a_broken_file_is_not_taken_for_cleared() -> None:
    """It cannot be known."""
    [found] = judge(CHECKPOINT_CLEARED, MemoryWorld({PATH: '{"checkpoint_pending": "cl'}))
    assert found.subject == f"unreadable {PATH}"


def test_rule_does_not_apply_without_such_a_handoff() -> None:
    """Notes have no checkpoints."""
    with pytest.raises(NotApplicableError):
        judge(CHECKPOINT_CLEARED, MemoryWorld({"HANDOFF.md": "# Handoff\n\n## Status\nx\n\n## Next steps\n- y\n"}))
