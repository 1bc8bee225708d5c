"""Which phase comes next: along an edge, repeated, along the failure edge, or back. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from handoff_tui.agents.step.report import Direction, Route
from handoff_tui.config.pipeline import EVERYTHING, Passing, Phase, Pipeline
from handoff_tui.core.errors import AgentRunError, UsageError
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.log.gates.gate_state import GateName

OPEN = frozenset({GateName.APPROVED, GateName.OVERRIDDEN, GateName.SKIPPED})
SENT_BACK = frozenset({GateName.REJECTED, GateName.RETRY})


def find_pipeline(pipelines: Mapping[str, Pipeline], handoff: Handoff) -> Pipeline:
    """Finds the pipeline named like the handoff's format, or one that has its phase."""
    own = pipelines.get(handoff.dialect)
    if own is not None:
        return own
    phases = {name.casefold() for name in (handoff.source_phase, handoff.target_phase) if name}
    for pipeline in pipelines.values():
        if phases & {phase.name.casefold() for phase in pipeline.phases}:
            return pipeline
    raise AgentRunError(
        f"no pipeline fits {handoff.id}: there is none called {handoff.dialect}",
        f"Add [[pipelines.{handoff.dialect}.phases]] to handoff-tui.toml; docs/agents.md has an example.",
    )


def find_phase(pipeline: Pipeline, name: str) -> Phase:
    """Finds a phase by its name, in any case."""
    found = find_known_phase(pipeline, name)
    if found is None:
        names = ", ".join(phase.name for phase in pipeline.phases)
        raise UsageError(f"the pipeline {pipeline.name} has no phase {name!r}", f"Its phases are: {names}.")
    return found


def find_known_phase(pipeline: Pipeline, name: str | None) -> Phase | None:
    wanted = (name or "").casefold()
    return next((phase for phase in pipeline.phases if phase.name.casefold() == wanted), None)


def find_source(pipeline: Pipeline, handoff: Handoff, last_run: str | None = None) -> Phase:
    """Finds the phase whose work is there: as the handoff says, or that of the last run, or the first."""
    if not pipeline.phases:
        raise AgentRunError(f"the pipeline {pipeline.name} has no phases", "Add [[pipelines.<name>.phases]].")
    known = find_known_phase(pipeline, handoff.source_phase) or find_known_phase(pipeline, last_run)
    return known or pipeline.phases[0]


def find_next(pipeline: Pipeline, source: Phase, named: str | None = None) -> Phase | None:
    """Finds the next phase: the one that the handoff names, or that of the first edge."""
    targets = [edge.target for edge in pipeline.edges if edge.source == source.name]
    wanted = (named or "").casefold()
    target = next((name for name in targets if name.casefold() == wanted), next(iter(targets), None))
    return None if target is None else find_phase(pipeline, target)


def find_failure_target(pipeline: Pipeline, phase: Phase) -> Phase:
    """Finds where failed work goes: as the phase or the pipeline says, or to the same phase again; never forward."""
    target = find_phase(pipeline, phase.failure_target or pipeline.failure_target or phase.name)
    return phase if pipeline.phases.index(target) > pipeline.phases.index(phase) else target


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


def build_route(
    pipeline: Pipeline, handoff: Handoff, source: Phase, gate: GateName, wanted: str | None, failed: str | None
) -> Route:
    """Builds the route into the wanted phase, or into the one whose turn it is.

    `source` is the phase whose work is there, `gate` its gate; `failed` is the phase that the last run sent it to.
    """
    is_open = gate in OPEN or (not source.gate and failed is None)
    if wanted is None:
        return _build_due(pipeline, handoff, source, failed, gate, is_open=is_open)
    phase = find_phase(pipeline, wanted)
    direction = _find_direction(pipeline, source, phase, failed, is_open=is_open)
    return Route(pipeline=pipeline.name, phase=phase.name, source=source.name, direction=direction)


def _find_direction(pipeline: Pipeline, source: Phase, phase: Phase, failed: str | None, *, is_open: bool) -> Direction:
    if phase.name == failed:
        return Direction.FAILED
    if phase.name == source.name:
        return Direction.AGAIN
    is_next = any((edge.source, edge.target) == (source.name, phase.name) for edge in pipeline.edges)
    if is_next and is_open:
        return Direction.FORWARD
    if phase.name in _list_before(pipeline, source.name):
        return Direction.BACK
    if is_next:
        raise AgentRunError(
            f"{phase.name} cannot start: the gate behind {source.name} is not open",
            "Decide there first: handoff-tui gate, then handoff-tui decide.",
        )
    raise AgentRunError(
        f"{phase.name} does not follow {source.name} in the pipeline {pipeline.name}",
        "Skipping a phase is a decision: handoff-tui decide skip.",
    )


def _build_due(
    pipeline: Pipeline, handoff: Handoff, source: Phase, failed: str | None, gate: GateName, *, is_open: bool
) -> Route:
    if failed is not None:
        return Route(pipeline=pipeline.name, phase=failed, source=source.name, direction=Direction.FAILED)
    if is_open:
        following = find_next(pipeline, source, handoff.target_phase)
        if following is None:
            raise AgentRunError(f"{source.name} is the last phase of {pipeline.name}; there is nothing to start")
        return Route(pipeline=pipeline.name, phase=following.name, source=source.name, direction=Direction.FORWARD)
    if gate in SENT_BACK:
        return Route(pipeline=pipeline.name, phase=source.name, source=source.name, direction=Direction.AGAIN)
    raise AgentRunError(
        f"{handoff.id} waits at the gate behind {source.name}, which is {gate.value}",
        f"Decide there, or name the phase: handoff-tui step {source.name} --handoff {handoff.id} repeats it.",
    )


def _list_before(pipeline: Pipeline, phase: str) -> set[str]:
    """Lists every phase that work passed on its way to this one; an edge that closes a cycle is no way to it."""
    order = {each.name: number for number, each in enumerate(pipeline.phases)}
    ways = [edge for edge in pipeline.edges if order[edge.source] < order[edge.target]]
    found: set[str] = set()
    level = {edge.source for edge in ways if edge.target == phase}
    while level - found:
        found |= level
        level = {edge.source for edge in ways if edge.target in level}
    return found
