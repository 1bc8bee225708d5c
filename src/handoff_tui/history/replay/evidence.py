"""Whether the evidence of a decision is there, is what the decision is bound to, and says what it says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import NamedTuple

from pydantic import ValidationError

from handoff_tui.changes.snapshots.snapshot import Snapshot
from handoff_tui.changes.snapshots.store import parse_snapshot
from handoff_tui.core.errors import HandoffError, SnapshotUnusableError
from handoff_tui.core.short_id import SHORT_COMMIT, SHORT_DIGEST
from handoff_tui.git.objects.tree_store import TreeStore
from handoff_tui.handoffs.session import Desk
from handoff_tui.history.replay.report import Answer, Question, Standing
from handoff_tui.history.travel.past_session import find_commit
from handoff_tui.log.gates.position import build_value_digest
from handoff_tui.log.index import Vote
from handoff_tui.log.open_log import OpenLog
from handoff_tui.log.record import DecisionVerb
from handoff_tui.log.review_record import ReviewRecord, ShownCheck
from handoff_tui.log.show.entry import list_evidence
from handoff_tui.log.storage.evidence_files import EvidenceFiles
from handoff_tui.system.files.probe import is_present

_CLOSED = frozenset({"pass", "not-applicable"})
_MOST_DOUBTFUL = 10
"""So many results may have rested on more than the repository; their combinations are tried."""
_CLAIMING = frozenset({DecisionVerb.APPROVE, DecisionVerb.CARRY})


class Remark(NamedTuple):
    """One thing about the evidence of a decision."""

    standing: Standing
    text: str


class Gathered(NamedTuple):
    """The evidence of one decision, as far as it is here, and what is wrong with the rest."""

    record: ReviewRecord | None
    snapshot: Snapshot | None
    remarks: tuple[Remark, ...]


class EvidenceJudge:
    """Reads evidence from the work tree and all branches, each file only as what its name says."""

    def __init__(self, desk: Desk, log: OpenLog, store: TreeStore, behind: frozenset[str]) -> None:
        self._desk = desk
        self._store = store
        self._behind = behind
        self._files = EvidenceFiles(log.repository)
        self._tips = tuple(dict.fromkeys(log.blobs.read_listing().branches.refs.values()))

    def gather(self, vote: Vote) -> Gathered:
        """Reads every file that a decision names."""
        remarks: list[Remark] = []
        record: ReviewRecord | None = None
        snapshot: Snapshot | None = None
        for one in list_evidence(vote.entry):
            content = self._files.read(one.folder, one.digest, self._tips)
            named = f"the {one.name} {one.digest[:SHORT_DIGEST]}"
            if content is None:
                remarks.append(self._explain_absence(named, self._files.build_path(one.folder, one.digest)))
                continue
            remarks.append(Remark(Standing.HOLDS, f"{named} is stored, and has its digest"))
            try:
                if one.name == "review":
                    record = ReviewRecord.model_validate_json(content, strict=True)
                elif one.name == "snapshot":
                    snapshot = parse_snapshot(content, named)
            except (ValidationError, SnapshotUnusableError):
                remarks.append(Remark(Standing.UNKNOWN, f"{named} cannot be read by this version"))
        return Gathered(record, snapshot, tuple(remarks))

    def judge(self, vote: Vote, gathered: Gathered) -> Answer:
        remarks = [*gathered.remarks, *compare_record(vote, gathered), self._compare_tree(vote)]
        return build_evidence_answer(remarks)

    def _explain_absence(self, named: str, path: str) -> Remark:
        """Both fail: whoever changed evidence must not gain by deleting it."""
        if is_present(self._desk.repository.root, path):
            return Remark(Standing.FAILS, f"{named}: the file under its name has another content")
        return Remark(Standing.FAILS, f"{named} is not here: neither in the work tree nor on a branch")

    def _compare_tree(self, vote: Vote) -> Remark:
        """The commit that the decision names has the files that it names."""
        subject = vote.work.subject
        short = subject.commit[:SHORT_COMMIT]
        try:
            commit = find_commit(self._desk, subject.commit)
            tree = self._store.build_work_tree(commit.tree)
        except HandoffError:
            lack = "this clone is shallow" if self._desk.repository.shallow else "history was rewritten, or not fetched"
            return Remark(Standing.UNKNOWN, f"the commit {short} is not here ({lack}): its files cannot be compared")
        if tree != subject.tree:
            return Remark(Standing.FAILS, f"the commit {short} has other files than the decision is bound to")
        if subject.commit not in self._behind:
            text = (
                f"the commit {short} has these files, and is not in the history of HEAD: rewritten, or another branch"
            )
            return Remark(Standing.HOLDS, text)
        return Remark(Standing.HOLDS, f"the commit {short} has exactly these files")


def compare_record(vote: Vote, gathered: Gathered) -> Iterator[Remark]:
    """What the record says against what the decision says."""
    record = gathered.record
    if record is None:
        return
    work = vote.work
    if (record.handoff, record.phase, record.attempt, record.subject) != (
        work.handoff,
        work.phase,
        work.attempt,
        work.subject,
    ):
        yield Remark(Standing.FAILS, "the review record is about something else than the decision")
    open_checks = {check.id for check in record.checks if check.blocking and check.outcome not in _CLOSED}
    verb = vote.decision.verb
    if verb in _CLAIMING and open_checks:
        named = ", ".join(sorted(open_checks))
        yield Remark(Standing.FAILS, f"decided {verb} although the record shows blocking checks open: {named}")
    elif verb is DecisionVerb.OVERRIDE and open_checks != set(record.overridden):
        yield Remark(Standing.FAILS, "the checks that were overridden are not those that the record shows open")
    else:
        yield Remark(Standing.HOLDS, f"the {len(record.checks)} results in the record agree with the decision")
    yield _compare_digest(vote, record, gathered.snapshot)


def build_results_digest(checks: Iterable[ShownCheck]) -> str:
    """The digest of check results, from what a record shows of them."""
    return build_value_digest(
        [
            {
                "id": check.id,
                "outcome": check.outcome,
                "severity": check.severity,
                "blocking": check.blocking,
                "findings": sorted({found.fingerprint for found in check.findings}),
            }
            for check in sorted(checks, key=lambda check: check.id)
        ]
    )


def build_evidence_answer(remarks: Iterable[Remark]) -> Answer:
    """As bad as the worst of the remarks; the bad ones first."""
    order = list(Standing)
    ordered = sorted(remarks, key=lambda one: order.index(one.standing))
    worst = ordered[0].standing if ordered else Standing.UNKNOWN
    bad = [one.text for one in ordered if one.standing is not Standing.HOLDS]
    summary = "everything is there, and as the decision says"
    if bad:
        summary = bad[0] if len(bad) == 1 else f"{bad[0]} (and {len(bad) - 1} more)"
    details = tuple(one.text for one in ordered)
    return Answer(question=Question.EVIDENCE, standing=worst, summary=summary, details=details)


def _compare_digest(vote: Vote, record: ReviewRecord, snapshot: Snapshot | None) -> Remark:
    """The signed digest leaves out what rested on the clock or the machine: some of what the snapshot has not."""
    if snapshot is None:
        return Remark(Standing.UNKNOWN, "the digest of the results cannot be computed again without the snapshot")
    signed = vote.work.subject.checks
    doubtful = [check for check in record.checks if check.id not in snapshot.checks]
    sure = [check for check in record.checks if check.id in snapshot.checks]
    for number in range(len(doubtful) + 1) if len(doubtful) <= _MOST_DOUBTFUL else ():
        for some in combinations(doubtful, number):
            if build_results_digest((*sure, *some)) == signed:
                return Remark(Standing.HOLDS, "the results in the record have the signed digest")
    return Remark(Standing.UNKNOWN, "the signed digest of the results cannot be computed again from the record")
