"""Logs with times and records for metrics and replays, in memory and in real repositories."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from handoff_tui.changes.snapshots.snapshot import Snapshot, write_snapshot
from handoff_tui.checks.registry import RULES
from handoff_tui.core.place import CheckMoment
from handoff_tui.git.objects.private_objects import build_commit_tree
from handoff_tui.handoffs.session import open_session
from handoff_tui.history.metrics.facts import Judged, MetricsFacts, RecordFacts, build_decided_attempts
from handoff_tui.history.metrics.report import LeftOut, Metric, MetricGroup, MetricsReport, Spread, Target, Unit, Week
from handoff_tui.history.replay.page import ReplayAnswer, ReplayedApproval, ReplayQuestion, ReplayReport, ReplayVerdict
from handoff_tui.history.replay.replay import build_results_digest, replay
from handoff_tui.log.entry import (
    Decision,
    DecisionVerb,
    Entry,
    EntryKind,
    LogProblem,
    LogProblemLevel,
    LogVerdict,
    Subject,
    Work,
)
from handoff_tui.log.index import LogIndex, build_log_index
from handoff_tui.log.open_log import open_log
from handoff_tui.log.review_record import ReviewRecord, ShownCheck
from handoff_tui.log.show.view import EntryState, LogRow
from handoff_tui.log.storage.evidence import write_review
from handoff_tui.system.files.cache_files import find_cache_folder
from tests.support.logs import FIRST_VERSION_SUBJECT
from tests.support.real_log import RealLog
from tests.support.repositories import NOTE_ON_ADDING, RepositoryBuilder

DAY = "2026-03-02T"
NOW = "2026-03-31T00:00:00Z"


def build_record(
    held: tuple[str, ...] = (), still_open: tuple[str, ...] = (), findings: tuple[str, ...] = (), *, looked: bool = True
) -> RecordFacts:
    """A record by the names of its checks; every check is high, but for those that begin with `low`."""
    return RecordFacts(_judge(held), _judge(still_open), frozenset(findings), looked)


def build_subject(tree: str = "one", commit: str = "a") -> Subject:
    return FIRST_VERSION_SUBJECT.model_copy(update={"commit": commit * 40, "tree": tree})


@dataclass
class FigureLog:
    """Entries in the order in which they are added; times are of one day unless they have a date."""

    entries: list[Entry] = field(default_factory=list)
    records: dict[str, RecordFacts] = field(default_factory=dict)
    void: dict[str, str] = field(default_factory=dict)

    def submit(self, at: str, *, actor: str = "claude", **work: Any) -> str:  # noqa: ANN401 - see `_add`
        return self._add(EntryKind.SUBMISSION, actor, at, None, work)

    def decide(
        self,
        verb: str,
        at: str,
        *,
        actor: str = "alice",
        record: RecordFacts | None = None,
        regards: tuple[str, ...] = (),
        **work: Any,  # noqa: ANN401 - see `_add`
    ) -> str:
        review = f"{len(self.entries):064x}"
        if record is not None:
            self.records[review] = record
        decision = Decision(verb=DecisionVerb(verb), reason="because", regards=regards, review=review)
        return self._add(EntryKind.DECISION, actor, at, decision, work)

    def build_index(self) -> LogIndex:
        return build_log_index(LogVerdict(entries=tuple(self.entries), void=self.void))

    def build(self, **facts: Any) -> MetricsFacts:  # noqa: ANN401 - any field of MetricsFacts
        index = self.build_index()
        usual: dict[str, Any] = {"now": NOW, "records": self.records}
        return MetricsFacts(index=index, attempts=build_decided_attempts(index), **{**usual, **facts})

    def _add(self, kind: EntryKind, actor: str, at: str, decision: Decision | None, work: dict[str, Any]) -> str:
        """`work`: handoff, phase, attempt, tree, commit."""
        seq = len(self.entries) + 1
        time = at if "T" in at else f"{DAY}{at}Z"
        entry = Entry(
            id=f"sha256:{seq:064x}",
            kind=kind,
            actor=actor,
            seq=seq,
            time=time,
            parents=(self.entries[-1].id,) if self.entries else (),
            decision=decision,
            work=Work(
                handoff=work.get("handoff", "H-1"),
                phase=work.get("phase", "build"),
                attempt=work.get("attempt", 1),
                producers=("claude",),
                policy="sha256:" + "0" * 64,
                subject=build_subject(work.get("tree", "one"), work.get("commit", "a")),
            ),
        )
        self.entries.append(entry)
        return entry.id


def _judge(names: tuple[str, ...]) -> tuple[Judged, ...]:
    return tuple(Judged(name, "low" if name.startswith("low") else "high") for name in names)


HANDOFF = "notes/HANDOFF.md"
"""The id under which HANDOFF.md is read."""
PASSED = ShownCheck(id="claims-hold", outcome="pass", severity="high", blocking=True)
FAILED = ShownCheck(id="claims-hold", outcome="fail", severity="high", blocking=True)
OTHERS = tuple(
    ShownCheck(id=rule.id, outcome="pass", severity="high", blocking=True)
    for rule in RULES
    if rule.id != PASSED.id and CheckMoment.GATE in rule.moments
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
        self.builder.write("src/app.py", "def add(a, b):\n    return a + b\n").write("HANDOFF.md", NOTE_ON_ADDING)
        self.builder.commit("work")
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
        repository = open_session(self.builder.folder).repository
        head = self.builder.head()
        tree = build_commit_tree(repository, head, find_cache_folder(repository.root))
        known = {check.id: check.outcome for check in checks if check.id != _OUTSIDE}
        snapshot = write_snapshot(self.builder.folder, Snapshot(tree=tree, commit=head, checks=known))
        checked = build_results_digest(check for check in checks if check.id in known)
        bound = {"commit": head, "tree": tree, "snapshot": snapshot, "checks": checked}
        return FIRST_VERSION_SUBJECT.model_copy(update=bound)

    def write_review(self, record: ReviewRecord) -> str:
        return write_review(self.builder.folder, record)

    def replay(self) -> ReplayReport:
        desk = open_session(self.builder.folder)
        return replay(desk, open_log(desk.repository, remembered=False))

    def ask(self, question: ReplayQuestion) -> tuple[ReplayVerdict, str]:
        """How the newest approval stands by one question, and every word that is said about it."""
        answer = self.replay().approvals[-1].find(question)
        return answer.standing, "\n".join((answer.summary, *answer.details))


ENTRY = "sha256:" + "ab" * 32
OTHER = "sha256:" + "cd" * 32
HOSTILE = "<script>alert(1)</script> \x1b[31m|`x`\u202e"


def build_approval(**standings: ReplayVerdict) -> ReplayedApproval:
    """One approval; questions that are not named hold."""
    answers = tuple(
        ReplayAnswer(
            question=question,
            standing=standings.get(question.value, ReplayVerdict.HOLDS),
            summary=f"what is said of the {question}",
            details=(f"a detail of the {question}",),
        )
        for question in ReplayQuestion
    )
    return ReplayedApproval(
        entry=ENTRY,
        verb="approve",
        actor="ada@example.org",
        time="2026-03-02T10:00:00Z",
        handoff="H-1",
        phase="build",
        attempt=1,
        reason="",
        commit="1" * 40,
        tree="2" * 40,
        snapshot="3" * 64,
        review="4" * 64,
        answers=answers,
    )


def build_replay_report(*approvals: ReplayedApproval, **fields: Any) -> ReplayReport:  # noqa: ANN401 - any field
    rows = (
        LogRow(id=ENTRY, state=EntryState.VALID, what="approve", actor="ada@example.org", time="2026-03-02T10:00:00Z"),
        LogRow(id=OTHER, state=EntryState.REFUSED, code="bad-signature", why="the signature does not fit"),
    )
    problem = LogProblem(level=LogProblemLevel.REFUSED, code="bad-signature", entry=OTHER, text="it does not fit")
    usual: dict[str, Any] = {
        "repo": "/home/ada/lamp",
        "head": "1" * 40,
        "log": OTHER,
        "policy": OTHER,
        "made_at": "2026-03-31T00:00:00Z",
        "fatal": False,
        "approvals": approvals,
        "entries": rows,
        "problems": (problem,),
    }
    return ReplayReport(**{**usual, **fields})


def build_share(**fields: Any) -> Metric:  # noqa: ANN401 - any field
    usual: dict[str, Any] = {
        "id": "success-rate",
        "system": "C",
        "title": "Success rate",
        "means": "What was approved.",
        "unit": Unit.SHARE,
        "value": 0.5,
        "part": 1.0,
        "of": 2,
        "target": Target(least=0.95),
        "grouped_by": "type",
        "groups": (
            MetricGroup(name="phase_transition", value=1.0, part=1.0, of=1, sources=(OTHER,)),
            MetricGroup(name="agent_handoff", value=0.0, part=0.0, of=1, sources=(ENTRY,)),
        ),
        "weeks": (Week(begins="2026-03-02", value=0.0, of=1), Week(begins="2026-03-09", value=1.0, of=1)),
        "left_out": (LeftOut(why="the phase was skipped", number=3),),
        "sources": (ENTRY, OTHER),
    }
    return Metric(**{**usual, **fields})


def build_times(**fields: Any) -> Metric:  # noqa: ANN401 - any field
    usual: dict[str, Any] = {
        "id": "time-to-decision",
        "system": "desk",
        "title": "Time to decision",
        "means": "How long it took.",
        "unit": Unit.SECONDS,
        "value": 250.0,
        "of": 3,
        "spread": Spread(least=5.0, median=250.0, ninetieth=7_500.0, most=7_500.0),
        "sources": (ENTRY,),
    }
    return Metric(**{**usual, **fields})


def build_unknown() -> Metric:
    return Metric(
        id="time-to-resume",
        system="A",
        title="Time to resume",
        means="How long a session takes to begin.",
        unit=Unit.SECONDS,
        why="no session can be told",
        target=Target(below=300.0),
    )


def build_metrics_report(*figures: Metric, **fields: Any) -> MetricsReport:  # noqa: ANN401 - any field
    usual: dict[str, Any] = {
        "repo": "/home/ada/lamp",
        "head": "1" * 40,
        "log": OTHER,
        "fatal": False,
        "made_at": "2026-03-31T00:00:00Z",
        "entries": 3,
        "submissions": 1,
        "decisions": 1,
        "metrics": figures or (build_unknown(), build_share(), build_times()),
    }
    return MetricsReport(**{**usual, **fields})
