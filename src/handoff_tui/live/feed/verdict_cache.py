"""What the claims of handoffs are worth, kept while files change: only those that may differ are measured again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handoff_tui.handoffs.claim import ClaimKind, Verdict
from handoff_tui.handoffs.claims.evidence import RepositoryEvidence
from handoff_tui.handoffs.claims.measure import measure_claims, prepare
from handoff_tui.handoffs.claims.path_finder import PathMatch
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Desk

if TYPE_CHECKING:
    from handoff_tui.live.feed.snapshot import RepositorySnapshot

_REST_ON_STATUS = frozenset({ClaimKind.UNCOMMITTED, ClaimKind.BASELINE})
"""Claims whose verdict rests on which files are uncommitted."""


class _NotingEvidence(RepositoryEvidence):
    """Notes which files were hashed, and which were looked for."""

    hashed: set[str]
    sought: set[str]

    def hash_now(self, path: str) -> str | None:
        self.hashed.add(path)
        return super().hash_now(path)

    def find(self, wanted: str, document: str) -> PathMatch:
        self.sought.add(wanted)
        return super().find(wanted, document)


class VerdictCache:
    """Verdicts by handoff. Used by one thread."""

    def __init__(self, desk: Desk, handoffs: tuple[Handoff, ...], *, deep: bool) -> None:
        self.evidence: _NotingEvidence = _NotingEvidence(desk, deep=deep)
        self.evidence.hashed, self.evidence.sought = set(), set()
        self._desk = desk
        self._handoffs = handoffs
        self._verdicts: dict[str, tuple[Handoff, tuple[Verdict, ...]]] = {}
        self._hashed: dict[str, frozenset[str]] = {}
        prepare(self.evidence, handoffs, handoffs)

    def measure(self, handoff: Handoff) -> tuple[Verdict, ...]:
        """The very same verdicts as before where nothing can have changed."""
        known = self._verdicts.get(handoff.id)
        if known is None or known[0] is not handoff:
            self.evidence.hashed = set()
            known = self._verdicts[handoff.id] = (handoff, measure_claims(handoff, self.evidence))
            self._hashed[handoff.id] = frozenset(self.evidence.hashed)
        return known[1]

    def has_sought(self, paths: frozenset[str]) -> bool:
        """Whether a claim names one of these; git may ignore them, so that they are in no list."""
        return not self.evidence.sought.isdisjoint(paths)

    def move_on(self, desk: Desk, paths: frozenset[str], handoffs: tuple[Handoff, ...]) -> frozenset[str]:
        """After the content of some files changed: forgets what may differ now; the ids of those handoffs."""
        status_same = desk.work_tree.facts == self._desk.work_tree.facts
        self.evidence.move_on(desk, paths)
        self._desk = desk
        everything = self._take_in(handoffs)
        touched = frozenset(
            name
            for name, (handoff, _) in self._verdicts.items()
            if everything or not self._hashed[name].isdisjoint(paths) or (not status_same and _rests_on_status(handoff))
        )
        for name in touched:
            del self._verdicts[name]
        return touched

    def _take_in(self, handoffs: tuple[Handoff, ...]) -> bool:
        """Whether the handoffs that are new or other than before have a say in what the claims of others are worth."""
        known = {id(handoff) for handoff in self._handoffs}
        new = [handoff for handoff in handoffs if id(handoff) not in known]
        now = {id(handoff) for handoff in handoffs}
        gone = [handoff for handoff in self._handoffs if id(handoff) not in now]
        self._handoffs = handoffs
        if not new and not gone:
            return False
        self.evidence.forget_later_changes()
        prepare(self.evidence, new, handoffs)
        return any(_tells_of_earlier(handoff) for handoff in (*new, *gone))


class DeepVerdictCache:
    """The book of the handoff in view, moved on from snapshot to snapshot. Used by one thread."""

    def __init__(self) -> None:
        self._scene: RepositorySnapshot | None = None
        self._book: VerdictCache | None = None

    def find(self, snapshot: RepositorySnapshot) -> VerdictCache:
        """The book as of a snapshot, which is never older than the one before."""
        if self._book is None or self._scene is None or snapshot is not self._scene:
            self._book = self._build(snapshot)
            self._scene = snapshot
        return self._book

    def _build(self, snapshot: RepositorySnapshot) -> VerdictCache:
        before = self._scene
        same_place = before is not None and before.state.repository.root == snapshot.state.repository.root
        patch = snapshot.find_patch(before.version) if before is not None and same_place else None
        if before is None or self._book is None or patch is None:
            return VerdictCache(snapshot.desk, snapshot.reading.result.handoffs, deep=True)
        if patch.presence:
            return VerdictCache(snapshot.desk, snapshot.reading.result.handoffs, deep=True)
        self._book.move_on(snapshot.desk, patch.paths, snapshot.reading.result.handoffs)
        return self._book


def _rests_on_status(handoff: Handoff) -> bool:
    return any(claim.kind in _REST_ON_STATUS for claim in handoff.claims)


def _tells_of_earlier(handoff: Handoff) -> bool:
    """Whether it quotes a hash that a file had before: that speaks for somebody else's claim."""
    return any(claim.kind is ClaimKind.HASH_BEFORE for claim in handoff.claims)
