"""The pipeline of one handoff: its phases in order, as the configuration, the handoff's files and the log tell it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

from handoff_tui.config.pipeline import Phase, Pipeline, find_own_pipelines, names_roles
from handoff_tui.config.settings.pipeline import PipelineSettings
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.model import Model
from handoff_tui.handoffs.handoff import Handoff, build_id
from handoff_tui.log.entry import SENDING_BACK, DecisionVerb
from handoff_tui.log.gates.gate_state import SENT_BACK, GateName, GateState
from handoff_tui.log.gates.position import find_phase, list_sent_back
from handoff_tui.status.review_state import ReviewedHandoff

if TYPE_CHECKING:
    from handoff_tui.log.index import DecisionEntry, LogIndex


class PhaseProgress(StrEnum):
    """How far the work is in one phase."""

    DONE = "done"
    """Decided: the work can go on."""
    HERE = "here"
    """The work is here; its gate is open for a decision, or it is being worked on."""
    BEHIND = "behind"
    """The work claims to be past it, but there is no decision."""
    SENT_BACK = "sent-back"
    AHEAD = "ahead"
    SKIPPED = "skipped"


class PhaseView(Model):
    """One phase, as the log and the files have it."""

    name: str
    standing: PhaseProgress
    gate: GateName | None = None
    who: str | None = None
    """Who decided, or who must act."""
    attempts: int = 0
    when: str | None = None
    agent: str | None = None
    human_only: bool = False
    note: str = ""


class AttemptView(Model):
    """One attempt at a phase: from the handoff's files, or from the log."""

    phase: str
    number: int
    outcome: str
    who: str | None = None
    when: str | None = None
    reason: str = ""
    entry: str | None = None
    """The log entry that says so; None if it is only claimed."""


class PipelineView(Model):
    """The phases of a handoff's pipeline; without one, those named in its files and in the log."""

    name: str | None = None
    phases: tuple[PhaseView, ...] = ()
    attempts: tuple[AttemptView, ...] = ()
    retry_budget: int | None = None
    spent: int = 0
    failure_target: str | None = None


_PASSING = frozenset({DecisionVerb.APPROVE, DecisionVerb.CARRY, DecisionVerb.OVERRIDE})
_PASSED = frozenset({GateName.APPROVED, GateName.OVERRIDDEN})


def build_pipeline(
    reviewed: ReviewedHandoff, pipelines: Mapping[str, PipelineSettings], index: LogIndex | None = None
) -> PipelineView:
    """The pipeline of a handoff. `pipelines` come from the settings; `index` is None without a log."""
    handoff = reviewed.handoff
    pipeline = find_pipeline(handoff, pipelines, index)
    story = _PipelineFacts(
        handoff, find_phase(handoff), reviewed.gate, reviewed.attempt, _list_votes(index, handoff.id)
    )
    phases = _list_phases(story, pipeline)
    names = [phase.name for phase in phases]
    here = _find_place(story.phase, names)
    sent_back = [] if index is None else list_sent_back(index, handoff.id, story.phase)
    return PipelineView(
        name=pipeline.name if pipeline else None,
        phases=tuple(_build_phase(phase, place - here, story) for place, phase in enumerate(phases)),
        attempts=_list_attempts(story),
        retry_budget=pipeline.retry_budget if pipeline else None,
        spent=len({vote.work.attempt for vote in sent_back}),
        failure_target=_find_failure_target(pipeline, story.phase),
    )


def find_pipeline(
    handoff: Handoff,
    pipelines: Mapping[str, PipelineSettings],
    index: LogIndex | None = None,
    begun: str | None = None,
) -> Pipeline | None:
    """The user's own pipeline of the handoff, else that of its format, with placeholders filled in.

    It is the one that its last run `begun` was in, else the one with the phase that people decided on last, else the
    one with the phase that its documents name: no document takes a handoff that is on its way into another one.
    """
    own = find_own_pipelines({name: settings.build(name) for name, settings in pipelines.items()}, handoff.dialect)
    chosen = next((one for one in own if one.name == begun), None)
    decided = [] if index is None else [made.work.phase for made in reversed(index.list_living(handoff.id))]
    for phase in (*decided, find_phase(handoff)):
        chosen = chosen or next((one for one in own if any(_is(known, phase) for known in one.phases)), None)
    chosen = chosen or next((one for one in own if one.name == handoff.dialect), None)
    return _name_roles(chosen, handoff) if chosen is not None and names_roles(chosen) else chosen


def _is(phase: Phase, name: str) -> bool:
    return build_id(phase.name).casefold() == build_id(name).casefold()


class _PipelineFacts(NamedTuple):
    """Everything known about one handoff's way through its pipeline."""

    handoff: Handoff
    phase: str
    gate: GateState
    attempt: int
    """At the current phase, as everybody counts."""
    votes: dict[str, list[DecisionEntry]]
    """By phase in lower case, oldest first."""

    def find_votes(self, phase: str) -> list[DecisionEntry]:
        return self.votes.get(phase.casefold(), [])


def _name_roles(pipeline: Pipeline, handoff: Handoff) -> Pipeline:
    """Puts the handoff's phases in place of "source" and "target"."""
    own, target = find_phase(handoff), handoff.target_phase
    if handoff.stated_phase is not None:  # a run has moved it on to the second
        own, target = build_id(handoff.stated_phase), own
    names = own, target if target and target.casefold() != own.casefold() else pipeline.phases[1].name
    renamed = tuple(phase.model_copy(update={"name": name}) for phase, name in zip(pipeline.phases, names, strict=True))
    edges = tuple(edge.model_copy(update={"source": names[0], "target": names[1]}) for edge in pipeline.edges)
    return pipeline.model_copy(update={"phases": renamed, "edges": edges, "failure_target": names[0]})


def _list_votes(index: LogIndex | None, handoff: str) -> dict[str, list[DecisionEntry]]:
    """Decisions that count, by phase. The same phase may be written in upper or lower case."""
    found: dict[str, list[DecisionEntry]] = {}
    for (name, phase), votes in () if index is None else index.decisions_at.items():
        if name == handoff:
            living = [vote for vote in votes if not index.is_void(vote.entry.id)] if index else []
            found.setdefault(phase.casefold(), []).extend(living)
    for votes_of_phase in found.values():
        votes_of_phase.sort(key=lambda vote: (vote.entry.seq, vote.entry.id))
    return found


def _list_phases(story: _PipelineFacts, pipeline: Pipeline | None) -> list[Phase]:
    """The phases of the pipeline, then any others that the log or the handoff names."""
    phases = list(pipeline.phases) if pipeline else []
    known = {phase.name.casefold() for phase in phases}
    spoken = [vote.work.phase for votes in story.votes.values() for vote in votes[:1]]
    others: list[str | None] = [story.phase]
    if not phases:
        others += [story.handoff.target_phase, *(attempt.phase for attempt in story.handoff.attempts)]
    for name in [*others, *spoken]:
        if name and name.casefold() not in known:
            known.add(name.casefold())
            phases.append(Phase(name=name))
    return phases


def _find_place(phase: str, names: Iterable[str]) -> int:
    return next((place for place, name in enumerate(names) if name.casefold() == phase.casefold()), 0)


def _build_phase(phase: Phase, distance: int, story: _PipelineFacts) -> PhaseView:
    votes = story.find_votes(phase.name)
    last = votes[-1] if votes else None
    standing = _find_here(story.gate) if distance == 0 else _find_standing(last, distance)
    gate = story.gate.state if distance == 0 else None
    return PhaseView(
        name=phase.name,
        standing=standing,
        gate=gate,
        who=_find_who(standing, last, story.gate),
        attempts=story.attempt if distance == 0 else _count_attempts(story, phase.name, votes),
        when=last.entry.time if last else None,
        agent=phase.agent,
        human_only=phase.human_only,
        note=_describe(phase, standing, last),
    )


def _find_here(gate: GateState) -> PhaseProgress:
    if gate.state in _PASSED:
        return PhaseProgress.DONE
    if gate.state is GateName.SKIPPED:
        return PhaseProgress.SKIPPED
    return PhaseProgress.SENT_BACK if gate.state in SENT_BACK else PhaseProgress.HERE


def _find_standing(last: DecisionEntry | None, distance: int) -> PhaseProgress:
    """For a phase the work isn't in: by the last decision, current or not."""
    verb = last.decision.verb if last else None
    if verb in _PASSING:
        return PhaseProgress.DONE
    if verb is DecisionVerb.SKIP:
        return PhaseProgress.SKIPPED
    if verb in SENDING_BACK:
        return PhaseProgress.SENT_BACK
    return PhaseProgress.BEHIND if distance < 0 else PhaseProgress.AHEAD


def _find_who(standing: PhaseProgress, last: DecisionEntry | None, gate: GateState) -> str | None:
    if standing is PhaseProgress.HERE:
        return gate.next_move.name or gate.next_move.who.value
    return last.entry.actor if last else None


def _count_attempts(story: _PipelineFacts, phase: str, votes: list[DecisionEntry]) -> int:
    """The highest attempt number that is mentioned anywhere."""
    numbers = [vote.work.attempt for vote in votes]
    numbers += [
        one.number for one in story.handoff.attempts if (one.phase or story.phase).casefold() == phase.casefold()
    ]
    return max(numbers, default=0)


def _describe(phase: Phase, standing: PhaseProgress, last: DecisionEntry | None) -> str:
    if standing is PhaseProgress.BEHIND:
        return "no decision is in the log" if phase.gate else "it has no gate"
    if standing is PhaseProgress.AHEAD:
        return "only a person starts it" if phase.human_only else "" if phase.gate else "it has no gate"
    return last.decision.reason if last and standing is not PhaseProgress.HERE else ""


def _list_attempts(story: _PipelineFacts) -> tuple[AttemptView, ...]:
    """Attempts from the handoff's files, then decisions from the log, each in order."""
    told = [
        AttemptView(
            phase=attempt.phase or story.phase,
            number=attempt.number,
            outcome=attempt.status or "not said",
            who=attempt.agent,
            when=attempt.when,
            reason=attempt.warning or attempt.summary or "",
        )
        for attempt in story.handoff.attempts
    ]
    votes = sorted((vote for votes in story.votes.values() for vote in votes), key=lambda vote: vote.entry.seq)
    signed = [
        AttemptView(
            phase=vote.work.phase,
            number=vote.work.attempt,
            outcome=vote.decision.verb.value,
            who=vote.entry.actor,
            when=vote.entry.time,
            reason=vote.decision.reason,
            entry=vote.entry.id,
        )
        for vote in votes
    ]
    return (*told, *signed)


def _find_failure_target(pipeline: Pipeline | None, phase: str) -> str | None:
    if pipeline is None:
        return None
    own = next((one.failure_target for one in pipeline.phases if one.name.casefold() == phase.casefold()), None)
    return own or pipeline.failure_target
