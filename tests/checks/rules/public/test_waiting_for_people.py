from __future__ import annotations

import json

import pytest

from handoff_tui.checks.rule import NotApplicableError, Rule
from handoff_tui.checks.rules.public.waiting_for_people import CHECKPOINT_CLEARED, HUMAN_ACTIONS_CLEARED
from tests.support.world import MemoryWorld, judge

PATH_CHECKPOINT = ".claude/handoff.json"
FIELDS = ("feature", "phase", "goal", "scope", "relevant_files", "acceptance_criteria", "verification_commands")


def handoff(**fields: object) -> dict[str, str | bytes]:
    return {PATH_CHECKPOINT: json.dumps({**dict.fromkeys(FIELDS, "x"), "source_spec": "docs/a.md", **fields}, indent=1)}


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
    [found] = judge(CHECKPOINT_CLEARED, MemoryWorld({PATH_CHECKPOINT: '{"checkpoint_pending": "cl'}))
    assert found.subject == f"unreadable {PATH_CHECKPOINT}"


PATH_ACTIONS = ".planning/HANDOFF.json"


def state(**fields: object) -> dict[str, str | bytes]:
    whole = {"phase": "3", "phase_name": "Charts", "completed_tasks": [], "remaining_tasks": [], "context_notes": "x"}
    return {PATH_ACTIONS: json.dumps({**whole, **fields}, indent=1)}


def messages(files: dict[str, str | bytes]) -> list[str]:
    return [found.message.split(": ", 2)[-1] for found in judge(HUMAN_ACTIONS_CLEARED, MemoryWorld(files))]


def test_state_with_nothing_pending_is_clear() -> None:
    """Empty lists, and actions that do not block."""
    action = {"action": "Look at the colours", "context": "when there is time", "blocking": False}
    assert messages(state(human_actions_pending=[action], blockers=[])) == []


def test_actions_and_blockers_are_found_people_first() -> None:
    """Only people can act on theirs, so these come first."""
    files = state(
        blockers=[{"description": "Tide data is missing", "type": "technical"}],
        human_actions_pending=[{"action": "Buy the chart licence", "blocking": True}],
    )
    found = judge(HUMAN_ACTIONS_CLEARED, MemoryWorld(files))
    assert ["Buy" in one.message for one in found] == [True, False]
    assert all(one.place is not None and one.place.line for one in found)


@pytest.mark.parametrize("action", ["Buy the licence", {"action": "Buy"}, {"action": "Buy", "blocking": "no"}])
def test_action_that_does_not_say_whether_it_blocks_does(action: object) -> None:
    """What is not said cannot be taken for a no."""
    assert len(messages(state(human_actions_pending=[action]))) == 1


def test_open_points_and_notes_are_found_and_resolved_ones_are_not() -> None:
    """The relay's open points; blockers of notes until they are resolved."""
    relay = {
        "task": "row",
        "status": "implemented",
        "actor": "one",
        "changed_files": [],
        "checks": [],
        "open_points": ["The oar is short"],
        "next_role": "two",
    }
    note = "# Handoff\n\n## Status\nPaused\n\n## Blockers\n- [x] Rope is old\n- Sail is torn\n"
    files: dict[str, str | bytes] = {"HANDOFF.json": json.dumps(relay), "HANDOFF.md": note}
    assert messages(files) == ["The oar is short", "Sail is torn"]


def test_checkpoint_is_left_to_its_own_rule() -> None:
    """It is told once."""
    fields = ("feature", "phase", "goal", "scope", "relevant_files", "acceptance_criteria", "verification_commands")
    root = {**dict.fromkeys(fields, "x"), "source_spec": "docs/a.md", "checkpoint_pending": "clarification"}
    assert messages({".claude/handoff.json": json.dumps(root)}) == []


def test_state_that_is_broken_is_found() -> None:
    """What waits in it is not known."""
    [found] = judge(HUMAN_ACTIONS_CLEARED, MemoryWorld({PATH_ACTIONS: '{"blockers": ['}))
    assert found.subject == f"unreadable {PATH_ACTIONS}"


@pytest.mark.parametrize(
    ("rule", "world"),
    [
        (CHECKPOINT_CLEARED, MemoryWorld({"HANDOFF.md": "# Handoff\n\n## Status\nx\n\n## Next steps\n- y\n"})),
        (HUMAN_ACTIONS_CLEARED, MemoryWorld({"bugs.json": '{"bugs": []}'})),
    ],
)
def test_rule_is_skipped_where_it_has_nothing_to_judge(rule: Rule, world: MemoryWorld) -> None:
    """It neither passes nor fails."""
    with pytest.raises(NotApplicableError):
        judge(rule, world)
