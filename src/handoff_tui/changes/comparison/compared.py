"""What the work is compared with: the two sides of a comparison, found and explained."""

from __future__ import annotations

from dataclasses import dataclass

from handoff_tui.changes.comparison.choose import Candidates, Declared, ScopeFacts, choose_baseline, resolve_scope
from handoff_tui.changes.comparison.snapshot_diff import BaselineChoice, ComparedPair, DiffScope
from handoff_tui.changes.snapshots.snapshot import Snapshot
from handoff_tui.changes.snapshots.store import find_snapshot, read_snapshot
from handoff_tui.changes.snapshots.stored_snapshots import find_pinned, list_summaries
from handoff_tui.core.errors import ObjectMissingError, StoredFileMissingError, UsageError
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.git.history.commits import resolve_commits
from handoff_tui.git.objects.private_objects import offer_objects
from handoff_tui.git.work_tree.capture import build_commit_tree
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Desk
from handoff_tui.log.gates.approved import LogMarks
from handoff_tui.log.gates.marks import Approved, Mark
from handoff_tui.system.files.cache_files import find_cache_folder


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: its snapshot where there is one, its tree where it is here, and what is missing."""

    snapshot: Snapshot | None = None
    tree: str | None = None
    notes: tuple[str, ...] = ()


def find_pair(
    desk: Desk,
    marks: LogMarks,
    scope: DiffScope,
    handoff: Handoff | None,
    handoffs: tuple[Handoff, ...],
    named: tuple[str | None, str | None],
) -> ComparedPair:
    """The two sides, with their reasons. `named` are what a person wrote: against what, and what instead of now."""
    first, second = (None if name is None else resolve_name(desk, name) for name in named)
    is_asked = scope is DiffScope.SINCE_BASELINE and first is None
    facts = ScopeFacts(
        baseline=choose_snapshot(desk, marks.approved, handoff, handoffs) if is_asked else _UNASKED,
        reviewer=marks.reviewer,
        my_reviews=marks.my_reviews,
        earlier_attempts=marks.earlier_attempts,
        first=first,
        second=second,
    )
    return resolve_scope(DiffScope.BETWEEN if first else scope, facts)


def choose_snapshot(
    desk: Desk, approved: tuple[Approved, ...], handoff: Handoff | None, handoffs: tuple[Handoff, ...]
) -> BaselineChoice:
    """The previous baseline: pinned, approved, or declared by the documents of what the handoff builds on."""
    declared = list_declared(handoff, handoffs)
    names = [one.name for one in declared if one.name is not None]
    commits = resolve_commits(desk.repository.git, names) if names else {}
    pinned = find_pinned(desk, handoff.id if handoff else None)
    return choose_baseline(
        Candidates(
            pinned=pinned,
            approved=approved,
            declared=declared,
            stored=list_summaries(desk, pinned),
            commits={name: commit for name, commit in commits.items() if commit is not None},
            is_handoff_known=handoff is not None,
        )
    )


def resolve_name(desk: Desk, written: str) -> Mark:
    """A snapshot by the beginning of its digest, or else a commit by any name that git knows."""
    try:
        digest = find_snapshot(desk.repository.root, written)
        snapshot = read_snapshot(desk.repository.root, digest)
        return Mark(f"you named the snapshot {digest[:SHORT_DIGEST]}", snapshot=digest, commit=snapshot.commit)
    except (UsageError, StoredFileMissingError) as no_snapshot:
        commit = resolve_commits(desk.repository.git, [written]).get(written)
        if commit is None:
            raise UsageError(
                f"{written!r} is neither a stored snapshot nor a commit here: {no_snapshot.message}",
                "`handoff-tui baseline list` lists the snapshots, git log the commits; a shallow clone lacks old ones.",
            ) from no_snapshot
        return Mark(f"you named {written}", commit=commit)


def load_side(desk: Desk, choice: BaselineChoice) -> Side:
    """What of a side can be read here."""
    snapshot = None if choice.snapshot is None else read_snapshot(desk.repository.root, choice.snapshot)
    if snapshot is not None and _has_tree(desk, snapshot.tree):
        return Side(snapshot, snapshot.tree)
    if choice.commit is None:
        return Side(snapshot, None, ("the files of this snapshot are not here, so only its record is compared",))
    try:
        tree = build_commit_tree(desk.repository, choice.commit, find_cache_folder(desk.repository.root))
    except ObjectMissingError as gone:
        return Side(snapshot, None, (f"{gone.message}, so its files cannot be compared", gone.hint))
    if snapshot is not None and tree != snapshot.tree:
        note = "the snapshot held uncommitted work that is not here any more: its commit's files are compared instead"
        return Side(snapshot, tree, (note,))
    return Side(snapshot, tree)


def _has_tree(desk: Desk, tree: str) -> bool:
    objects = offer_objects(desk.repository, find_cache_folder(desk.repository.root))
    return desk.repository.git.run("cat-file", "-e", f"{tree}^{{tree}}", extra=objects).ok


def list_declared(handoff: Handoff | None, handoffs: tuple[Handoff, ...]) -> tuple[Declared, ...]:
    """The numbers that the work before gives for its end; a handoff's own are those of its own end."""
    before = [] if handoff is None else [other for other in handoffs if other.id in handoff.blocked_by]
    return tuple(
        Declared(
            where=next((document.path for document in other.documents), other.id),
            packages=other.baseline.packages,
            tests=other.baseline.tests,
        )
        for other in before
        if other.baseline is not None
    )


_UNASKED = BaselineChoice(reason="not asked for")
