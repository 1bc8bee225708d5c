from __future__ import annotations

import json

import pytest

from handoff_tui.checks.rule import NotApplicableError
from handoff_tui.checks.rules.hub.deploy_has_a_human import DEPLOY_HAS_A_HUMAN
from tests.support.world import MemoryWorld, judge


def context(state: str, more: str = "") -> dict[str, str | bytes]:
    return {
        "HANDOFF_90_T091.md": "# Handoff Context\nRun ID: 90 | Project: Boats | Task: T091\n\n"
        f"## Pipeline Position\n- **Current State**: {state}\n\n{more}\n"
    }


@pytest.mark.parametrize("state", ["deploy", "ready_for_deploy", "deployed"])
def test_deploy_without_an_approval_is_found(state: str) -> None:
    """Each state on the way out needs a person."""
    [found] = judge(DEPLOY_HAS_A_HUMAN, MemoryWorld(context(state)))
    assert (found.subject, found.actual) == ("T091 deploy", "none")


@pytest.mark.parametrize("line", ["**Approved by**: Ingrid Moen", "- Deploy approved by: I. Moen (2026-04-02)"])
def test_deploy_with_a_named_person_passes(line: str) -> None:
    """A name that is no agent's."""
    assert judge(DEPLOY_HAS_A_HUMAN, MemoryWorld(context("ready_for_deploy", line))) == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("Approved by: CICD Agent", "no person"),
        ("Approved by: claude-opus", "no person"),
        ("Approved by: Director", "no person"),
        ("Approved by: human", "names nobody"),
        ("Human approval: yes", "names nobody"),
        ("Approved by: pending", "no approval"),
        ("Approved by: ________", "no approval"),
        ("Approved by: <name>", "no approval"),
        ("Approval is needed from Ingrid Moen.", "no approval"),
        ("```\nApproved by: Ingrid Moen\n```", "no approval"),
    ],
)
def test_deploy_with_anything_less_is_found(line: str, reason: str) -> None:
    """Agents, roles, words for a name, blanks, a mere mention, and what stands in raw output."""
    [found] = judge(DEPLOY_HAS_A_HUMAN, MemoryWorld(context("ready_for_deploy", line)))
    assert reason in found.message


def test_deploy_approved_by_its_producer_is_found() -> None:
    """Nobody approves their own work."""
    told = "Approved by: Dunlin\n\n### Dunlin Agent (now)\n**Status**: pass\n**Summary**: rowed\n"
    [found] = judge(DEPLOY_HAS_A_HUMAN, MemoryWorld(context("deploy", told)))
    assert found.actual == "Dunlin"


@pytest.mark.parametrize(
    ("approval", "good"),
    [("Ingrid Moen", True), ({"name": "Ingrid Moen"}, True), (True, False), ("deploy-bot", False), (None, False)],
)
def test_deploy_in_a_work_cycle_needs_a_name(approval: object, *, good: bool) -> None:
    """The role that deploys takes over: its cycle must name who let it."""
    cycle = {"id": 1, "task": "T092", "from_role": "docs", "to_role": "cicd", "stage": "deploy", "status": "pending"}
    files: dict[str, str | bytes] = {
        "hub/handoffs.json": json.dumps({"handoffs": [{**cycle, "approved_by": approval}]})
    }
    assert (judge(DEPLOY_HAS_A_HUMAN, MemoryWorld(files)) == []) is good


def test_work_that_is_not_deployed_needs_no_human() -> None:
    """Development and tests are for agents."""
    with pytest.raises(NotApplicableError):
        judge(DEPLOY_HAS_A_HUMAN, MemoryWorld(context("qa")))
