"""No phase starts past a closed gate, whatever the pipeline is, whoever decided what, and however runs ended."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from hypothesis import example, given, settings
from hypothesis import strategies as st

from handoff_tui.agents.step.report import Direction
from handoff_tui.agents.step.route import (
    HandoffProgress,
    find_changed,
    find_enterable,
    find_failure_target,
    find_returned,
    find_source,
)
from handoff_tui.config.pipeline import Edge, Phase, Pipeline
from handoff_tui.core.errors import HandoffError
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.log.gates.gate_state import GateName

_NAMES = "ABCD"
_VERBS = (GateName.APPROVED, GateName.SKIPPED, GateName.OVERRIDDEN, GateName.REJECTED, GateName.RETRY, GateName.HELD)
_OPEN = frozenset(_VERBS[:3])
_SENT_BACK = frozenset(_VERBS[3:5])


@st.composite
def pipelines(draw: st.DrawFn) -> Pipeline:
    """A chain with any further edges (cycles, shortcuts), some phases without a gate, and failure edges to anywhere."""
    names = list(_NAMES[: draw(st.integers(1, len(_NAMES)))])
    target = st.none() | st.sampled_from(names)
    gate = st.sampled_from([True, True, True, False])
    phases = tuple(Phase(name=name, gate=draw(gate), failure_target=draw(target)) for name in names)
    ends = draw(st.lists(st.tuples(st.sampled_from(names), st.sampled_from(names)), max_size=4))
    chain = list(pairwise(names))[: draw(st.integers(0, 9))]
    edges = tuple(Edge(source=source, target=end) for source, end in dict.fromkeys((*chain, *ends)))
    return Pipeline(name="any", phases=phases, edges=edges, failure_target=draw(target))


CHAIN = Pipeline(
    name="any",
    phases=tuple(Phase(name=name) for name in _NAMES),
    edges=tuple(Edge(source=source, target=target) for source, target in pairwise(_NAMES)),
)


class Event(NamedTuple):
    """Somebody starts an agent, or decides."""

    phase: str | None
    decision: GateName | None = None
    failed: bool = False


EVENTS = st.lists(
    st.one_of(
        st.builds(Event, st.none() | st.sampled_from(_NAMES), failed=st.sampled_from([False, False, True])),
        st.builds(Event, st.sampled_from(_NAMES), st.sampled_from((*_VERBS, *_VERBS[:1] * 6))),
    ),
    min_size=4,
    max_size=20,
)


class Story:
    """A handoff on its way: runs and decisions in order. Every run leaves other work, and a decision is about it."""

    def __init__(self, pipeline: Pipeline, claimed: str | None) -> None:
        self.pipeline = pipeline
        self.handoff = Handoff(id="X-1", dialect="any", source_phase=claimed)
        self.events: list[Event] = []

    def last(self, phase: str) -> GateName | None:
        """What was decided on the last work of a phase; None if it was worked on since, or never decided."""
        own = [event for event in self.events if event.phase == phase]
        return own[-1].decision if own else None

    def list_passed(self) -> frozenset[str]:
        return frozenset(phase.name for phase in self.pipeline.phases if self.last(phase.name) in _OPEN)

    def look(self) -> HandoffProgress:
        """As the real one does: by the last run and what was decided since, else by what the documents claim."""
        runs = [place for place, event in enumerate(self.events) if event.decision is None]
        since = self.events[runs[-1] + 1 :] if runs else self.events
        verbs = _OPEN | _SENT_BACK if runs else _OPEN
        decided = [(event.phase or "", event.decision in _SENT_BACK) for event in since if event.decision in verbs]
        ran = self.events[runs[-1]] if runs else None
        said = ran.phase if ran is not None else self.handoff.source_phase
        story = [
            (event.phase or "", None if event.decision in {None, *_OPEN} else event.decision in _SENT_BACK)
            for event in self.events
        ]
        reached = {event.phase or "" for event in self.events if event.decision is None} | {
            self.handoff.source_phase or ""
        }
        passed, returned = self.list_passed(), find_returned(self.pipeline, story, reached)
        source = find_source(self.pipeline, said, decided, find_enterable(self.pipeline, passed, returned))
        failed = (
            find_failure_target(self.pipeline, source).name if ran is not None and ran.failed and not since else None
        )
        gate = self.last(source.name) or GateName.PENDING
        known = self.pipeline, self.handoff, source, gate
        return HandoffProgress(*known, passed, returned, failed, is_begun=ran is not None)

    def may_start(self, phase: str) -> bool:
        """By the law, worked out apart from the code: the first phase, one that an open way leads into, or one again.

        Again: a person sent back what was there, and has neither decided nor let anybody work before it since.
        """
        gated = {one.name for one in self.pipeline.phases if one.gate}
        legal = {self.pipeline.phases[0].name, *(name for name in gated if self.last(name) in _OPEN)}
        for _ in self.pipeline.phases:
            legal |= {
                edge.target
                for edge in self.pipeline.edges
                if (self.last(edge.source) in _OPEN if edge.source in gated else edge.source in legal)
            }
        return phase in legal or (phase in gated and self.is_sent_back(phase) and self.was_reached(phase))

    def was_reached(self, phase: str) -> bool:
        """Whether somebody worked there or behind it, or the documents say so."""
        places = {event.phase for event in self.events if event.decision is None} | {self.handoff.source_phase}
        known = {one.name for one in self.pipeline.phases}
        return any(place == phase or leads(self.pipeline, phase, place) for place in places & known if place)

    def is_sent_back(self, phase: str) -> bool:
        """Whether people sent work back at a phase, without holding it, and nothing since was on a way to it."""
        closing = {*_SENT_BACK, GateName.HELD}
        decided = [place for place, one in enumerate(self.events) if one.phase == phase and one.decision in closing]
        if not decided or self.events[decided[-1]].decision not in _SENT_BACK:
            return False
        since = {event.phase for event in self.events[decided[-1] + 1 :]}
        return not any(leads(self.pipeline, one, phase) for one in since if one)


def leads(pipeline: Pipeline, source: str, target: str) -> bool:
    """Whether work goes from one phase to another without turning back to an earlier one."""
    following = [edge.target for edge in pipeline.edges if edge.source == source and edge.target > source]
    return target in following or any(leads(pipeline, one, target) for one in following)


@settings(max_examples=600)
@given(pipelines(), st.none() | st.sampled_from(_NAMES), EVENTS)
@example(CHAIN, "C", [Event("B", GateName.REJECTED), Event("A", GateName.HELD), Event("B")])
@example(CHAIN, None, [Event("A"), Event("C", GateName.RETRY), Event("C")])
@example(CHAIN, "B", [Event("B", GateName.REJECTED), Event("A"), Event("C", GateName.APPROVED), Event("B")])
def test_no_phase_starts_past_a_closed_gate(pipeline: Pipeline, claimed: str | None, events: list[Event]) -> None:
    """Neither forward, nor again, nor back, nor along a failure edge; and documents open nothing."""
    story = Story(pipeline, claimed)
    names = [phase.name for phase in pipeline.phases]
    for event in events:
        if event.decision is not None:
            if event.phase in names:
                story.events.append(event)
            continue
        progress = story.look()
        try:
            route = progress.build_route(event.phase)
        except HandoffError:
            continue
        assert story.may_start(route.phase)
        if route.direction is Direction.FORWARD:
            source = next(phase for phase in pipeline.phases if phase.name == route.source)
            assert not source.gate or story.last(source.name) in _OPEN
        story.events.append(event._replace(phase=route.phase))


@given(pipelines(), pipelines())
def test_pipeline_that_is_called_unchanged_keeps_every_gate(before: Pipeline, now: Pipeline) -> None:
    """A phase that could not be reached past a shut gate can't be reached past it by the new settings either."""
    if find_changed(before, now):
        return
    gates = {phase.name: phase.gate for phase in before.phases}
    for phase in now.phases:
        assert phase.gate or not gates.get(phase.name, False)
        for gate in gates if phase.name in gates else ():
            if gates[gate] and gate != phase.name and not is_reachable(before, phase.name, without=gate):
                assert not is_reachable(now, phase.name, without=gate)


def is_reachable(pipeline: Pipeline, name: str, without: str) -> bool:
    """Whether some way from the first phase leads to this one, past no gate that is shut."""
    ways: list[list[str]] = [[pipeline.phases[0].name]]
    while ways:
        way = ways.pop()
        if way[-1] == name:
            return True
        following = [edge.target for edge in pipeline.edges if edge.source == way[-1]]
        ways += [[*way, one] for one in following if one not in way and way[-1] != without]
    return False


@given(pipelines())
def test_failure_never_leads_forward(pipeline: Pipeline) -> None:
    """To the same phase, or to one before it in the pipeline."""
    names = [phase.name for phase in pipeline.phases]
    for phase in pipeline.phases:
        assert names.index(find_failure_target(pipeline, phase).name) <= names.index(phase.name)


@given(pipelines(), st.sets(st.sampled_from(_NAMES)))
def test_first_phase_can_always_start(pipeline: Pipeline, passed: set[str]) -> None:
    """And opening one more gate takes no phase away."""
    enterable = find_enterable(pipeline, passed)
    assert pipeline.phases[0].name in enterable
    assert all(enterable <= find_enterable(pipeline, {*passed, phase.name}) for phase in pipeline.phases)
