"""Starts one agent by hand: the way into its phase, its context, its lock, its run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from handoff_tui.agents.consent import find_phase_agent, refuse_untrusted
from handoff_tui.agents.route import (
    build_route,
    count_budget,
    find_failed_target,
    find_passed,
    find_phase,
    find_pipeline,
    find_previous,
    find_source,
)
from handoff_tui.agents.runs.folders import list_runs
from handoff_tui.agents.runs.phase_locks import take_lock
from handoff_tui.agents.runs.run import AGENT_STEP, RunKey
from handoff_tui.agents.runs.view import RunView
from handoff_tui.agents.runs.worktrees import find_worktree
from handoff_tui.agents.step.context import build_context, complete_context
from handoff_tui.agents.step.report import Budget, Direction, Route, TrailEntry
from handoff_tui.agents.step.start import PreparedRun, build_environment, build_prompt, start_prepared
from handoff_tui.agents.step.trail import build_trail, list_reports
from handoff_tui.checks.run.check import Telling
from handoff_tui.config.pipeline import Phase, Pipeline
from handoff_tui.config.settings.agents import WorkFolder
from handoff_tui.core.errors import AgentRunError, NoHumanError, UsageError
from handoff_tui.decisions.examine import Examined, examine
from handoff_tui.decisions.packet import build_packet
from handoff_tui.decisions.values.packet import Packet
from handoff_tui.handoffs.handoff import build_id
from handoff_tui.handoffs.read_handoffs import read_shelf
from handoff_tui.handoffs.session import Desk
from handoff_tui.log.gates.position import list_sent_back
from handoff_tui.log.open_log import open_log
from handoff_tui.status.show import find_id

__all__ = [
    "PreparedStep",
    "StepRequest",
    "build_environment",
    "build_prompt",
    "choose_handoff",
    "find_packet",
    "prepare_step",
    "start_step",
]

_MOST_NAMED = 12


class StepRequest(NamedTuple):
    """Which agent is to be started."""

    handoff: str
    phase: str | None = None
    back: bool = False
    """Into the phase before the one whose work is there."""
    beyond_budget: bool = False
    """A person wants one more try than the loop has."""


@dataclass(frozen=True, slots=True)
class PreparedStep(PreparedRun):
    """A run that a person asked for, with what is left of the loop's tries."""

    budget: Budget
    trail: tuple[TrailEntry, ...]
    request: StepRequest


def choose_handoff(desk: Desk, wanted: str | None) -> str:
    """The handoff that is named; the only one there is, where none is named."""
    handoffs = read_shelf(desk).harvest.handoffs
    if wanted is None and len(handoffs) != 1:
        named = ", ".join(handoff.id for handoff in handoffs[:_MOST_NAMED])
        raise UsageError(
            f"{len(handoffs)} handoffs are here; say which one is meant",
            f"--handoff ID, one of: {named}" if named else "`handoff-tui status` lists them.",
        )
    return find_id(handoffs, wanted if wanted is not None else handoffs[0].id)


def prepare_step(desk: Desk, request: StepRequest, telling: Telling | None = None) -> PreparedStep:
    """Examines the work at its gate, and finds the way into the phase, its agent and its context."""
    examined = examine(desk, open_log(desk.repository), request.handoff, telling=telling)
    handoff = examined.handoff
    pipelines = {name: settings.build(name) for name, settings in desk.loaded.settings.pipelines.items()}
    pipeline = find_pipeline(pipelines, handoff)
    reports = list_reports(desk, handoff.id)
    source = find_source(pipeline, handoff, reports[-1].key.phase if reports else None)
    if reports and build_id(source.name) != examined.target.phase:
        examined = _examine_again(examined, build_id(source.name), telling)
    trail = build_trail(reports, examined.index, handoff.id)
    failed = find_failed_target(pipeline, trail)
    wanted = _find_wanted(pipeline, source, request)
    route = build_route(pipeline, handoff, source, examined.gate.state, wanted, failed)
    phase = find_phase(pipeline, route.phase)
    found = find_phase_agent(desk, pipeline, phase)
    packet = find_packet(examined, route, telling)
    key = _find_key(desk, examined, route, packet)
    worktree = find_worktree(desk.repository, key) if found.agent.folder is WorkFolder.WORKTREE else None
    budget = count_budget(pipeline, trail)
    context = build_context(examined, key, route, found, find_passed(pipeline, route), reports, packet)
    folder = str(desk.repository.root if worktree is None else worktree.folder)
    branch = desk.work_tree.facts.branch if worktree is None else worktree.branch
    context = complete_context(context, folder, branch, budget)
    return PreparedStep(examined, pipeline, phase, route, found, key, context, worktree, budget, trail, request)


def start_step(prepared: PreparedStep, *, confirmed: bool = False) -> RunView:
    """Takes the lock of the phase, writes the run, and starts its supervisor.

    `confirmed` is the word of a person at a terminal, which a phase for people alone asks for.
    """
    _refuse_start(prepared, confirmed=confirmed)
    held = take_lock(prepared.desk.repository.common_dir, prepared.key, prepared.owner)
    return start_prepared(prepared, held)


def _refuse_start(prepared: PreparedStep, *, confirmed: bool) -> None:
    if prepared.phase.human_only and not confirmed:
        raise NoHumanError(
            f"{prepared.phase.name} may only be started by a person, and nobody confirmed it",
            "Start it at a terminal: handoff-tui step asks there.",
        )
    if prepared.budget.is_spent and not prepared.request.beyond_budget:
        raise AgentRunError(
            f"{prepared.key.handoff} needs a person: all {prepared.budget.allowed + 1} tries of the loop are used up",
            "`handoff-tui step --list` shows the trail. Decide on the work, or give it one more try: --beyond-budget",
        )
    refuse_untrusted(prepared.desk, prepared.found)


def _find_wanted(pipeline: Pipeline, source: Phase, request: StepRequest) -> str | None:
    if not request.back:
        return request.phase
    source = find_phase(pipeline, request.phase) if request.phase else source
    before = find_previous(pipeline, source)
    if before is None:
        raise AgentRunError(f"{source.name} is the first phase of {pipeline.name}; there is none before it")
    return before.name


def _examine_again(examined: Examined, label: str, telling: Telling | None) -> Examined:
    """The same work at another gate."""
    log = open_log(examined.desk.repository)
    return examine(examined.desk, log, examined.handoff.id, label, telling=telling, earlier=examined)


def find_packet(examined: Examined, route: Route, telling: Telling | None) -> Packet | None:
    """What sent the work back into this phase; nothing for work that nobody sent back."""
    handoff, label = examined.handoff.id, build_id(route.phase)
    if label != examined.target.phase:
        if not list_sent_back(examined.index, handoff, label):
            return None
        examined = _examine_again(examined, label, telling)
    packet = build_packet(examined)
    return packet if packet.demands or route.direction is not Direction.FORWARD else None


def _find_key(desk: Desk, examined: Examined, route: Route, packet: Packet | None) -> RunKey:
    """The attempt as the log counts it, and within it the next try."""
    attempt = packet.attempt if packet is not None else 1
    if packet is None and build_id(route.phase) == examined.target.phase:
        attempt = examined.target.attempt
    runs = [
        state.key
        for state in list_runs(desk.repository.common_dir, examined.handoff.id)
        if (state.key.phase, state.key.attempt, state.key.step) == (route.phase, attempt, AGENT_STEP)
    ]
    number = max((key.number for key in runs), default=0) + 1
    return RunKey(handoff=examined.handoff.id, phase=route.phase, attempt=attempt, number=number)
