"""What the log says about earlier moments: what was approved, what I reviewed, which attempts there were."""

from __future__ import annotations

from dataclasses import dataclass

from handoff_tui.git.history.work_commits import find_ancestors
from handoff_tui.git.signing.signing_key import read_identity
from handoff_tui.git.work_tree.capture import build_commit_tree
from handoff_tui.handoffs.session import Desk, has_log
from handoff_tui.log.gates.marks import Approved, Mark
from handoff_tui.log.index import DecisionEntry, LogIndex, build_log_index
from handoff_tui.log.open_log import open_log
from handoff_tui.log.record import APPROVING
from handoff_tui.system.files.cache_files import find_cache_folder


@dataclass(frozen=True, slots=True)
class LogMarks:
    """Earlier moments, newest first."""

    reviewer: str | None = None
    approved: tuple[Approved, ...] = ()
    my_reviews: tuple[Mark, ...] = ()
    earlier_attempts: tuple[Mark, ...] = ()
    is_sound: bool = True
    """Whether the log can be believed; one that cannot tells of no moment."""


def read_marks(desk: Desk, tree: str, handoff: str | None) -> LogMarks:
    """Reads the log for moments before the work at hand, whose files are `tree`. A broken log has none."""
    reviewer = read_identity(desk.repository.git).email
    if not has_log(desk):
        return LogMarks(reviewer)
    verdict = open_log(desk.repository).verify()
    if verdict.fatal:
        return LogMarks(reviewer, is_sound=False)
    return build_marks(desk, build_log_index(verdict), tree, handoff, reviewer)


def build_marks(desk: Desk, index: LogIndex, tree: str, handoff: str | None, reviewer: str | None) -> LogMarks:
    votes = sorted(index.decisions.values(), key=lambda vote: -vote.entry.seq)
    living = [vote for vote in votes if not index.is_void(vote.entry.id)]
    own = [vote for vote in living if vote.work.handoff == handoff]
    attempt = max((vote.work.attempt for vote in own), default=0)
    return LogMarks(
        reviewer=reviewer,
        approved=list_approved(desk, index, tree),
        my_reviews=tuple(
            _mark(vote) for vote in living if vote.entry.actor == reviewer and handoff in {None, vote.work.handoff}
        ),
        earlier_attempts=tuple(
            _mark(vote) for vote in own if vote.work.subject.tree != tree and vote.work.attempt <= attempt
        ),
    )


def find_last_approved(desk: Desk) -> str | None:
    """The commit that was approved last before the one at hand; nothing where the log is not sound."""
    head = desk.work_tree.facts.head
    verdict = open_log(desk.repository).verify()
    if head is None or verdict.fatal:
        return None
    tree = build_commit_tree(desk.repository, head, find_cache_folder(desk.repository.root))
    approved = list_approved(desk, build_log_index(verdict), tree)
    return next((one.commit for one in approved if one.is_ancestor), None)


def list_approved(desk: Desk, index: LogIndex, tree: str) -> tuple[Approved, ...]:
    """Approvals of other files than these, newest first: an approval of the work at hand is no baseline for it."""
    votes = [
        vote
        for vote in sorted(index.decisions.values(), key=lambda vote: (-vote.entry.seq, vote.entry.id))
        if vote.decision.verb in APPROVING and vote.work.subject.tree != tree and not index.is_void(vote.entry.id)
    ]
    behind = find_ancestors(desk.repository.git, (vote.work.subject.commit for vote in votes))
    return tuple(
        Approved(vote.work.subject.snapshot, vote.work.subject.commit, vote.work.subject.commit in behind)
        for vote in votes
    )


def _mark(vote: DecisionEntry) -> Mark:
    words = f"{vote.entry.actor} decided {vote.decision.verb} on attempt {vote.work.attempt} at {vote.entry.time}"
    return Mark(words, snapshot=vote.work.subject.snapshot, commit=vote.work.subject.commit)
