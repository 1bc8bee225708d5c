"""Finishes a run that is over, once: measures what it did, examines the gate, lists what to fix, writes the report."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from handoff_tui.agents.runs import reports
from handoff_tui.agents.runs.folders import RunHandle, find_run_folder, list_runs, read_run, stop_run
from handoff_tui.agents.runs.observation import (
    Observation,
    find_own_notes,
    read_new_commits,
    read_observation,
    read_touched_files,
)
from handoff_tui.agents.runs.phase_locks import HeldLock, release_lock
from handoff_tui.agents.runs.run import AGENT_STEP, RunEnd, RunEnding, RunKey, RunPlan, RunState, RunStatus
from handoff_tui.agents.step import judge
from handoff_tui.agents.step.report import FixTask, NewCommit, Notice, Route, StepOutcome, StepReport, TouchedFile
from handoff_tui.agents.step.route import find_failure_target, find_next, find_phase
from handoff_tui.agents.step.trail import build_trail, build_trail_entry, count_budget, list_reports
from handoff_tui.checks.report import CheckReport, CheckResult, Finding
from handoff_tui.checks.run.check import ProgressCallbacks
from handoff_tui.config.pipeline import Phase, Pipeline
from handoff_tui.config.presets import PRESETS
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import AgentRunError, HandoffError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Severity
from handoff_tui.core.tasks import ReportedFinding
from handoff_tui.decisions.examine import ExaminedGate, ExamineOptions, examine
from handoff_tui.git.history.commit_changes import read_commit_changes
from handoff_tui.git.history.commit_graph import is_ancestor
from handoff_tui.git.repository import Repository, open_repository
from handoff_tui.handoffs.handoff import build_id
from handoff_tui.handoffs.scope.run_commits import RunCommits, build_run_commits, read_run_records, write_run_commits
from handoff_tui.handoffs.session import Session, open_session_of
from handoff_tui.log.index import LogIndex, build_log_index
from handoff_tui.log.open_log import open_log
from handoff_tui.system.files.own_folder import OWN_FOLDER
from handoff_tui.system.files.probe import is_present
from handoff_tui.system.processes.output_reader import read_ends

_WORDS = compile_later(r"\w+")
_NO_PRIORITY = 0
_MOST_FINDINGS = 50
"""At most so many findings of one check."""
_ID_CHARACTERS = 12
_MOST_FILES = 2_000


def build_fix_tasks(
    report: CheckReport | None,
    findings: Iterable[ReportedFinding],
    priorities: Mapping[Severity, int],
    closed: Iterable[str] = (),
) -> tuple[FixTask, ...]:
    """Builds one task per problem; two sources that report the same in the same file are one task."""
    done = {word.casefold() for word in closed}
    reported = [finding for finding in findings if (finding.status or "").casefold() not in done]
    found = [_build_reported(finding, priorities) for finding in reported]
    if report is not None:
        checked = [task for result in report.blocking_failures for task in _build_checked(result, priorities)]
        found += [_name_reported(task, reported) for task in checked]
    return _merge(found)


def _build_reported(finding: ReportedFinding, priorities: Mapping[Severity, int]) -> FixTask:
    place = finding.file or ""
    if place and finding.line:
        place = f"{place}:{finding.line}"
    return FixTask(
        id=_build_id(finding.title, finding.file or ""),
        title=finding.title,
        source=finding.where.path,
        severity=finding.severity,
        priority=_find_priority(finding.severity, priorities),
        place=place,
        detail=finding.id,
    )


def _build_checked(result: CheckResult, priorities: Mapping[Severity, int]) -> list[FixTask]:
    findings: tuple[Finding, ...] = result.findings or (Finding(message=result.summary, fingerprint=result.id),)
    tasks: list[FixTask] = []
    for finding in findings[:_MOST_FINDINGS]:
        evidence = next((one for one in finding.evidence if one.path), None)
        path = evidence.path if evidence is not None and evidence.path else ""
        tasks.append(
            FixTask(
                id=_build_id(finding.message, path),
                title=finding.message.split("\n", 1)[0],
                source=f"check:{result.id}",
                severity=result.severity,
                priority=_find_priority(result.severity, priorities),
                place=f"{path}:{evidence.line}" if evidence is not None and evidence.line else path,
                detail=result.remedy.text if result.remedy else "",
            )
        )
    return tasks


def _name_reported(task: FixTask, reported: Iterable[ReportedFinding]) -> FixTask:
    """Gives a check of a report the id of the finding it repeats: same line, same title in its message."""
    words = f" {_list_words(task.title)} "
    for finding in reported:
        where = f"{finding.where.path}:{finding.where.line}"
        if where == task.place and f" {_list_words(finding.title)} " in words:
            return task.model_copy(update={"id": _build_id(finding.title, finding.file or "")})
    return task


def _merge(tasks: Iterable[FixTask]) -> tuple[FixTask, ...]:
    merged: dict[str, FixTask] = {}
    for task in tasks:
        known = merged.get(task.id)
        if known is None:
            merged[task.id] = task
            continue
        first, second = (known, task) if known.priority >= task.priority else (task, known)
        also = dict.fromkeys((*known.also, *task.also, second.source))
        also.pop(first.source, None)
        merged[task.id] = first.model_copy(update={"also": tuple(also)})
    return tuple(sorted(merged.values(), key=lambda task: (-task.priority, task.source, task.place, task.title)))


def _find_priority(severity: Severity | None, priorities: Mapping[Severity, int]) -> int:
    return priorities.get(severity, _NO_PRIORITY) if severity is not None else _NO_PRIORITY


def _build_id(title: str, path: str) -> str:
    """Hashes the words of the title and the file: lines move, and writers differ in capitals and punctuation."""
    return hashlib.sha256(f"{path}\0{_list_words(title)}".encode("utf-8", "surrogatepass")).hexdigest()[:_ID_CHARACTERS]


def _list_words(title: str) -> str:
    return " ".join(_WORDS.findall(title.casefold()))


_HEAD_BYTES, _TAIL_BYTES = 256 * 1024, 1024 * 1024


class _EndedRun(NamedTuple):
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
        """Whether a person started it; then the checks of its gate follow. A procedure has its own rules."""
        return self.state.key.step == AGENT_STEP

    @property
    def has_gate(self) -> bool:
        """Whether a person looks at the work before anything follows from it."""
        return self.by_hand and self.phase.gate


class _Findings(NamedTuple):
    """What was found after the run."""

    after: Observation
    notices: list[Notice]
    files: tuple[TouchedFile, ...] = ()
    commits: tuple[NewCommit, ...] = ()
    examined: ExaminedGate | None = None
    problem: str | None = None
    """Why the work could not be examined."""


def finish_step(session: Session, key: RunKey, progress: ProgressCallbacks | None = None) -> StepReport:
    """Returns the report of a run; makes it the first time.

    A step of a procedure is judged like a phase without a gate; the rules are the procedure's business.
    """
    ended = _read_ended(session, key)
    known = reports.load_report(ended.state)
    if known is not None:
        return known
    if ended.plan.lock is not None:
        release_lock(HeldLock(Path(ended.plan.lock), ended.plan.mark))
    findings = _measure(session, ended, progress)
    if progress is not None and progress.cancel.is_set():  # checks that were cut short say nothing about the work
        raise AgentRunError(
            f"the checks of {key.handoff} · {key.phase} were cut short", "`handoff-tui step --attach` finishes it."
        )
    report = _build_report(session, ended, findings)
    reports.write_report(ended.state, report)
    return report


def _read_ended(session: Session, key: RunKey) -> _EndedRun:
    handle = RunHandle(key, find_run_folder(session.repository.common_dir, key))
    state = read_run(handle)
    if state.status is RunStatus.ABSENT:
        raise AgentRunError(
            f"the files of the run are gone: {state.folder}",
            "Its agent may have deleted them, and more. Look at the repository before you start anything else.",
        )
    if not state.is_over:
        raise AgentRunError(f"{key.handoff} · {key.phase} is still {state.status.value}", "Wait for it, or stop it.")
    if state.end is None:  # lost: end what is left of it first
        state = stop_run(handle)
    if state.end is None or state.plan is None:
        raise AgentRunError(f"the files of the run in {state.folder} can't be read", "Move the folder aside.")
    route, pipeline, before = reports.load_route(state), reports.load_pipeline(state), reports.load_observation(state)
    edited = reports.list_edited(state)
    if (route is None or pipeline is None or before is None) and edited:
        raise AgentRunError(
            f"somebody rewrote {', '.join(edited)} in {state.folder}, so nothing says what the agent changed",
            "Its agent may have done it, and more. Look at the repository before you start anything else.",
        )
    if route is None or pipeline is None or before is None:
        raise AgentRunError(f"the run in {state.folder} was not started by a step", "Only steps can be finished.")
    return _EndedRun(state, state.plan, state.end, route, pipeline, find_phase(pipeline, route.phase), before)


def _measure(session: Session, ended: _EndedRun, progress: ProgressCallbacks | None) -> _Findings:
    folder, before = Path(ended.plan.folder), ended.before
    repository = _open(folder)
    after = read_observation(folder, session.repository.root, before.rule_names, before.guarded_names, repository)
    output = read_ends(reports.find_output(ended.state), _HEAD_BYTES, _TAIL_BYTES)
    rewritten = ended.end.output_rewritten or reports.is_output_edited(ended.state)
    end = ended.end.model_copy(update={"output_rewritten": rewritten})
    patterns = tuple(session.loaded.settings.hub.suspicious_output)
    repository = repository if after.problem is None else None
    notes = find_own_notes(repository.git, before, after) if repository is not None else frozenset()
    program = PRESETS.get(ended.plan.stream or "")
    only_log = repository is not None and _holds_only_log(repository, before, after)
    judged = _leave_out_others(session.repository, ended, after)
    notices = judge.find_notices(
        judge.MeasuredRun(end, judged, after, output, patterns, ended.plan.may_change_nothing, program, notes, only_log)
    )
    if repository is None:
        return _Findings(after, notices)
    if _is_rewritten(repository, before, after):
        notices.insert(0, judge.build_rewritten_notice(before.head or "", after.branch))
    _record_commits(session.repository, repository, ended, after.head)
    is_examined = ended.by_hand and ended.end.ending is not RunEnding.STOPPED
    examined, problem = _examine(repository, ended, progress) if is_examined else (None, None)
    files = () if before.tree is None or after.tree is None else read_touched_files(repository, before.tree, after.tree)
    commits = read_new_commits(repository.git, before.head, after.head)
    return _Findings(after, notices, files[:_MOST_FILES], commits, examined, problem)


def _leave_out_others(repository: Repository, ended: _EndedRun, after: Observation) -> Observation:
    """What was there before, without what other runs changed in their own places: their reports list that."""
    before, key = ended.before, ended.state.key
    states = [state for state in list_runs(repository.common_dir) if state.key != key and state.plan is not None]
    found = ((state, reports.load_observation(state)) for state in states if _is_beside(state, ended))
    branches = {seen.branch: state.plan.folder for state, seen in found if state.plan and seen and seen.branch}
    keys = {(one.key.handoff, one.key.phase, one.key.attempt, one.key.number) for one in states}
    records = read_run_records(Path(ended.plan.folder)).items()
    written = [path for path, one in records if (one.handoff, one.phase, one.attempt, one.run) in keys]
    changes: dict[str, object] = {
        "refs": before.refs | {name: after.refs[name] for name in branches if name in after.refs},
        "own": before.own | {path: after.own[path] for path in written if path in after.own.keys() - before.own.keys()},
    }
    if str(repository.root) in branches.values():
        changes["repository_tree"] = after.repository_tree
    return before.model_copy(update=changes)


def _is_beside(state: RunState, ended: _EndedRun) -> bool:
    """Whether another run was at work at the same time, in another folder."""
    is_elsewhere = state.plan is not None and state.plan.folder != ended.plan.folder
    return is_elsewhere and (state.end is None or state.end.ended >= ended.end.began)


def _open(folder: Path) -> Repository | None:
    """Opens the repository where the agent worked; None if it has become unreadable."""
    try:
        return open_repository(folder)
    except HandoffError:
        return None


def _examine(
    repository: Repository, ended: _EndedRun, progress: ProgressCallbacks | None
) -> tuple[ExaminedGate | None, str | None]:
    """Examines the gate of the phase where the agent worked, or says why that failed."""
    try:
        session = open_session_of(repository)
        log, phase = open_log(session.repository), build_id(ended.route.phase)
        return examine(session, log, ended.state.key.handoff, phase, ExamineOptions(fresh=True), progress), None
    except HandoffError as refused:
        return None, f"its work can't be examined: {refused.message}"


def _build_report(session: Session, ended: _EndedRun, findings: _Findings) -> StepReport:
    examined = findings.examined
    failing = examined.failing if examined is not None else ()
    judgement = judge.judge_run(ended.end, findings.notices, failing, findings.problem, has_gate=ended.has_gate)
    report = StepReport(
        key=ended.state.key,
        route=ended.route,
        branch=findings.after.branch,
        end=ended.end,
        outcome=judgement.outcome,
        why=judgement.why,
        notices=tuple(findings.notices),
        files=findings.files,
        commits=findings.commits,
        head_before=ended.before.head,
        head_after=findings.after.head,
        tree_after=findings.after.tree,
        has_gate=ended.has_gate,
        failing=failing,
        proof=str(reports.find_output(ended.state)),
        **ended.plan.model_dump(include={"agent", "owner", "folder", "context_sha256", "prompt_sha256"}),
    )
    if examined is not None:
        hub = session.loaded.settings.hub
        report = report.model_copy(
            update={
                "gate": examined.gate.state.value,
                "checks_passed": examined.report.passed,
                "checks_total": examined.report.total,
                "fix_tasks": build_fix_tasks(
                    examined.report, examined.handoff.findings, hub.task_priorities, hub.closed_finding_statuses
                ),
            }
        )
    if not ended.by_hand:
        return report.model_copy(update={"next_move": judge.describe_procedure_next(report.outcome)})
    return _add_next_move(session, ended, report, examined)


def _add_next_move(session: Session, ended: _EndedRun, report: StepReport, examined: ExaminedGate | None) -> StepReport:
    """Adds the retry budget with this run counted, and who does what next."""
    pipeline, phase = ended.pipeline, ended.phase
    index = examined.index if examined is not None else _read_index(session)
    earlier = tuple(other for other in list_reports(session, report.key.handoff) if other.key != report.key)
    trail = (*build_trail(earlier, index, report.key.handoff), build_trail_entry(report))
    budget = count_budget(pipeline, trail)
    judgement = judge.add_budget(judge.RunJudgement(report.outcome, report.why), budget)
    target = None
    if judgement.outcome is StepOutcome.FAILED:
        target = find_failure_target(pipeline, phase)
    elif judgement.outcome is StepOutcome.READY:
        target = find_next(pipeline, phase, None if examined is None else examined.handoff)
    last = trail[-1].model_copy(update={"outcome": judgement.outcome, "why": "; ".join(judgement.why)})
    return report.model_copy(
        update={
            "outcome": judgement.outcome,
            "why": judgement.why,
            "budget": budget,
            "trail": (*trail[:-1], last),
            "next_phase": None if target is None else target.name,
            "next_direction": judge.find_direction(judgement.outcome),
            "next_by_person": target is not None and target.human_only,
            "next_move": judge.describe_next(
                judgement.outcome, phase, target, budget, judge.find_remedy(report.notices)
            ),
        }
    )


def _read_index(session: Session) -> LogIndex | None:
    """Reads the log; None if even that can no longer be read."""
    try:
        return build_log_index(open_log(session.repository).verify())
    except HandoffError:
        return None


def _holds_only_log(repository: Repository, before: Observation, after: Observation) -> bool:
    if before.head == after.head or before.tree != after.tree or after.head is None:
        return False
    paths = [
        one.path for commit in read_commit_changes(repository.git, before.head, after.head) for one in commit.changes
    ]
    return bool(paths) and all(path.startswith(f"{OWN_FOLDER}/") for path in paths)


def _is_rewritten(repository: Repository, before: Observation, after: Observation) -> bool:
    if before.head is None or after.head is None or before.head == after.head:
        return False
    return not is_ancestor(repository.git, before.head, after.head)


def _record_commits(repository: Repository, worked: Repository, ended: _EndedRun, head: str | None) -> None:
    """Writes which commits a run made, so that every clone knows whose work they are; nothing without a log."""
    key, base = ended.state.key, ended.before.head
    if head is None or head == base:
        return
    own = _list_own(worked, repository, base, head)
    made = build_run_commits(one for one in read_commit_changes(worked.git, base, head) if one.id in own)
    if not made:
        return
    record = RunCommits(
        handoff=key.handoff,
        phase=key.phase,
        attempt=key.attempt,
        run=key.number,
        agent=ended.plan.agent,
        stated=ended.plan.stated,
        base=base or "",
        head=head,
        commits=made,
    )
    for root in {worked.root, repository.root}:
        if is_present(root, f"{OWN_FOLDER}/log"):
            write_run_commits(root, record)


def _list_own(worked: Repository, operator: Repository, base: str | None, head: str) -> frozenset[str]:
    """The commits since `base` without those that the agent merged in, or took from the operator's branch."""
    known = [base] if base is not None else []
    if worked.root != operator.root:
        known += operator.git.read("rev-parse", "--verify", "--quiet", "HEAD").decode("ascii").split()
    listed = worked.git.read("rev-list", "--first-parent", head, *(f"^{one}" for one in known), "--")
    return frozenset(listed.decode("ascii").split())
