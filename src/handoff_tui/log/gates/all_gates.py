"""The gates of all handoffs by the log. Every front end asks here, so that all of them name the same state."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import Protocol

from handoff_tui.core.classes import dataclass, replace
from handoff_tui.git.objects.private_objects import build_commit_tree
from handoff_tui.handoffs.handoff import Handoff, build_id
from handoff_tui.handoffs.scope.digests import read_path
from handoff_tui.handoffs.session import Session
from handoff_tui.log.entries.times import build_time, parse_time
from handoff_tui.log.entry import VETOES, GateKey, Subject
from handoff_tui.log.gates.coverage import COVERED, RepositoryCoverage, build_coverage, describe_uncovered
from handoff_tui.log.gates.gate import NOT_COMPARED, GateQuestion, judge_gate
from handoff_tui.log.gates.gate_state import OPENING, GateReport, without_checks
from handoff_tui.log.gates.position import build_handoff_digest, find_phase
from handoff_tui.log.gates.scoped_work import ScopedWork, build_scoped_handoff_digest
from handoff_tui.log.index import DecisionEntry, LogIndex, build_log_index
from handoff_tui.log.open_log import find_policy, open_log
from handoff_tui.log.policy.policy import Policy, find_rule
from handoff_tui.log.storage.evidence import StoredReviews, find_review
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.cache_files import find_cache_folder

FOLDER = "folder"
"""Stands for the content of a folder."""


class Recheck(Protocol):
    """Runs checks of a gate again, and returns those that do not pass, each with what it found."""

    def __call__(self, gates: LogGates, key: GateKey, checks: Collection[str], /) -> Mapping[str, str]: ...


@dataclass
class LogGates:
    """The gates of one repository, judged by one reading of its log.

    `recheck` runs the checks that an approval rests on where something they read has changed; they lie above this room.
    """

    session: Session
    handoffs: tuple[Handoff, ...]
    recheck: Recheck = without_checks

    @cached_property
    def _asked(self) -> dict[tuple[str, str], tuple[Handoff, GateQuestion]]:
        return {}

    @cached_property
    def index(self) -> LogIndex:
        return build_log_index(open_log(self.session.repository).verify())

    @cached_property
    def policy(self) -> Policy | None:
        return find_policy(self.index.verdict)

    @cached_property
    def work(self) -> ScopedWork:
        return ScopedWork(self.session, self.handoffs, self.index, self.policy)

    @cached_property
    def reviews(self) -> StoredReviews:
        return StoredReviews(self.session.repository)

    def renew(self, session: Session, handoffs: tuple[Handoff, ...]) -> LogGates:
        """The same log, asked about files that have changed since."""
        again = LogGates(session, handoffs, self.recheck)
        again.index, again.policy, again.reviews = self.index, self.policy, self.reviews
        return again

    def ask_without_checks(self) -> LogGates:
        """The same gates, whose questions never run a check."""
        again = LogGates.__new__(LogGates)
        again.__dict__.update(self.__dict__)
        again.recheck = without_checks
        again.__dict__.pop("_asked", None)  # a question that was asked before runs the checks of this one
        return again

    def judge_all(self) -> dict[str, GateReport]:
        """Every gate, by handoff; what their files contain is looked up at once."""
        taken_up = [handoff.id for handoff in self.handoffs if handoff.id in self._taken_up]
        self.work.digests.learn_all(self.work.scopes.of(name) for name in taken_up)
        return {handoff.id: self.judge(handoff) for handoff in self.handoffs}

    def judge_taken_up(self) -> dict[str, GateReport]:
        """The gates of the handoffs that the log mentions."""
        return {handoff.id: self.judge(handoff) for handoff in self.handoffs if handoff.id in self._taken_up}

    def judge(self, handoff: Handoff, phase: str | None = None) -> GateReport:
        report = judge_gate(self.index, self.policy, self.ask(handoff, phase))
        decided = sorted({place.phase for place in self.index.decisions_at if place.handoff == handoff.id})
        passed = tuple(name for name in decided if self.is_passed(handoff, name))
        return report.model_copy(update={"passed": passed}) if passed else report

    def is_passed(self, handoff: Handoff, phase: str, since: float = 0) -> bool:
        """Whether people opened the gate of a phase for the last work they decided on there, at a time or later.

        For a phase behind the work: what changed since is the work of the phases that followed.
        """
        wanted = build_id(phase).casefold()
        last = {made.work.phase: made for made in self.index.list_living(handoff.id)}
        decided = [made for name, made in last.items() if name.casefold() == wanted]
        return bool(decided) and all(
            self._judge_then(handoff, made).state in OPENING and parse_time(made.entry.time).timestamp() >= since
            for made in decided
        )

    def _judge_then(self, handoff: Handoff, made: DecisionEntry) -> GateReport:
        """The gate for exactly the work that a decision is about."""
        then = made.work.subject
        question = replace(
            self.ask(handoff, made.work.phase),
            key=made.work.key,
            subject=then,
            producers=frozenset(made.work.producers),
            whole_handoff=then.handoff,
            edited=False,
            find_failure=lambda _: "",
        )
        return judge_gate(self.index, self.policy, question)

    def ask(self, handoff: Handoff, phase: str | None = None) -> GateQuestion:
        """What the gate of a handoff is asked about, computed once from what is here now."""
        phase = find_phase(handoff, phase)
        asked = self._asked.get((handoff.id, phase))
        if asked is None or asked[0] is not handoff:
            asked = self._asked[handoff.id, phase] = (handoff, self._ask(handoff, phase))
        return asked[1]

    def _ask(self, handoff: Handoff, phase: str) -> GateQuestion:
        key = GateKey(handoff.id, phase, self.work.find_attempt(handoff, phase))
        scope = self.work.scopes.of(handoff.id)
        bound = [made.work.subject for made in self.index.list_decisions(*key.place)]
        is_decided = bool(bound) or bool(self.index.find_submissions(*key.place))
        is_first_version = any(not subject.scope for subject in bound)
        return GateQuestion(
            key=key,
            subject=Subject(
                commit=self.session.work_tree.facts.head or "",
                tree=self.tree if is_first_version or find_rule(self.policy, phase).binds_tree else NOT_COMPARED,
                scope=self.work.digests.digest(scope) if is_decided else NOT_COMPARED,
                start=scope.start or self._no_start,
                snapshot=NOT_COMPARED,
                checks=NOT_COMPARED,
                handoff=build_scoped_handoff_digest(handoff, scope.present),
            ),
            producers=self.work.find_producers(handoff, key),
            now=self._now,
            whole_handoff=build_handoff_digest(handoff) if is_first_version else NOT_COMPARED,
            edited=any(change.commit is None for change in scope.changes),
            name_changes=lambda work: self.work.name_changes(handoff.id, work),
            name_uncovered=lambda: self.name_uncovered(handoff, phase),
            has_review=self.has_review,
            find_failure=self.find_failure,
        )

    def find_failure(self, made: DecisionEntry) -> str:
        """Says which checks passed when somebody approved, and fail now because of files of others."""
        read = self.reviews.list_read_elsewhere(made.decision.review)
        doubtful = {check for file in read if file.blob != self.find_content(file.path) for check in file.checks}
        failing = self.recheck(self, made.work.key, doubtful) if doubtful else {}
        return "; ".join(f"the check {check} passed then and fails now: {found}" for check, found in failing.items())

    def find_content(self, path: str) -> str:
        """The blob of a file now, committed or not; `folder` for a folder, and empty if git knows of nothing there."""
        tree, uncommitted = self.session.work_tree, self.work.found.uncommitted
        if path in uncommitted:
            return uncommitted[path]
        if path in tree.tracked:
            return tree.tracked[path]
        place = bisect_left(tree.paths, f"{path}/")
        return FOLDER if place < len(tree.paths) and tree.paths[place].startswith(f"{path}/") else ""

    def has_review(self, made: DecisionEntry) -> bool:
        return self.reviews.has(made.decision.review, made.work.key, made.work.subject.scope)

    def is_past(self, handoff: Handoff) -> bool:
        """Whether all its work lies before the start line, and nobody has taken it up since."""
        if self.policy is None or not self.policy.start_line or handoff.id in self._taken_up:
            return False
        scopes = self.work.scopes
        changes = scopes.of(handoff.id).changes
        return bool(changes) and all(change.commit in scopes.past for change in changes)

    @cached_property
    def _taken_up(self) -> frozenset[str]:
        return frozenset(place.handoff for place in self.index.places)

    def complete(self, question: GateQuestion, handoff: Handoff) -> Subject:
        """The same subject with every digest that an entry binds."""
        scope = self.work.scopes.of(handoff.id)
        return question.subject.model_copy(update={"tree": self.tree, "scope": self.work.digests.digest(scope)})

    def name_uncovered(self, handoff: Handoff, phase: str) -> str:
        """Names the changes that nobody has approved, but for those that this very gate is about."""
        if self._coverage.cut_off:
            return self.work.scopes.problems[0]
        own = handoff.id if phase == find_phase(handoff, None) else ""
        uncovered = self._coverage.list_uncovered(own, self._alone)
        return describe_uncovered(uncovered) if uncovered else ""

    def is_covered(self, path: str) -> bool:
        """Whether what a file is now was approved, or nobody has changed it since the start line."""
        return path not in self.work.scopes.changed or all(
            one.state in COVERED for one in self._coverage.paths if one.path == path
        )

    def list_gone(self) -> Iterator[tuple[DecisionEntry, list[str]]]:
        """Decisions that send back or hold a handoff which isn't here any more, with its unapproved files."""
        here = {handoff.id for handoff in self.handoffs}
        for place in sorted(self.index.decisions_at.keys()):
            if place.handoff in here:
                continue
            last = self.index.find_last_decisions(*place)
            attempt = max((made.work.attempt for made in last), default=0)
            for made in (one for one in last if one.decision.verb in VETOES and one.work.attempt == attempt):
                record = find_review(self.session.repository.root, made.decision.review)
                files = record.scope.files if record is not None and record.scope is not None else ()
                left = [path for path in map(read_path, files) if not self.is_covered(path)]
                if left:
                    yield made, left

    @cached_property
    def tree(self) -> str:
        repository, head = self.session.repository, self.session.work_tree.facts.head
        return "" if head is None else build_commit_tree(repository, head, find_cache_folder(repository.root))

    @cached_property
    def _alone(self) -> dict[str, GateReport]:
        """All gates, each judged as if it needed no coverage: two that need it do not wait for each other."""
        questions = (replace(self.ask(handoff), name_uncovered=lambda: "") for handoff in self.handoffs)
        reports = (judge_gate(self.index, self.policy, question) for question in questions)
        return {report.handoff: report for report in reports}

    @cached_property
    def _coverage(self) -> RepositoryCoverage:
        return build_coverage(self.work.scopes, self._alone)

    @property
    def _no_start(self) -> str:
        """The start of work that begins before the first commit: zeros, as many as an id has here."""
        return "0" * len(self.session.work_tree.facts.head or "0" * 40)

    @cached_property
    def _now(self) -> str:
        return build_time(read_now())
