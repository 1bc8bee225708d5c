"""Keeps the verdicts on handoffs' claims while files change: only those that may differ are measured again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handoff_tui.handoffs.claim import ClaimKind, Verdict
from handoff_tui.handoffs.claims.evidence import PathThen, RepositoryEvidence
from handoff_tui.handoffs.claims.measure import measure_claims, prepare
from handoff_tui.handoffs.claims.moments import Moment
from handoff_tui.handoffs.claims.path_finder import PathMatch
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Session

if TYPE_CHECKING:
    from handoff_tui.live.feed.snapshot import RepositorySnapshot, SavedPaths

_REST_ON_STATUS = frozenset({ClaimKind.UNCOMMITTED, ClaimKind.BASELINE})
"""Claims whose verdict depends on which files are uncommitted."""


class _NotingEvidence(RepositoryEvidence):
    """Notes which files were hashed or looked at, and which were searched for."""

    hashed: set[str]
    sought: set[str]

    def hash_now(self, path: str) -> str | None:
        self.hashed.add(path)
        return super().hash_now(path)

    def look_at(self, path: str, moment: Moment) -> PathThen:
        self.hashed.add(path)
        return super().look_at(path, moment)

    def find(self, wanted: str, document: str) -> PathMatch:
        self.sought.add(wanted)
        return super().find(wanted, document)


class VerdictCache:
    """Verdicts by handoff. Used by one thread."""

    def __init__(self, session: Session, handoffs: tuple[Handoff, ...]) -> None:
        self.evidence: _NotingEvidence = _NotingEvidence(session)
        self.evidence.hashed, self.evidence.sought = set(), set()
        self._session = session
        self._handoffs = handoffs
        self._verdicts: dict[str, tuple[Handoff, tuple[Verdict, ...]]] = {}
        self._hashed: dict[str, frozenset[str]] = {}
        prepare(self.evidence, handoffs, handoffs)

    def measure(self, handoff: Handoff) -> tuple[Verdict, ...]:
        """Returns the verdicts on a handoff; the same objects as before if nothing can have changed."""
        known = self._verdicts.get(handoff.id)
        if known is None or known[0] is not handoff:
            self.evidence.hashed = set()
            known = self._verdicts[handoff.id] = (handoff, measure_claims(handoff, self.evidence))
            self._hashed[handoff.id] = frozenset(self.evidence.hashed)
        return known[1]

    def look_for_runs(self) -> None:
        """Forgets the verdicts on test numbers if commands have run since, which leaves no trace in the repository."""
        if self.evidence.has_other_runs():
            counts = ClaimKind.COUNT
            for name, (handoff, _) in tuple(self._verdicts.items()):
                if any(claim.kind is counts for claim in handoff.claims):
                    del self._verdicts[name]

    def has_sought(self, paths: frozenset[str]) -> bool:
        """Tells whether a claim names one of these paths; git may ignore them, so no list has them."""
        return not self.evidence.sought.isdisjoint(paths)

    def carry(self, session: Session, patch: SavedPaths | None, handoffs: tuple[Handoff, ...]) -> VerdictCache:
        """Returns the verdicts after some files were saved; new ones if files came or went, or if more changed."""
        if patch is None or patch.presence:
            return VerdictCache(session, handoffs)
        status_same = session.work_tree.facts == self._session.work_tree.facts
        self.evidence.move_on(session, patch.paths)
        self._session = session
        everything = self._take_in(handoffs)
        for name, (handoff, _) in tuple(self._verdicts.items()):
            read = not self._hashed[name].isdisjoint(patch.paths)
            if everything or read or (not status_same and _rests_on_status(handoff)):
                del self._verdicts[name]
        return self

    def _take_in(self, handoffs: tuple[Handoff, ...]) -> bool:
        """Tells whether a new or changed handoff affects the verdicts on others' claims."""
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
    """Verdicts by every measurement for the handoffs in view, carried from snapshot to snapshot. For one thread."""

    def __init__(self) -> None:
        self._snapshot: RepositorySnapshot | None = None
        self._cache: VerdictCache | None = None

    def find(self, snapshot: RepositorySnapshot) -> VerdictCache:
        """Returns the verdicts as of a snapshot, which is never older than the one before."""
        before, session, handoffs = self._snapshot, snapshot.session, snapshot.reading.result.handoffs
        if self._cache is None or before is None:
            self._cache = VerdictCache(session, handoffs)
        elif snapshot is not before:
            same_place = before.state.repository.root == snapshot.state.repository.root
            patch = snapshot.find_patch(before.version) if same_place else None
            self._cache = self._cache.carry(session, patch, handoffs)
        self._cache.look_for_runs()
        self._snapshot = snapshot
        return self._cache


def _rests_on_status(handoff: Handoff) -> bool:
    return any(claim.kind in _REST_ON_STATUS for claim in handoff.claims)


def _tells_of_earlier(handoff: Handoff) -> bool:
    """Tells whether it quotes an earlier hash of a file: that supports somebody else's claim."""
    return any(claim.kind is ClaimKind.HASH_BEFORE for claim in handoff.claims)
