"""One step from beginning to end, with its retries; on request the loop, up to where a person must decide.

    StepRequest  → prepare.prepare_step →  PreparedStep
    PreparedStep → start_step           →  RunView, its agent running
    RunView      → follow               →  RunView, its agent ended
    RunKey       → end.finish_step      →  StepReport

Each state is on disk before the next begins, so the app, a second terminal or a later day can take over from there.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import uuid
from collections.abc import Callable
from threading import Event

from handoff_tui.agents.command import build_argv, build_backoff, fill
from handoff_tui.agents.consent import PhaseAgent, refuse_untrusted
from handoff_tui.agents.roster import lacks_login
from handoff_tui.agents.runs import reports
from handoff_tui.agents.runs.files import MESSAGES, PROMPT
from handoff_tui.agents.runs.folders import (
    EndCommand,
    RunHandle,
    attach_run,
    find_run,
    find_run_folder,
    list_runs,
    pause_run,
    resume_run,
    start_run,
    stop_run,
    wait_run,
    write_run,
)
from handoff_tui.agents.runs.listening import build_message
from handoff_tui.agents.runs.observation import read_observation
from handoff_tui.agents.runs.phase_locks import HeldLock, release_lock, take_lock
from handoff_tui.agents.runs.run import AGENT_STEP, ALIVE, RunKey, RunPlan, RunState, RunStatus
from handoff_tui.agents.runs.worktrees import clear_worktrees, open_worktree
from handoff_tui.agents.step.context import build_context_json, render_context
from handoff_tui.agents.step.end import finish_step
from handoff_tui.agents.step.judge import can_retry
from handoff_tui.agents.step.prepare import PreparedRun, PreparedStep, StepRequest, prepare_step
from handoff_tui.agents.step.report import OperatorNote, RunView, StepOutcome, StepReport
from handoff_tui.checks.run.check import ProgressCallbacks
from handoff_tui.config.load import REPOSITORY_FILE, load_settings
from handoff_tui.config.presets import PRESETS
from handoff_tui.config.settings.pipeline import AgentHome, AgentInput
from handoff_tui.core.classes import dataclass, field
from handoff_tui.core.errors import AgentRunError, HandoffError, NoHumanError, ShownMovedError, UsageError
from handoff_tui.core.model import Model
from handoff_tui.decisions.examine import ExaminedGate, find_changes_since, judge_again
from handoff_tui.git.signing.signing_key import read_identity
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.index import LogIndex
from handoff_tui.log.open_log import open_log
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.cache_files import find_agent_home, make_agent_home
from handoff_tui.system.processes.output_reader import read_last_lines


def build_view(state: RunState) -> RunView:
    """Builds the view of a run: its report and the last line it printed."""
    output = reports.find_output(state)
    last = read_last_lines(reports.find_readable(state), 1)
    return RunView(
        state=state,
        report=reports.load_report(state),
        last_line=last[0] if last else "",
        output=str(output),
        edited=reports.list_edited(state),
    )


def read_view(session: Session, key: RunKey) -> RunView:
    """Reads one run as it is now; cheap enough for many times a second."""
    return build_view(find_run(session.repository.common_dir, key))


def list_views(session: Session, handoff: str | None = None) -> tuple[RunView, ...]:
    """Lists every run, oldest first."""
    return tuple(build_view(state) for state in list_runs(session.repository.common_dir, handoff))


def is_running(session: Session, handoff: str) -> bool:
    """Tells whether an agent works on a handoff now."""
    return any(state.status in ALIVE for state in list_runs(session.repository.common_dir, handoff))


def find_active(session: Session, handoff: str | None, phase: str | None) -> RunKey:
    """Finds the one running agent; raises an error if there is none, or more than one."""
    runs = [state for state in list_runs(session.repository.common_dir, handoff) if state.status in ALIVE]
    wanted = [state for state in runs if phase is None or state.key.phase.casefold() == phase.casefold()]
    if len(wanted) == 1:
        return wanted[0].key
    if not wanted:
        raise AgentRunError("no agent is running here", "`handoff-tui step --list` shows the runs.")
    names = ", ".join(f"{state.key.handoff} · {state.key.phase}" for state in wanted)
    raise UsageError(f"more than one agent is running: {names}", "Name one with PHASE and --handoff ID.")


def find_last(session: Session, handoff: str | None, phase: str | None) -> RunKey:
    """Finds the step that is running, or the one that was started last."""
    runs = [state for state in list_runs(session.repository.common_dir, handoff) if state.key.step == AGENT_STEP]
    wanted = [state for state in runs if phase is None or state.key.phase.casefold() == phase.casefold()]
    if not wanted:
        raise AgentRunError("no agent was started here", "`handoff-tui step --list` shows the agents you can start.")
    alive = [state for state in wanted if state.status in ALIVE]
    return (alive or wanted)[-1].key


def follow(
    session: Session, key: RunKey, on_look: Callable[[RunView], None] | None = None, cancel: Event | None = None
) -> RunView:
    """Watches a run until it is over or `cancel` is set; leaves the agent alone."""
    handle = RunHandle(key, find_run_folder(session.repository.common_dir, key))

    def look(state: RunState) -> None:
        if on_look is not None:
            on_look(build_view(state))

    return build_view(wait_run(handle, cancel, on_look=look))


def stop_step(session: Session, key: RunKey, grace_seconds: float | None = None) -> RunView:
    """Sends TERM, waits for the grace period, sends KILL; nothing of the agent is left when this returns."""
    return build_view(stop_run(attach_run(session.repository.common_dir, key), grace_seconds))


def pause_step(session: Session, key: RunKey) -> RunView:
    return build_view(pause_run(attach_run(session.repository.common_dir, key)))


def resume_step(session: Session, key: RunKey) -> RunView:
    return build_view(resume_run(attach_run(session.repository.common_dir, key)))


def inject_note(session: Session, handoff: str, text: str) -> OperatorNote:
    """Adds a note for the agents of a handoff: running ones can read it now, the next one gets it."""
    if not text.strip():
        raise UsageError("the note is empty", "Say what the agent should know.")
    note = OperatorNote(text=text.strip(), author=find_operator(session), time=build_time(read_now()))
    reports.append_note(session.repository.common_dir, handoff, note)
    for state in list_runs(session.repository.common_dir, handoff):
        if state.status in ALIVE:
            reports.append_run_note(state, f"{note.time} {note.author}: {note.text}")
    return note


def find_operator(session: Session) -> str:
    """Returns who is at the terminal, by the user's own git configuration."""
    identity = read_identity(session.repository.git)
    return identity.email or identity.name or "somebody"


@dataclass(slots=True)
class StepCallbacks:
    """How the caller follows a step, confirms it, and ends it."""

    checks: ProgressCallbacks = field(default_factory=ProgressCallbacks)
    on_start: Callable[[PreparedStep], None] | None = None
    on_look: Callable[[RunView], None] | None = None
    on_report: Callable[[StepReport], None] | None = None
    confirm: Callable[[PreparedStep], bool] | None = None
    """Asks the person at the terminal; called only for phases that a person must start."""


def step(session: Session, request: StepRequest, callbacks: StepCallbacks, *, loop: bool = False) -> StepReport:
    """Runs one agent to its end and examines its work; with `loop`, goes on until a person is needed."""
    report = _run_with_retries(session, request, callbacks)
    while loop and not callbacks.checks.cancel.is_set() and can_go_on(report):
        session = open_session(session.repository.root)
        report = _run_with_retries(session, StepRequest(request.handoff, report.next_phase), callbacks)
    return report


def can_go_on(report: StepReport) -> bool:
    """Tells whether the loop may go on: failed work goes back, and work behind a phase without a gate goes forward."""
    if report.next_phase is None or report.next_by_person:
        return False
    return report.outcome is StepOutcome.FAILED or (report.outcome is StepOutcome.READY and not report.has_gate)


def _run_with_retries(session: Session, request: StepRequest, callbacks: StepCallbacks) -> StepReport:
    cancel = callbacks.checks.cancel
    retry = 0
    while True:
        prepared = prepare_step(session, request, callbacks.checks)
        if cancel.is_set():  # the checks were cut short, so nothing may be started on them
            raise KeyboardInterrupt
        report = _run_once(prepared, callbacks)
        retry += 1
        if cancel.is_set() or not can_retry(report.end, report.outcome) or retry > prepared.agent.settings.retries:
            return report
        if cancel.wait(build_backoff(prepared.agent.settings, retry)):
            return report
        session = open_session(session.repository.root)
        request = request._replace(phase=report.key.phase, back=False)


def _run_once(prepared: PreparedStep, callbacks: StepCallbacks) -> StepReport:
    is_confirmed = prepared.phase.human_only and callbacks.confirm is not None and callbacks.confirm(prepared)
    key = start_step(prepared, confirmed=is_confirmed).state.key
    if callbacks.on_start is not None:
        callbacks.on_start(prepared)
    view = follow(prepared.session, key, callbacks.on_look, callbacks.checks.cancel)
    if view.state.status in ALIVE:
        stop_step(prepared.session, key)
    # without the cancel: the person who stopped the agent still wants to see what it did
    report = finish_step(prepared.session, key, ProgressCallbacks(on_result=callbacks.checks.on_result))
    if callbacks.on_report is not None:
        callbacks.on_report(report)
    return report


_OWN_VALUES = ("handoff", "phase", "attempt", "prompt_file", "context_file", "notes_file", "repository", "transfer")


def start_step(prepared: PreparedStep, *, confirmed: bool = False, alone: bool = False) -> RunView:
    """Takes the lock of the phase and starts the run.

    `confirmed`: a person at a terminal agreed, which a phase for people only requires. `alone`: nobody follows it, so
    its supervisor examines the work when it ends, and tells whoever wants to be told.
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
    refuse_untrusted(prepared.session, prepared.agent)
    held = take_lock(prepared.session.repository.common_dir, prepared.key, _find_owner(prepared))
    return start_prepared(prepared, held, _build_ending(prepared) if alone else None)


def _build_ending(prepared: PreparedStep) -> EndCommand:
    """Returns the command that examines a run that has ended: the same that a person would give."""
    words = ("step", prepared.key.phase, "--handoff", prepared.key.handoff, "--attach")
    argv = (sys.executable, "-P", "-m", "handoff_tui", *words, "--repo", str(prepared.session.repository.root))
    return EndCommand(argv, dict(os.environ))


def start_prepared(prepared: PreparedRun, held: HeldLock, ending: EndCommand | None = None) -> RunView:
    """Writes and starts the run under the lock of its phase; gives the lock back if that fails."""
    session, key = prepared.session, prepared.key
    try:
        refuse_changed(prepared.examined)
        _refuse_second(prepared)
        clear_worktrees(session, key.handoff, prepared.work_folder)  # before the folders beside it are observed
        if prepared.agent.settings.home is AgentHome.PRIVATE:
            make_agent_home(session.repository.root, prepared.agent.name)
        if prepared.worktree is not None:
            own = session.work_tree.facts.own_uncommitted
            open_worktree(session.repository, key, own, prepared.worktree.base)
        plan, files, values = _build_run(prepared, held)
        handle = write_run(session.repository.common_dir, plan, files, values)
        state = start_run(handle, build_environment(prepared), ending)
    except HandoffError:
        release_lock(held)
        raise
    return build_view(state)


def build_environment(prepared: PreparedRun) -> dict[str, str]:
    """Returns only the variables that the agent's configuration names, and the paths of its files."""
    agent = prepared.agent
    given = {name: os.environ[name] for name in agent.settings.environment if name in os.environ}
    if agent.settings.home is AgentHome.PRIVATE:
        given["HOME"] = str(find_agent_home(prepared.session.repository.root, agent.name))
    values = _build_values(prepared)
    given |= {name: fill(value, values) for name, value in agent.settings.variables.items()}
    return (
        given
        | _name_author(agent)
        | {f"HANDOFF_TUI_{name.upper()}": values[name] for name in _OWN_VALUES if name in values}
    )


def _name_author(agent: PhaseAgent) -> dict[str, str]:
    """Returns the variables by which git knows who commits."""
    name, _, address = agent.settings.identity.rstrip(">").partition(" <")
    known = {"NAME": f"{name} ({agent.name})", "EMAIL": address} if address else {}
    return {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER") for part, value in known.items()}


def build_prompt(prepared: PreparedRun) -> str:
    """Returns exactly what the agent would be told."""
    role = prepared.context.role
    values = _build_values(prepared)
    standards = "\n".join(("Standards:", *(f"- {rule}" for rule in role.standards))) if role.standards else ""
    words = "\n\n".join(text for text in (fill(role.prompt or role.title, values), standards) if text)
    context, packet = render_context(prepared.context)
    texts = {"role": words, "context": context, "packet": packet}
    return fill(prepared.agent.settings.prompt, values | texts).strip() + "\n"


def list_rule_files(session: Session) -> tuple[str, ...]:
    """Lists the files that say how the work is checked."""
    return (REPOSITORY_FILE, session.loaded.settings.mosaic.session_gate_script)


def refuse_changed(examined: ExaminedGate) -> None:
    """Raises an error if the work, the gate or the configuration is no longer what was examined."""
    changes = (*find_changes_since(examined), *_find_decisions(examined), *_find_settings(examined))
    if changes:
        raise ShownMovedError(
            f"no agent was started, because something changed meanwhile: {'; '.join(changes)}", "Look again, and retry."
        )


def _find_decisions(examined: ExaminedGate) -> tuple[str, ...]:
    """Compares with the signed log as it is now."""
    now = judge_again(examined, open_log(examined.session.repository))
    key, was = examined.key, examined.gate.state
    if now.gate.state is not was:
        return (f"the gate of {key.phase} is now {now.gate.state.value}; it was {was.value}",)
    if _list_decisions(now.index, key.handoff) != _list_decisions(examined.index, key.handoff):
        return (f"somebody has decided about {key.handoff}",)
    return ()


def _list_decisions(index: LogIndex, handoff: str) -> set[str]:
    return {vote.entry.id for vote in index.decisions.values() if vote.work.handoff == handoff}


def _find_settings(examined: ExaminedGate) -> tuple[str, ...]:
    then, now = examined.session.loaded.settings, load_settings(examined.session.repository.root).settings
    compared = (("agents", then.agents == now.agents), ("pipelines", then.pipelines == now.pipelines))
    return tuple(f"the configuration of {name} changed" for name, is_same in compared if not is_same)


def _refuse_second(prepared: PreparedRun) -> None:
    """Refuses a run that somebody else has begun; a procedure goes on with the one a dead worker had written."""
    key = prepared.key
    if (
        prepared.procedure is None
        and find_run(prepared.session.repository.common_dir, key).status is not RunStatus.ABSENT
    ):
        raise ShownMovedError(
            f"no agent was started: somebody else has just begun run {key.number} of {key.phase}",
            "See what became of it: handoff-tui step --list",
        )


def _find_owner(prepared: PreparedRun) -> str:
    asking = prepared.request.owner if isinstance(prepared, PreparedStep) else f"the procedure {prepared.procedure}"
    return asking or find_operator(prepared.session)


def _build_run(prepared: PreparedRun, held: HeldLock) -> tuple[RunPlan, dict[str, bytes], dict[str, Model]]:
    """Returns the plan for the supervisor, the files for the agent, and what is kept to judge the run by."""
    agent, context = prepared.agent.settings, prepared.context
    prompt = build_prompt(prepared)
    data = json.dumps(build_context_json(context), indent=2).encode() + b"\n"
    root = prepared.session.repository.root
    opened = prepared.session.repository if prepared.worktree is None else None
    before = read_observation(prepared.work_folder, root, list_rule_files(prepared.session), agent.guarded, opened)
    notes = "".join(f"{note.time} {note.author}: {note.text}\n" for note in context.notes)
    files = {
        PROMPT: prompt.encode("utf-8", "surrogateescape"),
        reports.CONTEXT: data,
        reports.CONTEXT_TEXT: render_context(context)[0].encode("utf-8", "surrogateescape"),
        reports.NOTES: notes.encode("utf-8", "surrogateescape"),
    }
    values: dict[str, Model] = {
        reports.BEFORE: before, reports.ROUTE: prepared.route, reports.PIPELINE: prepared.pipeline,
    }  # fmt: skip
    if agent.input is AgentInput.MESSAGES:
        files[MESSAGES] = build_message(prompt)
    session = str(uuid.UUID(bytes=hashlib.sha256(held.mark.encode()).digest()[:16], version=4))
    argv = build_argv(agent, _build_values(prepared) | {"prompt": prompt, "session": session})
    plan = RunPlan(
        key=prepared.key,
        argv=argv,
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
        stated=prepared.examined.handoff.said_phase,
        session=session if any("{session}" in word for word in agent.command) else "",
        lacks_login=lacks_login(PRESETS.get(agent.preset or ""), argv, build_environment(prepared)),
        **agent.model_dump(include={"input", "stream", "resume", "max_cost", "max_tokens", "max_turns"}),
    )
    return plan, files, values


def _build_values(prepared: PreparedRun) -> dict[str, str]:
    """Returns the fields that a command and a prompt may name."""
    folder = find_run_folder(prepared.session.repository.common_dir, prepared.key)
    values = {
        "handoff": prepared.key.handoff,
        "phase": prepared.key.phase,
        "attempt": str(prepared.key.attempt),
        "folder": str(prepared.work_folder),
        "repository": str(prepared.session.repository.root),
        "git_folder": str(prepared.session.repository.common_dir),
        "run_folder": str(folder),
        "prompt_file": str(folder / PROMPT),
        "context_file": str(folder / reports.CONTEXT),
        "notes_file": str(folder / reports.NOTES),
    }
    return values if prepared.transfer is None else values | {"transfer": prepared.transfer}
