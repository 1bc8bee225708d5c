"""What was stored with a log entry: the review record and the snapshot, read when asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from handoff_tui.changes.snapshots.snapshot import Snapshot
from handoff_tui.changes.snapshots.store import read_snapshot
from handoff_tui.checks.report import Outcome
from handoff_tui.core.errors import HandoffError
from handoff_tui.handoffs.session import Session
from handoff_tui.log.index import DecisionEntry, LogIndex, SubmissionEntry
from handoff_tui.log.review_record import ReviewRecord, ShownCheck
from handoff_tui.log.storage.evidence import find_review

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
