"""How far a handoff is on its way: by its runs, then by the signed log, then by its documents."""

from __future__ import annotations

from handoff_tui.agents.consent import has_phase_agent
from handoff_tui.agents.runs.folders import find_run
from handoff_tui.agents.runs.reports import load_pipeline
from handoff_tui.agents.step.report import StepOutcome, StepReport
from handoff_tui.agents.step.route import (
    HandoffProgress,
    find_changed,
    find_enterable,
    find_phase,
    find_returned,
    find_source,
)
from handoff_tui.agents.step.trail import build_trail, find_failed_target, list_reports
from handoff_tui.checks.run.guards import guard
from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.config.pipeline import Phase, Pipeline, names_roles
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import AgentRunError
from handoff_tui.decisions.examine import find_handoff, open_gates
from handoff_tui.handoffs.handoff import Handoff, build_id
from handoff_tui.handoffs.placed_by_runs import find_undone
from handoff_tui.handoffs.read_handoffs import RepositoryReading, read_repository
from handoff_tui.handoffs.session import Session
from handoff_tui.log.entries.times import parse_time
from handoff_tui.log.entry import PASSING, SENDING_BACK
from handoff_tui.log.gates.all_gates import LogGates
from handoff_tui.log.gates.gate_state import GateReport, Mover
from handoff_tui.log.index import LogIndex, build_log_index
from handoff_tui.log.open_log import open_log
from handoff_tui.status import pipeline as pipelines
from handoff_tui.status.next_move import build_gate


class DuePhase(NamedTuple):
    """The phase whose agent is to be started next."""

    phase: Phase
    progress: HandoffProgress


def find_due(session: Session, wanted: str) -> DuePhase:
    """Finds whose turn it is, without running a check; raises an error if it is nobody's."""
    reading = read_repository(session)
    handoffs = reading.result.handoffs
    gates = open_gates(session, handoffs, build_log_index(open_log(session.repository).verify()))
    progress = read_progress(gates, find_handoff(handoffs, wanted), reading)
    return DuePhase(find_phase(progress.pipeline, progress.build_route(None).phase), progress)


def find_pipeline(
    session: Session, handoff: Handoff, index: LogIndex, reports: tuple[StepReport, ...] | None = None
) -> Pipeline:
    """Finds the pipeline of a handoff; raises an error if there is none."""
    own = list_reports(session, handoff.id) if reports is None else reports
    begun = own[-1].route.pipeline if own else None
    found = pipelines.find_pipeline(handoff, session.loaded.settings.pipelines, index, begun)
    if found is None or not found.phases:
        raise AgentRunError(
            f"no pipeline fits {handoff.id}: there is none called {handoff.dialect}",
            f"Add [[pipelines.{handoff.dialect}.phases]] to handoff-tui.toml; docs/agents.md has an example.",
        )
    return found


def read_progress(gates: LogGates, handoff: Handoff, reading: RepositoryReading) -> HandoffProgress:
    """Reads how far a handoff is."""
    reports = list_reports(gates.session, handoff.id)
    pipeline = find_pipeline(gates.session, handoff, gates.index, reports)
    story = _Story(gates, handoff, pipeline, reports)
    story.refuse_changed()
    passed, returned = story.find_passed(), story.find_returned()
    source = story.find_source(find_enterable(pipeline, passed, returned), _list_standing(reading, reports))
    trail = build_trail(reports, gates.index, handoff.id)
    report = gates.judge(handoff, build_id(source.name))
    return HandoffProgress(
        pipeline=pipeline,
        handoff=handoff,
        source=source,
        gate=report.state,
        passed=passed,
        returned=returned,
        failed=find_failed_target(pipeline, trail),
        is_begun=story.is_begun(source, report),
        reports=reports,
        trail=trail,
    )


def _list_standing(reading: RepositoryReading, reports: tuple[StepReport, ...]) -> tuple[StepReport, ...]:
    """The runs whose work no rollback has taken back."""
    if not any(report.commits for report in reports):
        return reports
    undone = find_undone(reading.files.history)
    return tuple(one for one in reports if not one.commits or any(made.id not in undone for made in one.commits))


class _Story(NamedTuple):
    """What happened to a handoff: by its runs, and by the decisions of people."""

    gates: LogGates
    handoff: Handoff
    pipeline: Pipeline
    reports: tuple[StepReport, ...]
    """Oldest first."""

    def refuse_changed(self) -> None:
        """Refuses a pipeline that the repository's settings have changed since the handoff began, or its last run."""
        gates, handoff, pipeline = self.gates, self.handoff, self.pipeline
        guards = guard(gates.session, gates.work.scopes.of(handoff.id).start)
        if not guards.held_back:
            return
        settings = guards.session.loaded.settings.pipelines
        before = pipelines.find_pipeline(handoff, settings, gates.index, pipeline.name)
        is_begun = bool(self.reports) or any(True for _ in gates.index.list_living(handoff.id))
        is_other = before is not None and before.name != pipeline.name
        earlier = [] if is_other and (self.reports or not is_begun) else [before]
        named = settings.get(pipeline.name)
        if named is None or not names_roles(named.build(pipeline.name)):  # else its phases are named by the documents
            common_dir = gates.session.repository.common_dir
            earlier += [load_pipeline(find_run(common_dir, one.key)) for one in self.reports[-1:]]
        changed = [words for before in earlier if before is not None for words in find_changed(before, pipeline)]
        if changed:
            raise AgentRunError(
                f"{REPOSITORY_FILE} changed after {handoff.id} began, and its pipeline with it: "
                f"{'; '.join(dict.fromkeys(changed))}",
                "Take the change back, or accept the file as it is: handoff-tui config accept",
            )

    def find_passed(self) -> frozenset[str]:
        """The phases whose gate people opened, by the signed log; a run that left other work since closes it again."""
        ended = {one.key.phase: one.end.began + one.end.seconds for one in self.reports if one.files or one.commits}
        names = (phase.name for phase in self.pipeline.phases)
        return frozenset(
            name for name in names if self.gates.is_passed(self.handoff, name, since=int(ended.get(name, 0)))
        )

    def find_returned(self) -> frozenset[str]:
        """The phases that people sent work back to, by the signed log; a withdrawn rejection sends nothing back."""
        index = self.gates.index
        withdrawn = index.find_withdrawn()
        events: list[tuple[float, str, bool | None]] = []
        for made in index.list_living(self.handoff.id):
            is_sent_back = made.decision.verb in SENDING_BACK and made.entry.id not in withdrawn
            verdict = None if made.decision.verb in PASSING else is_sent_back
            events.append((parse_time(made.entry.time).timestamp(), made.work.phase, verdict))
        events += [(one.end.began, one.key.phase, None) for one in self.reports]
        story = [(phase, back) for _, phase, back in sorted(events, key=lambda event: event[0])]
        reached = {one.key.phase for one in self.reports} | {self.handoff.source_phase or ""}
        return find_returned(self.pipeline, story, reached)

    def find_source(self, enterable: frozenset[str], standing: tuple[StepReport, ...]) -> Phase:
        """Finds the phase whose work is there, by the runs that still stand."""
        last = standing[-1] if standing else None
        since = int(last.end.began) if last is not None else 0
        leading = PASSING | SENDING_BACK if last is not None else PASSING
        decided = [
            (made.work.phase, made.decision.verb in SENDING_BACK)
            for made in self.gates.index.list_living(self.handoff.id)
            if made.decision.verb in leading and parse_time(made.entry.time).timestamp() >= since
        ]
        said = last.key.phase if last is not None else self.handoff.source_phase
        return find_source(self.pipeline, said, decided, enterable)

    def is_begun(self, source: Phase, report: GateReport) -> bool:
        """Whether there is work of the phase: a run that is ready, a decision, or documents that wait for a person.

        Where no agent works and nothing is decided, there is nothing to wait for.
        """
        if not source.gate and not has_phase_agent(self.gates.session, self.pipeline, source):
            return True
        own = [one for one in self.reports if one.key.phase == source.name]
        if own:
            return own[-1].outcome is StepOutcome.READY
        if self.gates.index.list_decisions(self.handoff.id, report.phase):
            return True
        by_id = {one.id: one for one in self.gates.handoffs}
        return build_gate(self.handoff, by_id, report=report).next_move.who is not Mover.AGENT
