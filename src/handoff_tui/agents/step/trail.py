"""The runs of a handoff since a person last decided: the trail, and what it leaves of the budget."""

from __future__ import annotations

from handoff_tui.agents.runs.folders import list_runs
from handoff_tui.agents.runs.reports import load_report
from handoff_tui.agents.runs.run import AGENT_STEP, RunEnding
from handoff_tui.agents.step.report import StepOutcome, StepReport, TrailEntry
from handoff_tui.handoffs.session import Desk
from handoff_tui.log.entries.times import parse_time
from handoff_tui.log.index import LogIndex

_COUNTED = frozenset({StepOutcome.FAILED, StepOutcome.NEEDS_HUMAN})


def list_reports(desk: Desk, handoff: str | None, *, procedures: bool = False) -> tuple[StepReport, ...]:
    """What became of every run of a handoff, or of all, oldest first.

    Runs of procedures have tries of their own and are no part of the loop: they are there for who asks for them.
    """
    runs = list_runs(desk.repository.common_dir, handoff)
    wanted = [state for state in runs if procedures or state.key.step == AGENT_STEP]
    return tuple(report for state in wanted if (report := load_report(state)) is not None)


def build_trail(reports: tuple[StepReport, ...], index: LogIndex | None, handoff: str) -> tuple[TrailEntry, ...]:
    """The runs since the last decision: a person who decides begins a new loop."""
    times = [
        parse_time(vote.entry.time).timestamp()
        for vote in (index.votes.values() if index is not None else ())
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
