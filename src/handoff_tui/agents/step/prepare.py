"""Prepares a run: which agent, in which phase, where it works, and everything it is told. Writes and starts nothing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from handoff_tui.agents.consent import PhaseAgent, find_phase_agent
from handoff_tui.agents.runs.folders import find_free_number, find_run, list_runs
from handoff_tui.agents.runs.reports import find_output, read_notes
from handoff_tui.agents.runs.run import AGENT_STEP, ALIVE, RunKey
from handoff_tui.agents.runs.worktrees import AgentWorktree, find_unmerged, find_worktree
from handoff_tui.agents.step.progress import read_progress
from handoff_tui.agents.step.report import (
    BaselineContext,
    Budget,
    Direction,
    DocumentContext,
    HandoffContext,
    PreviousContext,
    RoleContext,
    Route,
    StepContext,
    StepReport,
)
from handoff_tui.agents.step.route import find_passed, find_phase, find_previous
from handoff_tui.agents.step.trail import count_budget
from handoff_tui.checks.run.check import ProgressCallbacks
from handoff_tui.config.pipeline import Passing, Phase, Pipeline
from handoff_tui.config.settings.pipeline import WorkFolder
from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.errors import AgentRunError, UsageError
from handoff_tui.decisions.examine import ExaminedGate, ExamineOptions, examine
from handoff_tui.decisions.packet import build_packet
from handoff_tui.decisions.views import Packet
from handoff_tui.handoffs.handoff import Handoff, build_id
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import Session
from handoff_tui.log.gates.position import list_sent_back
from handoff_tui.log.open_log import open_log
from handoff_tui.status.show import find_id
from handoff_tui.system.processes.output_reader import read_last_lines

_MOST_NAMED = 12
_FRESH = ExamineOptions(fresh=True)
_OUTPUT_LINES = 60
_PASSED = {
    "documents": Passing.DOCUMENTS,
    "tasks": Passing.TASKS,
    "findings": Passing.FINDINGS,
    "proofs": Passing.PROOFS,
}


class StepRequest(NamedTuple):
    """Which agent somebody wants to start."""

    handoff: str
    phase: str | None = None
    """The phase whose turn it is if none is named."""
    back: bool = False
    """Go to the phase before."""
    again: bool = False
    """Repeat the phase whose work is there."""
    beyond_budget: bool = False
    """A person allows one more run than the retry budget."""
    owner: str | None = None
    """The person who asks for it, if it isn't the person at the terminal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedRun:
    """Everything a start needs, by hand or in a procedure."""

    examined: ExaminedGate
    pipeline: Pipeline
    phase: Phase
    route: Route
    agent: PhaseAgent
    key: RunKey
    reports: tuple[StepReport, ...]
    """Earlier runs for this handoff, oldest first."""
    packet: Packet | None
    """Why the work was sent back; None if nobody sent it back."""
    budget: Budget | None = None
    """What is left of the loop's runs; None in a procedure, which counts for itself."""
    procedure: str | None = None
    """The id of the procedure run that needs it; None if a person asked for it."""
    transfer: str | None = None
    """The folder with what that procedure hands over."""
    worktree: AgentWorktree | None = field(init=False)
    context: StepContext = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "worktree", self._find_worktree())
        object.__setattr__(self, "context", _build_context(self))

    def _find_worktree(self) -> AgentWorktree | None:
        """Two agents never work in one folder: the second one gets a work tree, and keeps it for the attempt.

        Work that lies on a branch goes on from there.
        """
        repository = self.session.repository
        unmerged = find_unmerged(repository, list_runs(repository.common_dir, self.key.handoff))
        own, root = find_worktree(repository, self.key, unmerged or "HEAD"), str(repository.root)
        if unmerged is not None:
            self._refuse_unmerged(unmerged, own.branch)
            return own
        if self.agent.settings.folder is WorkFolder.WORKTREE or (own.folder / ".git").exists():
            return own
        is_busy = self.procedure is None and any(
            state.plan is not None and state.plan.folder == root and state.status in ALIVE
            for state in list_runs(self.session.repository.common_dir)
        )
        return own if is_busy else None

    def _refuse_unmerged(self, unmerged: str, own: str) -> None:
        """Refuses to go on from approved work that isn't here: the next gate would be judged without it."""
        is_open = find_phase(self.pipeline, self.route.source or self.phase.name).gate
        if self.route.direction is Direction.FORWARD and is_open and unmerged != own:
            phase = f"{self.phase.name} cannot start"
            raise AgentRunError(f"{phase}; {_describe_unmerged(unmerged)}", _merge(self.key.handoff))

    @property
    def session(self) -> Session:
        return self.examined.session

    @property
    def work_folder(self) -> Path:
        return self.session.repository.root if self.worktree is None else self.worktree.folder


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedStep(PreparedRun):
    """A run that a person asked for."""

    budget: Budget
    request: StepRequest


def choose_handoff(session: Session, wanted: str | None) -> str:
    """Returns the id of the named handoff, or of the only one."""
    handoffs = read_repository(session).result.handoffs
    if wanted is None and len(handoffs) != 1:
        named = ", ".join(handoff.id for handoff in handoffs[:_MOST_NAMED])
        raise UsageError(
            f"there are {len(handoffs)} handoffs here; say which one you mean",
            f"--handoff ID, one of: {named}" if named else "`handoff-tui status` lists them.",
        )
    return find_id(handoffs, wanted if wanted is not None else handoffs[0].id)


def prepare_step(session: Session, request: StepRequest, progress: ProgressCallbacks | None = None) -> PreparedStep:
    """Examines the work at its gate, and finds the route into the phase, the agent and its context."""
    examined = examine(session, open_log(session.repository), request.handoff, options=_FRESH, telling=progress)
    handoff = examined.handoff
    way = read_progress(examined.gates, handoff, examined.reading)
    pipeline = way.pipeline
    if way.source.name.casefold() != examined.key.phase.casefold():
        examined = _examine_again(examined, build_id(way.source.name), progress)
    try:
        route = way.build_route(_find_wanted(pipeline, way.source, request))
    except AgentRunError as refused:
        unmerged = find_unmerged(session.repository, list_runs(session.repository.common_dir, handoff.id))
        if unmerged is not None:  # it is judged here by what is here
            raise type(refused)(f"{refused.message}; {_describe_unmerged(unmerged)}", _merge(handoff.id)) from refused
        raise
    phase = find_phase(pipeline, route.phase)
    agent = find_phase_agent(session, pipeline, phase)
    packet = _find_packet(examined, route, progress)
    return PreparedStep(
        examined=examined,
        pipeline=pipeline,
        phase=phase,
        route=route,
        agent=agent,
        key=_find_key(session, examined, route, packet),
        reports=way.reports,
        packet=packet,
        budget=count_budget(pipeline, way.trail),
        request=request,
    )


def _describe_unmerged(branch: str) -> str:
    return f"the newest work is on {branch}, and not merged here"


def _merge(handoff: str) -> str:
    how = f"Decide on it (handoff-tui gate {handoff}), then merge it: handoff-tui step --merge --handoff {handoff}"
    return f"{how}. If it came here another way, delete the branch."


def _find_wanted(pipeline: Pipeline, source: Phase, request: StepRequest) -> str | None:
    if not request.back:
        return source.name if request.again else request.phase
    source = find_phase(pipeline, request.phase) if request.phase else source
    before = find_previous(pipeline, source)
    if before is None:
        raise AgentRunError(f"{source.name} is the first phase of {pipeline.name}; nothing comes before it")
    return before.name


def _examine_again(examined: ExaminedGate, phase: str, progress: ProgressCallbacks | None) -> ExaminedGate:
    """Examines the same work at another gate."""
    log = open_log(examined.session.repository)
    options = _FRESH._replace(earlier=examined, command_results=examined.report.command_results)
    return examine(examined.session, log, examined.handoff.id, phase, options, progress)


def _find_packet(examined: ExaminedGate, route: Route, progress: ProgressCallbacks | None) -> Packet | None:
    """Returns why the work was sent back into this phase; None if nobody sent it back."""
    phase = build_id(route.phase)
    if phase != examined.key.phase:
        if not list_sent_back(examined.index, examined.handoff.id, phase):
            return None
        examined = _examine_again(examined, phase, progress)
    packet = build_packet(examined)
    return packet if packet.demands or route.direction is not Direction.FORWARD else None


def _find_key(session: Session, examined: ExaminedGate, route: Route, packet: Packet | None) -> RunKey:
    """Returns the attempt as the log counts it, and the next run of that attempt."""
    attempt = (
        packet.attempt
        if packet is not None
        else examined.gates.work.find_attempt(examined.handoff, build_id(route.phase))
    )
    first = RunKey(handoff=examined.handoff.id, phase=route.phase, attempt=attempt)
    return first.model_copy(update={"number": find_free_number(session.repository.common_dir, first)})


def _build_context(run: PreparedRun) -> StepContext:
    """Builds what the agent is told: everything the edge into its phase passes on, fresh for each run."""
    session, examined = run.session, run.examined
    facts = session.work_tree.facts
    passed = find_passed(run.pipeline, run.route)
    last_step = next((report for report in reversed(run.reports) if report.key.step == AGENT_STEP), None)
    return StepContext(
        key=run.key,
        route=run.route,
        role=_build_role(session, run.agent, run.phase),
        repository=str(session.repository.root),
        folder=str(run.work_folder),
        commit=facts.head,
        branch=facts.branch if run.worktree is None else run.worktree.branch,
        handoff=_build_handoff(examined.handoff, passed),
        previous=_build_previous(session, run.reports[-1], passed) if run.reports else None,
        baseline=_build_baseline(examined),
        packet=run.packet,
        fix_tasks=last_step.fix_tasks if last_step is not None else (),
        notes=read_notes(session.repository.common_dir, examined.handoff.id),
        tries_left=run.budget.left if run.budget is not None else 0,
        procedure=run.procedure,
        transfer=run.transfer,
    )


def _build_role(session: Session, agent: PhaseAgent, phase: Phase) -> RoleContext:
    """The agent's own words, or those of the hub's role with its name; then what the phase asks of it.

    Only roles of the hub have supervisors, who add their standards.
    """
    roles = session.loaded.settings.hub.roles
    role = roles.get(agent.name)
    standards = [rule for supervisor in roles.values() if supervisor.stage is None for rule in supervisor.standards]
    own = agent.settings.role or (role.prompt if role else "")
    return RoleContext(
        name=agent.name,
        title=role.title if role else "",
        prompt="\n\n".join(text.strip() for text in (own, phase.role) if text.strip()),
        standards=tuple(dict.fromkeys((*role.standards, *standards))) if role else (),
    )


def _build_handoff(handoff: Handoff, passed: tuple[Passing, ...]) -> HandoffContext:
    """The handoff as its documents claim, without what the edge doesn't pass on."""
    values = {name: getattr(handoff, name) for name in HandoffContext.model_fields}
    values["blockers"] = tuple(blocker for blocker in handoff.blockers if blocker.open)
    values["documents"] = tuple(
        DocumentContext(path=document.path, role=document.role.value, sha256=document.sha256)
        for document in handoff.documents
    )
    return HandoffContext(**{name: value for name, value in values.items() if _PASSED.get(name) in {None, *passed}})


def _build_previous(session: Session, report: StepReport, passed: tuple[Passing, ...]) -> PreviousContext:
    """Describes the run before as it was measured."""
    output: list[str] = []
    usage = report.end.usage
    if Passing.OUTPUT in passed and usage is not None:
        denied = [f"It was not allowed to: {denial.text}" for denial in usage.denials]
        output = [*usage.verdict.splitlines()[-_OUTPUT_LINES:], *denied]
    elif Passing.OUTPUT in passed:
        output = read_last_lines(find_output(find_run(session.repository.common_dir, report.key)), _OUTPUT_LINES)
    has_files = Passing.FILES in passed
    return PreviousContext(
        phase=report.key.phase,
        agent=report.agent,
        attempt=report.key.attempt,
        number=report.key.number,
        outcome=report.outcome.value,
        code=report.end.code,
        seconds=report.end.seconds,
        files=report.files if has_files else (),
        commits=report.commits if has_files else (),
        output=tuple(output),
        output_sha256=report.end.output_sha256,
    )


def _build_baseline(examined: ExaminedGate) -> BaselineContext:
    snapshot = examined.snapshot
    return BaselineContext(
        commit=examined.baseline.commit,
        snapshot=examined.baseline.snapshot,
        reason=examined.baseline.reason,
        tests=dict(sorted(Counter(outcome.value for outcome in snapshot.tests.values()).items())),
        packages=snapshot.package_count,
        checks_passed=examined.report.passed,
        checks_total=examined.report.total,
        failing=examined.failing,
    )
