"""One run of an agent from what was prepared to its supervisor: for steps by hand and for those of procedures."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from handoff_tui.agents.command import build_argv, fill
from handoff_tui.agents.consent import PhaseAgent
from handoff_tui.agents.runs.folders import find_run, find_run_folder, start_run, write_run
from handoff_tui.agents.runs.observe import read_observation
from handoff_tui.agents.runs.phase_locks import HeldLock, release_lock
from handoff_tui.agents.runs.reports import BEFORE, CONTEXT, CONTEXT_TEXT, NOTES, PIPELINE, PROMPT, ROUTE
from handoff_tui.agents.runs.run import RunKey, RunPlan, RunStatus
from handoff_tui.agents.runs.view import RunView
from handoff_tui.agents.runs.worktrees import AgentWorktree, open_worktree
from handoff_tui.agents.step.context import build_context_json
from handoff_tui.agents.step.context_page import render_context
from handoff_tui.agents.step.follow import build_view, find_operator
from handoff_tui.agents.step.report import Route, StepContext
from handoff_tui.agents.step.worktrees import clear_worktrees
from handoff_tui.config.load import REPOSITORY_FILE, load_settings
from handoff_tui.config.pipeline import Phase, Pipeline
from handoff_tui.core.errors import HandoffError, ShownMovedError
from handoff_tui.decisions.changed_since_shown import find_moves
from handoff_tui.decisions.examine import Examined, judge_again
from handoff_tui.handoffs.session import Desk
from handoff_tui.log.index import LogIndex
from handoff_tui.log.open_log import open_log


def refuse_moved_start(examined: Examined) -> None:
    """Asks the gate and looks at the work once more; what was prepared is what starts, or an error says what moved."""
    moves = (*find_moves(examined), *_find_decisions(examined), *_find_settings(examined))
    if moves:
        raise ShownMovedError(
            f"nobody was started, since it is not as it was a moment ago: {'; '.join(moves)}", "Look, and ask again."
        )


def _find_decisions(examined: Examined) -> tuple[str, ...]:
    """By the signed log as it is now."""
    now = judge_again(examined, open_log(examined.desk.repository))
    target = examined.target
    if now.gate.state is not examined.gate.state:
        was, found = examined.gate.state.value, now.gate.state.value
        return (f"the gate behind {target.phase} is {found} now, and was {was}",)
    if _list_votes(now.index, target.handoff) != _list_votes(examined.index, target.handoff):
        return (f"somebody has decided about {target.handoff}",)
    return ()


def _list_votes(index: LogIndex, handoff: str) -> set[str]:
    return {vote.entry.id for vote in index.votes.values() if vote.work.handoff == handoff}


def _find_settings(examined: Examined) -> tuple[str, ...]:
    then, now = examined.desk.loaded.settings, load_settings(examined.desk.repository.root).settings
    moved = [
        words
        for words, same in (
            ("the configuration of agents", then.agents == now.agents),
            ("the configuration of pipelines", then.pipelines == now.pipelines),
        )
        if not same
    ]
    return tuple(f"{words} is another one" for words in moved)


_OWN_VALUES = ("handoff", "phase", "attempt", "prompt_file", "context_file", "notes_file", "repository", "transfer")


@dataclass(frozen=True, slots=True)
class PreparedRun:
    """Everything that a start needs; nothing was written or run yet."""

    examined: Examined
    pipeline: Pipeline
    phase: Phase
    route: Route
    found: PhaseAgent
    key: RunKey
    context: StepContext
    worktree: AgentWorktree | None

    @property
    def desk(self) -> Desk:
        return self.examined.desk

    @property
    def work_folder(self) -> Path:
        return self.desk.repository.root if self.worktree is None else self.worktree.folder

    @property
    def owner(self) -> str:
        """Who has it started: the person at the desk, or a run of a procedure."""
        procedure = self.context.procedure
        return find_operator(self.desk) if procedure is None else f"the procedure {procedure}"


def start_prepared(prepared: PreparedRun, held: HeldLock) -> RunView:
    """Under the lock of the phase: what was prepared must still hold, then the run is written and started.

    When it cannot be, the lock is given back.
    """
    desk, key = prepared.desk, prepared.key
    try:
        refuse_moved_start(prepared.examined)
        _refuse_second(prepared)
        clear_worktrees(desk, key.handoff, prepared.work_folder)  # before anything beside its folder is looked at
        if prepared.worktree is not None:
            open_worktree(desk.repository, key, desk.work_tree.facts.own_uncommitted)
        files, plan = _build_run(prepared)
        locked = plan.model_copy(update={"lock": str(held.place), "mark": held.mark})
        state = start_run(write_run(desk.repository.common_dir, locked, files), build_environment(prepared))
    except HandoffError:
        release_lock(held)
        raise
    return build_view(state)


def build_environment(prepared: PreparedRun) -> dict[str, str]:
    """Only the variables that the agent's configuration names, and where its own files are."""
    given = {name: os.environ[name] for name in prepared.found.agent.environment if name in os.environ}
    values = _build_values(prepared)
    return given | {f"HANDOFF_TUI_{name.upper()}": values[name] for name in _OWN_VALUES if name in values}


def build_prompt(prepared: PreparedRun) -> str:
    """Word for word what the agent would be told."""
    return _build_prompt(prepared)[0]


def list_rule_files(desk: Desk) -> tuple[str, ...]:
    """The files that say how the work is checked."""
    return (REPOSITORY_FILE, desk.loaded.settings.mosaic.session_gate_script)


def _refuse_second(prepared: PreparedRun) -> None:
    """Two people may have prepared the same try; a procedure goes on with its own, which a dead worker had written."""
    state = find_run(prepared.desk.repository.common_dir, prepared.key)
    if prepared.context.procedure is None and state.status is not RunStatus.ABSENT:
        raise ShownMovedError(
            f"nobody was started: try {prepared.key.number} of {prepared.key.phase} was begun by somebody meanwhile",
            "Look at what became of it: handoff-tui step --list",
        )


def _build_run(prepared: PreparedRun) -> tuple[dict[str, bytes], RunPlan]:
    """The files that the run begins with, and the plan for its supervisor."""
    agent, context = prepared.found.agent, prepared.context
    prompt, context_text = _build_prompt(prepared)
    data = json.dumps(build_context_json(context), indent=2).encode() + b"\n"
    before = read_observation(
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
        BEFORE: before.model_dump_json().encode(),
        ROUTE: prepared.route.model_dump_json().encode(),
        PIPELINE: prepared.pipeline.model_dump_json().encode(),
    }
    plan = RunPlan(
        key=prepared.key,
        argv=build_argv(agent, _build_values(prepared) | {"prompt": prompt}),
        folder=str(prepared.work_folder),
        timeout_seconds=agent.timeout_seconds,
        grace_seconds=agent.grace_seconds,
        output_bytes=agent.output_bytes,
        environment=agent.environment,
        owner=prepared.owner,
        agent=prepared.found.name,
        context_sha256=hashlib.sha256(data).hexdigest(),
        prompt_sha256=hashlib.sha256(files[PROMPT]).hexdigest(),
        may_change_nothing=agent.may_change_nothing,
    )
    return files, plan


def _build_prompt(prepared: PreparedRun) -> tuple[str, str]:
    """The prompt, and the context alone."""
    role = prepared.context.role
    words = "\n".join((role.prompt or role.title, *(f"- {rule}" for rule in role.standards)))
    context, packet = render_context(prepared.context)
    texts = {"role": words.strip(), "context": context, "packet": packet}
    return fill(prepared.found.agent.prompt, _build_values(prepared) | texts).strip() + "\n", context


def _build_values(prepared: PreparedRun) -> dict[str, str]:
    """What a command and a prompt may name."""
    folder = find_run_folder(prepared.desk.repository.common_dir, prepared.key)
    values = {
        "handoff": prepared.key.handoff,
        "phase": prepared.key.phase,
        "attempt": str(prepared.key.attempt),
        "folder": str(prepared.work_folder),
        "repository": str(prepared.desk.repository.root),
        "prompt_file": str(folder / PROMPT),
        "context_file": str(folder / CONTEXT),
        "notes_file": str(folder / NOTES),
    }
    transfer = prepared.context.transfer
    return values if transfer is None else values | {"transfer": transfer}
