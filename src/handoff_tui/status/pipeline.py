"""The pipeline of one handoff: its phases in order, as the configuration, the handoff's files and the log tell it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from handoff_tui.config.pipeline import Phase, Pipeline
from handoff_tui.config.settings.pipeline import PipelineSettings
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.pipelines import find_own_pipelines, names_roles
from handoff_tui.log.entry import SENDING_BACK, DecisionVerb
from handoff_tui.log.gates.gate_state import GateName, GateState
from handoff_tui.log.gates.position import find_phase, list_sent_back
from handoff_tui.status.pipeline_view import AttemptView, PhaseStanding, PhaseView, PipelineView
from handoff_tui.status.review_state import ReviewedHandoff

if TYPE_CHECKING:
    from handoff_tui.log.index import DecisionEntry, LogIndex

_PASSING = frozenset({DecisionVerb.APPROVE, DecisionVerb.CARRY, DecisionVerb.OVERRIDE})
_PASSED = frozenset({GateName.APPROVED, GateName.OVERRIDDEN})
_SENT_BACK = frozenset({GateName.REJECTED, GateName.RETRY})


def build_pipeline(
    reviewed: ReviewedHandoff, pipelines: Mapping[str, PipelineSettings], index: LogIndex | None = None
) -> PipelineView:
    """Where a handoff stands. `pipelines` are those of the settings, `index` the log where there is one."""
    handoff = reviewed.handoff
    pipeline = find_pipeline(handoff, pipelines)
    story = _Story(handoff, find_phase(handoff), reviewed.gate, _list_votes(index, handoff.id))
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


def find_pipeline(handoff: Handoff, pipelines: Mapping[str, PipelineSettings]) -> Pipeline | None:
    """The user's own that knows the handoff's phase, else the one of its dialect; roles are given their names."""
    built = {name: settings.build(name) for name, settings in pipelines.items()}
    phase = find_phase(handoff).casefold()
    own = find_own_pipelines(built, handoff)
    knowing = [one for one in own if phase in {known.name.casefold() for known in one.phases}]
    chosen = knowing[0] if knowing else next((one for one in own if one.name == handoff.dialect), None)
    return _name_roles(chosen, handoff) if chosen is not None and names_roles(chosen) else chosen


class _Story(NamedTuple):
    """All that is known of one handoff's way."""

    handoff: Handoff
    phase: str
    gate: GateState
    votes: dict[str, list[DecisionEntry]]
    """By phase, in small letters, oldest first."""

    def find_votes(self, phase: str) -> list[DecisionEntry]:
        return self.votes.get(phase.casefold(), [])


def _name_roles(pipeline: Pipeline, handoff: Handoff) -> Pipeline:
    """«source» and «target» stand for whatever phases the handoff names."""
    first, second = pipeline.phases
    target = handoff.target_phase if handoff.target_phase != handoff.source_phase else None
    renamed = (
        first.model_copy(update={"name": find_phase(handoff)}),
        second.model_copy(update={"name": target or second.name}),
    )
    return pipeline.model_copy(update={"phases": renamed, "edges": (), "failure_target": None})


def _list_votes(index: LogIndex | None, handoff: str) -> dict[str, list[DecisionEntry]]:
    """Decisions that count, by phase. One and the same phase may be written in other letters."""
    found: dict[str, list[DecisionEntry]] = {}
    for (name, phase), votes in () if index is None else index.decisions_at.items():
        if name == handoff:
            living = [vote for vote in votes if not index.is_void(vote.entry.id)] if index else []
            found.setdefault(phase.casefold(), []).extend(living)
    for votes_of_phase in found.values():
        votes_of_phase.sort(key=lambda vote: (vote.entry.seq, vote.entry.id))
    return found


def _list_phases(story: _Story, pipeline: Pipeline | None) -> list[Phase]:
    """Those of the pipeline, then whatever else the log or the handoff speaks of."""
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


def _build_phase(phase: Phase, distance: int, story: _Story) -> PhaseView:
    votes = story.find_votes(phase.name)
    last = votes[-1] if votes else None
    standing = _find_here(story.gate) if distance == 0 else _find_standing(last, distance)
    gate = story.gate.state if distance == 0 else None
    return PhaseView(
        name=phase.name,
        standing=standing,
        gate=gate,
        who=_find_who(standing, last, story.gate),
        attempts=_count_attempts(story, phase.name, votes, is_here=distance == 0),
        when=last.entry.time if last else None,
        agent=phase.agent,
        human_only=phase.human_only,
        note=_describe(phase, standing, last),
    )


def _find_here(gate: GateState) -> PhaseStanding:
    if gate.state in _PASSED:
        return PhaseStanding.DONE
    if gate.state is GateName.SKIPPED:
        return PhaseStanding.SKIPPED
    return PhaseStanding.SENT_BACK if gate.state in _SENT_BACK else PhaseStanding.HERE


def _find_standing(last: DecisionEntry | None, distance: int) -> PhaseStanding:
    """Of a phase where the work is not: by the last decision, whether or not it is still current."""
    verb = last.decision.verb if last else None
    if verb in _PASSING:
        return PhaseStanding.DONE
    if verb is DecisionVerb.SKIP:
        return PhaseStanding.SKIPPED
    if verb in SENDING_BACK:
        return PhaseStanding.SENT_BACK
    return PhaseStanding.BEHIND if distance < 0 else PhaseStanding.AHEAD


def _find_who(standing: PhaseStanding, last: DecisionEntry | None, gate: GateState) -> str | None:
    if standing is PhaseStanding.HERE:
        return gate.next_move.name or gate.next_move.who.value
    return last.entry.actor if last else None


def _count_attempts(story: _Story, phase: str, votes: list[DecisionEntry], *, is_here: bool) -> int:
    """The highest number that anybody speaks of."""
    numbers = [vote.work.attempt for vote in votes]
    numbers += [
        one.number for one in story.handoff.attempts if (one.phase or story.phase).casefold() == phase.casefold()
    ]
    return max([*numbers, story.handoff.attempt if is_here else 0])


def _describe(phase: Phase, standing: PhaseStanding, last: DecisionEntry | None) -> str:
    if standing is PhaseStanding.BEHIND:
        return "no decision is in the log" if phase.gate else "it has no gate"
    if standing is PhaseStanding.AHEAD:
        return "only a person starts it" if phase.human_only else "" if phase.gate else "it has no gate"
    return last.decision.reason if last and standing is not PhaseStanding.HERE else ""


def _list_attempts(story: _Story) -> tuple[AttemptView, ...]:
    """What the handoff's files tell, then what the log says, each in its order."""
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
