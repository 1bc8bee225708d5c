"""Where a procedure meets the repository: plans, rules, gates and steps."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event

import pytest

from handoff_tui.agents.engine.engine import StepResult
from handoff_tui.agents.procedures.actions import RepositoryActions
from handoff_tui.agents.procedures.gate import judge_run_gate, read_run_gate, refuse_closed_gate
from handoff_tui.agents.procedures.plan import build_checked_plan
from handoff_tui.agents.procedures.report import RunRequest
from handoff_tui.agents.procedures.steps import BUILT_IN_STEPS, BUILT_IN_UNDOS, TransferFolder, open_transfer, open_work
from handoff_tui.core.errors import ProcedureError
from handoff_tui.git.history.commit_graph import find_work_commit
from handoff_tui.git.repository import open_repository
from handoff_tui.handoffs.session import open_session
from handoff_tui.log.gates.gate_state import Approval, GateName, GateReport
from tests.support.gates import HANDOFF, GateDesk

OWN_REQUEST = RunRequest(procedure="OWN", handoff=HANDOFF, phase="review", attempt=1)

RULE = 'name = "mine"\nseverity = "high"\ntimeout_seconds = 5'

STEP = '{ name = "transfer_resources", timeout_seconds = 5 }'


def write(desk: GateDesk, text: str) -> None:
    (desk.root / "handoff-tui.toml").write_text(f"[procedures.procedures.OWN]\n{text}\n", encoding="utf-8")


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
        build_checked_plan(open_session(gate_desk.root), "OWN")


def test_unknown_procedure_is_answered_with_the_nearest(gate_desk: GateDesk) -> None:
    """A typing error isn't a riddle."""
    with pytest.raises(ProcedureError, match="there is no procedure") as refused:
        build_checked_plan(open_session(gate_desk.root), "PHASE_TRANSITION_STANDART")
    assert "PHASE_TRANSITION_STANDARD" in refused.value.message


@pytest.mark.parametrize("done", [True, False])
def test_procedure_waits_for_those_it_depends_on(done: bool, gate_desk: GateDesk) -> None:  # noqa: FBT001 - a case
    """They must have been completed for the same attempt."""
    write(gate_desk, f'steps = [{STEP}]\ndepends_on = ["AGENT_HANDOFF_STANDARD"]')
    actions = RepositoryActions(gate_desk.root, lambda _request, _name: done)
    if done:
        assert len(actions.plan(OWN_REQUEST).steps) == 1
    else:
        with pytest.raises(ProcedureError, match="AGENT_HANDOFF_STANDARD must be completed"):
            actions.plan(OWN_REQUEST)


def test_declared_rule_is_judged_on_the_handoff(gate_desk: GateDesk) -> None:
    """VR003 finds a state file that contradicts git, or does not apply; it is never silent."""
    actions = RepositoryActions(gate_desk.root, lambda _request, _name: True)
    for rule in ("VR001", "VR002", "VR003", "VR004", "VR005", "VR006", "VR007", "VR008"):
        assert actions.judge(OWN_REQUEST, rule, Event()).detail


def test_rule_that_is_switched_off_does_not_hold(gate_desk: GateDesk) -> None:
    """Nobody judged it, and what nobody judged isn't a pass."""
    (gate_desk.root / "handoff-tui.toml").write_text(
        "[checks.source-phase-complete]\nenabled = false\n", encoding="utf-8"
    )
    found = RepositoryActions(gate_desk.root, lambda _request, _name: True).judge(OWN_REQUEST, "VR001", Event())
    assert (found.passed, "switched off" in found.detail) == (False, True)


def test_person_is_told_once_that_a_run_waits(gate_desk: GateDesk, isolated_user: Path, tmp_path: Path) -> None:
    """By the command of their own configuration; the next looks say nothing."""
    place = isolated_user / "config" / "handoff-tui" / "config.toml"
    place.parent.mkdir(parents=True)
    command = f'["sh", "-c", "echo {{text}} >> {tmp_path}/told"]'
    place.write_text(f"[notifications]\ncommand = {command}\n", encoding="utf-8")
    actions = RepositoryActions(gate_desk.root, lambda _request, _name: True)
    for _ in range(2):
        assert actions.read_gate(OWN_REQUEST).open is None
    assert (tmp_path / "told").read_text(encoding="utf-8").count("OWN waits for a decision") == 1


GATE_REQUEST = RunRequest(procedure="P", handoff=HANDOFF, phase="review", attempt=1)


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (GateName.APPROVED, True),
        (GateName.OVERRIDDEN, True),
        (GateName.SKIPPED, True),
        (GateName.REJECTED, False),
        (GateName.RETRY, False),
        (GateName.PENDING, None),
        (GateName.HELD, None),
        (GateName.SUPERSEDED, None),
        (GateName.EXPIRED, None),
        (GateName.WITHDRAWN, None),
        (GateName.BLOCKED, None),
    ],
)
def test_state_of_the_gate_opens_refuses_or_is_waited_for(state: GateName, *, expected: bool | None) -> None:
    """Only a decision opens it, only being sent back refuses it; everything else is no answer."""
    report = GateReport(handoff="H-1", phase="review", attempt=1, state=state, why=("so it is",))
    found = judge_run_gate(report, 1)
    assert (found.open, "so it is" in found.why) == (expected, True)


def test_attempt_that_is_over_is_refused() -> None:
    """An approval of the next attempt is none of this one."""
    report = GateReport(handoff="H-1", phase="review", attempt=2, state=GateName.APPROVED)
    found = judge_run_gate(report, 1)
    assert (found.open, found.why) == (False, "attempt 1 is over: this is attempt 2")


def test_entry_that_counts_is_named() -> None:
    """The latest of them, and none that is of no effect."""
    approvals = tuple(
        Approval(entry=name, principal="bob", verb="approve", time=time, counted=not why, why=why)
        for name, time, why in (("old", "2026-01-01", ""), ("new", "2026-01-02", ""), ("void", "2026-01-03", "changed"))
    )
    report = GateReport(handoff="H-1", phase="review", attempt=1, state=GateName.APPROVED, approvals=approvals)
    assert judge_run_gate(report, 1).entry == "new"


def test_real_gate_is_looked_at_in_git(gate_desk: GateDesk) -> None:
    """Nobody has decided, then somebody has, then the work moves on and it is open no more."""
    reviewer = gate_desk.person("bob")
    gate_desk.begin(reviewer)
    assert read_run_gate(gate_desk.root, GATE_REQUEST).open is None
    entry = gate_desk.decide(reviewer, "approve").json["entry"]
    found = read_run_gate(gate_desk.root, GATE_REQUEST)
    assert (found.open, found.entry) == (True, entry)
    gate_desk.change()
    found = read_run_gate(gate_desk.root, GATE_REQUEST)
    assert (found.open, found.why) == (False, "attempt 1 is over: this is attempt 2")


def test_phase_without_a_gate_is_open(gate_desk: GateDesk) -> None:
    """The pipeline says so, and it is said in the run."""
    (gate_desk.root / "handoff-tui.toml").write_text(
        '[pipelines.mine]\nphases = [{ name = "review", gate = false }]\n', encoding="utf-8"
    )
    found = read_run_gate(gate_desk.root, GATE_REQUEST)
    assert (found.open, found.why) == (True, "the phase review has no gate")


def test_step_behind_a_gate_is_not_begun_on_the_engines_word(gate_desk: GateDesk) -> None:
    """An edited checkpoint says that the gate was passed; git says that nobody has decided."""
    reviewer = gate_desk.person("bob")
    gate_desk.begin(reviewer)
    request = GATE_REQUEST.model_copy(update={"procedure": "PHASE_TRANSITION_STANDARD"})
    with pytest.raises(ProcedureError, match="nobody has approved it: pending"):
        refuse_closed_gate(open_session(gate_desk.root), request, "validate_handoff")
    refuse_closed_gate(open_session(gate_desk.root), request, "transfer_resources")
    assert gate_desk.decide(reviewer, "approve").code == 0
    refuse_closed_gate(open_session(gate_desk.root), request, "validate_handoff")


class Stepping:
    """One run, whose steps are done one by one."""

    def __init__(self, desk: GateDesk) -> None:
        self.desk = desk
        commit = find_work_commit(open_repository(desk.root).git)
        self.request = RunRequest(procedure="P", handoff=HANDOFF, phase="review", attempt=1, commit=commit)
        self.cancel = Event()

    def do(self, step: str) -> StepResult:
        return BUILT_IN_STEPS[step](open_work(self.desk.root, self.request, self.cancel))

    def undo(self, name: str) -> StepResult:
        return BUILT_IN_UNDOS[name](open_transfer(open_session(self.desk.root), self.request), self.request)

    def list_files(self) -> set[str]:
        place = open_transfer(open_session(self.desk.root), self.request).place
        return {path.name for path in place.iterdir()} if place.exists() else set()

    def read(self, name: str) -> dict[str, object]:
        place = open_transfer(open_session(self.desk.root), self.request).place / name
        value = json.loads(place.read_bytes())
        assert isinstance(value, dict)
        return value


@pytest.fixture
def stepping(gate_desk: GateDesk) -> Stepping:
    return Stepping(gate_desk)


def test_phase_is_complete_when_all_work_is_committed(stepping: Stepping) -> None:
    """Loose files are named; so is another commit than the run was asked for."""
    assert stepping.do("validate_phase_completion").passed
    stepping.desk.builder.write("loose.txt")
    refused = stepping.do("validate_phase_completion")
    assert (refused.passed, "loose.txt" in refused.detail) == (False, True)
    stepping.desk.builder.commit("more")
    moved = stepping.do("validate_phase_completion")
    assert (moved.passed, "but the work is at" in moved.detail) == (False, True)


def test_state_keeps_what_was_there_before(stepping: Stepping) -> None:
    """A second run puts the first one's state back when it is undone, and only its own."""
    stepping.do("transfer_resources")
    stepping.do("synchronize_state")
    first = stepping.read("state.json")
    another = Stepping(stepping.desk)
    another.request = stepping.request.model_copy(update={"number": 2})
    another.do("synchronize_state")
    another.do("synchronize_state")
    assert another.read("state.json")["before"] == first
    another.undo("rollback_state")
    assert stepping.read("state.json") == first
    another.undo("rollback_state")
    assert stepping.read("state.json") == first
    stepping.undo("rollback_state")
    assert stepping.list_files() == {"resources.json"}
    stepping.undo("rollback_resources")
    assert stepping.list_files() == set()


def test_agent_is_ready_when_its_program_is_here(stepping: Stepping) -> None:
    """Nobody named, no command, no program: each is said."""
    assert stepping.do("check_agent_readiness").detail == "no next agent is named"
    config = (
        '[pipelines.mine]\nphases = [{ name = "review" }, { name = "next", agent = "heron" }]\n'
        '[agents.heron]\ncommand = ["PROGRAM"]\n'
    )
    handoff = "---\nsource_phase: review\ntarget_phase: next\ntarget_agent: heron\n---\n# Handoff\n\nStatus: COMPLETE\n"
    stepping.desk.change(handoff, "HANDOFF.md")
    work = open_work(stepping.desk.root, stepping.request, stepping.cancel)
    named = work._replace(handoff=work.handoff.model_copy(update={"target_agent": "heron"}))
    assert "has no command for it" in BUILT_IN_STEPS["check_agent_readiness"](named).detail
    for program, ready in (("no-such-program", False), ("sh", True)):
        (stepping.desk.root / "handoff-tui.toml").write_text(config.replace("PROGRAM", program), encoding="utf-8")
        again = named._replace(session=open_session(stepping.desk.root))
        assert BUILT_IN_STEPS["check_agent_readiness"](again).passed is ready


def test_context_and_knowledge_are_handed_over_and_taken_back(stepping: Stepping) -> None:
    """The handoff as read, and what earlier attempts taught."""
    assert stepping.do("transfer_task_context").passed
    assert stepping.do("transfer_knowledge").passed
    assert stepping.list_files() == {"context.json", "knowledge.json"}
    content = stepping.read("context.json")["content"]
    assert isinstance(content, dict)
    assert content["id"] == HANDOFF
    stepping.undo("rollback_context")
    assert stepping.list_files() == set()


def test_work_is_passed_on_only_with_a_signature_in_git(stepping: Stepping) -> None:
    """The last step asks git itself: without a decision it fails, whatever the engine's record says."""
    stepping.do("transfer_resources")
    refused = stepping.do("validate_handoff")
    assert (refused.passed, "passed.json" in stepping.list_files()) == (False, False)
    reviewer = stepping.desk.person("bob")
    stepping.desk.begin(reviewer)
    entry = stepping.desk.decide(reviewer, "approve").json["entry"]
    passed = stepping.do("validate_handoff")
    assert (passed.passed, passed.evidence, stepping.read("passed.json")["entry"]) == (True, entry, entry)


def test_files_that_changed_after_they_were_handed_over_are_noticed(stepping: Stepping) -> None:
    """Neither a new commit nor an edited record passes."""
    stepping.do("transfer_resources")
    stepping.desk.change()
    found = stepping.do("validate_handoff")
    assert (found.passed, "resources.json was handed over" in found.detail) == (False, True)


def test_step_that_is_out_of_time_writes_nothing(stepping: Stepping) -> None:
    """It may still be running when everything is undone."""
    stepping.cancel.set()
    with pytest.raises(ProcedureError, match="ended before"):
        stepping.do("transfer_resources")
    assert stepping.list_files() == set()


def test_names_never_lead_out_of_the_folder(tmp_path: Path) -> None:
    """An agent chooses the id of a handoff."""
    folder = TransferFolder(tmp_path, "a/../../..", "../..", 1)
    assert folder.place.resolve().is_relative_to(tmp_path / "handoff-tui" / "transfers")
