"""Examines a gate: computes all that a decision is bound to, judges it, and later says what has changed since."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from threading import Event

from handoff_tui.changes.comparison.sides import choose_snapshot
from handoff_tui.changes.comparison.snapshot_diff import BaselineChoice
from handoff_tui.changes.snapshots.snapshot import Snapshot, build_digest
from handoff_tui.changes.snapshots.stored_snapshots import Taken, take
from handoff_tui.checks.report import CheckReport, CheckResult
from handoff_tui.checks.run.check import Prefetched, ProgressCallbacks, check, check_once
from handoff_tui.checks.run.choose import CheckRequest
from handoff_tui.checks.run.guards import Guards, guard
from handoff_tui.checks.run.portable_run import place_at
from handoff_tui.checks.run.recheck import CheckAgain
from handoff_tui.core.classes import NamedTuple, dataclass, field, replace
from handoff_tui.core.errors import DecisionForbiddenError, RepositoryError
from handoff_tui.core.place import CheckMoment
from handoff_tui.core.text.labels import name_some, plural
from handoff_tui.decisions.views import GateView
from handoff_tui.git.history.commit_graph import find_work_commit
from handoff_tui.handoffs.claims.blocking import find_own_reasons
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.read_handoffs import RepositoryReading, read_repository
from handoff_tui.handoffs.scope.find import FoundScopes
from handoff_tui.handoffs.scope.scope import Scope
from handoff_tui.handoffs.session import Session, reopen_session
from handoff_tui.log.entries import canonical
from handoff_tui.log.entry import NO_BASELINE, GateKey, Subject
from handoff_tui.log.gates.all_gates import LogGates
from handoff_tui.log.gates.approved import list_approved
from handoff_tui.log.gates.gate import NOT_COMPARED, GateQuestion, judge_gate
from handoff_tui.log.gates.gate_state import GateReport
from handoff_tui.log.gates.position import build_value_digest
from handoff_tui.log.index import LogIndex, build_log_index
from handoff_tui.log.open_log import OpenLog
from handoff_tui.log.policy.policy import Policy
from handoff_tui.status.show import find_id

_NAMED = 5


class CapturedWork(NamedTuple):
    """All files as they are here, committed or not."""

    snapshot: Snapshot
    """Without the branch and its upstream, which may change while the work stays the same."""
    tree: str
    """The git tree of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExaminedGate(GateQuestion):
    """One handoff at one gate, as of now: the question, everything that was read to ask it, and the answer."""

    session: Session
    reading: RepositoryReading
    handoff: Handoff
    report: CheckReport
    """The checks of this gate, for this handoff."""
    captured: CapturedWork | None
    """None if the work was not captured; then nothing can be signed."""
    baseline: BaselineChoice
    gates: LogGates
    """All gates of the repository, by this log and policy."""
    guards: Guards
    """The settings that the checks ran with."""
    gate: GateReport = field(init=False)
    """The answer."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "gate", judge_gate(self.index, self.policy, self))

    @property
    def index(self) -> LogIndex:
        return self.gates.index

    @property
    def policy(self) -> Policy | None:
        return self.gates.policy

    @property
    def snapshot(self) -> Snapshot:
        return self._require_captured().snapshot

    @property
    def work_tree(self) -> str:
        return self._require_captured().tree

    def _require_captured(self) -> CapturedWork:
        if self.captured is None:
            raise ValueError("this gate was examined without its work")
        return self.captured

    @property
    def scope(self) -> Scope:
        """The handoff's own changes."""
        return self.gates.work.scopes.of(self.handoff.id)

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
        """Whether work of the handoff is in no commit."""
        return self.edited


class FrozenWork(NamedTuple):
    """The handoffs and their scopes as they were captured when a person opened one of them."""

    reading: RepositoryReading
    found: FoundScopes


class ExamineOptions(NamedTuple):
    """How to examine a gate."""

    fresh: bool = False
    """Run every check again, whatever is remembered."""
    run_commands: bool = True
    command_results: tuple[CheckResult, ...] = ()
    """Results of commands that ran before."""
    earlier: ExaminedGate | None = None
    """Another gate examined in this very state; what was read and captured for it is used again."""
    frozen: FrozenWork | None = None
    """The work that is decided about, if it isn't what is here now."""
    capture: bool = True
    """Whether the work is captured, with the checks of the whole repository; showing a gate needs neither."""
    moving: bool = False
    """Whether the handoff's files may be saved meanwhile: a rejection never waits for them to rest."""


USUAL = ExamineOptions()
WITHOUT_COMMANDS = ExamineOptions(run_commands=False)
"""For looking only: no command is started."""


class GatePlan(NamedTuple):
    """Which gate of a handoff is asked about, and since which commit its changes are counted."""

    handoff: Handoff
    gates: LogGates
    question: GateQuestion
    baseline: BaselineChoice
    since: str | None

    @property
    def key(self) -> GateKey:
        return self.question.key

    def build_request(self, *, fresh: bool) -> CheckRequest:
        """Asks for the checks of this gate."""
        return CheckRequest(CheckMoment.GATE, self.key.phase, self.key.handoff, baseline=self.since, fresh=fresh)


def examine(
    session: Session,
    log: OpenLog,
    wanted: str,
    phase: str | None = None,
    options: ExamineOptions = USUAL,
    telling: ProgressCallbacks | None = None,
) -> ExaminedGate:
    """Runs the checks of the gate, captures the work unless that is left out, chooses the baseline, judges the gate."""
    earlier = options.earlier
    frozen = options.frozen
    reading = frozen.reading if frozen else earlier.reading if earlier is not None else read_repository(session)
    gates = open_gates(session, reading.result.handoffs, build_log_index(log.verify()))
    if frozen is not None:
        gates.work.found = frozen.found
    plan = _plan(gates, wanted, phase)
    guards = guard(session, plan.since)
    known = Prefetched(reading, options.command_results, scopes=plan.gates.work.scopes)
    checked = _check(plan, guards, known, options, telling)
    question = plan.question
    bound = plan.gates.complete(question, plan.handoff)
    return ExaminedGate(
        key=plan.key,
        subject=bound.model_copy(
            update={
                "baseline": plan.baseline.snapshot or NO_BASELINE,
                "snapshot": build_digest(checked.captured.snapshot) if checked.captured is not None else NOT_COMPARED,
                "checks": build_checks_digest(checked.report),
            }
        ),
        producers=question.producers,
        now=question.now,
        whole_handoff=question.whole_handoff,
        edited=question.edited,
        name_changes=question.name_changes,
        name_uncovered=question.name_uncovered,
        has_review=question.has_review,
        find_failure=question.find_failure,
        failing=tuple(result.id for result in checked.report.blocking_failures),
        session=session,
        reading=reading,
        handoff=plan.handoff,
        report=checked.report,
        captured=checked.captured,
        baseline=plan.baseline,
        gates=plan.gates,
        guards=guards,
    )


class _Checked(NamedTuple):
    """The checks of a gate, and the work that they are about."""

    report: CheckReport
    captured: CapturedWork | None = None


def _check(
    plan: GatePlan, guards: Guards, known: Prefetched, options: ExamineOptions, telling: ProgressCallbacks | None
) -> _Checked:
    """Runs the checks of the gate, then those of the whole repository; a command that both have runs once."""
    earlier = options.earlier
    request = plan.build_request(fresh=options.fresh)._replace(run_commands=options.run_commands)
    placed = known._replace(reading=place_at(known.reading, plan.key))
    before = None
    if not options.capture:
        return _Checked(check(guards.session, request, telling, placed))
    if earlier is None:
        report, before = check_once(guards.session, request, telling or ProgressCallbacks(), placed)
        before.cache.save()
    else:
        report = check(guards.session, request, telling, placed)
        if earlier.captured is not None and earlier.report.baseline == report.baseline:
            return _Checked(report, earlier.captured)
    own = frozenset() if options.moving else frozenset(plan.gates.work.scopes.of(plan.key.handoff).results)
    moved = Event()
    whole = request._replace(phase=None, handoff=None)
    known = known._replace(commands=report.command_results, before=before)
    taken = take(guards.session, _tell_others(telling, report), whole, known, needed=own, on_change=moved.set)
    if moved.is_set():
        report = check(guards.session, request, telling, placed)
    snapshot = build_subject_snapshot(plan.gates.session, taken)
    return _Checked(report, CapturedWork(snapshot, taken.captured.tree.tree))


def _tell_others(telling: ProgressCallbacks | None, told: CheckReport) -> ProgressCallbacks | None:
    """Reports only those of the whole repository's checks that were not reported yet: each counts once."""
    if telling is None or telling.on_result is None:
        return telling
    tell, known = telling.on_result, frozenset(result.id for result in told.results)

    def follow(result: CheckResult, done: int, total: int) -> None:
        if result.id not in known:
            tell(result, done, total)

    return ProgressCallbacks(follow, telling.cancel)


def plan_gate(
    session: Session, index: LogIndex, handoffs: tuple[Handoff, ...], wanted: str, phase: str | None = None
) -> GatePlan:
    """Finds out which gate is asked about, without running anything."""
    return _plan(open_gates(session, handoffs, index), wanted, phase)


def _plan(gates: LogGates, wanted: str, phase: str | None) -> GatePlan:
    session, handoffs = gates.session, gates.handoffs
    _require_head(session)
    handoff = find_handoff(handoffs, wanted)
    question = gates.ask(handoff, phase)
    baseline = choose_snapshot(session, list_approved(session, gates.index, gates.tree, handoff.id), handoff, handoffs)
    start = gates.work.scopes.of(handoff.id).start
    return GatePlan(handoff, gates, question, baseline, start)


def open_gates(session: Session, handoffs: tuple[Handoff, ...], index: LogIndex) -> LogGates:
    """The gates by a log that was read already."""
    gates = LogGates(session, handoffs, CheckAgain())
    gates.index = index
    return gates


def judge_again(examined: ExaminedGate, log: OpenLog) -> ExaminedGate:
    """Judges the same work at the same gate by the log as it is now."""
    gates = open_gates(examined.session, examined.handoffs, build_log_index(log.verify()))
    handoff, phase = examined.handoff, examined.key.phase
    return replace(
        examined,
        gates=gates,
        name_uncovered=lambda: gates.name_uncovered(handoff, phase),
        has_review=gates.has_review,
        find_failure=gates.find_failure,
    )


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
        against=tuple(find_own_reasons(examined.handoff)),
        producers=tuple(sorted(examined.producers)),
        uncommitted=examined.uncommitted,
        anchored=examined.index.verdict.anchored,
    )


def build_subject_snapshot(session: Session, taken: Taken) -> Snapshot:
    """Returns the snapshot that a decision is bound to, without what a commit of the log alone would change.

    It also leaves out what depends on the clock or the machine; whether such a check blocks is asked each time.
    """
    outside = {result.id for result in taken.report.results if result.outside}
    snapshot = taken.captured.snapshot
    return snapshot.model_copy(
        update={
            "commit": find_work_commit(session.repository.git),
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
    """Hashes the gate and what a decision is about: work outside the scope does not change it."""
    parts: canonical.Value = {**key._asdict(), "handoff_digest": subject.handoff, "scope": subject.scope}
    return f"sha256:{hashlib.sha256(canonical.encode(parts)).hexdigest()}"


def _require_head(session: Session) -> str:
    head = session.work_tree.facts.head
    if head is None:
        raise RepositoryError("there is no commit yet, and a decision is bound to one", "Commit the work first.")
    return head


def find_handoff(handoffs: tuple[Handoff, ...], wanted: str) -> Handoff:
    found = find_id(handoffs, wanted)
    return next(handoff for handoff in handoffs if handoff.id == found)


def refuse_changed(examined: ExaminedGate) -> None:
    """Looks at the handoff and its files again; raises if any of them has changed."""
    changes = find_changes_since(examined)
    if changes:
        raise DecisionForbiddenError(
            f"the work has changed since it was shown, so nothing was signed: {'; '.join(changes)}",
            "Look again, then decide.",
        )


def find_changes_since(examined: ExaminedGate) -> tuple[str, ...]:
    """Says in words what has changed since the examination; empty if nothing has."""
    session = reopen_session(examined.session)
    handoffs = read_repository(session).result.handoffs
    now = next((handoff for handoff in handoffs if handoff.id == examined.handoff.id), None)
    if now is None:
        return ("the handoff is gone",)
    gates = examined.gates.renew(session, handoffs)
    question = gates.ask(now, examined.key.phase)
    changes: list[str] = []
    if paths := examined.scope.compare_bound(gates.work.scopes.of(now.id)):
        changes.append(f"{plural(len(paths), 'file')} changed: {name_files(paths)}")
    if question.subject.handoff != examined.subject.handoff:
        changes.append("the handoff was edited")
    if question.key != examined.key:
        changes.append(f"this is attempt {question.key.attempt} now")
    return tuple(changes)


def name_files(paths: Sequence[str]) -> str:
    """`a.py, b.py and 3 more`."""
    names = [path.replace("\n", "\\n") for path in paths]  # a line end in a name must not start a line of ours
    return name_some(names, _NAMED)
