"""The runs of a handoff since a person last decided, and what they leave of the retry budget."""

from __future__ import annotations

from collections.abc import Iterable

from handoff_tui.agents.runs.folders import list_runs
from handoff_tui.agents.runs.reports import load_report
from handoff_tui.agents.runs.run import AGENT_STEP, RunEnding
from handoff_tui.agents.step.report import Budget, StepOutcome, StepReport, TrailEntry
from handoff_tui.agents.step.route import find_failure_target
from handoff_tui.config.pipeline import Pipeline
from handoff_tui.handoffs.session import Session
from handoff_tui.log.entries.times import parse_time
from handoff_tui.log.index import LogIndex

_COUNTED = frozenset({StepOutcome.FAILED, StepOutcome.NEEDS_HUMAN})


def list_reports(session: Session, handoff: str | None, *, procedures: bool = False) -> tuple[StepReport, ...]:
    """Lists the reports of a handoff, or of all, oldest first.

    Steps of procedures are retried by the procedure and aren't part of the loop: they are listed only on request.
    """
    runs = list_runs(session.repository.common_dir, handoff)
    wanted = [state for state in runs if procedures or state.key.step == AGENT_STEP]
    return tuple(report for state in wanted if (report := load_report(state)) is not None)


def build_trail(reports: tuple[StepReport, ...], index: LogIndex | None, handoff: str) -> tuple[TrailEntry, ...]:
    """Lists the runs since the last decision, which begins a new loop."""
    times = [
        parse_time(vote.entry.time).timestamp()
        for vote in (index.decisions.values() if index is not None else ())
        if vote.work.handoff == handoff and index is not None and not index.is_void(vote.entry.id)
    ]
    since = max(times, default=0.0)
    return tuple(build_trail_entry(report) for report in reports if report.end.began > since)


def build_trail_entry(report: StepReport) -> TrailEntry:
    return TrailEntry(
        phase=report.key.phase,
        attempt=report.key.attempt,
        number=report.key.number,
        outcome=report.outcome,
        why="; ".join(report.why),
        began=report.end.began,
        counted=report.outcome in _COUNTED and report.end.ending is not RunEnding.NOT_STARTED,
    )


def count_budget(pipeline: Pipeline, trail: Iterable[TrailEntry]) -> Budget:
    """Counts the failed runs of the loop, whatever their phases."""
    return Budget(used=sum(entry.counted for entry in trail), allowed=pipeline.retry_budget)


def find_failed_target(pipeline: Pipeline, trail: tuple[TrailEntry, ...]) -> str | None:
    """Returns the phase that the last run sent the work to; None if it did not fail."""
    if not trail or trail[-1].outcome not in _COUNTED:
        return None
    phase = pipeline.find(trail[-1].phase)
    return None if phase is None else find_failure_target(pipeline, phase).name
