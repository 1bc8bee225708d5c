"""The gates of all handoffs by the log, as far as they can be judged without running checks.

For the queue: compares files, handoff, attempt and commit, but not the snapshot and the check results. Producers are
taken from the entries and the handoff. `gate` and `decide` compare everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from handoff_tui.git.history.work_commits import find_ancestors
from handoff_tui.git.work_tree.capture import build_commit_tree
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Desk
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.entry import GateKey, PhaseKey, Subject
from handoff_tui.log.gates.gate import NOT_COMPARED, GateQuestion, judge_gate
from handoff_tui.log.gates.gate_state import GateReport
from handoff_tui.log.gates.position import build_handoff_digest, build_principals, find_attempt, find_phase
from handoff_tui.log.index import LogIndex, build_log_index
from handoff_tui.log.open_log import find_policy, open_log
from handoff_tui.log.policy.policy import Policy
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.cache_files import find_cache_folder


@dataclass
class LogGates:
    """The log, read once, asked about each handoff."""

    desk: Desk

    @cached_property
    def index(self) -> LogIndex:
        return build_log_index(open_log(self.desk.repository).verify())

    @cached_property
    def policy(self) -> Policy | None:
        return find_policy(self.index.verdict)

    @cached_property
    def tree(self) -> str:
        repository, head = self.desk.repository, self.desk.work_tree.facts.head
        return "" if head is None else build_commit_tree(repository, head, find_cache_folder(repository.root))

    def judge(self, handoff: Handoff) -> GateReport:
        head = self.desk.work_tree.facts.head or ""
        phase = find_phase(handoff)
        question = GateQuestion(
            key=GateKey(handoff.id, phase, find_attempt(self.index, handoff, phase, self.tree)),
            subject=Subject(
                commit=head,
                tree=self.tree,
                baseline=NOT_COMPARED,
                snapshot=NOT_COMPARED,
                checks=NOT_COMPARED,
                handoff=build_handoff_digest(handoff),
            ),
            producers=self._find_producers(handoff, phase),
            now=self._now,
            is_ancestor=lambda commit: commit in self._merged,
        )
        return judge_gate(self.index, self.policy, question)

    @cached_property
    def _now(self) -> str:
        return build_time(read_now())

    @cached_property
    def _merged(self) -> frozenset[str]:
        """Commits of entries that HEAD contains, asked for all at once: there may be a thousand."""
        commits = (entry.work.subject.commit for entry in self.index.verdict.entries if entry.work is not None)
        return find_ancestors(self.desk.repository.git, commits)

    def _find_producers(self, handoff: Handoff, phase: str) -> frozenset[str]:
        place = PhaseKey(handoff.id, phase)
        works = [made.work for made in self.index.list_decisions(*place)]
        works += [made.work for made in self.index.submissions_at.get(place, ())]
        named = {name for work in works for name in work.producers}
        return build_principals({*handoff.producers, *named}, self.policy)
