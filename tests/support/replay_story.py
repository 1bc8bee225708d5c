"""Work with a handoff, decided on in a real log with stored evidence; everything in it can be made wrong on purpose."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from handoff_tui.changes.snapshots.snapshot import Snapshot
from handoff_tui.changes.snapshots.store import write_snapshot
from handoff_tui.checks.registry import RULES
from handoff_tui.checks.rule import Moment
from handoff_tui.git.work_tree.capture import build_commit_tree
from handoff_tui.handoffs.session import open_desk
from handoff_tui.history.replay.judges import build_results_digest
from handoff_tui.history.replay.replay import replay
from handoff_tui.history.replay.report import ReplayQuestion, ReplayReport, ReplayVerdict
from handoff_tui.log.entry import NO_BASELINE, Subject
from handoff_tui.log.open_log import open_log
from handoff_tui.log.review_record import ReviewRecord, ShownCheck
from handoff_tui.log.storage.evidence import write_review
from handoff_tui.system.files.cache_files import find_cache_folder
from tests.support.real_log import RealLog
from tests.support.repositories import RepositoryBuilder

HANDOFF = "notes/HANDOFF.md"
"""The id under which HANDOFF.md is read."""
TEXT = "# Handoff: adding\n\nStatus: COMPLETE\n\n## What was done\n- `src/app.py` adds two numbers.\n"
PASSED = ShownCheck(id="claims-hold", outcome="pass", severity="high", blocking=True)
FAILED = ShownCheck(id="claims-hold", outcome="fail", severity="high", blocking=True)
OTHERS = tuple(
    ShownCheck(id=rule.id, outcome="pass", severity="high", blocking=True)
    for rule in RULES
    if rule.id != PASSED.id and Moment.GATE in rule.moments
)
"""Of what a commit does not hold the record is all there is: in it every other rule passed."""
_OUTSIDE = "connections-stable"
"""In the record and not in the snapshot, as what rests on the machine is."""


@dataclass
class ReplayStory:
    """One repository with one handoff; decisions are bound to the commit at hand."""

    builder: RepositoryBuilder
    log: RealLog = field(init=False)

    def __post_init__(self) -> None:
        self.log = RealLog(self.builder)
        self.builder.write("src/app.py", "def add(a, b):\n    return a + b\n").write("HANDOFF.md", TEXT).commit("work")
        self.log.begin()

    def decide(
        self,
        verb: str = "approve",
        *,
        checks: tuple[ShownCheck, ...] = (PASSED, *OTHERS),
        record: dict[str, Any] | None = None,
        **changes: Any,  # noqa: ANN401 - any field of an entry
    ) -> str:
        """A decision with its snapshot and review record stored; `record` replaces fields of the latter."""
        subject = changes.pop("subject", None) or self.build_subject(checks)
        work = {"handoff": HANDOFF, "phase": "review", "attempt": 1}
        value = ReviewRecord(**{**work, "subject": subject, "checks": checks, **(record or {})})
        return self.log.decide(verb=verb, subject=subject, review=self.write_review(value), **{**work, **changes})

    def build_subject(self, checks: tuple[ShownCheck, ...] = (PASSED, *OTHERS)) -> Subject:
        repository = open_desk(self.builder.folder).repository
        head = self.builder.head()
        tree = build_commit_tree(repository, head, find_cache_folder(repository.root))
        known = {check.id: check.outcome for check in checks if check.id != _OUTSIDE}
        snapshot = write_snapshot(self.builder.folder, Snapshot(tree=tree, commit=head, checks=known))
        return Subject(
            commit=head,
            tree=tree,
            baseline=NO_BASELINE,
            snapshot=snapshot,
            checks=build_results_digest(check for check in checks if check.id in known),
            handoff="e" * 64,
        )

    def write_review(self, record: ReviewRecord) -> str:
        return write_review(self.builder.folder, record)

    def replay(self) -> ReplayReport:
        desk = open_desk(self.builder.folder)
        return replay(desk, open_log(desk.repository, remembered=False))

    def ask(self, question: ReplayQuestion) -> tuple[ReplayVerdict, str]:
        """How the newest approval stands by one question, and every word that is said about it."""
        answer = self.replay().approvals[-1].find(question)
        return answer.standing, "\n".join((answer.summary, *answer.details))
