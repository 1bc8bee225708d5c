"""No procedure, note or lock can break the rules on transitions and cycles."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from handoff_tui.checks.rule import NotApplicableError, Rule, RuleFinding
from handoff_tui.checks.rules.procedure.data_intact import data_intact
from handoff_tui.checks.rules.procedure.handing_over import (
    context_transfer_complete,
    source_phase_complete,
)
from handoff_tui.checks.rules.procedure.state_consistent import state_consistent
from handoff_tui.checks.rules.procedure.target_ready import (
    agent_ready,
    connections_stable,
    permissions_granted,
    target_resources_present,
)
from handoff_tui.checks.rules.tdd.files import handoff_notes_parse, lock_not_stale, test_list_consistent
from handoff_tui.checks.rules.tdd.phases import (
    commit_prefix_fits_phase,
    green_has_no_failing_test,
    phase_order_legal,
    red_has_one_failing_test,
    retry_budget_kept,
)
from tests.support.format_states import CONTEXT, EXECUTION, SESSION, cycle_world, files_world
from tests.support.strategies import json_texts, json_values, line_texts
from tests.support.world import MemoryWorld, judge

TRANSITIONS = (
    source_phase_complete,
    target_resources_present,
    state_consistent,
    agent_ready,
    context_transfer_complete,
    connections_stable,
    permissions_granted,
    data_intact,
)
CYCLES = (
    handoff_notes_parse,
    phase_order_legal,
    red_has_one_failing_test,
    green_has_no_failing_test,
    commit_prefix_fits_phase,
    test_list_consistent,
    retry_budget_kept,
    lock_not_stale,
)
_RECORD_KEYS = (
    *("metadata", "files", "resources", "path", "sha256", "checksums", "prompt", "outputs", "scripts", "status"),
    *("step_results", "errors", "name", "success", "rollback_performed", "rollback_results", "validation_results"),
    *("rule_id", "passed", "overall_result", "end_time", "target_agent", "target_phase", "handoff_id"),
)
_NOTE_KEYS = (
    *("phase", "nextPhase", "cycleNumber", "currentTest", "description", "testFile", "completedTests"),
    *("pendingTests", "testResult", "error", "errorDetails", "retryCount", "nextAgent"),
)
_WORDS = (
    *("completed", "failed", "rollback", "VR004", "PLAN", "RED", "GREEN", "REFACTOR", "PASS", "FAIL", "../a"),
    *("a/b.sh",),
)


def ask(rule: Rule, world: MemoryWorld) -> list[RuleFinding] | str:
    """What the rule finds, or why it does not apply; nothing else may come out of it."""
    try:
        return judge(rule, world)
    except NotApplicableError as reason:
        return str(reason)


def overlay(record: dict[str, object], fields: JsonValue) -> object:
    return {**record, **fields} if isinstance(fields, dict) else fields


@pytest.mark.parametrize("rule", TRANSITIONS, ids=lambda rule: rule.id)
@given(st.lists(json_values(_RECORD_KEYS, _WORDS), min_size=3, max_size=3))
def test_rules_on_transitions_survive_any_procedure(rule: Rule, fields: list[JsonValue]) -> None:
    """Twice the same answer, whatever the records hold; every finding names its rule's number."""
    records = [overlay(dict(record), part) for record, part in zip((CONTEXT, EXECUTION, SESSION), fields, strict=True)]
    world = files_world({"procedures/any.json": records})
    answer = ask(rule, world)
    assert answer == ask(rule, world)
    number = rule.holds.partition(":")[0]
    assert isinstance(answer, str) or all(found.message.startswith(f"{number}: ") for found in answer)


@pytest.mark.parametrize("rule", CYCLES, ids=lambda rule: rule.id)
@given(
    st.lists(json_values(_NOTE_KEYS, _WORDS), max_size=4),
    line_texts(["- [ ] a", "- [x] b", "```", "# Tests", "1. [X] c"]),
    json_texts(("agent", "timestamp", "pid"), ("9e99", "2031-01-01", "-1")),
)
def test_rules_on_cycles_survive_any_note(rule: Rule, notes: list[JsonValue], boxes: str, lock: str) -> None:
    """Twice the same answer, whatever notes, list and lock hold."""
    world = cycle_world([json.dumps(note) for note in notes], {"test-list.md": boxes, ".tdd.lock": lock})
    assert ask(rule, world) == ask(rule, world)
