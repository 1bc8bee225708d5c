"""Keeps the verdicts on handoffs' claims while files change: only those that may differ are measured again."""

from __future__ import annotations

from handoff_tui.core.classes import NamedTuple
from handoff_tui.git.work_tree.patched_tree import SavedPaths
from handoff_tui.handoffs.claim import ClaimKind, Verdict
from handoff_tui.handoffs.claims.evidence import PathThen, RepositoryEvidence
from handoff_tui.handoffs.claims.measure import measure_claims, prepare
from handoff_tui.handoffs.claims.moments import Moment
from handoff_tui.handoffs.claims.path_finder import PathMatch
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Session

_REST_ON_STATUS = frozenset({ClaimKind.UNCOMMITTED, ClaimKind.BASELINE})
"""If tests ran here, numbers of tests too."""


_BY_A_LINK = ""
"""Stands for whatever file a link led to: it may be any that was saved."""


class _NotingEvidence(RepositoryEvidence):
    """Notes which files were hashed or looked at, and which were searched for."""

    read: set[str]
    sought: set[str]

    def list_resting_on_status(self) -> frozenset[ClaimKind]:
        """Returns the kinds of claims whose verdict depends on which files are uncommitted."""
        return _REST_ON_STATUS | {ClaimKind.COUNT} if self._test_runs else _REST_ON_STATUS

    def hash_now(self, path: str) -> str | None:
        self.read.add(_BY_A_LINK if self._reader.is_linked(path) else path)
        return super().hash_now(path)

    def look_at(self, path: str, moment: Moment) -> PathThen:
        self.read.add(path)
        return super().look_at(path, moment)

    def find(self, wanted: str, document: str) -> PathMatch:
        self.sought.add(wanted)
        return super().find(wanted, document)


class _Measured(NamedTuple):
    """The verdicts on a handoff, and the files they rest on."""

    handoff: Handoff
    verdicts: tuple[Verdict, ...]
    read: frozenset[str]

    def still_holds(self, saved: frozenset[str], doubtful: frozenset[ClaimKind]) -> bool:
        """Tells whether the verdicts are the same after these files were saved, and no claim is of a doubtful kind."""
        is_sure = not doubtful or all(claim.kind not in doubtful for claim in self.handoff.claims)
        return is_sure and self.read.isdisjoint(saved) and _BY_A_LINK not in self.read


class VerdictCache:
    """Verdicts by handoff. Used by one thread."""

    def __init__(self, session: Session, handoffs: tuple[Handoff, ...]) -> None:
        self.evidence: _NotingEvidence = _NotingEvidence(session)
        self.evidence.read, self.evidence.sought = set(), set()
        self._session = session
        self._handoffs = handoffs
        self._measured: dict[str, _Measured] = {}
        prepare(self.evidence, handoffs, handoffs)

    def measure_all(self) -> dict[str, tuple[Verdict, ...]]:
        """Returns the verdicts on every handoff."""
        return {handoff.id: self.measure(handoff) for handoff in self._handoffs}

    def measure(self, handoff: Handoff) -> tuple[Verdict, ...]:
        """Returns the verdicts on a handoff; the same objects as before if nothing can have changed."""
        known = self._measured.get(handoff.id)
        if known is None or known.handoff is not handoff:
            self.evidence.read = set()
            verdicts = measure_claims(handoff, self.evidence)
            known = self._measured[handoff.id] = _Measured(handoff, verdicts, frozenset(self.evidence.read))
        return known.verdicts

    def has_sought(self, paths: frozenset[str]) -> bool:
        """Tells whether a claim names one of these paths; git may ignore them, so no list has them."""
        return not self.evidence.sought.isdisjoint(paths)

    def carry(self, session: Session, saved: SavedPaths, handoffs: tuple[Handoff, ...]) -> VerdictCache:
        """Returns the verdicts after some files were saved; new ones if any came or went."""
        if saved.presence:
            return VerdictCache(session, handoffs)
        same_status = session.work_tree.facts == self._session.work_tree.facts
        doubtful = frozenset[ClaimKind]() if same_status else self.evidence.list_resting_on_status()
        self.evidence.move_on(session, saved.paths)
        self._session = session
        if self._take_in(handoffs):
            self._measured.clear()
        kept = self._measured.items()
        self._measured = {name: one for name, one in kept if one.still_holds(saved.paths, doubtful)}
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


def _tells_of_earlier(handoff: Handoff) -> bool:
    """Tells whether it quotes an earlier hash of a file: that supports somebody else's claim."""
    return any(claim.kind is ClaimKind.HASH_BEFORE for claim in handoff.claims)
