"""The signed log as of one of its entries, and what was stored with each entry."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from handoff_tui.changes.snapshots.snapshot import Snapshot
from handoff_tui.changes.snapshots.store import read_snapshot
from handoff_tui.checks.report import Outcome
from handoff_tui.core.errors import EntryNotFoundError, HandoffError
from handoff_tui.core.model import dataclass
from handoff_tui.handoffs.session import Session, has_log
from handoff_tui.history.past.repository import PastRepository
from handoff_tui.log.chain import Candidate, Chain, Known
from handoff_tui.log.entry import Entry, LogVerdict, ProblemLevel
from handoff_tui.log.gates.all_gates import LogGates
from handoff_tui.log.index import DecisionEntry, LogIndex, SubmissionEntry, build_log_index
from handoff_tui.log.open_log import OpenLog, open_log
from handoff_tui.log.review_record import ReviewRecord, ShownCheck
from handoff_tui.log.show.entries import build_log_view
from handoff_tui.log.show.view import LogView
from handoff_tui.log.storage.evidence import find_review

ENTRY_PREFIX = "sha256:"
_SHORTEST = len(ENTRY_PREFIX) + 6
"""A shorter prefix is more likely something else."""


@dataclass(frozen=True)
class CurrentLog:
    """The log as it is now; every earlier state follows from it."""

    verdict: LogVerdict
    candidates: dict[str, Candidate]

    @cached_property
    def entries(self) -> dict[str, Entry]:
        return {entry.id: entry for entry in self.verdict.entries}

    def find_entry(self, name: str) -> Entry | None:
        """The entry with this id, or the only one whose id starts with it."""
        wanted = name if name.startswith(ENTRY_PREFIX) else ENTRY_PREFIX + name
        found = [entry for entry in self.verdict.entries if entry.id.startswith(wanted)]
        return found[0] if len(found) == 1 and len(wanted) >= _SHORTEST else None

    @cached_property
    def _chain(self) -> Chain:
        """Kept between calls: moving to a later entry only costs the entries in between."""
        return Chain()

    def _find_followed(self, entry: str) -> set[str]:
        """An entry and everything it follows: by its own parents, and by those that count instead of them."""
        seen = {entry}
        waiting = [entry]
        while waiting:
            one = waiting.pop()
            counted = self.entries[one].parents if one in self.entries else ()
            for parent in (*self.candidates[one].entry.parents, *counted):
                if parent not in seen and parent in self.candidates:
                    seen.add(parent)
                    waiting.append(parent)
        return seen

    def build_at(self, entry: str) -> PastLog:
        """The log as of an entry. What is fatal now was fatal then, as far as anyone can tell."""
        if entry not in self.entries:
            raise EntryNotFoundError(f"no valid entry of the log has the id {entry}", "`handoff-tui log` lists them.")
        candidates = {one: self.candidates[one] for one in self._find_followed(entry)}
        moment = self.entries[entry].time
        verdict = self._chain.judge(candidates, Known(now=moment, pin=self.verdict.log))
        fatal = tuple(problem for problem in self.verdict.problems if problem.level is ProblemLevel.FATAL)
        verdict = verdict.model_copy(update={"problems": (*verdict.problems, *fatal)})
        return PastLog(entry, moment, verdict, candidates)


@dataclass(frozen=True)
class PastLog:
    """The log up to one entry."""

    entry: str
    moment: str
    verdict: LogVerdict
    candidates: dict[str, Candidate]

    @cached_property
    def index(self) -> LogIndex:
        return build_log_index(self.verdict)

    def build_view(self) -> LogView:
        return build_log_view(self.verdict, self.candidates)


class PastGates(LogGates):
    """The state of the gates, by the log and files of the past."""

    def __init__(self, past: PastRepository, log: PastLog) -> None:
        super().__init__(past.session, past.reading.result.handoffs)
        self._past = past
        self._log = log

    @cached_property
    def index(self) -> LogIndex:
        return self._log.index

    @cached_property
    def tree(self) -> str:
        return self._past.store.build_work_tree(self._past.commit.tree)

    @cached_property
    def _now(self) -> str:
        return self._log.moment


def read_current_log(session: Session) -> CurrentLog | None:
    """The log as it is now; None if there is none."""
    if not has_log(session):
        return None
    log: OpenLog = open_log(session.repository)
    verdict = log.verify()
    return CurrentLog(verdict, dict(log.find_candidates()))


def list_limits(session: Session, verdict: LogVerdict, broken: str, shallow: str) -> Iterator[str]:
    """What limits everything that is read from a log; `broken` and `shallow` say what that means for the reader."""
    if verdict.log is None and not verdict.fatal:
        yield "no signed log here yet; `handoff-tui init` creates one"
    for problem in verdict.problems:
        if problem.level is ProblemLevel.FATAL:
            yield f"the log is not intact{broken}: {problem.text}"
    if session.repository.shallow:
        yield f"this clone is shallow: {shallow} (git fetch --unshallow)"


CLOSED = frozenset({Outcome.PASS.value, Outcome.NOT_APPLICABLE.value})
MOST_ENTRIES = 300
"""Of a longer log only the newest entries are searched."""


@dataclass(frozen=True)
class EntryEvidence:
    """A decision or submission, and what was stored with it."""

    session: Session
    logged: DecisionEntry | SubmissionEntry

    @cached_property
    def record(self) -> ReviewRecord | None:
        """What the reviewer was shown: the checks of one handoff's gate."""
        if not isinstance(self.logged, DecisionEntry):
            return None
        return find_review(self.session.repository.root, self.logged.decision.review)

    @cached_property
    def snapshot(self) -> Snapshot | None:
        """The stored snapshot, with the checks of the whole repository; None if it isn't here or can't be read."""
        try:
            return read_snapshot(self.session.repository.root, self.logged.work.subject.snapshot)
        except HandoffError:
            return None

    def find_shown(self, check: str) -> ShownCheck | None:
        if self.record is None:
            return None
        return next((shown for shown in self.record.checks if shown.id == check), None)

    def find_outcome(self, check: str) -> str | None:
        """The outcome at the gate; without a review record, the outcome for the whole repository."""
        shown = self.find_shown(check)
        if shown is not None:
            return shown.outcome
        return None if self.snapshot is None else self.snapshot.checks.get(check)

    def has_passed(self, check: str, handoff: str | None, *, is_command: bool) -> bool:
        """Whether this is evidence that the check passed, for this handoff or for the whole repository.

        A rule's result for one handoff says nothing about another; a command is about the whole repository.
        """
        shown = self.find_shown(check)
        if shown is not None and (is_command or self.logged.work.handoff == handoff):
            return shown.outcome == Outcome.PASS.value
        return self.snapshot is not None and self.snapshot.checks.get(check) == Outcome.PASS.value

    def has_failed(self, check: str) -> bool:
        outcome = self.find_outcome(check)
        return outcome is not None and outcome not in CLOSED

    def find_findings(self, check: str) -> dict[str, str]:
        """Fingerprint to message of what the check found."""
        shown = self.find_shown(check)
        if shown is not None:
            return {finding.fingerprint: finding.message for finding in shown.findings}
        if self.snapshot is None:
            return {}
        return {key: finding.message for key, finding in self.snapshot.findings.items() if finding.check == check}


def list_evidence(session: Session, index: LogIndex) -> tuple[EntryEvidence, ...]:
    """The newest entries that count, newest first."""
    entries: list[DecisionEntry | SubmissionEntry] = [*index.decisions.values()]
    entries += [submission for submissions in index.submissions_at.values() for submission in submissions]
    counting = [logged for logged in entries if not index.is_void(logged.entry.id)]
    counting.sort(key=lambda logged: (logged.entry.seq, logged.entry.id), reverse=True)
    return tuple(EntryEvidence(session, logged) for logged in counting[:MOST_ENTRIES])
