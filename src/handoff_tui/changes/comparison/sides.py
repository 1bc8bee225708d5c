"""The two sides of a comparison: which ones, why, and what of them can be read here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from handoff_tui.changes.comparison.snapshot_diff import BaselineChoice, ComparedPair, DiffScope
from handoff_tui.changes.snapshots.snapshot import Snapshot, SnapshotSummary, find_snapshot, read_snapshot
from handoff_tui.changes.snapshots.stored_snapshots import find_pinned, list_summaries
from handoff_tui.core.classes import NamedTuple, dataclass
from handoff_tui.core.errors import ObjectMissingError, StoredFileMissingError, UsageError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.git.history.commits import resolve_commits
from handoff_tui.git.objects.private_objects import build_commit_tree, offer_objects
from handoff_tui.git.session import session_of
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Session
from handoff_tui.log.gates.approved import ApprovedSnapshot, ComparisonPoints, EarlierState
from handoff_tui.system.files.cache_files import find_cache_folder

_DIGEST: Final = compile_later(r"(?:sha256:)?([0-9a-f]{7,64})")


class DeclaredBaseline(NamedTuple):
    """A baseline a document describes by its numbers."""

    where: str
    packages: int | None = None
    tests: int | None = None


@dataclass(frozen=True, slots=True)
class BaselineCandidates:
    """Everything the choice of a baseline depends on."""

    pinned: str | None = None
    approved: tuple[ApprovedSnapshot, ...] = ()
    """Newest first."""
    declared: tuple[DeclaredBaseline, ...] = ()
    stored: tuple[SnapshotSummary, ...] = ()
    is_handoff_known: bool = True
    """Without a handoff there are no documents to read."""


def pick_baseline(candidates: BaselineCandidates) -> BaselineChoice:
    """The pinned baseline; else the last approved one on this branch; else the one a document declares."""
    if candidates.pinned is not None:
        return _choose_pinned(candidates.pinned, candidates.stored)
    readable = tuple(one for one in candidates.stored if not one.problem)
    stored = {one.digest: one for one in readable}
    for approved in candidates.approved:
        if approved.is_ancestor:
            return _choose_approved(approved, stored)
    doubts: list[str] = []
    for declared in candidates.declared:
        choice = _choose_declared(declared, readable)
        if choice is not None and choice.snapshot:
            return choice
        doubts += [choice.reason] if choice else []
    return BaselineChoice(reason=_explain_none(candidates, doubts))


def _choose_pinned(pinned: str, stored: Iterable[SnapshotSummary]) -> BaselineChoice:
    """An unreadable pin is reported; silently taking another baseline would mislead."""
    found = _match_digest(pinned, stored)
    if found is not None and found.problem:
        return BaselineChoice(reason=f"the pinned snapshot {pinned[:SHORT_DIGEST]} can't be used: {found.problem}")
    if found is None:
        return BaselineChoice(
            reason=f"the pinned snapshot {pinned[:SHORT_DIGEST]} isn't stored here: fetch it, or pin another one"
        )
    return BaselineChoice(snapshot=found.digest, commit=found.commit, reason="you pinned it")


def _choose_approved(approved: ApprovedSnapshot, stored: Mapping[str, SnapshotSummary]) -> BaselineChoice:
    if approved.digest in stored:
        return BaselineChoice(
            snapshot=approved.digest, commit=approved.commit, reason="The last approved baseline on this branch"
        )
    lost = f"The last approved baseline on this branch, {approved.digest[:SHORT_DIGEST]}, isn't stored here"
    only = "; its commit is here, so only files are compared" if approved.commit else ""
    return BaselineChoice(commit=approved.commit, reason=lost + only)


def _choose_declared(declared: DeclaredBaseline, stored: tuple[SnapshotSummary, ...]) -> BaselineChoice | None:
    """The only stored snapshot with the numbers a document gives; None if it gives none."""
    words = _describe_numbers(declared)
    if not words:
        return None
    fitting = [
        one for one in stored if declared.packages in {None, one.packages} and declared.tests in {None, one.tests}
    ]
    if len(fitting) == 1:
        reason = f"{declared.where} declares a baseline of {words}, and only this snapshot has them"
        return BaselineChoice(snapshot=fitting[0].digest, commit=fitting[0].commit, reason=reason)
    number = "no stored snapshot has" if not fitting else f"{len(fitting)} stored snapshots have"
    return BaselineChoice(reason=f"{declared.where} declares a baseline of {words}, which {number}")


def _describe_numbers(declared: DeclaredBaseline) -> str:
    parts = ((declared.packages, "packages"), (declared.tests, "tests"))
    return " and ".join(f"{number:,} {noun}" for number, noun in parts if number is not None)


def _match_digest(name: str, stored: Iterable[SnapshotSummary]) -> SnapshotSummary | None:
    """The snapshot whose digest starts with this; None if there is none, or more than one."""
    written = _DIGEST.fullmatch(name)
    if written is None:
        return None
    found = [one for one in stored if one.digest.startswith(written.group(1))]
    return found[0] if len(found) == 1 else None


def _explain_none(candidates: BaselineCandidates, doubts: list[str]) -> str:
    reasons = ["nothing is pinned"]
    if candidates.approved:
        reasons.append("the approved work is on another branch")
    else:
        reasons.append("nothing was approved before")
    silent = "no document declares one" if candidates.is_handoff_known else "no handoff is named that could declare one"
    reasons.extend(doubts or [silent])
    advice = "; pin one from `baseline list`" if candidates.stored else "; none is stored yet"
    return f"no baseline: {', '.join(reasons)}{advice}"


def _take(marks: Iterable[EarlierState], otherwise: str) -> BaselineChoice:
    for mark in marks:
        if mark.snapshot is not None or mark.commit is not None:
            return BaselineChoice(snapshot=mark.snapshot, commit=mark.commit, reason=mark.words)
    return BaselineChoice(reason=otherwise)


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: its snapshot and its tree, if they are here, and notes on what is missing."""

    snapshot: Snapshot | None = None
    tree: str | None = None
    notes: tuple[str, ...] = ()


def find_pair(
    session: Session,
    points: ComparisonPoints,
    scope: DiffScope,
    handoff: Handoff | None,
    handoffs: tuple[Handoff, ...],
    named: tuple[str | None, str | None],
) -> ComparedPair:
    """The two sides, with reasons. `named` is what a person wrote: against what, and what instead of now."""
    first, second = (None if name is None else resolve_name(session, name) for name in named)
    if first is not None:
        after = None if second is None else _take([second], "")
        return ComparedPair(scope=DiffScope.BETWEEN, before=_take([first], ""), after=after)
    if scope is DiffScope.SINCE_BASELINE:
        return ComparedPair(scope=scope, before=choose_snapshot(session, points.approved, handoff, handoffs))
    return ComparedPair(scope=scope, before=find_point(scope, points))


def find_point(scope: DiffScope, points: ComparisonPoints) -> BaselineChoice:
    """Where a comparison by the log begins; if nowhere, the reason says why."""
    if scope is DiffScope.SINCE_PREVIOUS_ATTEMPT:
        return _take(points.earlier_attempts, "this is the first attempt in the log")
    if scope is DiffScope.BETWEEN:
        return BaselineChoice(reason="name a snapshot or commit to compare with")
    if points.reviewer is None:
        return BaselineChoice(reason="git has no user.email here, so your reviews can't be found")
    return _take(points.my_reviews, "the log has no earlier review of yours")


def choose_snapshot(
    session: Session, approved: tuple[ApprovedSnapshot, ...], handoff: Handoff | None, handoffs: tuple[Handoff, ...]
) -> BaselineChoice:
    """The previous baseline: pinned, approved, or declared by the handoffs this one builds on."""
    pinned = find_pinned(session, handoff.id if handoff else None)
    return pick_baseline(
        BaselineCandidates(
            pinned=pinned,
            approved=approved,
            declared=list_declared(handoff, handoffs),
            stored=list_summaries(session, pinned),
            is_handoff_known=handoff is not None,
        )
    )


def resolve_name(session: Session, written: str) -> EarlierState:
    """A snapshot by a prefix of its digest, else a commit by any name git knows."""
    try:
        digest = find_snapshot(session.repository.root, written)
        snapshot = read_snapshot(session.repository.root, digest)
        return EarlierState(f"you named the snapshot {digest[:SHORT_DIGEST]}", snapshot=digest, commit=snapshot.commit)
    except (UsageError, StoredFileMissingError) as no_snapshot:
        commit = resolve_commits(session.repository.git, [written]).get(written)
        if commit is None:
            raise UsageError(
                f"{written!r} is neither a stored snapshot nor a commit here: {no_snapshot.message}",
                "`handoff-tui baseline list` lists snapshots, `git log` commits; a shallow clone lacks old ones.",
            ) from no_snapshot
        return EarlierState(f"you named {written}", commit=commit)


def load_side(session: Session, choice: BaselineChoice) -> Side:
    """Loads what can be read of a side."""
    snapshot = None if choice.snapshot is None else read_snapshot(session.repository.root, choice.snapshot)
    if snapshot is not None and has_tree(session, snapshot.tree):
        return Side(snapshot, snapshot.tree)
    if choice.commit is None:
        return Side(snapshot, None, ("the files of this snapshot aren't here, so only its contents are compared",))
    try:
        tree = build_commit_tree(session.repository, choice.commit, find_cache_folder(session.repository.root))
    except ObjectMissingError as gone:
        return Side(snapshot, None, (f"{gone.message}, so its files can't be compared", gone.hint))
    if snapshot is not None and tree != snapshot.tree:
        note = "the snapshot's uncommitted changes are gone; the files of its commit are compared instead"
        return Side(snapshot, tree, (note,))
    return Side(snapshot, tree)


def has_tree(session: Session, tree: str) -> bool:
    """Whether the objects of a tree are here, in the repository or in our cache."""
    objects = offer_objects(session.repository, find_cache_folder(session.repository.root))
    return session_of(session.repository.git).read_objects(objects).describe([tree], "^{tree}")[tree] is not None


def list_declared(handoff: Handoff | None, handoffs: tuple[Handoff, ...]) -> tuple[DeclaredBaseline, ...]:
    """The baselines declared by the handoffs this one builds on; its own numbers are for its end."""
    before = [] if handoff is None else [other for other in handoffs if other.id in handoff.blocked_by]
    return tuple(
        DeclaredBaseline(
            where=next((document.path for document in other.documents), other.id),
            packages=other.baseline.packages,
            tests=other.baseline.tests,
        )
        for other in before
        if other.baseline is not None
    )
