"""Starts one agent by hand: the way into its phase, its context, its lock, its run."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from handoff_tui.agents.command import build_argv, fill
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
from handoff_tui.config.agents import WorkFolder
from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.errors import AgentRunError, HandoffError, NoHumanError, UsageError
from handoff_tui.models.agent_run import AGENT_STEP, RunKey, RunPlan
from handoff_tui.models.handoff import build_id
from handoff_tui.models.packet import Packet
from handoff_tui.models.pipeline import Phase, Pipeline
from handoff_tui.models.run_view import RunView
from handoff_tui.models.step import Budget, Direction, Route, StepContext, TrailEntry
from handoff_tui.repo.agent_runs import find_run_folder, list_runs, start_run, write_run
from handoff_tui.repo.agent_watch import read_observation
from handoff_tui.repo.agent_worktrees import AgentWorktree, find_worktree, open_worktree
from handoff_tui.repo.phase_locks import release_lock, take_lock
from handoff_tui.repo.step_reports import BEFORE, CONTEXT, CONTEXT_TEXT, NOTES, PIPELINE, PROMPT, ROUTE
from handoff_tui.review.agent_trust import PhaseAgent, find_phase_agent, refuse_untrusted
from handoff_tui.review.check import Telling
from handoff_tui.review.desk import Desk
from handoff_tui.review.examine import Examined, examine
from handoff_tui.review.log import open_log
from handoff_tui.review.packet import build_packet
from handoff_tui.review.place import list_sent_back
from handoff_tui.review.reading import read_shelf
from handoff_tui.review.show import find_id
from handoff_tui.review.step_context import build_context, build_context_json, complete_context
from handoff_tui.review.step_follow import build_view, find_operator
from handoff_tui.review.step_trail import build_trail, list_reports

_MOST_NAMED = 12
Renderer = Callable[[StepContext], tuple[str, str]]
"""The context and the packet as text; a front end gives it, since words are its business."""


class StepRequest(NamedTuple):
    """Which agent is to be started."""

    handoff: str
    phase: str | None = None
    back: bool = False
    """Into the phase before the one whose work is there."""
    beyond_budget: bool = False
    """A person wants one more try than the loop has."""


@dataclass(frozen=True, slots=True)
class PreparedStep:
    """Everything that a start needs; nothing was written or run yet."""

    examined: Examined
    pipeline: Pipeline
    phase: Phase
    route: Route
    found: PhaseAgent
    key: RunKey
    context: StepContext
    worktree: AgentWorktree | None
    budget: Budget
    trail: tuple[TrailEntry, ...]
    request: StepRequest

    @property
    def desk(self) -> Desk:
        return self.examined.desk

    @property
    def work_folder(self) -> Path:
        return self.desk.repository.root if self.worktree is None else self.worktree.folder


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
    packet = _find_packet(examined, route, telling)
    key = _find_key(desk, examined, route, packet)
    worktree = find_worktree(desk.repository, key) if found.agent.folder is WorkFolder.WORKTREE else None
    budget = count_budget(pipeline, trail)
    context = build_context(examined, key, route, found, find_passed(pipeline, route), reports, packet)
    folder = str(desk.repository.root if worktree is None else worktree.folder)
    branch = desk.work_tree.facts.branch if worktree is None else worktree.branch
    context = complete_context(context, folder, branch, budget)
    return PreparedStep(examined, pipeline, phase, route, found, key, context, worktree, budget, trail, request)


def start_step(prepared: PreparedStep, render: Renderer, *, confirmed: bool = False) -> RunView:
    """Takes the lock of the phase, writes the run, and starts its supervisor.

    `confirmed` is the word of a person at a terminal, which a phase for people alone asks for.
    """
    _refuse_start(prepared, confirmed=confirmed)
    desk, key = prepared.desk, prepared.key
    common_dir = desk.repository.common_dir
    held = take_lock(common_dir, key, find_operator(desk))
    try:
        if prepared.worktree is not None:
            open_worktree(desk.repository, key, desk.work_tree.facts.own_uncommitted)
        files, plan = _build_run(prepared, render)
        handle = write_run(common_dir, plan.model_copy(update={"lock": str(held.place), "mark": held.mark}), files)
        state = start_run(handle, build_environment(prepared))
    except HandoffError:
        release_lock(held)
        raise
    return build_view(state)


def build_environment(prepared: PreparedStep) -> dict[str, str]:
    """Only the variables that the agent's configuration names, and where its own files are."""
    given = {name: os.environ[name] for name in prepared.found.agent.environment if name in os.environ}
    values = _build_values(prepared)
    own = ("handoff", "phase", "attempt", "prompt_file", "context_file", "notes_file", "repository")
    return given | {f"HANDOFF_TUI_{name.upper()}": values[name] for name in own}


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


def _build_run(prepared: PreparedStep, render: Renderer) -> tuple[dict[str, bytes], RunPlan]:
    """The files that the run begins with, and the plan for its supervisor."""
    agent, context = prepared.found.agent, prepared.context
    values = _build_values(prepared)
    prompt, context_text = _build_prompt(prepared, render)
    data = json.dumps(build_context_json(context), indent=2).encode() + b"\n"
    guarded = read_observation(
        prepared.work_folder,
        prepared.desk.repository.root,
        list_rule_files(prepared.desk),
        agent.guarded,
    )
    notes = "".join(f"{note.time} {note.author}: {note.text}\n" for note in context.notes)
    files = {
        PROMPT: prompt.encode("utf-8", "surrogateescape"),
        CONTEXT: data,
        CONTEXT_TEXT: context_text.encode("utf-8", "surrogateescape"),
        NOTES: notes.encode("utf-8", "surrogateescape"),
        BEFORE: guarded.model_dump_json().encode(),
        ROUTE: prepared.route.model_dump_json().encode(),
        PIPELINE: prepared.pipeline.model_dump_json().encode(),
    }
    plan = RunPlan(
        key=prepared.key,
        argv=build_argv(agent, values | {"prompt": prompt}),
        folder=str(prepared.work_folder),
        timeout_seconds=agent.timeout_seconds,
        grace_seconds=agent.grace_seconds,
        output_bytes=agent.output_bytes,
        environment=agent.environment,
        owner=find_operator(prepared.desk),
        agent=prepared.found.name,
        context_sha256=hashlib.sha256(data).hexdigest(),
        prompt_sha256=hashlib.sha256(files[PROMPT]).hexdigest(),
    )
    return files, plan


def build_prompt(prepared: PreparedStep, render: Renderer) -> str:
    """Word for word what the agent would be told."""
    return _build_prompt(prepared, render)[0]


def _build_prompt(prepared: PreparedStep, render: Renderer) -> tuple[str, str]:
    """The prompt, and the context alone."""
    role = prepared.context.role
    words = "\n".join((role.prompt or role.title, *(f"- {rule}" for rule in role.standards)))
    context, packet = render(prepared.context)
    texts = {"role": words.strip(), "context": context, "packet": packet}
    return fill(prepared.found.agent.prompt, _build_values(prepared) | texts).strip() + "\n", context


def list_rule_files(desk: Desk) -> tuple[str, ...]:
    """The files that say how the work is checked."""
    return (REPOSITORY_FILE, desk.loaded.settings.mosaic.session_gate_script)


def _build_values(prepared: PreparedStep) -> dict[str, str]:
    """What a command and a prompt may name."""
    folder = find_run_folder(prepared.desk.repository.common_dir, prepared.key)
    return {
        "handoff": prepared.key.handoff,
        "phase": prepared.key.phase,
        "attempt": str(prepared.key.attempt),
        "folder": str(prepared.work_folder),
        "repository": str(prepared.desk.repository.root),
        "prompt_file": str(folder / PROMPT),
        "context_file": str(folder / CONTEXT),
        "notes_file": str(folder / NOTES),
    }


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


def _find_packet(examined: Examined, route: Route, telling: Telling | None) -> Packet | None:
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
