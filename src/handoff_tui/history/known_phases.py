"""Phases that anything tells of: what is asked about another one is a slip of the pen."""

from __future__ import annotations

from collections.abc import Iterable

from handoff_tui.agents.runs.run import RunState
from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.handoff import Handoff, build_id
from handoff_tui.handoffs.session import Desk
from handoff_tui.log.gates.position import find_phase
from handoff_tui.log.index import LogIndex
from handoff_tui.status.pipeline import find_pipeline


def find_known_phase(
    desk: Desk, index: LogIndex, handoff: Handoff, named: str | None, runs: Iterable[RunState] = ()
) -> str:
    """The phase that was named, else the usual one. Refuses one that nothing tells of."""
    phase = find_phase(handoff, named)
    if named is None:
        return phase
    known = list_known_phases(desk, index, handoff, runs)
    if phase not in known:
        raise UsageError(
            f"nothing here tells of a phase {named!r} of {handoff.id}",
            f"Phases that are known: {', '.join(sorted(known))}.",
        )
    return phase


def list_known_phases(desk: Desk, index: LogIndex, handoff: Handoff, runs: Iterable[RunState] = ()) -> list[str]:
    """Those of the log first, then of its documents, runs of agents, its pipeline, and the checks."""
    settings = desk.loaded.settings
    pipeline = find_pipeline(handoff, settings.pipelines)
    logged = [phase for name, phase in {*index.votes_at, *index.submissions_at} if name == handoff.id]
    told = [
        *(attempt.phase for attempt in handoff.attempts),
        handoff.source_phase,
        handoff.target_phase,
        *(run.key.phase for run in runs),
        *(phase.name for phase in (pipeline.phases if pipeline is not None else ())),
        *(phase for check in settings.checks.values() for phase in check.phases),
    ]
    return list(dict.fromkeys((*sorted(logged), find_phase(handoff), *(build_id(name) for name in told if name))))
