"""Starts a prepared run: checks that nothing has changed, writes the run's files, and starts its supervisor."""

from __future__ import annotations

import hashlib
import json
import os

from handoff_tui.agents.command import build_argv, fill
from handoff_tui.agents.consent import refuse_untrusted
from handoff_tui.agents.runs.folders import find_run, find_run_folder, start_run, write_run
from handoff_tui.agents.runs.observation import read_observation
from handoff_tui.agents.runs.phase_locks import HeldLock, release_lock, take_lock
from handoff_tui.agents.runs.reports import BEFORE, CONTEXT, CONTEXT_TEXT, NOTES, PIPELINE, PROMPT, ROUTE
from handoff_tui.agents.runs.run import RunPlan, RunStatus
from handoff_tui.agents.runs.worktrees import clear_worktrees, open_worktree
from handoff_tui.agents.step.context import build_context_json, render_context
from handoff_tui.agents.step.follow import build_view, find_operator
from handoff_tui.agents.step.prepare import PreparedRun, PreparedStep
from handoff_tui.agents.step.report import RunView
from handoff_tui.config.load import REPOSITORY_FILE, load_settings
from handoff_tui.core.errors import AgentRunError, HandoffError, NoHumanError, ShownMovedError
from handoff_tui.decisions.changed_since_shown import find_changes_since
from handoff_tui.decisions.examine import ExaminedGate, judge_again
from handoff_tui.handoffs.session import Desk
from handoff_tui.log.index import LogIndex
from handoff_tui.log.open_log import open_log

_OWN_VALUES = ("handoff", "phase", "attempt", "prompt_file", "context_file", "notes_file", "repository", "transfer")


def start_step(prepared: PreparedStep, *, confirmed: bool = False) -> RunView:
    """Takes the lock of the phase and starts the run.

    `confirmed`: a person at a terminal agreed, which a phase for people only requires.
    """
    if prepared.phase.human_only and not confirmed:
        raise NoHumanError(
            f"only a person may start {prepared.phase.name}, and nobody confirmed it",
            "Run handoff-tui step at a terminal: it asks there.",
        )
    if prepared.budget.is_spent and not prepared.request.beyond_budget:
        raise AgentRunError(
            f"{prepared.key.handoff} needs you: the retry budget of {prepared.budget.allowed + 1} runs is used up",
            "`handoff-tui step --list` shows the runs. Decide on the work, or allow one more run: --beyond-budget",
        )
    refuse_untrusted(prepared.desk, prepared.agent)
    held = take_lock(prepared.desk.repository.common_dir, prepared.key, _find_owner(prepared))
    return start_prepared(prepared, held)


def start_prepared(prepared: PreparedRun, held: HeldLock) -> RunView:
    """Writes and starts the run under the lock of its phase; gives the lock back if that fails."""
    desk, key = prepared.desk, prepared.key
    try:
        refuse_changed(prepared.examined)
        _refuse_second(prepared)
        clear_worktrees(desk, key.handoff, prepared.work_folder)  # before the folders beside it are observed
        if prepared.worktree is not None:
            open_worktree(desk.repository, key, desk.work_tree.facts.own_uncommitted)
        files, plan = _build_run(prepared, held)
        state = start_run(write_run(desk.repository.common_dir, plan, files), build_environment(prepared))
    except HandoffError:
        release_lock(held)
        raise
    return build_view(state)


def build_environment(prepared: PreparedRun) -> dict[str, str]:
    """Returns only the variables that the agent's configuration names, and the paths of its files."""
    given = {name: os.environ[name] for name in prepared.agent.settings.environment if name in os.environ}
    values = _build_values(prepared)
    return given | {f"HANDOFF_TUI_{name.upper()}": values[name] for name in _OWN_VALUES if name in values}


def build_prompt(prepared: PreparedRun) -> str:
    """Returns exactly what the agent would be told."""
    role = prepared.context.role
    words = "\n".join((role.prompt or role.title, *(f"- {rule}" for rule in role.standards)))
    context, packet = render_context(prepared.context)
    texts = {"role": words.strip(), "context": context, "packet": packet}
    return fill(prepared.agent.settings.prompt, _build_values(prepared) | texts).strip() + "\n"


def list_rule_files(desk: Desk) -> tuple[str, ...]:
    """Lists the files that say how the work is checked."""
    return (REPOSITORY_FILE, desk.loaded.settings.mosaic.session_gate_script)


def refuse_changed(examined: ExaminedGate) -> None:
    """Raises an error if the work, the gate or the configuration is no longer what was examined."""
    changes = (*find_changes_since(examined), *_find_decisions(examined), *_find_settings(examined))
    if changes:
        raise ShownMovedError(
            f"no agent was started, because something changed meanwhile: {'; '.join(changes)}", "Look again, and retry."
        )


def _find_decisions(examined: ExaminedGate) -> tuple[str, ...]:
    """Compares with the signed log as it is now."""
    now = judge_again(examined, open_log(examined.desk.repository))
    key, was = examined.key, examined.gate.state
    if now.gate.state is not was:
        return (f"the gate behind {key.phase} is now {now.gate.state.value}; it was {was.value}",)
    if _list_decisions(now.index, key.handoff) != _list_decisions(examined.index, key.handoff):
        return (f"somebody has decided about {key.handoff}",)
    return ()


def _list_decisions(index: LogIndex, handoff: str) -> set[str]:
    return {vote.entry.id for vote in index.decisions.values() if vote.work.handoff == handoff}


def _find_settings(examined: ExaminedGate) -> tuple[str, ...]:
    then, now = examined.desk.loaded.settings, load_settings(examined.desk.repository.root).settings
    compared = (("agents", then.agents == now.agents), ("pipelines", then.pipelines == now.pipelines))
    return tuple(f"the configuration of {name} changed" for name, is_same in compared if not is_same)


def _refuse_second(prepared: PreparedRun) -> None:
    """Refuses a run that somebody else has begun; a procedure goes on with the one a dead worker had written."""
    key = prepared.key
    if prepared.procedure is None and find_run(prepared.desk.repository.common_dir, key).status is not RunStatus.ABSENT:
        raise ShownMovedError(
            f"no agent was started: somebody else has just begun run {key.number} of {key.phase}",
            "See what became of it: handoff-tui step --list",
        )


def _find_owner(prepared: PreparedRun) -> str:
    procedure = prepared.procedure
    return find_operator(prepared.desk) if procedure is None else f"the procedure {procedure}"


def _build_run(prepared: PreparedRun, held: HeldLock) -> tuple[dict[str, bytes], RunPlan]:
    """Returns the files that the run begins with, and the plan for its supervisor."""
    agent, context = prepared.agent.settings, prepared.context
    prompt = build_prompt(prepared)
    data = json.dumps(build_context_json(context), indent=2).encode() + b"\n"
    root = prepared.desk.repository.root
    before = read_observation(prepared.work_folder, root, list_rule_files(prepared.desk), agent.guarded)
    notes = "".join(f"{note.time} {note.author}: {note.text}\n" for note in context.notes)
    files = {
        PROMPT: prompt.encode("utf-8", "surrogateescape"),
        CONTEXT: data,
        CONTEXT_TEXT: render_context(context)[0].encode("utf-8", "surrogateescape"),
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
        owner=_find_owner(prepared),
        agent=prepared.agent.name,
        context_sha256=hashlib.sha256(data).hexdigest(),
        prompt_sha256=hashlib.sha256(files[PROMPT]).hexdigest(),
        may_change_nothing=agent.may_change_nothing,
        lock=str(held.place),
        mark=held.mark,
    )
    return files, plan


def _build_values(prepared: PreparedRun) -> dict[str, str]:
    """Returns the fields that a command and a prompt may name."""
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
    return values if prepared.transfer is None else values | {"transfer": prepared.transfer}
