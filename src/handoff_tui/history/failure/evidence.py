"""What was stored beside the entries of the log about checks: outcomes and findings, read when they are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from handoff_tui.changes.snapshots.snapshot import Snapshot
from handoff_tui.handoffs.session import Desk
from handoff_tui.history.attempts.content import CLOSED, find_snapshot_of
from handoff_tui.log.index import LogIndex, Submission, Vote
from handoff_tui.log.review_record import ReviewRecord, ShownCheck
from handoff_tui.log.storage.review_records import find_review

MOST_ENTRIES = 300
"""Of a longer log the newest are looked through."""


@dataclass(frozen=True)
class EntryEvidence:
    """An entry and what is stored beside it."""

    desk: Desk
    one: Vote | Submission

    @cached_property
    def record(self) -> ReviewRecord | None:
        """What the reviewer was shown: the checks of the gate of one handoff."""
        return find_review(self.desk.repository.root, self.one.decision.review) if isinstance(self.one, Vote) else None

    @cached_property
    def snapshot(self) -> Snapshot | None:
        """The checks of the whole repository."""
        return find_snapshot_of(self.desk, self.one.work)

    def find_shown(self, check: str) -> ShownCheck | None:
        if self.record is None:
            return None
        return next((shown for shown in self.record.checks if shown.id == check), None)

    def find_outcome(self, check: str) -> str | None:
        """Of the gate; of the whole repository where the record of the gate is not here."""
        shown = self.find_shown(check)
        if shown is not None:
            return shown.outcome
        return None if self.snapshot is None else self.snapshot.checks.get(check)

    def has_passed(self, check: str, handoff: str | None, *, is_command: bool) -> bool:
        """Whether it is evidence that the check passed: for this handoff, or for the whole repository.

        What a rule says of one handoff it does not say of another; a command is about the whole.
        """
        shown = self.find_shown(check)
        if shown is not None and (is_command or self.one.work.handoff == handoff):
            return shown.outcome == "pass"
        return self.snapshot is not None and self.snapshot.checks.get(check) == "pass"

    def find_findings(self, check: str) -> dict[str, str]:
        """Fingerprint to message of what the check found then."""
        shown = self.find_shown(check)
        if shown is not None:
            return {found.fingerprint: found.message for found in shown.findings}
        if self.snapshot is None:
            return {}
        return {key: found.message for key, found in self.snapshot.findings.items() if found.check == check}

    def has_failed(self, check: str) -> bool:
        outcome = self.find_outcome(check)
        return outcome is not None and outcome not in CLOSED


def list_evidence(desk: Desk, index: LogIndex) -> tuple[EntryEvidence, ...]:
    """The newest entries that count, newest first."""
    entries: list[Vote | Submission] = [*index.votes.values()]
    entries += [one for many in index.submissions_at.values() for one in many]
    living = [one for one in entries if not index.is_void(one.entry.id)]
    living.sort(key=lambda one: (one.entry.seq, one.entry.id), reverse=True)
    return tuple(EntryEvidence(desk, one) for one in living[:MOST_ENTRIES])
