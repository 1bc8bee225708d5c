"""Earlier states to compare with, from the log: what was approved, what I reviewed, earlier attempts."""

from __future__ import annotations

from handoff_tui.core.classes import NamedTuple, dataclass
from handoff_tui.git.history.commit_graph import find_ancestors
from handoff_tui.git.objects.private_objects import build_commit_tree
from handoff_tui.git.signing.signing_key import read_identity
from handoff_tui.handoffs.session import Session, has_log
from handoff_tui.log.entry import APPROVING, EntryKind
from handoff_tui.log.index import DecisionEntry, LogIndex, build_log_index
from handoff_tui.log.open_log import find_policy, open_log
from handoff_tui.log.storage.evidence import StoredReviews
from handoff_tui.system.files.cache_files import find_cache_folder


class ApprovedSnapshot(NamedTuple):
    """The snapshot of an approval in the log."""

    digest: str
    commit: str | None
    is_ancestor: bool
    """Whether HEAD contains its commit."""


class EarlierState(NamedTuple):
    """A state to compare with, and what it is in words: `your review of 3 May`, `attempt 2`, `v1.4`."""

    words: str
    snapshot: str | None = None
    commit: str | None = None


@dataclass(frozen=True, slots=True)
class ComparisonPoints:
    """Earlier states, newest first."""

    reviewer: str | None = None
    approved: tuple[ApprovedSnapshot, ...] = ()
    my_reviews: tuple[EarlierState, ...] = ()
    earlier_attempts: tuple[EarlierState, ...] = ()
    is_intact: bool = True
    """If the log is not intact, nothing is taken from it."""


def read_comparison_points(session: Session, tree: str, handoff: str | None) -> ComparisonPoints:
    """Reads the log for states before the current work, whose files are `tree`."""
    reviewer = read_identity(session.repository.git).email
    if not has_log(session):
        return ComparisonPoints(reviewer)
    verdict = open_log(session.repository).verify()
    if verdict.fatal:
        return ComparisonPoints(reviewer, is_intact=False)
    index = build_log_index(verdict)
    newest_first = sorted(index.decisions.values(), key=lambda made: -made.entry.seq)
    living = [made for made in newest_first if not index.is_void(made.entry.id)]
    mine = [made for made in living if made.entry.actor == reviewer and handoff in {None, made.work.handoff}]
    earlier = [made for made in living if made.work.handoff == handoff and made.work.subject.tree != tree]
    return ComparisonPoints(
        reviewer=reviewer,
        approved=list_approved(session, index, tree, handoff),
        my_reviews=tuple(map(_build_point, mine)),
        earlier_attempts=tuple(map(_build_point, earlier)),
    )


def find_trusted_commit(session: Session) -> EarlierState | None:
    """Returns the commit approved last before HEAD, else the start line; None if the log is not intact."""
    head = session.work_tree.facts.head
    verdict = open_log(session.repository).verify()
    if head is None or verdict.fatal:
        return None
    tree = build_commit_tree(session.repository, head, find_cache_folder(session.repository.root))
    approved = list_approved(session, build_log_index(verdict), tree)
    commit = next((one.commit for one in approved if one.is_ancestor), None)
    if commit is not None:
        return EarlierState("the last approved commit on this branch", commit=commit)
    policy = find_policy(verdict)
    line = policy.start_line if policy is not None else ""
    if line and line != head and find_ancestors(session.repository.git, [line], head):
        return EarlierState("the start line of the signed policy", commit=line)
    return None


def list_approved(
    session: Session, index: LogIndex, tree: str, handoff: str | None = None
) -> tuple[ApprovedSnapshot, ...]:
    """Lists approvals of other files than these, newest first: work can't be its own baseline.

    With `handoff`, only its own: what was approved of another one holds work of this one that nobody has reviewed.
    """
    decisions = [
        made
        for made in sorted(index.decisions.values(), key=lambda made: (-made.entry.seq, made.entry.id))
        if made.decision.verb in APPROVING
        and handoff in {None, made.work.handoff}
        and made.work.subject.tree != tree
        and not index.is_void(made.entry.id)
    ]
    reviews = StoredReviews(session.repository)
    reviews.load(made.decision.review for made in decisions if made.entry.kind is EntryKind.SCOPED_DECISION)
    decisions = [
        made
        for made in decisions
        if made.entry.kind is not EntryKind.SCOPED_DECISION
        or reviews.has(made.decision.review, made.work.key, made.work.subject.scope)
    ]
    behind = find_ancestors(session.repository.git, (made.work.subject.commit for made in decisions))
    return tuple(
        ApprovedSnapshot(made.work.subject.snapshot, made.work.subject.commit, made.work.subject.commit in behind)
        for made in decisions
    )


def _build_point(made: DecisionEntry) -> EarlierState:
    return EarlierState(describe_decision(made), snapshot=made.work.subject.snapshot, commit=made.work.subject.commit)


def describe_decision(made: DecisionEntry) -> str:
    return f"{made.entry.actor} decided {made.decision.verb} on attempt {made.work.attempt} at {made.entry.time}"
