"""What mentions an attempt (log entries, documents, agent runs), and the content it was bound to, if it is here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property

from handoff_tui.agents.runs.run import RunState
from handoff_tui.changes.comparison.sides import has_tree
from handoff_tui.changes.snapshots.snapshot import Snapshot, TestOutcome
from handoff_tui.checks.report import Outcome
from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.errors import HandoffError
from handoff_tui.core.tasks import Attempt
from handoff_tui.core.text.safe_text import fold_lookalikes
from handoff_tui.decisions.examine import ExaminedGate
from handoff_tui.git.objects.private_objects import build_commit_tree
from handoff_tui.handoffs.handoff import Handoff, build_id
from handoff_tui.handoffs.session import Session
from handoff_tui.history.attempts.report import AttemptDecision, AttemptOutcome, TestNumbers
from handoff_tui.history.past.repository import EntryEvidence
from handoff_tui.log.entry import DecisionVerb, Work
from handoff_tui.log.gates.gate import bound_files
from handoff_tui.log.index import DecisionEntry, LogIndex, SubmissionEntry
from handoff_tui.log.review_record import ReviewRecord
from handoff_tui.system.files.cache_files import find_cache_folder

_BY_VERB = {
    DecisionVerb.REJECT: AttemptOutcome.REJECTED,
    DecisionVerb.RETRY: AttemptOutcome.RETRY,
    DecisionVerb.HOLD: AttemptOutcome.HELD,
    DecisionVerb.OVERRIDE: AttemptOutcome.OVERRIDDEN,
    DecisionVerb.SKIP: AttemptOutcome.SKIPPED,
    DecisionVerb.APPROVE: AttemptOutcome.APPROVED,
    DecisionVerb.CARRY: AttemptOutcome.APPROVED,
    DecisionVerb.WITHDRAW: AttemptOutcome.WITHDRAWN,
}
"""Most important first: one person sending back outweighs everyone who approves."""


class AttemptSources(NamedTuple):
    """Everything that mentions one attempt, oldest first."""

    number: int
    submissions: tuple[SubmissionEntry, ...] = ()
    decisions: tuple[DecisionEntry, ...] = ()
    """Including those that don't count."""
    void: frozenset[str] = frozenset()
    """Ids of those that don't count."""
    claimed: tuple[Attempt, ...] = ()
    runs: tuple[RunState, ...] = ()

    @property
    def living(self) -> tuple[DecisionEntry, ...]:
        return tuple(decided for decided in self.decisions if decided.entry.id not in self.void)

    @property
    def entries(self) -> list[DecisionEntry | SubmissionEntry]:
        """All entries that count."""
        return [*self.submissions, *self.living]

    @property
    def last_decisions(self) -> tuple[DecisionEntry, ...]:
        """The last decision of each person."""
        return tuple({decided.entry.actor: decided for decided in self.living}.values())

    @property
    def newest(self) -> DecisionEntry | SubmissionEntry | None:
        """The entry whose content represents the attempt."""
        return max(self.entries, key=lambda one: (one.entry.seq, one.entry.id), default=None)

    @property
    def work(self) -> Work | None:
        return None if self.newest is None else self.newest.work

    @property
    def files(self) -> frozenset[str]:
        """The digests of the files its entries bind; more than one if they changed within the attempt."""
        subjects = [one.work.subject for one in self.entries]
        is_scoped = all(subject.scope for subject in subjects)
        return frozenset(subject.scope if is_scoped else subject.tree for subject in subjects)

    @property
    def outcome(self) -> AttemptOutcome:
        verbs = {decided.decision.verb for decided in self.last_decisions}
        for verb, outcome in _BY_VERB.items():
            if verb in verbs:
                return outcome
        if self.submissions:
            return AttemptOutcome.SUBMITTED
        return AttemptOutcome.RAN if self.runs else AttemptOutcome.CLAIMED

    def list_decisions(self) -> tuple[AttemptDecision, ...]:
        last = {decided.entry.id for decided in self.last_decisions}
        return tuple(
            AttemptDecision(
                entry=decided.entry.id,
                actor=decided.entry.actor,
                verb=decided.decision.verb.value,
                time=decided.entry.time,
                reason=decided.decision.reason,
                taken_back=decided.entry.id not in self.void and decided.entry.id not in last,
                void="doesn't count: its key was revoked" if decided.entry.id in self.void else "",
            )
            for decided in self.decisions
        )


def group_attempts(
    index: LogIndex | None, handoff: Handoff, phase: str, runs: Iterable[RunState] = ()
) -> list[AttemptSources]:
    """Every attempt that anything mentions, by number."""
    submissions: defaultdict[int, list[SubmissionEntry]] = defaultdict(list)
    decisions: defaultdict[int, list[DecisionEntry]] = defaultdict(list)
    claimed: defaultdict[int, list[Attempt]] = defaultdict(list)
    started: defaultdict[int, list[RunState]] = defaultdict(list)
    void = frozenset[str]()
    if index is not None:
        void = frozenset(index.verdict.void)
        for one in index.find_submissions(handoff.id, phase):
            submissions[one.work.attempt].append(one)
        for decided in index.list_decisions(handoff.id, phase):
            decisions[decided.work.attempt].append(decided)
    for told in handoff.attempts:
        if told.phase is None or is_same_phase(told.phase, phase):
            claimed[told.number].append(told)
    for run in runs:
        if is_same_phase(run.key.phase, phase):
            started[run.key.attempt].append(run)
    return [
        AttemptSources(
            number,
            tuple(submissions[number]),
            tuple(decisions[number]),
            void,
            tuple(claimed[number]),
            tuple(started[number]),
        )
        for number in sorted({*submissions, *decisions, *claimed, *started})
    ]


def is_same_phase(told: str, phase: str) -> bool:
    """Compares phases however documents and pipelines spell them."""
    return build_id(fold_lookalikes(told)).casefold() == phase.casefold()


@dataclass(frozen=True)
class AttemptContent:
    """The content of one attempt. None means it isn't here."""

    name: str
    commit: str | None = None
    recorded_tree: str | None = None
    """As the log says; it may not be here."""
    snapshot: Snapshot | None = None
    shown: Mapping[str, str] | None = None
    """The outcome of each check of its gate, as the reviewer saw it."""
    started_from: str | None = None
    """The baseline its changes were counted from."""
    _session: Session | None = field(default=None, repr=False, compare=False)

    @property
    def handoff(self) -> str:
        return self.name.rsplit(":", 2)[0]

    @property
    def words(self) -> str:
        """Its name where the handoff is clear."""
        number = self.name.rpartition(":")[2]
        return f"attempt {number}" if number.isdecimal() else "what is here now"

    @cached_property
    def tree(self) -> str | None:
        """A tree with its files that can be read here: as captured, else as committed; None if there is none."""
        if self._session is None or self.recorded_tree is None:
            return self.recorded_tree
        if self.has_uncommitted and self.snapshot is not None and has_tree(self._session, self.snapshot.tree):
            return self.snapshot.tree
        return _find_tree(self._session, self.recorded_tree, self.commit)

    @property
    def has_uncommitted(self) -> bool:
        """Whether uncommitted changes were captured."""
        return self.snapshot is not None and self.snapshot.tree != self.recorded_tree

    @property
    def checks(self) -> Mapping[str, str] | None:
        """Outcomes from the review record, else from the snapshot, which is about the whole repository."""
        if self.shown is not None:
            return self.shown
        return self.snapshot.checks if self.snapshot is not None and self.snapshot.checks else None

    def find_outcome(self, check: str) -> str | None:
        """The outcome at the gate; without a review record, a pass in the whole repository, which includes the gate."""
        if self.shown is not None:
            return self.shown.get(check)
        outcome = None if self.snapshot is None else self.snapshot.checks.get(check)
        return outcome if outcome == Outcome.PASS.value else None

    @property
    def tests(self) -> TestNumbers | None:
        """Test counts by outcome; None without a test report."""
        if self.snapshot is None or not self.snapshot.tests:
            return None
        outcomes = list(self.snapshot.tests.values())
        return TestNumbers(
            total=len(outcomes),
            passed=outcomes.count(TestOutcome.PASS),
            failed=outcomes.count(TestOutcome.FAIL) + outcomes.count(TestOutcome.ERROR),
            skipped=outcomes.count(TestOutcome.SKIPPED),
        )


def read_content(session: Session, name: str, sources: AttemptSources) -> AttemptContent:
    """The content of an attempt in the log; empty if no entry is about it."""
    newest, work = sources.newest, sources.work
    if newest is None or work is None:
        return AttemptContent(name)
    record = find_record(session, sources)
    return AttemptContent(
        name,
        commit=work.subject.commit,
        recorded_tree=work.subject.tree,
        snapshot=EntryEvidence(session, newest).snapshot,
        shown=None if record is None else list_shown(record),
        started_from=None if record is None else record.check_baseline,
        _session=session,
    )


def build_content_now(name: str, examined: ExaminedGate) -> AttemptContent:
    """What is here now, including uncommitted changes."""
    return AttemptContent(
        name,
        commit=examined.subject.commit,
        recorded_tree=examined.snapshot.tree,
        snapshot=examined.snapshot,
        shown=list_results(examined),
        started_from=examined.report.baseline,
    )


def list_results(examined: ExaminedGate) -> dict[str, str]:
    """The outcome of each check of the gate."""
    return {result.id: result.outcome.value for result in examined.report.results}


def binds_now(session: Session, entry: DecisionEntry | SubmissionEntry, now: ExaminedGate) -> bool:
    """Whether an entry is about exactly the files that are here now."""
    subject = entry.work.subject
    if subject.scope:
        return subject.scope == now.subject.scope
    captured = EntryEvidence(session, entry).snapshot
    return now.snapshot.tree in {subject.tree, None if captured is None else captured.tree}


def find_record(session: Session, sources: AttemptSources) -> ReviewRecord | None:
    """The newest review record of a decision on the attempt's content; None if there is none."""
    work = sources.work
    for decided in reversed(sources.living):
        if work is not None and bound_files(decided.work) == bound_files(work):
            record = EntryEvidence(session, decided).record
            if record is not None:
                return record
    return None


def list_shown(record: ReviewRecord) -> dict[str, str]:
    return {check.id: check.outcome for check in record.checks}


def _find_tree(session: Session, tree: str, commit: str | None) -> str | None:
    """The tree if its objects are here, rebuilt from its commit if necessary; else None."""
    if has_tree(session, tree):
        return tree
    repository = session.repository
    try:
        # a different tree isn't what was decided on
        made = None if commit is None else build_commit_tree(repository, commit, find_cache_folder(repository.root))
    except HandoffError:
        return None
    return tree if made == tree else None
