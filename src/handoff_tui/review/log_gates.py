"""The gates of all handoffs by the log, as far as that can be said without running checks.

For the list of all handoffs: files, handoff, attempt and commit are compared, snapshot and check results are not.
`gate` and `decide` compare everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from handoff_tui.decision_log.gate import NOT_ASKED, Target, judge_gate
from handoff_tui.decision_log.log_index import LogIndex, build_log_index
from handoff_tui.decision_log.policy import Policy
from handoff_tui.decision_log.times import build_time
from handoff_tui.models.gate_state import GateReport
from handoff_tui.models.handoff import Handoff
from handoff_tui.models.log_record import Subject
from handoff_tui.repo.clock import read_now
from handoff_tui.repo.state_files import find_cache_folder
from handoff_tui.repo.work_commits import is_ancestor
from handoff_tui.repo.work_tree import build_commit_tree
from handoff_tui.review.desk import Desk
from handoff_tui.review.log import find_policy, open_log
from handoff_tui.review.place import build_handoff_digest, find_attempt, find_phase


@dataclass
class LogGates:
    """One reading of the log, asked about each handoff."""

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
        target = Target(
            handoff=handoff.id,
            phase=phase,
            attempt=find_attempt(self.index, handoff, phase, self.tree),
            subject=Subject(
                commit=head,
                tree=self.tree,
                baseline=NOT_ASKED,
                snapshot=NOT_ASKED,
                checks=NOT_ASKED,
                handoff=build_handoff_digest(handoff),
            ),
            producers=frozenset(),
            now=build_time(read_now()),
            is_ancestor=self._is_behind,
        )
        return judge_gate(self.index, self.policy, target)

    def _is_behind(self, commit: str) -> bool:
        return is_ancestor(self.desk.repository.git, commit, "HEAD")
