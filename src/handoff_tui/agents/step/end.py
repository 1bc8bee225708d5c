"""What became of a run: what it did, what speaks against it, what the checks say, and where that leads."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from handoff_tui.agents.fix_tasks import build_fix_tasks
from handoff_tui.agents.outcome import (
    Judged,
    add_budget,
    describe_next,
    describe_procedure_next,
    find_direction,
    judge_run,
)
from handoff_tui.agents.route import count_budget, find_failure_target, find_next, find_phase
from handoff_tui.agents.runs.folders import RunHandle, find_run_folder, read_run, stop_run
from handoff_tui.agents.runs.observation import Observation
from handoff_tui.agents.runs.observe import read_new_commits, read_observation
from handoff_tui.agents.runs.phase_locks import HeldLock, release_lock
from handoff_tui.agents.runs.reports import find_output, load_observation, load_report, load_way, write_report
from handoff_tui.agents.runs.run import AGENT_STEP, RunEnd, RunEnding, RunKey, RunPlan, RunState, RunStatus
from handoff_tui.agents.signs import build_rewritten_notice, find_signs
from handoff_tui.agents.step.report import NewCommit, Notice, Route, StepOutcome, StepReport, TouchedFile
from handoff_tui.agents.step.trail import build_trail, build_trail_entry, list_reports
from handoff_tui.checks.run.check import Telling
from handoff_tui.config.pipeline import Phase, Pipeline
from handoff_tui.core.errors import AgentRunError, HandoffError
from handoff_tui.decisions.examine import Examined, examine
from handoff_tui.git.history.work_commits import is_ancestor
from handoff_tui.git.objects.private_objects import offer_objects
from handoff_tui.git.objects.tree_diff import list_changes
from handoff_tui.git.repository import Repository, open_repository
from handoff_tui.handoffs.handoff import build_id
from handoff_tui.handoffs.session import Desk, open_desk
from handoff_tui.log.index import LogIndex, build_log_index
from handoff_tui.log.open_log import open_log
from handoff_tui.system.files.cache_files import find_cache_folder
from handoff_tui.system.processes.output_reader import read_ends

_HEAD_BYTES, _TAIL_BYTES = 256 * 1024, 1024 * 1024
_MOST_FILES = 2_000
_CHANGES = {"A": "added", "M": "modified", "D": "deleted", "T": "type changed", "R": "renamed", "C": "copied"}


class _Ended(NamedTuple):
    """A run that is over, and what was there before it."""

    state: RunState
    plan: RunPlan
    end: RunEnd
    route: Route
    pipeline: Pipeline
    phase: Phase
    before: Observation

    @property
    def by_hand(self) -> bool:
        """Whether a person had it started: then the checks of its gate follow. A procedure has rules of its own."""
        return self.state.key.step == AGENT_STEP

    @property
    def has_gate(self) -> bool:
        """Whether a person looks at it before anything follows from it."""
        return self.by_hand and self.phase.gate


class _Looked(NamedTuple):
    """What was found after it."""

    after: Observation
    notices: list[Notice]
    files: tuple[TouchedFile, ...]
    commits: tuple[NewCommit, ...]
    examined: Examined | None
    problem: str | None


def finish_step(desk: Desk, key: RunKey, telling: Telling | None = None) -> StepReport:
    """Looks at a run that is over, runs the checks of its gate, and writes down what became of it; once.

    The run of a procedure's step is judged as that of a phase without a gate; its rules are the procedure's business.
    """
    ended = _read_ended(desk, key)
    known = load_report(ended.state)
    if known is not None:
        return known
    if ended.plan.lock is not None:
        release_lock(HeldLock(Path(ended.plan.lock), ended.plan.mark))
    looked = _look(desk, ended, telling)
    if telling is not None and telling.cancel.is_set():  # checks that were cut short say nothing of the work
        raise AgentRunError(f"the work of {key.handoff} · {key.phase} was not looked at to the end", "Look again.")
    report = _build_report(desk, ended, looked)
    write_report(ended.state, report)
    return report


def _read_ended(desk: Desk, key: RunKey) -> _Ended:
    handle = RunHandle(key, find_run_folder(desk.repository.common_dir, key))
    state = read_run(handle)
    if state.status is RunStatus.ABSENT:
        raise AgentRunError(
            f"the files of the run are gone: {state.folder}",
            "Its agent may have deleted them, and more: look at the repository before anything else is started.",
        )
    if not state.is_over:
        raise AgentRunError(f"{key.handoff} · {key.phase} is still {state.status.value}", "Wait for it, or stop it.")
    if state.end is None:  # lost: what is left of it is ended first
        state = stop_run(handle)
    if state.end is None or state.plan is None:
        raise AgentRunError(f"the files of the run in {state.folder} cannot be read", "Move the folder aside.")
    way = load_way(state)
    before = load_observation(state)
    if way is None or before is None:
        raise AgentRunError(
            f"the run in {state.folder} was not started by a step", "Only such runs can be looked at like this."
        )
    route, pipeline = way
    return _Ended(state, state.plan, state.end, route, pipeline, find_phase(pipeline, route.phase), before)


def _look(desk: Desk, ended: _Ended, telling: Telling | None) -> _Looked:
    folder, before = Path(ended.plan.folder), ended.before
    after = read_observation(folder, desk.repository.root, before.rule_names, before.guarded_names)
    output = read_ends(find_output(ended.state), _HEAD_BYTES, _TAIL_BYTES)
    patterns = desk.loaded.settings.hub.suspicious_output
    may_change_nothing = ended.plan.may_change_nothing
    notices = find_signs(ended.end, before, after, output, patterns, may_change_nothing=may_change_nothing)
    if after.problem is not None:
        return _Looked(after, notices, (), (), None, None)
    repository = open_repository(folder)
    if _is_rewritten(repository, ended.before, after):
        notices.insert(0, build_rewritten_notice(ended.before.head or "", after.branch))
    is_examined = ended.by_hand and ended.end.ending is not RunEnding.STOPPED
    examined, problem = _examine(folder, ended, telling) if is_examined else (None, None)
    commits = read_new_commits(repository.git, before.head, after.head)
    return _Looked(after, notices, _list_files(repository, before, after), commits, examined, problem)


def _examine(folder: Path, ended: _Ended, telling: Telling | None) -> tuple[Examined | None, str | None]:
    """The gate of the phase where the agent worked; why it could not be asked is a finding of its own."""
    try:
        desk = open_desk(folder)
        log, label = open_log(desk.repository), build_id(ended.route.phase)
        return examine(desk, log, ended.state.key.handoff, label, telling=telling), None
    except HandoffError as refused:
        return None, f"its work cannot be examined: {refused.message}"


def _build_report(desk: Desk, ended: _Ended, looked: _Looked) -> StepReport:
    pipeline, phase = ended.pipeline, ended.phase
    examined = looked.examined
    failing = examined.target.failing if examined is not None else ()
    judged = judge_run(ended.end, looked.notices, failing, looked.problem, has_gate=ended.has_gate)
    tasks = desk.loaded.settings.hub
    report = StepReport(
        key=ended.state.key,
        route=ended.route,
        agent=ended.plan.agent,
        owner=ended.plan.owner,
        folder=ended.plan.folder,
        branch=looked.after.branch,
        end=ended.end,
        outcome=judged.outcome,
        why=judged.why,
        notices=tuple(looked.notices),
        files=looked.files,
        commits=looked.commits,
        head_before=ended.before.head,
        head_after=looked.after.head,
        tree_after=looked.after.tree,
        has_gate=ended.has_gate,
        gate=examined.gate.state.value if examined is not None else None,
        failing=failing,
        checks_passed=examined.report.passed if examined is not None else 0,
        checks_total=examined.report.total if examined is not None else 0,
        fix_tasks=build_fix_tasks(
            examined.report, examined.handoff.findings, tasks.task_priorities, tasks.closed_finding_statuses
        )
        if examined is not None
        else (),
        proof=str(find_output(ended.state)),
        context_sha256=ended.plan.context_sha256,
        prompt_sha256=ended.plan.prompt_sha256,
    )
    if not ended.by_hand:
        return report.model_copy(update={"next_move": describe_procedure_next(report.outcome)})
    return _add_way_on(desk, pipeline, phase, report, examined)


def _add_way_on(
    desk: Desk, pipeline: Pipeline, phase: Phase, report: StepReport, examined: Examined | None
) -> StepReport:
    """The budget of the loop with this run in it, and who owes the next move."""
    index = examined.index if examined is not None else _read_index(desk)
    earlier = tuple(one for one in list_reports(desk, report.key.handoff) if one.key != report.key)
    trail = (*build_trail(earlier, index, report.key.handoff), build_trail_entry(report))
    budget = count_budget(pipeline, trail)
    judged = add_budget(Judged(report.outcome, report.why), budget)
    target = _find_target(pipeline, phase, judged.outcome, examined)
    last = trail[-1].model_copy(update={"outcome": judged.outcome, "why": "; ".join(judged.why)})
    return report.model_copy(
        update={
            "outcome": judged.outcome,
            "why": judged.why,
            "budget": budget,
            "trail": (*trail[:-1], last),
            "next_phase": None if target is None else target.name,
            "next_direction": find_direction(judged.outcome),
            "next_by_person": target is not None and target.human_only,
            "next_move": describe_next(judged.outcome, phase, target, budget),
        }
    )


def _read_index(desk: Desk) -> LogIndex | None:
    """The log; nothing where even that cannot be read any more."""
    try:
        return build_log_index(open_log(desk.repository).verify())
    except HandoffError:
        return None


def _find_target(pipeline: Pipeline, phase: Phase, outcome: StepOutcome, examined: Examined | None) -> Phase | None:
    if outcome is StepOutcome.FAILED:
        return find_failure_target(pipeline, phase)
    if outcome is StepOutcome.READY:
        return find_next(pipeline, phase, examined.handoff.target_phase if examined is not None else None)
    return None


def _is_rewritten(repository: Repository, before: Observation, after: Observation) -> bool:
    if before.head is None or after.head is None or before.head == after.head:
        return False
    return not is_ancestor(repository.git, before.head, after.head)


def _list_files(repository: Repository, before: Observation, after: Observation) -> tuple[TouchedFile, ...]:
    """What differs between before and after, committed or not."""
    if before.tree is None or after.tree is None or before.tree == after.tree:
        return ()
    objects = offer_objects(repository, find_cache_folder(repository.root))
    changes = list_changes(repository.git, before.tree, after.tree, extra=objects)
    return tuple(
        TouchedFile(path=change.path, change=_CHANGES.get(change.status, change.status), old_path=change.old_path)
        for change in changes[:_MOST_FILES]
    )
