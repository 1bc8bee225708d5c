"""What an attempt was bound to, as far as it is here: its files, its snapshot, and the results as they were shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from handoff_tui.changes.snapshots.snapshot import Snapshot, TestOutcome
from handoff_tui.changes.snapshots.store import read_snapshot
from handoff_tui.checks.result import Outcome
from handoff_tui.core.errors import HandoffError
from handoff_tui.decisions.examine import Examined
from handoff_tui.git.objects.private_objects import offer_objects
from handoff_tui.git.work_tree.capture import build_commit_tree
from handoff_tui.handoffs.session import Desk
from handoff_tui.history.attempts.report import TestNumbers
from handoff_tui.history.attempts.sources import AttemptSources
from handoff_tui.log.index import Submission, Vote
from handoff_tui.log.record import Work
from handoff_tui.log.review_record import ReviewRecord
from handoff_tui.log.storage.review_records import find_review
from handoff_tui.system.files.cache_files import find_cache_folder

CLOSED = frozenset({Outcome.PASS.value, Outcome.NOT_APPLICABLE.value})


@dataclass(frozen=True)
class AttemptContent:
    """The content of one attempt. What is nothing is not here."""

    name: str
    commit: str | None = None
    recorded_tree: str | None = None
    """By the log; whether it is here is another question."""
    snapshot: Snapshot | None = None
    shown: Mapping[str, str] | None = None
    """The outcome of each check of its gate, as a reviewer was shown it."""
    started_from: str | None = None
    """The commit from which changes were counted."""
    _desk: Desk | None = field(default=None, repr=False, compare=False)

    @property
    def handoff(self) -> str:
        return self.name.rsplit(":", 2)[0]

    @property
    def words(self) -> str:
        """What it is called where its handoff is known anyway."""
        number = self.name.rpartition(":")[2]
        return f"attempt {number}" if number.isdecimal() else "what is here now"

    @cached_property
    def tree(self) -> str | None:
        """The files, as a tree that can be read here: as they were captured, or else as they were committed."""
        if self._desk is None or self.recorded_tree is None:
            return self.recorded_tree
        if self.has_uncommitted and self.snapshot is not None and _is_here(self._desk, self.snapshot.tree):
            return self.snapshot.tree
        return _find_tree(self._desk, self.recorded_tree, self.commit)

    @property
    def has_uncommitted(self) -> bool:
        """Whether more was captured than its commit holds."""
        return self.snapshot is not None and self.snapshot.tree != self.recorded_tree

    @property
    def checks(self) -> Mapping[str, str] | None:
        """Outcomes by the record, or else by the snapshot, which is about the whole repository."""
        if self.shown is not None:
            return self.shown
        return self.snapshot.checks if self.snapshot is not None and self.snapshot.checks else None

    @property
    def tests(self) -> TestNumbers | None:
        """Numbers by outcome; nothing where no report was read."""
        if self.snapshot is None or not self.snapshot.tests:
            return None
        outcomes = list(self.snapshot.tests.values())
        return TestNumbers(
            total=len(outcomes),
            passed=outcomes.count(TestOutcome.PASS),
            failed=outcomes.count(TestOutcome.FAIL) + outcomes.count(TestOutcome.ERROR),
            skipped=outcomes.count(TestOutcome.SKIPPED),
        )


def read_content(desk: Desk, name: str, sources: AttemptSources) -> AttemptContent:
    """The content of an attempt in the log; an empty one where no entry is bound to anything."""
    newest, work = sources.newest, sources.work
    if newest is None or work is None:
        return AttemptContent(name)
    record = find_record(desk, sources)
    return AttemptContent(
        name,
        commit=work.subject.commit,
        recorded_tree=work.subject.tree,
        snapshot=find_snapshot_of(desk, work),
        shown=None if record is None else list_shown(record),
        started_from=None if record is None else record.check_baseline,
        _desk=desk,
    )


def build_content_now(name: str, examined: Examined) -> AttemptContent:
    """What is here now, uncommitted work included."""
    return AttemptContent(
        name,
        commit=examined.target.subject.commit,
        recorded_tree=examined.snapshot.tree,
        snapshot=examined.snapshot,
        shown={result.id: result.outcome.value for result in examined.report.results},
        started_from=examined.report.baseline,
    )


def find_record(desk: Desk, sources: AttemptSources) -> ReviewRecord | None:
    """The newest record of a decision on the content that stands for the attempt."""
    work = sources.work
    for vote in reversed(sources.living):
        if work is not None and vote.work.subject == work.subject:
            record = find_review(desk.repository.root, vote.decision.review)
            if record is not None:
                return record
    return None


def list_shown(record: ReviewRecord) -> dict[str, str]:
    return {check.id: check.outcome for check in record.checks}


def find_snapshot_of(desk: Desk, work: Work) -> Snapshot | None:
    """The stored snapshot; nothing where it is not here or cannot be read."""
    try:
        return read_snapshot(desk.repository.root, work.subject.snapshot)
    except HandoffError:
        return None


def read_evidence(desk: Desk, one: Vote | Submission) -> tuple[ReviewRecord | None, Snapshot | None]:
    """What was stored beside an entry."""
    record = find_review(desk.repository.root, one.decision.review) if isinstance(one, Vote) else None
    return record, find_snapshot_of(desk, one.work)


def _find_tree(desk: Desk, tree: str, commit: str | None) -> str | None:
    """The tree where its objects are here, made anew from its commit where they are not any more."""
    if _is_here(desk, tree):
        return tree
    repository = desk.repository
    try:
        # one that is not that of its commit is not what was decided on
        made = None if commit is None else build_commit_tree(repository, commit, find_cache_folder(repository.root))
    except HandoffError:
        return None
    return tree if made == tree else None


def _is_here(desk: Desk, tree: str) -> bool:
    repository = desk.repository
    objects = offer_objects(repository, find_cache_folder(repository.root))
    return repository.git.run("cat-file", "-e", f"{tree}^{{tree}}", extra=objects).ok
