"""Where the engine meets the repository: plans that lead somewhere, and rules as real checks."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest

from handoff_tui.agents.procedures.actions import RepositoryActions
from handoff_tui.agents.procedures.plan import build_checked_plan
from handoff_tui.agents.procedures.report import RunRequest
from handoff_tui.core.errors import ProcedureError
from handoff_tui.handoffs.session import open_desk
from tests.support.gates import HANDOFF, GateDesk

REQUEST = RunRequest(procedure="OWN", handoff=HANDOFF, phase="review", attempt=1)
RULE = 'name = "mine"\nseverity = "high"\ntimeout_seconds = 5'
STEP = '{ name = "transfer_resources", timeout_seconds = 5 }'


def write(desk: GateDesk, text: str) -> None:
    (desk.root / "handoff-tui.toml").write_text(f"[procedures.procedures.OWN]\n{text}\n", encoding="utf-8")


@pytest.mark.parametrize("name", ["PHASE_TRANSITION_STANDARD", "AGENT_HANDOFF_STANDARD"])
def test_standard_procedures_can_be_planned(name: str, gate_desk: GateDesk) -> None:
    """Every step and rollback of theirs is built in, every rule a check."""
    plan = build_checked_plan(open_desk(gate_desk.root), name)
    assert not any(step.agent for step in plan.steps)
    assert len(plan.rollback) in {1, 2}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('steps = [{ name = "fly", timeout_seconds = 5 }]', "neither built in nor one of"),
        (f"steps = [{STEP}, {STEP}]", "'transfer_resources' twice"),
        ("steps = []", "has no steps"),
        (f'steps = [{STEP}]\nrollback = [{{ name = "fall", timeout_seconds = 5 }}]', "the rollback 'fall'"),
        (f'steps = [{STEP}]\nrequired_agents = ["heron"]', "needs the agent heron"),
        (f'steps = [{STEP}]\n[agents.transfer_resources]\ncommand = ["sh"]', "is both built in and an agent"),
        (
            f'steps = [{STEP}]\nrules = ["MINE"]\n[procedures.rules.MINE]\n{RULE}',
            "the rule MINE, but no such check exists",
        ),
    ],
)
def test_plan_that_leads_nowhere_is_refused(text: str, words: str, gate_desk: GateDesk) -> None:
    """Before anything is begun, with what is wrong."""
    write(gate_desk, text)
    with pytest.raises(ProcedureError, match=words):
        build_checked_plan(open_desk(gate_desk.root), "OWN")


def test_unknown_procedure_is_answered_with_the_nearest(gate_desk: GateDesk) -> None:
    """A typing error is no riddle."""
    with pytest.raises(ProcedureError, match="there is no procedure") as refused:
        build_checked_plan(open_desk(gate_desk.root), "PHASE_TRANSITION_STANDART")
    assert "PHASE_TRANSITION_STANDARD" in refused.value.message


@pytest.mark.parametrize("done", [True, False])
def test_procedure_waits_for_those_it_depends_on(done: bool, gate_desk: GateDesk) -> None:  # noqa: FBT001 - a case
    """They must have been completed for the same attempt."""
    write(gate_desk, f'steps = [{STEP}]\ndepends_on = ["AGENT_HANDOFF_STANDARD"]')
    actions = RepositoryActions(gate_desk.root, lambda _request, _name: done)
    if done:
        assert len(actions.plan(REQUEST).steps) == 1
    else:
        with pytest.raises(ProcedureError, match="AGENT_HANDOFF_STANDARD must be completed"):
            actions.plan(REQUEST)


def test_own_command_check_is_a_rule(gate_desk: GateDesk) -> None:
    """A rule may be any check of the configuration; whether it holds is what the check says."""
    (gate_desk.root / "handoff-tui.toml").write_text(
        '[procedures.rules.nothing-unpushed]\nname = "pushed"\nseverity = "high"\ntimeout_seconds = 9\n',
        encoding="utf-8",
    )
    actions = RepositoryActions(gate_desk.root, lambda _request, _name: True)
    found = actions.judge(REQUEST, "nothing-unpushed", Event())
    assert isinstance(found.passed, bool)
    assert found.detail


def test_declared_rule_is_judged_on_the_handoff(gate_desk: GateDesk) -> None:
    """VR003 finds a state file that contradicts git, or does not apply; it is never silent."""
    actions = RepositoryActions(gate_desk.root, lambda _request, _name: True)
    for rule in ("VR001", "VR002", "VR003", "VR004", "VR005", "VR006", "VR007", "VR008"):
        assert actions.judge(REQUEST, rule, Event()).detail


def test_rule_that_is_switched_off_does_not_hold(gate_desk: GateDesk) -> None:
    """Nobody judged it, and what nobody judged is no pass."""
    (gate_desk.root / "handoff-tui.toml").write_text(
        "[checks.source-phase-complete]\nenabled = false\n", encoding="utf-8"
    )
    found = RepositoryActions(gate_desk.root, lambda _request, _name: True).judge(REQUEST, "VR001", Event())
    assert (found.passed, "switched off" in found.detail) == (False, True)


def test_person_is_told_once_that_a_run_waits(gate_desk: GateDesk, isolated_user: Path, tmp_path: Path) -> None:
    """By the command of their own configuration; the next looks say nothing."""
    place = isolated_user / "config" / "handoff-tui" / "config.toml"
    place.parent.mkdir(parents=True)
    command = f'["sh", "-c", "echo {{text}} >> {tmp_path}/told"]'
    place.write_text(f"[notifications]\ncommand = {command}\n", encoding="utf-8")
    actions = RepositoryActions(gate_desk.root, lambda _request, _name: True)
    for _ in range(2):
        assert actions.read_gate(REQUEST).open is None
    assert (tmp_path / "told").read_text(encoding="utf-8").count("OWN waits for a decision") == 1
