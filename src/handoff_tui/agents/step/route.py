"""Which phase comes next: along an edge, repeated, along the failure edge, or back. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from handoff_tui.agents.step.report import Direction, Route, StepReport, TrailEntry
from handoff_tui.config.pipeline import EVERYTHING, Passing, Phase, Pipeline
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import AgentRunError, GateWaitsError, PipelineDoneError, UsageError
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.log.gates.gate_state import OPENING, SENT_BACK, GateName


def find_phase(pipeline: Pipeline, name: str) -> Phase:
    """Finds a phase by its name, in any case."""
    found = pipeline.find(name)
    if found is None:
        names = ", ".join(phase.name for phase in pipeline.phases)
        raise UsageError(f"the pipeline {pipeline.name} has no phase {name!r}", f"Its phases are: {names}.")
    return found


def find_enterable(pipeline: Pipeline, passed: Collection[str], returned: Collection[str] = ()) -> frozenset[str]:
    """The phases that no closed gate is in front of: the first, the passed ones and those behind them, and so on.

    Those that a person sent work back to may start again, which opens nothing behind them.
    """
    gated = {phase.name for phase in pipeline.phases if phase.gate}
    leading = gated & set(passed)
    found: set[str] = set()
    level = {
        *(phase.name for phase in pipeline.phases[:1]),
        *leading,
        *(edge.target for edge in pipeline.edges if edge.source in leading),
    }
    while level - found:
        found |= level
        level = {edge.target for edge in pipeline.edges if edge.source in found - gated}
    return frozenset({*found, *(gated & set(returned))})


def find_returned(
    pipeline: Pipeline, story: Iterable[tuple[str, bool | None]], reached: Collection[str]
) -> frozenset[str]:
    """Finds the phases that a person sent work back to, as long as nothing happened since at a phase before them.

    `story` has the phases of runs and decisions, oldest first, each with whether work is sent back there from then on;
    None for a run, and for a decision that lets work pass. Nothing comes back to a phase that was never `reached`:
    agents worked there, or documents say that the work is there or behind it.
    """
    been = {phase.name for name in reached if (phase := pipeline.find(name)) is not None}
    been |= {name for phase in tuple(been) for name in _list_before(pipeline, phase)}
    found: set[str] = set()
    for name, is_sent_back in story:
        phase = pipeline.find(name)
        if phase is None:
            continue
        found = {one for one in found if phase.name not in _list_before(pipeline, one)}
        if is_sent_back:
            found.add(phase.name)
        elif is_sent_back is not None:
            found.discard(phase.name)
    return frozenset(found & been)


def find_source(
    pipeline: Pipeline, said: str | None, decided: Iterable[tuple[str, bool]], enterable: Collection[str]
) -> Phase:
    """Finds the phase whose work is there.

    `said` is the phase of the last run, or that of the documents if nothing ran. `decided` are the phases that people
    decided on since, each with whether it was sent back: those lead back, and what they let pass leads on. If the phase
    is not `enterable`, a closed gate is in front of it, and the work is at the last phase before that gate.
    """
    if not pipeline.phases:
        raise AgentRunError(f"the pipeline {pipeline.name} has no phases", "Add [[pipelines.<name>.phases]].")
    source = pipeline.find(said) or pipeline.phases[0]
    for name, is_sent_back in decided:
        phase = pipeline.find(name)
        if phase is not None and (is_sent_back or source.name in _list_before(pipeline, phase.name)):
            source = phase
    if source.name in enterable:
        return source
    before = _list_before(pipeline, source.name).intersection(enterable)
    return next((phase for phase in reversed(pipeline.phases) if phase.name in before), pipeline.phases[0])


_CYCLES_APART = frozenset({"tdd"})
"""Formats in which each cycle is a handoff of its own: the edge back to the first phase leads out of this one."""


def find_next(pipeline: Pipeline, source: Phase, handoff: Handoff | None = None) -> Phase | None:
    """Finds the next phase: the one that the handoff names, or that of the first edge; past phases that are done."""
    targets = _list_next(pipeline, source)
    wanted = (handoff.target_phase or "").casefold() if handoff is not None else ""
    target = next((name for name in targets if name.casefold() == wanted), next(iter(targets), None))
    ends = target is None or (handoff is not None and _begins_another(pipeline, handoff, target))
    return None if target is None or ends else find_phase(pipeline, target)


def _begins_another(pipeline: Pipeline, handoff: Handoff, target: str) -> bool:
    return handoff.dialect in _CYCLES_APART and target == pipeline.phases[0].name


def _list_next(pipeline: Pipeline, source: Phase) -> list[str]:
    """The phases that an edge leads to; one where the work is done stands for those behind it, if there are any."""
    found: dict[str, None] = {}
    waiting = [edge.target for edge in pipeline.edges if edge.source == source.name]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        behind = [edge.target for edge in pipeline.edges if edge.source == name]
        if find_phase(pipeline, name).done and behind:
            waiting = [*behind, *waiting]
        else:
            found[name] = None
    return list(found)


def find_failure_target(pipeline: Pipeline, phase: Phase) -> Phase:
    """Finds where failed work goes: as the phase or the pipeline says, or to the same phase again; never forward."""
    target = find_phase(pipeline, phase.failure_target or pipeline.failure_target or phase.name)
    return target if target.name in _list_before(pipeline, phase.name) else phase


def find_previous(pipeline: Pipeline, phase: Phase) -> Phase | None:
    """Finds the phase before, by the first edge that leads here."""
    source = next((edge.source for edge in pipeline.edges if edge.target == phase.name), None)
    return None if source is None else find_phase(pipeline, source)


def find_passed(pipeline: Pipeline, route: Route) -> tuple[Passing, ...]:
    """Finds what is passed on of the work before; work that comes back brings everything."""
    if route.direction is not Direction.FORWARD:
        return EVERYTHING
    wanted = (route.source, route.phase)
    return next((edge.passes for edge in pipeline.edges if (edge.source, edge.target) == wanted), EVERYTHING)


class HandoffProgress(NamedTuple):
    """How far a handoff is in its pipeline, by its runs and by the signed log. What documents say opens nothing."""

    pipeline: Pipeline
    handoff: Handoff
    source: Phase
    """The phase whose work is there."""
    gate: GateName
    """Its gate, as of now."""
    passed: frozenset[str] = frozenset()
    """Phases whose gate a person opened for the last work that was decided on there."""
    returned: frozenset[str] = frozenset()
    """Phases that a person sent work back to, and nothing happened since at a phase before them."""
    failed: str | None = None
    """The phase that the last run sent the work to; None if it did not fail."""
    is_begun: bool = True
    """Whether somebody has worked in the source phase."""
    reports: tuple[StepReport, ...] = ()
    """Its runs, oldest first."""
    trail: tuple[TrailEntry, ...] = ()
    """The runs since a person last decided."""

    @property
    def is_open(self) -> bool:
        """Whether the work may go on from its phase."""
        return self.gate in OPENING or (not self.source.gate and self.failed is None and self.is_begun)

    def build_route(self, wanted: str | None) -> Route:
        """Builds the route into the wanted phase, or into the one whose turn it is; none leads past a closed gate."""
        if wanted is None:
            phase, direction = self._find_due()
        else:
            phase = find_phase(self.pipeline, wanted)
            direction = self._find_direction(phase)
        if direction is not Direction.FORWARD:
            self.refuse_unreached(phase.name)
        return Route(pipeline=self.pipeline.name, phase=phase.name, source=self.source.name, direction=direction)

    def refuse_unreached(self, phase: str) -> None:
        """Raises an error if a closed gate is in front of a phase, and nobody sent work back to it."""
        if phase not in self._enterable:
            raise self._build_closed_error(f"{phase} cannot start: ", phase)

    def _find_direction(self, phase: Phase) -> Direction:
        source = self.source
        if phase.name == self.failed:
            return Direction.FAILED
        if phase.name == source.name:
            return Direction.AGAIN
        begins_another = _begins_another(self.pipeline, self.handoff, phase.name)
        is_next = phase.name in _list_next(self.pipeline, source) and not begins_another
        if is_next and self.is_open:
            return Direction.FORWARD
        if phase.name in _list_before(self.pipeline, source.name):
            return Direction.BACK
        if is_next:
            raise AgentRunError(
                f"{phase.name} cannot start: the gate of {source.name} is not open",
                "Decide there first: handoff-tui gate, then handoff-tui decide.",
            )
        raise AgentRunError(
            f"{phase.name} does not follow {source.name} in the pipeline {self.pipeline.name}",
            "Skipping a phase is a decision: handoff-tui decide skip.",
        )

    def _find_due(self) -> tuple[Phase, Direction]:
        handoff, source = self.handoff, self.source
        if self.failed is not None:
            return find_phase(self.pipeline, self.failed), Direction.FAILED
        if self.is_open:
            following = find_next(self.pipeline, source, handoff)
            if following is None or following.done:
                last = source.name if following is None else following.name
                hint = "If tests are left, the next cycle is a handoff of its own: handoff-tui new tdd TDD-<number>"
                raise PipelineDoneError(
                    f"{handoff.id} is done: {last} is the last phase of {self.pipeline.name}",
                    hint if handoff.dialect in _CYCLES_APART else "",
                )
            return following, Direction.FORWARD
        claimed = self.pipeline.find(handoff.source_phase)
        if claimed is not None and claimed.name not in {source.name, *self._enterable}:
            raise self._build_closed_error(f"{handoff.id} says that it is at {claimed.name}, but ", claimed.name)
        if self.gate in SENT_BACK or not self.is_begun:
            return source, Direction.AGAIN
        raise GateWaitsError(
            f"{handoff.id} waits at the gate of {source.name}, which is {self.gate.value}",
            f"Decide there, or name the phase: handoff-tui step {source.name} --handoff {handoff.id} repeats it.",
        )

    @property
    def _enterable(self) -> frozenset[str]:
        return find_enterable(self.pipeline, self.passed, self.returned)

    def _build_closed_error(self, beginning: str, phase: str) -> AgentRunError:
        """Names the gates on the way to a phase that nobody has opened, in order."""
        before = _list_before(self.pipeline, phase)
        closed = [one.name for one in self.pipeline.phases if one.gate and one.name in before - self.passed]
        way = f"handoff-tui decide approve|skip {self.handoff.id} --phase {next(iter(closed), '')}"
        return AgentRunError(
            f"{beginning}nobody has decided at {', '.join(closed)}", f"Approve it, or leave it out: {way}"
        )


def find_changed(before: Pipeline, now: Pipeline) -> list[str]:
    """Lists what changed about who starts where, behind which gate: whatever it is, it may be a way around one."""
    first, second = _describe_phases(before), _describe_phases(now)
    found = [f"{name} is gone" for name in first if name not in second]
    found += [f"{name} is new" for name in second if name not in first]
    gates = {phase.name for phase in before.phases if phase.gate} - {phase.name for phase in now.phases if phase.gate}
    changed = [name for name in first if second.get(name, first[name]) != first[name]]
    return found + [f"{name} has no gate" if name in gates else f"{name} changed" for name in changed]


def _describe_phases(pipeline: Pipeline) -> dict[str, tuple[object, ...]]:
    """Everything about each phase that decides when an agent starts, and which one; not what it is told."""
    first = pipeline.phases[0].name if pipeline.phases else ""
    return {
        phase.name: (
            *(phase.gate, phase.human_only, phase.done, phase.agent or phase.name, phase.command, phase.name == first),
            _list_before(pipeline, phase.name),
            {edge.target for edge in pipeline.edges if edge.source == phase.name},
        )
        for phase in pipeline.phases
    }


def _list_before(pipeline: Pipeline, phase: str) -> set[str]:
    """Lists every phase that work passed on its way to this one; an edge that closes a cycle doesn't lead to it."""
    order = {each.name: number for number, each in enumerate(pipeline.phases)}
    ways = [edge for edge in pipeline.edges if order[edge.source] < order[edge.target]]
    found: set[str] = set()
    level = {edge.source for edge in ways if edge.target == phase}
    while level - found:
        found |= level
        level = {edge.source for edge in ways if edge.target in level}
    return found
