"""Examines a gate: computes everything that a decision is bound to from what is here now, and judges it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import cache
from typing import NamedTuple

from handoff_tui.changes.comparison.sides import choose_snapshot
from handoff_tui.changes.comparison.snapshot_diff import BaselineChoice
from handoff_tui.changes.snapshots.snapshot import Snapshot
from handoff_tui.changes.snapshots.store import build_digest
from handoff_tui.changes.snapshots.stored_snapshots import Taken, take
from handoff_tui.checks.report import CheckReport
from handoff_tui.checks.result import CheckResult
from handoff_tui.checks.rule import Moment
from handoff_tui.checks.run.baseline import choose_usual_baseline
from handoff_tui.checks.run.check import Prefetched, ProgressCallbacks, check
from handoff_tui.checks.run.choose import CheckRequest
from handoff_tui.core.errors import RepositoryError
from handoff_tui.decisions.views import GateView
from handoff_tui.git.history.work_commits import find_work_commit, is_ancestor
from handoff_tui.git.work_tree.capture import build_commit_tree
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.read_handoffs import RepositoryReading, read_repository
from handoff_tui.handoffs.session import Desk
from handoff_tui.log.entries import canonical
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.entry import NO_BASELINE, GateKey, Subject
from handoff_tui.log.gates.approved import list_approved
from handoff_tui.log.gates.gate import GateQuestion, judge_gate
from handoff_tui.log.gates.gate_state import GateReport
from handoff_tui.log.gates.position import (
    build_handoff_digest,
    build_value_digest,
    find_attempt,
    find_phase,
    find_producers,
)
from handoff_tui.log.index import LogIndex, build_log_index
from handoff_tui.log.open_log import OpenLog, find_policy
from handoff_tui.log.policy.policy import Policy
from handoff_tui.log.storage.evidence import find_review
from handoff_tui.status.show import find_id
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.cache_files import find_cache_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class ExaminedGate(GateQuestion):
    """One handoff at one gate, as of now: the question, everything that was read to ask it, and the answer."""

    desk: Desk
    reading: RepositoryReading
    handoff: Handoff
    report: CheckReport
    """The checks of this gate, for this handoff."""
    snapshot: Snapshot
    """Without the branch and its upstream, which may change while the work stays the same."""
    work_tree: str
    """The git tree of all files as captured, committed or not."""
    baseline: BaselineChoice
    index: LogIndex
    policy: Policy | None
    gate: GateReport = field(init=False)
    """The answer by this log and policy."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "gate", judge_gate(self.index, self.policy, self))

    @property
    def handoffs(self) -> tuple[Handoff, ...]:
        """All handoffs of the repository."""
        return self.reading.result.handoffs

    @property
    def digest(self) -> str:
        """What a person spells out to decide without a terminal: the gate and the subject, hashed."""
        return build_subject_digest(self.key, self.subject)

    @property
    def uncommitted(self) -> bool:
        """Whether the snapshot holds work that is in no commit."""
        return self.work_tree != self.subject.tree


class ExamineOptions(NamedTuple):
    """How to examine a gate."""

    fresh: bool = False
    """Run every check again, whatever is remembered."""
    run_commands: bool = True
    command_results: tuple[CheckResult, ...] = ()
    """Results of commands that ran before."""
    earlier: ExaminedGate | None = None
    """Another gate examined in this very state; what was read and captured for it is used again."""


USUAL = ExamineOptions()
WITHOUT_COMMANDS = ExamineOptions(run_commands=False)
"""For looking only: no command is started."""


class GatePlan(NamedTuple):
    """Which gate of a handoff is asked about, and since which commit its changes are counted."""

    handoff: Handoff
    key: GateKey
    tree: str
    """The git tree of HEAD without our own folder."""
    baseline: BaselineChoice
    since: str | None

    def build_request(self, *, fresh: bool) -> CheckRequest:
        """Asks for the checks of this gate."""
        return CheckRequest(Moment.GATE, self.key.phase, self.key.handoff, baseline=self.since, fresh=fresh)


def examine(
    desk: Desk,
    log: OpenLog,
    wanted: str,
    phase: str | None = None,
    options: ExamineOptions = USUAL,
    telling: ProgressCallbacks | None = None,
) -> ExaminedGate:
    """Runs the checks of the gate, captures the work, chooses the baseline, and judges the gate."""
    head = _require_head(desk)
    verdict = log.verify()
    index, policy = build_log_index(verdict), find_policy(verdict)
    earlier = options.earlier
    reading = earlier.reading if earlier is not None else read_repository(desk)
    plan = plan_gate(desk, index, reading.result.handoffs, wanted, phase)
    request = plan.build_request(fresh=options.fresh)._replace(run_commands=options.run_commands)
    report = check(desk, request, telling, Prefetched(reading, options.command_results))
    if earlier is not None and earlier.report.baseline == report.baseline:
        snapshot, work_tree = earlier.snapshot, earlier.work_tree
    else:  # the checks of the whole repository; a command that both have runs once
        known = Prefetched(reading, report.command_results)
        taken = take(desk, telling, request.baseline, known, run_commands=options.run_commands)
        snapshot, work_tree = build_subject_snapshot(desk, taken), taken.captured.tree.tree
    return ExaminedGate(
        key=plan.key,
        subject=Subject(
            commit=head,
            tree=plan.tree,
            baseline=plan.baseline.snapshot or NO_BASELINE,
            snapshot=build_digest(snapshot),
            checks=build_checks_digest(report),
            handoff=build_handoff_digest(plan.handoff),
        ),
        producers=find_producers(desk, plan.handoff, plan.since, index.find_submitters(plan.key), policy),
        now=build_time(read_now()),
        is_ancestor=cache(lambda commit: is_ancestor(desk.repository.git, commit, head)),
        failing=tuple(result.id for result in report.blocking_failures),
        desk=desk,
        reading=reading,
        handoff=plan.handoff,
        report=report,
        snapshot=snapshot,
        work_tree=work_tree,
        baseline=plan.baseline,
        index=index,
        policy=policy,
    )


def plan_gate(
    desk: Desk, index: LogIndex, handoffs: tuple[Handoff, ...], wanted: str, phase: str | None = None
) -> GatePlan:
    """Finds out which gate is asked about, without running anything."""
    head = _require_head(desk)
    handoff = find_handoff(handoffs, wanted)
    phase = find_phase(handoff, phase)
    tree = build_commit_tree(desk.repository, head, find_cache_folder(desk.repository.root))
    key = GateKey(handoff.id, phase, find_attempt(index, handoff, phase, tree))
    baseline = choose_snapshot(desk, list_approved(desk, index, tree), handoff, handoffs)
    return GatePlan(handoff, key, tree, baseline, _find_check_baseline(desk, index, key, baseline))


def judge_again(examined: ExaminedGate, log: OpenLog) -> ExaminedGate:
    """Judges the same work at the same gate by the log as it is now."""
    verdict = log.verify()
    return replace(examined, index=build_log_index(verdict), policy=find_policy(verdict))


def build_gate_view(examined: ExaminedGate) -> GateView:
    return GateView(
        report=examined.gate,
        digest=examined.digest,
        subject=examined.subject,
        baseline_reason=examined.baseline.reason,
        checks_passed=examined.report.passed,
        checks_total=examined.report.total,
        failing=examined.failing,
        warnings=examined.report.warnings,
        producers=tuple(sorted(examined.producers)),
        uncommitted=examined.uncommitted,
    )


def build_subject_snapshot(desk: Desk, taken: Taken) -> Snapshot:
    """Returns the snapshot that a decision is bound to, without what a commit of the log alone would change.

    It also leaves out what depends on the clock or the machine; whether such a check blocks is asked each time.
    """
    outside = {result.id for result in taken.report.results if result.outside}
    snapshot = taken.captured.snapshot
    return snapshot.model_copy(
        update={
            "commit": find_work_commit(desk.repository.git),
            "branch": None,
            "upstream": None,
            "checks": {name: outcome for name, outcome in snapshot.checks.items() if name not in outside},
            "findings": {key: found for key, found in snapshot.findings.items() if found.check not in outside},
        }
    )


def build_checks_digest(report: CheckReport) -> str:
    """Returns the SHA-256 of the results without durations, times and what depends on this machine."""
    value = [
        {
            "id": result.id,
            "outcome": result.outcome.value,
            "severity": result.severity.value,
            "blocking": result.blocking,
            "findings": sorted({finding.fingerprint for finding in result.findings}),
        }
        for result in sorted(report.results, key=lambda result: result.id)
        if not result.outside
    ]
    return build_value_digest(value)


def build_subject_digest(key: GateKey, subject: Subject) -> str:
    parts: canonical.Value = {**key._asdict(), "subject": dict(subject.model_dump())}
    return f"sha256:{hashlib.sha256(canonical.encode(parts)).hexdigest()}"


def _require_head(desk: Desk) -> str:
    head = desk.work_tree.facts.head
    if head is None:
        raise RepositoryError("there is no commit yet, and a decision is bound to one", "Commit the work first.")
    return head


def find_handoff(handoffs: tuple[Handoff, ...], wanted: str) -> Handoff:
    found = find_id(handoffs, wanted)
    return next(handoff for handoff in handoffs if handoff.id == found)


def _find_check_baseline(desk: Desk, index: LogIndex, key: GateKey, baseline: BaselineChoice) -> str | None:
    """The commit since which changes are counted.

    Once somebody has decided on this attempt, it is theirs: a push moves the usual one, but must not change results.
    """
    if baseline.commit is not None:
        return baseline.commit
    for made in reversed(index.list_decisions(*key.place)):
        if made.work.attempt == key.attempt:
            record = find_review(desk.repository.root, made.decision.review)
            if record is not None and record.check_baseline is not None:
                return record.check_baseline
    return choose_usual_baseline(desk).commit
