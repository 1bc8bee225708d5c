from __future__ import annotations

from handoff_tui.config.settings.pipeline import PhaseSettings, PipelineSettings
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.tasks import Attempt
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.log.gates.gate_state import GateName
from handoff_tui.log.index import LogIndex, build_log_index
from handoff_tui.status.pipeline import PhaseProgress, PipelineView, build_pipeline, find_pipeline
from tests.support.logs import LogBuilder
from tests.support.reviewed import build_reviewed

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
    assert [phase.note for phase in view.phases][:2] == ["no decision is in the log"] * 2
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
    """«source» and «target» stand for whatever phases it names."""
    view = build(Handoff(id="P", dialect="procedure", source_phase="design", target_phase="rollout"))
    assert list_standings(view) == {"design": "here", "rollout": "ahead"}


def test_own_pipeline_that_knows_the_phase_is_taken() -> None:
    """Before the one of the dialect, which does not know it."""
    own = PipelineSettings(phases=(PhaseSettings(name="draft"), PhaseSettings(name="print", human_only=True)))
    handoff = Handoff(id="N", dialect="builder", source_phase="draft")
    found = find_pipeline(handoff, {**PIPELINES, "paper": own})
    assert found is not None
    assert found.name == "paper"
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
