"""One repository at one moment: everything read from it, and what follows from that."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from handoff_tui.checks.run.recheck import CheckAgain
from handoff_tui.core.classes import NamedTuple, dataclass
from handoff_tui.git.history.commits import name_commit
from handoff_tui.git.work_tree.patched_tree import find_gone, read_content_rules
from handoff_tui.handoffs.claim import Verdict
from handoff_tui.handoffs.read_handoffs import RepositoryReading, read_repository
from handoff_tui.handoffs.reading.read import ReadingMemory
from handoff_tui.handoffs.session import Session, open_session_to_look
from handoff_tui.live.feed.verdict_cache import VerdictCache
from handoff_tui.log.entry import LogProblem, LogProblemLevel
from handoff_tui.log.gates.all_gates import LogGates
from handoff_tui.log.open_log import FOREIGN
from handoff_tui.log.policy.signer import LocalReviewer, read_reviewer
from handoff_tui.status.inbox import build_inbox, build_inbox_facts, read_change_times
from handoff_tui.status.inbox_item import InboxItem
from handoff_tui.status.refresh import HandoffReviewer, build_state, open_log_gates
from handoff_tui.status.review_state import ReviewState


class IncrementalState(NamedTuple):
    """What the next snapshot can be built from. Used only by the thread that follows the repository."""

    gone: frozenset[str]
    """Tracked paths that do not exist."""
    memory: ReadingMemory
    verdict_cache: VerdictCache


@dataclass(frozen=True, slots=True)
class RepositorySnapshot:
    """Everything read from a repository together. Each change is a new snapshot with the next version."""

    version: int
    log_version: int
    """The version of the last full read: log, refs and configuration have not changed since."""
    session: Session
    reading: RepositoryReading
    gates: LogGates | None
    verdicts: Mapping[str, tuple[Verdict, ...]]
    """On the claims of each handoff, by its id."""
    handoff_reviewer: HandoffReviewer
    """The scopes, lives and gates of the handoffs."""
    reviewer: LocalReviewer
    changed: Mapping[str, datetime]
    """When each document last changed."""
    state: ReviewState
    inbox: tuple[InboxItem, ...]
    incremental: IncrementalState
    since: str = ""
    """The start line as a person names it: a tag, or a short id; empty without one."""

    @property
    def fatal(self) -> tuple[str, ...]:
        """What is wrong with the log; empty if it is intact."""
        return tuple(problem.text for problem in self._log_problems if problem.level is LogProblemLevel.FATAL)

    @property
    def foreign(self) -> tuple[str, ...]:
        """Entries that carry the user's signature and were not made on this machine."""
        return tuple(problem.text for problem in self._log_problems if problem.code == FOREIGN)

    @property
    def _log_problems(self) -> tuple[LogProblem, ...]:
        return self.gates.index.verdict.problems if self.gates else ()


def read_snapshot(root: Path, version: int) -> RepositorySnapshot:
    """Reads everything from scratch."""
    session = open_session_to_look(root)
    gone = find_gone(session.repository, session.work_tree)
    read_content_rules(session.repository)  # the first save must not wait for them
    memory = ReadingMemory()
    reading = read_repository(session, memory=memory)
    gates = open_log_gates(session, reading.result.handoffs, CheckAgain())
    reviewer = read_reviewer(session, gates.policy if gates else None)
    handoffs = reading.result.handoffs
    cache = VerdictCache(session, handoffs)
    verdicts = cache.measure_all()
    handoff_reviewer = HandoffReviewer(session, reading.result, gates, closed=session.loaded.refused_shortly)
    reviewed = tuple(handoff_reviewer.review(handoff, verdicts[handoff.id]) for handoff in handoffs)
    state = build_state(session, reading.result, handoff_reviewer, reviewed, version)
    changed = read_change_times(session, state)
    inbox = build_inbox(state, build_inbox_facts(session, reviewer, changed, gates))
    incremental = IncrementalState(gone, memory, cache)
    start = gates.policy.start_line if gates and gates.policy else ""
    since = name_commit(session.repository.git, start) if start else ""
    return RepositorySnapshot(
        version=version,
        log_version=version,
        session=session,
        reading=reading,
        gates=gates,
        verdicts=verdicts,
        handoff_reviewer=handoff_reviewer,
        reviewer=reviewer,
        changed=changed,
        state=state,
        inbox=inbox,
        incremental=incremental,
        since=since,
    )
