"""One repository at one moment: everything that was read of it, and what follows from that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from handoff_tui.git.work_tree.patched_tree import ContentRules, find_gone, read_content_rules
from handoff_tui.handoffs.formats.registry import FORMATS
from handoff_tui.handoffs.read_handoffs import RepositoryReading
from handoff_tui.handoffs.reading.read import ReadingMemory, list_text_names, read_again
from handoff_tui.handoffs.reading.source_files import RepositoryFiles
from handoff_tui.handoffs.session import Desk, open_desk_to_look
from handoff_tui.live.feed.verdict_cache import VerdictCache
from handoff_tui.log.entry import ProblemLevel
from handoff_tui.log.gates.all_gates import LogGates
from handoff_tui.log.policy.signer import DeskReviewer, read_reviewer
from handoff_tui.status.inbox import InboxFacts, build_inbox, read_change_times
from handoff_tui.status.inbox_item import InboxItem
from handoff_tui.status.refresh import HandoffReviewer, build_state, open_log_gates
from handoff_tui.status.review_state import ReviewState


class SavedPaths(NamedTuple):
    """What one snapshot has changed of the one before, when nothing else has."""

    version: int
    paths: frozenset[str]
    """Files whose content may be another one."""
    presence: bool = False
    """Whether one came or went, or may have."""


class IncrementalState(NamedTuple):
    """What the next snapshot can be made from. Used by the thread that follows the repository, and by no other."""

    rules: ContentRules
    gone: frozenset[str]
    """Tracked paths that are not there."""
    names: list[str]
    """The paths that a handoff can be written in."""
    memory: ReadingMemory
    book: VerdictCache
    bench: HandoffReviewer


@dataclass(frozen=True, slots=True)
class RepositorySnapshot:
    """What is read of a repository together. A change of the repository is a new snapshot with the next version."""

    version: int
    log_version: int
    """The version at which everything was last read anew: neither log, refs nor configuration have changed since."""
    desk: Desk
    reading: RepositoryReading
    gates: LogGates | None
    reviewer: DeskReviewer
    changed: Mapping[str, datetime]
    """When each document last changed."""
    state: ReviewState
    inbox: tuple[InboxItem, ...]
    incremental: IncrementalState
    patches: tuple[SavedPaths, ...] = ()
    """Since everything was read anew, oldest first."""

    @property
    def fatal(self) -> tuple[str, ...]:
        """What is wrong with the log, where it is not intact."""
        problems = self.gates.index.verdict.problems if self.gates else ()
        return tuple(problem.text for problem in problems if problem.level is ProblemLevel.FATAL)

    def find_patch(self, version: int) -> SavedPaths | None:
        """All that has changed since an earlier snapshot, in one; nothing where everything was read anew since."""
        if not self.log_version <= version <= self.version:
            return None
        later = [patch for patch in self.patches if patch.version > version]
        if len(later) != self.version - version:
            return None  # too long ago
        paths = frozenset[str]().union(*(patch.paths for patch in later))
        return SavedPaths(self.version, paths, any(patch.presence for patch in later))


def read_snapshot(root: Path, version: int) -> RepositorySnapshot:
    """Reads everything anew."""
    desk = open_desk_to_look(root)
    gone = find_gone(desk.repository, desk.work_tree)
    rules = read_content_rules(desk.repository)
    memory = ReadingMemory()
    reading, names = _read(desk, memory)
    gates = open_log_gates(desk)
    reviewer = read_reviewer(desk, gates.policy if gates else None)
    handoffs = reading.result.handoffs
    book = VerdictCache(desk, handoffs, deep=False)
    bench = HandoffReviewer(reading.result, gates, closed=desk.loaded.refused_shortly)
    reviewed = tuple(bench.review(handoff, book.measure(handoff)) for handoff in handoffs)
    state = build_state(desk, reading.result, reviewed, version)
    changed = read_change_times(desk, state)
    inbox = build_inbox(state, build_inbox_facts(desk, reviewer, changed, gates))
    incremental = IncrementalState(rules, gone, names, memory, book, bench)
    return RepositorySnapshot(version, version, desk, reading, gates, reviewer, changed, state, inbox, incremental)


def _read(desk: Desk, memory: ReadingMemory) -> tuple[RepositoryReading, list[str]]:
    """Every handoff, and the names that it can be written in."""
    files = RepositoryFiles(desk.repository, desk.work_tree, desk.loaded.settings)
    names = list_text_names(files.paths)
    return RepositoryReading(files, read_again(files, FORMATS, names, memory)), names


def build_inbox_facts(
    desk: Desk, reviewer: DeskReviewer, changed: Mapping[str, datetime], gates: LogGates | None
) -> InboxFacts:
    nameless = frozenset(word.casefold() for word in desk.loaded.settings.approvals.nameless_words)
    return InboxFacts(reviewer, changed, gates, nameless)
