from __future__ import annotations

import pytest

from handoff_tui.agents.step.report import Direction, Route, StepOutcome, TrailEntry
from handoff_tui.agents.step.route import (
    build_route,
    find_failure_target,
    find_known_phase,
    find_next,
    find_passed,
    find_phase,
    find_pipeline,
    find_previous,
    find_source,
)
from handoff_tui.agents.step.trail import count_budget, find_failed_target
from handoff_tui.config.pipeline import EVERYTHING, Passing, Pipeline
from handoff_tui.config.settings.pipeline import DEFAULT_PIPELINES
from handoff_tui.core.errors import AgentRunError, UsageError
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.log.gates.gate_state import GateName

TDD = DEFAULT_PIPELINES["tdd"].build("tdd")
HUB = DEFAULT_PIPELINES["hub"].build("hub")


def build_handoff(source: str | None, target: str | None = None, dialect: str = "tdd") -> Handoff:
    return Handoff(id="X-1", dialect=dialect, source_phase=source, target_phase=target)


def route(
    pipeline: Pipeline, handoff: Handoff, gate: GateName, wanted: str | None = None, failed: str | None = None
) -> Route:
    return build_route(pipeline, handoff, find_source(pipeline, handoff), gate, wanted, failed)


def entry(phase: str, outcome: StepOutcome, *, counted: bool = True) -> TrailEntry:
    return TrailEntry(phase=phase, attempt=1, number=1, outcome=outcome, why="", counted=counted)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("PLAN", None, "RED"),
        ("RED", None, "GREEN"),
        ("GREEN", None, "REFACTOR"),
        ("REFACTOR", None, "PLAN"),
        ("REFACTOR", "COMPLETE", "COMPLETE"),
        ("green", None, "REFACTOR"),
    ],
)
def test_open_gate_leads_to_the_next_phase(source: str, target: str | None, expected: str) -> None:
    """Along the edge that the handoff names, else along the first."""
    found = route(TDD, build_handoff(source, target), GateName.APPROVED)
    assert (found.phase, found.direction) == (expected, Direction.FORWARD)


@pytest.mark.parametrize("gate", [GateName.REJECTED, GateName.RETRY])
def test_work_that_was_sent_back_is_done_again(gate: GateName) -> None:
    """In the same phase."""
    found = route(TDD, build_handoff("GREEN"), gate)
    assert (found.phase, found.direction) == ("GREEN", Direction.AGAIN)


@pytest.mark.parametrize("gate", sorted(set(GateName) - {"approved", "overridden", "skipped", "rejected", "retry"}))
def test_closed_gate_starts_nobody(gate: GateName) -> None:
    """Neither by itself, nor when the next phase is named."""
    with pytest.raises(AgentRunError, match="waits at the gate behind GREEN"):
        route(TDD, build_handoff("GREEN"), gate)
    with pytest.raises(AgentRunError, match="gate behind DEV is not open"):
        route(HUB, build_handoff("DEV", dialect="hub"), gate, "QA")


def test_phase_can_be_done_again_or_gone_back_to() -> None:
    """Whatever the gate says; a phase further on cannot be reached by leaving one out."""
    assert route(HUB, build_handoff("SEC"), GateName.PENDING, "sec").direction is Direction.AGAIN
    assert route(HUB, build_handoff("SEC"), GateName.PENDING, "DEV").direction is Direction.BACK
    with pytest.raises(AgentRunError, match="does not follow") as refused:
        route(HUB, build_handoff("DEV"), GateName.APPROVED, "SEC")
    assert "decide skip" in refused.value.hint


def test_failed_work_goes_where_the_pipeline_says() -> None:
    """DEV for all but DOCS; where nothing is said, to the same phase."""
    assert find_failure_target(HUB, find_phase(HUB, "QA")).name == "DEV"
    assert find_failure_target(HUB, find_phase(HUB, "DOCS")).name == "DOCS"
    assert find_failure_target(TDD, find_phase(TDD, "GREEN")).name == "GREEN"
    trail = (entry("QA", StepOutcome.FAILED),)
    failed = find_failed_target(HUB, trail)
    found = route(HUB, build_handoff("QA"), GateName.PENDING, failed=failed)
    assert (found.phase, found.direction) == ("DEV", Direction.FAILED)
    assert route(HUB, build_handoff("QA"), GateName.PENDING, "DEV", failed).direction is Direction.FAILED


def test_trail_that_did_not_fail_leads_nowhere() -> None:
    """Nor does none, or one of a phase that is gone."""
    assert find_failed_target(HUB, ()) is None
    assert find_failed_target(HUB, (entry("QA", StepOutcome.READY),)) is None
    assert find_failed_target(HUB, (entry("gone", StepOutcome.FAILED),)) is None


def test_pipeline_is_the_dialects_or_that_of_the_phase() -> None:
    """Where neither is known, it is said what to configure."""
    pipelines = {"tdd": TDD, "hub": HUB}
    assert find_pipeline(pipelines, build_handoff("QA")) is TDD
    assert find_pipeline(pipelines, build_handoff("qa", dialect="relay")) is HUB
    with pytest.raises(AgentRunError, match="none called relay"):
        find_pipeline(pipelines, build_handoff("other", dialect="relay"))


def test_phase_whose_work_is_there_is_found() -> None:
    """By the handoff, by the last run, else the first."""
    assert find_source(TDD, build_handoff("GREEN"), "RED").name == "GREEN"
    assert find_source(TDD, build_handoff("HANDOFF"), "RED").name == "RED"
    assert find_source(TDD, build_handoff(None)).name == "PLAN"
    with pytest.raises(AgentRunError, match="no phases"):
        find_source(Pipeline(name="x", phases=(), edges=()), build_handoff(None))


def test_phase_before_is_found_by_its_edge() -> None:
    """The first has none."""
    previous = find_previous(HUB, find_phase(HUB, "QA"))
    assert previous is not None
    assert previous.name == "DEV"
    assert find_previous(HUB, find_phase(HUB, "DEV")) is None


def test_unknown_phase_is_refused_with_the_known_ones() -> None:
    """In any letters it is known."""
    assert find_known_phase(TDD, "pLaN") is not None
    with pytest.raises(UsageError, match="no phase 'BLUE'") as refused:
        find_phase(TDD, "BLUE")
    assert "PLAN, RED, GREEN" in refused.value.hint


def test_last_phase_has_nothing_behind_it() -> None:
    """It is said, not guessed."""
    with pytest.raises(AgentRunError, match="last phase"):
        route(TDD, build_handoff("COMPLETE"), GateName.APPROVED)
    assert find_next(TDD, find_phase(TDD, "COMPLETE")) is None


def test_phase_without_a_gate_is_open_to_work_that_did_not_fail() -> None:
    """Nobody has to decide behind it; but work that failed does not pass."""
    pipeline = TDD.model_copy(
        update={"phases": tuple(phase.model_copy(update={"gate": False}) for phase in TDD.phases)}
    )
    assert route(pipeline, build_handoff("RED"), GateName.PENDING).phase == "GREEN"
    with pytest.raises(AgentRunError, match="not open"):
        route(pipeline, build_handoff("PLAN"), GateName.PENDING, "COMPLETE", failed="PLAN")


def test_edge_says_what_is_passed_on() -> None:
    """Work that comes back, or is done again, brings everything."""
    forward = Route(pipeline="tdd", phase="RED", source="PLAN", direction=Direction.FORWARD)
    assert find_passed(TDD, forward) == (Passing.DOCUMENTS, Passing.TASKS)
    assert find_passed(TDD, forward.model_copy(update={"direction": Direction.BACK})) == EVERYTHING
    assert find_passed(TDD, forward.model_copy(update={"source": "GREEN"})) == EVERYTHING


def test_budget_counts_the_whole_loop() -> None:
    """Whatever the phases were; what is not counted costs nothing."""
    trail = [entry("DEV", StepOutcome.READY, counted=False), *[entry("QA", StepOutcome.FAILED)] * 3]
    budget = count_budget(HUB, trail)
    assert (budget.used, budget.allowed, budget.left, budget.is_spent) == (3, 3, 1, False)
    assert count_budget(HUB, [*trail, entry("SEC", StepOutcome.FAILED)]).is_spent
