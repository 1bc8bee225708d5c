"""The phases of a handoff that anything here mentions; any other is a typo."""

from __future__ import annotations

from collections.abc import Iterable

from handoff_tui.agents.runs.run import RunState
from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.handoff import Handoff, build_id
from handoff_tui.handoffs.session import Session
from handoff_tui.log.gates.position import find_phase
from handoff_tui.log.index import LogIndex
from handoff_tui.status.pipeline import find_pipeline


def find_known_phase(
    session: Session, index: LogIndex, handoff: Handoff, named: str | None, runs: Iterable[RunState] = ()
) -> str:
    """The named phase, or the handoff's default one. Refuses a phase nothing mentions."""
    phase = find_phase(handoff, named)
    if named is None:
        return phase
    known = list_known_phases(session, index, handoff, runs)
    if phase not in known:
        raise UsageError(
            f"{handoff.id} has no phase {named!r}",
            f"Known phases: {', '.join(sorted(known))}.",
        )
    return phase


def list_known_phases(session: Session, index: LogIndex, handoff: Handoff, runs: Iterable[RunState] = ()) -> list[str]:
    """Phases from the log first, then from its documents, agent runs, its pipeline, and the checks."""
    settings = session.loaded.settings
    pipeline = find_pipeline(handoff, settings.pipelines, index)
    logged = [phase for name, phase in index.places if name == handoff.id]
    told = [
        *(attempt.phase for attempt in handoff.attempts),
        handoff.source_phase,
        handoff.target_phase,
        *(run.key.phase for run in runs),
        *(phase.name for phase in (pipeline.phases if pipeline is not None else ())),
        *(phase for check in settings.checks.values() for phase in check.phases),
    ]
    return list(dict.fromkeys((*sorted(logged), find_phase(handoff), *(build_id(name) for name in told if name))))
