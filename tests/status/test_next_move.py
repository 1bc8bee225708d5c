"""Whose turn it is, and where the work stands in its pipeline."""

from __future__ import annotations

import pytest

from handoff_tui.config.pipeline import Phase
from handoff_tui.config.settings.pipeline import PipelineSettings
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.place import Place, Problem, Severity
from handoff_tui.core.tasks import Attempt, Blocker, Question, ReportedFinding, Task, TestCounts
from handoff_tui.handoffs.claim import Claim, ClaimKind, Verdict, VerdictState
from handoff_tui.handoffs.handoff import Document, DocumentRole, Handoff, RegistryState
from handoff_tui.handoffs.life import Life, LifeState
from handoff_tui.log.gates.gate_state import Approval, GateName, GateReport, Mover
from handoff_tui.log.index import LogIndex, build_log_index
from handoff_tui.status.next_move import build_gate
from handoff_tui.status.pipeline import PhaseProgress, PipelineView, build_pipeline, find_pipeline
from tests.support.desk_states import build_reviewed
from tests.support.logs import LogBuilder

PLACE = Place(path="a.md", line=1)

SPEC = Document(path="spec.md", role=DocumentRole.SPEC)

RESULTS = Document(path="results.md", role=DocumentRole.RESULTS)

ANSWERS = Document(path="answers.md", role=DocumentRole.ANSWERS)

QUESTION = Question(number=1, text="?", where=PLACE)


def verdict_claim(value: str) -> Claim:
    return Claim(text="x", kind=ClaimKind.VERDICT, where=PLACE, subject="evaluation", value=value)


def handoff(**fields: object) -> Handoff:
    return Handoff.model_validate({"id": "H-1", "dialect": "builder", **fields})


@pytest.mark.parametrize(
    ("state", "who"),
    [
        (GateName.APPROVED, Mover.NOBODY),
        (GateName.OVERRIDDEN, Mover.NOBODY),
        (GateName.REJECTED, Mover.AGENT),
        (GateName.RETRY, Mover.AGENT),
        (GateName.HELD, Mover.REVIEWER),
        (GateName.BLOCKED, Mover.HUMAN),
        (GateName.SUPERSEDED, Mover.REVIEWER),
    ],
)
def test_decision_in_the_log_sets_the_state(state: GateName, who: Mover) -> None:
    """What was decided is the state, with its reason, and it says whose turn it is."""
    report = GateReport(handoff="H-1", phase="build", attempt=1, state=state, why=("because",))
    gate = build_gate(handoff(status="PASS", documents=[SPEC, RESULTS]), {}, report=report)
    reasons = gate.why or gate.blocking
    assert (gate.state, gate.next_move.who, reasons[0]) == (state, who, "because")


def test_gate_that_was_decided_blocks_nothing() -> None:
    """Who approved it, and what they overrode, is said elsewhere; a refusal does block."""
    report = GateReport(handoff="H-1", phase="build", attempt=1, state=GateName.APPROVED, why=("decided by ada",))
    work = handoff(status="PASS", documents=[SPEC, RESULTS])
    passed = build_gate(work, {}, problems=(Problem(path="a.json", message="is not valid JSON"),), report=report)
    assert (passed.blocking, passed.why) == ((), ("decided by ada", "a.json is not valid JSON"))
    refused = build_gate(work, {}, report=report.model_copy(update={"state": GateName.REJECTED}))
    assert (refused.blocking, refused.why) == (("decided by ada",), ())


def test_contradicted_claims_block_with_the_first_of_them() -> None:
    """Their number and one place to look at."""
    claim = Claim(text="x", kind=ClaimKind.FILE_CREATED, where=PLACE, subject="b.py")
    verdicts = (
        Verdict(claim=claim, state=VerdictState.HOLDS),
        Verdict(claim=claim, state=VerdictState.CONTRADICTED),
        Verdict(claim=claim, state=VerdictState.CONTRADICTED),
    )
    gate = build_gate(handoff(status="PASS"), {}, verdicts)
    assert gate.blocking == ("b.py was not created in this work (a.md:1), and 1 more false claim",)


def test_own_numbers_speak_against_a_pass() -> None:
    """PASS with failures in its own regression says so."""
    gate = build_gate(handoff(status="PASS", regression=TestCounts(total=9, failed=2)), {})
    assert gate.blocking == ("says PASS, but its own regression run reports 2 failed",)


@pytest.mark.parametrize(
    ("fields", "who", "words"),
    [
        ({"status": "FAIL"}, Mover.AGENT, "says FAIL"),
        ({"status": "in_progress"}, Mover.AGENT, "says in_progress"),
        ({"documents": [SPEC], "registry": RegistryState.DISPATCHED}, Mover.AGENT, "no results yet"),
        (
            {"blockers": [Blocker(id="1", title="key", where=PLACE, needs_human=True)]},
            Mover.HUMAN,
            "a human must act: key",
        ),
        ({"blockers": [Blocker(id="1", title="bug", where=PLACE)]}, Mover.REVIEWER, "open blocker: bug"),
        (
            {"findings": [ReportedFinding(id="1", title="hole", where=PLACE, severity=Severity.HIGH)]},
            Mover.REVIEWER,
            "high finding: hole",
        ),
        (
            {"attempts": [Attempt(number=1, agent="QA", status="pass", warning="its output holds an error")]},
            Mover.REVIEWER,
            "QA: its output holds an error",
        ),
        (
            {"questions": [QUESTION], "greenlit": False, "documents": [SPEC, ANSWERS]},
            Mover.REVIEWER,
            "the question gate has no greenlight",
        ),
        ({"questions": [QUESTION], "greenlit": False}, Mover.AGENT, "the question gate has no greenlight"),
        ({"status": "SKIPPED"}, Mover.REVIEWER, "says SKIPPED"),
        ({"status": "ROLLBACK"}, Mover.AGENT, "says ROLLBACK"),
        ({"claims": [verdict_claim("FAIL")]}, Mover.AGENT, "evaluation says FAIL (a.md:1)"),
        ({"claims": [verdict_claim("ESCALATE")]}, Mover.HUMAN, "evaluation says ESCALATE (a.md:1)"),
    ],
)
def test_what_blocks_is_named_with_who_moves(fields: dict[str, object], who: Mover, words: str) -> None:
    """Each reason stands in the list, and the right side is asked to move."""
    gate = build_gate(handoff(**fields), {})
    assert gate.next_move.who is who
    assert words in gate.blocking


def test_closed_blockers_and_fixed_findings_do_not_block() -> None:
    """What is done is done."""
    fields: dict[str, object] = {
        "status": "PASS",
        "blockers": [Blocker(id="1", title="x", where=PLACE, open=False)],
        "findings": [ReportedFinding(id="1", title="y", where=PLACE, severity=Severity.HIGH, status="fixed")],
    }
    assert build_gate(handoff(**fields), {}).blocking == ()


@pytest.mark.parametrize(("state", "waits"), [(RegistryState.COMPLETE, True), (RegistryState.VALIDATED, False)])
def test_blocked_by_waits_for_validation(state: RegistryState, waits: bool) -> None:  # noqa: FBT001
    """Complete is not validated."""
    other = Handoff(id="H-0", dialect="builder", registry=state)
    gate = build_gate(handoff(status="PASS", blocked_by=["H-0"]), {"H-0": other})
    assert bool(gate.blocking) is waits
    assert gate.next_move.what == ("decide H-0 first, then this" if waits else "review and decide")


def test_past_handoff_owes_nothing() -> None:
    """Nobody needs to move for what was replaced, whatever it says."""
    replaced = Life(state=LifeState.PAST, why="superseded")
    gate = build_gate(handoff(status="FAIL", registry=RegistryState.SUPERSEDED), {}, life=replaced)
    assert (gate.next_move.who, gate.next_move.what) == (Mover.NOBODY, "superseded; nothing to do")
    assert gate.blocking == ()


@pytest.mark.parametrize(
    ("status", "name", "what"),
    [
        ("PAUSED", "tern", "resume the work"),
        ("PENDING", "tern", "pick it up"),
        ("IN_PROGRESS", "tern", "finish the work"),
        ("FAIL", "heron", "fix it and hand it over again"),
    ],
)
def test_unfinished_work_is_the_takers_and_failed_work_the_makers(status: str, name: str, what: str) -> None:
    """A handoff in the middle of the work is for the next agent to go on with."""
    move = build_gate(handoff(status=status, source_agent="heron", target_agent="tern"), {}).next_move
    assert (move.who, move.name, move.what) == (Mover.AGENT, name, what)


def test_stage_of_the_hub_belongs_to_the_role_it_was_given_to() -> None:
    """The stage that failed does it again, not the one before it."""
    given = handoff(dialect="hub", status="FAIL", source_agent="qa", target_agent="dev")
    assert build_gate(given, {}).next_move.name == "dev"


def test_work_that_waits_for_another_is_nobodys_move() -> None:
    """A spec whose predecessor is not validated cannot be begun."""
    other = Handoff(id="H-0", dialect="builder", registry=RegistryState.COMPLETE)
    waiting = handoff(documents=[SPEC], registry=RegistryState.BLOCKED, blocked_by=["H-0"])
    move = build_gate(waiting, {"H-0": other}).next_move
    assert (move.who, move.what) == (Mover.NOBODY, "waits for H-0, which is not validated")


def test_review_of_one_of_several_attempts_leaves_the_move_to_the_reviewer() -> None:
    """Nobody knows which attempt a refusal was about, once there are two."""
    tried = handoff(claims=[verdict_claim("RETRY")], attempts=[Attempt(number=1), Attempt(number=2)])
    assert build_gate(tried, {}).next_move.who is Mover.REVIEWER


@pytest.mark.parametrize(
    ("done", "who", "what"),
    [
        ([True, True], Mover.NOBODY, "every task is done; nothing to review"),
        ([True, False], Mover.AGENT, "1 task is open"),
        ([], Mover.NOBODY, "definitions only; nothing to review"),
    ],
)
def test_list_is_not_for_review(done: list[bool], who: Mover, what: str) -> None:
    """A list of tasks hands nothing over: nobody is asked to approve it."""
    tasks = [Task(id=str(number), title="t", where=PLACE, done=box) for number, box in enumerate(done)]
    listed = handoff(dialect="hub", documents=[Document(path="todo.json", role=DocumentRole.LIST)], tasks=tasks)
    move = build_gate(listed, {}).next_move
    assert (move.who, move.what) == (who, what)


def test_override_is_owed_until_it_is_settled() -> None:
    """The debt is named whatever the state; while the override stands, a reviewer owes its settlement."""
    report = GateReport(
        handoff="H-1", phase="build", attempt=1, state=GateName.OVERRIDDEN, debts=("sha256:" + "a" * 64,)
    )
    gate = build_gate(handoff(), {}, report=report)
    assert "the override sha256:aaaaaaaaaaaa… is not settled by an approval yet" in gate.why
    assert gate.next_move.who is Mover.REVIEWER
    later = build_gate(handoff(), {}, report=report.model_copy(update={"state": GateName.PENDING}))
    assert any("is not settled" in reason for reason in later.blocking)


@pytest.mark.parametrize(
    ("verb", "blocking"), [("approve", ("1 of 2 approvals",)), ("reject", ()), ("withdraw", ())], ids=str
)
def test_only_approvals_that_do_not_suffice_block_pending_work(verb: str, blocking: tuple[str, ...]) -> None:
    """A new attempt isn't blocked because the one before was sent back: it waits like any other."""
    made = Approval(entry="sha256:" + "a" * 64, principal="ada", verb=verb, time="", counted=False)
    report = GateReport(
        handoff="H-1", phase="build", attempt=2, state=GateName.PENDING, why=("1 of 2 approvals",), approvals=(made,)
    )
    assert build_gate(handoff(documents=[SPEC, RESULTS]), {}, report=report).blocking == blocking


PIPELINES = Settings().pipelines

BUILD = Handoff(id="H-1", dialect="builder", source_phase="build")


def build(handoff: Handoff = BUILD, index: LogIndex | None = None, **gate: object) -> PipelineView:
    return build_pipeline(build_reviewed(handoff, **gate), PIPELINES, index)  # type: ignore[arg-type]


def list_standings(view: PipelineView) -> dict[str, str]:
    return {phase.name: phase.standing.value for phase in view.phases}


def begin_log() -> LogBuilder:
    log = LogBuilder()
    log.add_policy()
    return log


def index_log(log: LogBuilder) -> LogIndex:
    return build_log_index(log.judge(pin=log.genesis))


def test_phases_before_the_work_are_behind_and_those_after_ahead() -> None:
    """Without a log nothing is done: the work says that it is past the first two."""
    view = build()
    assert list_standings(view) == {
        "spec": "behind",
        "questions": "behind",
        "build": "here",
        "review": "ahead",
        "integration": "ahead",
    }
    assert (view.name, view.retry_budget, view.spent, view.failure_target) == ("builder", 3, 0, "build")
    assert [phase.note for phase in view.phases][:2] == ["it has no gate", "no decision is in the log"]
    assert view.phases[2].who == "reviewer"


def test_decisions_say_where_the_work_passed() -> None:
    """Approved, skipped and sent back, each with who and when; in other letters it is the same phase."""
    log = begin_log()
    log.add_decision(phase="SPEC", handoff="H-1")
    log.add_decision("bob", "skip", phase="questions", handoff="H-1")
    log.add_decision("bob", "reject", phase="review", handoff="H-1", reason="too short")
    log.add_decision(phase="spec", handoff="H-2", verb="reject")
    phases = {phase.name: phase for phase in build(index=index_log(log)).phases}
    assert (phases["spec"].standing, phases["spec"].who) == (PhaseProgress.DONE, "alice")
    assert phases["questions"].standing is PhaseProgress.SKIPPED
    assert (phases["review"].standing, phases["review"].note) == (PhaseProgress.SENT_BACK, "too short")
    assert phases["spec"].when is not None


def test_gate_of_the_phase_at_hand_decides_its_standing() -> None:
    """An approval that the work has left behind is no longer one: the gate knows."""
    log = begin_log()
    log.add_decision(phase="build", handoff="H-1")
    index = index_log(log)
    expected = {
        GateName.APPROVED: PhaseProgress.DONE,
        GateName.OVERRIDDEN: PhaseProgress.DONE,
        GateName.SUPERSEDED: PhaseProgress.HERE,
        GateName.REJECTED: PhaseProgress.SENT_BACK,
        GateName.SKIPPED: PhaseProgress.SKIPPED,
        GateName.PENDING: PhaseProgress.HERE,
    }
    for state, standing in expected.items():
        phase = build(index=index, state=state).phases[2]
        assert (phase.gate, phase.standing) == (state, standing)


def test_tries_come_from_the_files_and_from_the_log() -> None:
    """What the files tell is marked as told: only the log's have an entry. Retries are counted by attempt."""
    log = begin_log()
    first = log.add_decision("alice", "reject", phase="build", handoff="H-1", attempt=1)
    log.add_decision("bob", "retry", phase="build", handoff="H-1", attempt=1)
    log.add_decision("alice", "retry", phase="build", handoff="H-1", attempt=2)
    told = Attempt(number=1, agent="heron", status="PASS", warning="3 failed")
    view = build(BUILD.model_copy(update={"attempts": (told,), "attempt": 3}), index_log(log))
    assert [(one.number, one.outcome, one.entry is not None) for one in view.attempts] == [
        (1, "PASS", False),
        (1, "reject", True),
        (1, "retry", True),
        (2, "retry", True),
    ]
    assert view.attempts[0].reason == "3 failed"
    assert view.attempts[1].entry == first
    assert (view.spent, view.phases[2].attempts) == (2, 3)


def test_roles_are_given_the_names_of_the_handoff() -> None:
    """ "source" and "target" stand for whatever phases it names."""
    view = build(Handoff(id="P", dialect="procedure", source_phase="design", target_phase="rollout"))
    assert list_standings(view) == {"design": "here", "rollout": "ahead"}


def test_own_pipeline_that_knows_the_phase_is_taken() -> None:
    """Before the one of the format, which does not know it."""
    own = PipelineSettings(phases=(Phase(name="draft"), Phase(name="print", human_only=True)))
    handoff = Handoff(id="N", dialect="builder", source_phase="draft")
    found = find_pipeline(handoff, {**PIPELINES, "paper": own})
    assert (found and found.name) == "paper"
    view = build_pipeline(build_reviewed(handoff), {**PIPELINES, "paper": own})
    assert (view.phases[1].human_only, view.phases[1].note) == (True, "only a person starts it")


def test_without_a_pipeline_the_phases_are_those_that_are_spoken_of() -> None:
    """By the handoff and by the log; nothing is invented."""
    log = begin_log()
    log.add_decision(phase="plan", handoff="X")
    handoff = Handoff(id="X", dialect="relay", source_phase="dig", target_phase="fill")
    view = build(handoff, index_log(log))
    assert view.name is None
    assert list_standings(view) == {"dig": "here", "fill": "ahead", "plan": "done"}
    assert view.retry_budget is None


def test_void_decision_counts_for_nothing() -> None:
    """What a dropped key said leaves no mark on a phase."""
    log = begin_log()
    kept = log.add_policy()
    voided = log.add_decision("bob", phase="spec", handoff="H-1", parents=(kept,))
    verdict = log.judge(pin=log.genesis)
    index = build_log_index(verdict.model_copy(update={"void": {voided: "revoked"}}))
    view = build(index=index)
    assert view.phases[0].standing is PhaseProgress.BEHIND
    assert view.attempts == ()


def test_context_that_nobody_has_reported_on_is_the_agents_turn() -> None:
    """A hub gives it to a role; once that role has reported, a person decides."""
    given = {"id": "RUN-7", "dialect": "hub", "documents": [Document(path="c.md", role=DocumentRole.CONTEXT)]}
    fresh = Handoff.model_validate({**given, "target_agent": "PM"})
    move = build_gate(fresh, {}).next_move
    assert (move.who, move.name) == (Mover.AGENT, "PM")
    done = Attempt(number=1, agent="PM", status="pass", where=PLACE)
    assert build_gate(fresh.model_copy(update={"attempts": (done,)}), {}).next_move.who is Mover.REVIEWER
