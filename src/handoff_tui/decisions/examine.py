"""Everything that a gate is asked about and a decision is bound to, computed from what is here now."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from handoff_tui.changes.comparison.compared import choose_snapshot
from handoff_tui.changes.comparison.snapshot_diff import BaselineChoice
from handoff_tui.changes.snapshots.snapshot import Snapshot
from handoff_tui.changes.snapshots.store import build_digest
from handoff_tui.changes.snapshots.stored_snapshots import Taken, take
from handoff_tui.checks.contract import Moment
from handoff_tui.checks.report import CheckReport
from handoff_tui.checks.result import CheckResult
from handoff_tui.checks.run.baseline import choose_usual_baseline
from handoff_tui.checks.run.check import Beforehand, CheckRequest, Telling, check, list_command_results
from handoff_tui.core.errors import RepositoryError
from handoff_tui.git.history.work_commits import find_work_commit, is_ancestor
from handoff_tui.git.work_tree.capture import build_commit_tree
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.read_handoffs import Reading, read_shelf
from handoff_tui.handoffs.session import Desk
from handoff_tui.log.entries import canonical
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.gates.approved import list_approved
from handoff_tui.log.gates.gate import Target, judge_gate
from handoff_tui.log.gates.gate_state import GateReport
from handoff_tui.log.gates.position import build_handoff_digest, build_value_digest, find_attempt, find_phase
from handoff_tui.log.index import LogIndex, build_log_index
from handoff_tui.log.open_log import OpenLog, find_policy
from handoff_tui.log.policy.policy import Policy
from handoff_tui.log.policy.producers import find_producers
from handoff_tui.log.record import NO_BASELINE, Subject
from handoff_tui.log.storage.review_records import find_review
from handoff_tui.status.show import find_id
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.cache_files import find_cache_folder


@dataclass(frozen=True, slots=True)
class Examined:
    """One handoff at one gate, as of now."""

    desk: Desk
    reading: Reading
    handoff: Handoff
    report: CheckReport
    """The checks of this gate, for this handoff."""
    taken: Taken
    snapshot: Snapshot
    """Without the surroundings (branch, upstream), which may change while the work stays the same."""
    baseline: BaselineChoice
    index: LogIndex
    policy: Policy | None
    target: Target
    gate: GateReport

    @property
    def digest(self) -> str:
        """What a person spells out who decides without a terminal: the subject, the handoff, phase and attempt."""
        return build_subject_digest(self.target)

    @property
    def uncommitted(self) -> bool:
        """Whether the snapshot holds work that is in no commit."""
        return self.taken.captured.tree.tree != self.target.subject.tree


class _Way(NamedTuple):
    """How a gate is examined."""

    fresh: bool = False
    earlier: Examined | None = None
    run_commands: bool = True
    commands: tuple[CheckResult, ...] = ()
    """What is known of commands already."""


class GatePlan(NamedTuple):
    """Which gate of a handoff is asked about, and from where on its changes are counted."""

    handoff: Handoff
    phase: str
    tree: str
    attempt: int
    baseline: BaselineChoice
    since: str | None

    def build_request(self, *, fresh: bool) -> CheckRequest:
        """The checks of this gate."""
        return CheckRequest(Moment.GATE, self.phase, self.handoff.id, baseline=self.since, fresh=fresh)


def examine(
    desk: Desk,
    log: OpenLog,
    wanted: str,
    phase: str | None = None,
    *,
    fresh: bool = False,
    telling: Telling | None = None,
    earlier: Examined | None = None,
) -> Examined:
    """Runs the checks of the gate, captures, chooses the baseline, and judges the gate.

    `earlier` is another handoff of this very state: what was read and captured for it is used again.
    """
    return _examine(desk, log, (wanted, phase), _Way(fresh, earlier), telling)


def look_at_gate(
    desk: Desk,
    log: OpenLog,
    wanted: str,
    phase: str | None = None,
    *,
    telling: Telling | None = None,
    commands: tuple[CheckResult, ...] = (),
) -> Examined:
    """The same for who only looks: no command is started, and `commands` are results that are known already."""
    return _examine(desk, log, (wanted, phase), _Way(run_commands=False, commands=commands), telling)


def _examine(desk: Desk, log: OpenLog, place: tuple[str, str | None], way: _Way, telling: Telling | None) -> Examined:
    head = _require_head(desk)
    verdict = log.verify()
    index, policy = build_log_index(verdict), find_policy(verdict)
    reading = way.earlier.reading if way.earlier is not None else read_shelf(desk)
    plan = plan_gate(desk, index, reading.harvest.handoffs, *place)
    handoff, phase, tree, attempt, baseline, since = plan
    request = plan.build_request(fresh=way.fresh)._replace(run_commands=way.run_commands)
    report, taken = _run_checks(desk, request, telling, Beforehand(reading, way.commands), way.earlier)
    snapshot = build_subject_snapshot(desk, taken)
    target = Target(
        handoff=handoff.id,
        phase=phase,
        attempt=attempt,
        subject=Subject(
            commit=head,
            tree=tree,
            baseline=baseline.snapshot or NO_BASELINE,
            snapshot=build_digest(snapshot),
            checks=build_checks_digest(report),
            handoff=build_handoff_digest(handoff),
        ),
        producers=frozenset(find_producers(desk, handoff, since, index, policy, (phase, attempt))),
        now=build_time(read_now()),
        is_ancestor=cache(lambda commit: is_ancestor(desk.repository.git, commit, head)),
        failing=tuple(result.id for result in report.blocking_failures),
    )
    gate = judge_gate(index, policy, target)
    return Examined(desk, reading, handoff, report, taken, snapshot, baseline, index, policy, target, gate)


def plan_gate(
    desk: Desk, index: LogIndex, handoffs: tuple[Handoff, ...], wanted: str, phase: str | None = None
) -> GatePlan:
    """Which gate is asked about; nothing is run for it."""
    head = _require_head(desk)
    handoff = find_handoff(handoffs, wanted)
    phase = find_phase(handoff, phase)
    tree = build_commit_tree(desk.repository, head, find_cache_folder(desk.repository.root))
    attempt = find_attempt(index, handoff, phase, tree)
    baseline = choose_snapshot(desk, list_approved(desk, index, tree), handoff, handoffs)
    since = _find_check_baseline(desk, index, (handoff.id, phase, attempt), baseline)
    return GatePlan(handoff, phase, tree, attempt, baseline, since)


def judge_again(examined: Examined, log: OpenLog) -> Examined:
    """The same work at the same gate, by the log as it is now."""
    verdict = log.verify()
    index, policy = build_log_index(verdict), find_policy(verdict)
    return replace(examined, index=index, policy=policy, gate=judge_gate(index, policy, examined.target))


def build_subject_snapshot(desk: Desk, taken: Taken) -> Snapshot:
    """The snapshot as a decision binds it: what a commit of the log alone would change is left out.

    So is what rests on the clock or the machine; whether such a check blocks is asked each time anew.
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
    """SHA-256 of the results without durations, times and what rests on this machine."""
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


def build_subject_digest(target: Target) -> str:
    parts: canonical.Value = {
        "attempt": target.attempt,
        "handoff": target.handoff,
        "phase": target.phase,
        "subject": dict(target.subject.model_dump()),
    }
    return f"sha256:{hashlib.sha256(canonical.encode(parts)).hexdigest()}"


def _require_head(desk: Desk) -> str:
    head = desk.work_tree.facts.head
    if head is None:
        raise RepositoryError("there is no commit yet, and a decision is bound to one", "Commit the work first.")
    return head


def _run_checks(
    desk: Desk, request: CheckRequest, telling: Telling | None, before: Beforehand, earlier: Examined | None
) -> tuple[CheckReport, Taken]:
    """The checks of this handoff, then those of the whole repository; a command that both have runs once."""
    report = check(desk, request, telling, before)
    if earlier is not None and earlier.report.baseline == report.baseline:
        return report, earlier.taken
    known = Beforehand(before.reading, list_command_results(report))
    return report, take(desk, telling, request.baseline, known, run_commands=request.run_commands)


def find_handoff(handoffs: tuple[Handoff, ...], wanted: str) -> Handoff:
    found = find_id(handoffs, wanted)
    return next(handoff for handoff in handoffs if handoff.id == found)


def _find_check_baseline(
    desk: Desk, index: LogIndex, place: tuple[str, str, int], baseline: BaselineChoice
) -> str | None:
    """The commit from which changes are counted.

    Once somebody has decided on this attempt, theirs: a push moves the usual one, and must not change the results.
    """
    if baseline.commit is not None:
        return baseline.commit
    handoff, phase, attempt = place
    for vote in reversed(index.votes_at.get((handoff, phase), ())):
        if vote.work.attempt == attempt:
            record = find_review(desk.repository.root, vote.decision.review)
            if record is not None and record.check_baseline is not None:
                return record.check_baseline
    return choose_usual_baseline(desk).commit
