"""Logs put together by hand for figures: submissions and decisions with times, and what reviewers saw."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from handoff_tui.history.metrics.facts import Judged, MetricsFacts, RecordFacts, build_decided_attempts
from handoff_tui.log.entry import NO_BASELINE, Decision, DecisionVerb, Entry, EntryKind, LogVerdict, Subject, Work
from handoff_tui.log.index import LogIndex, build_log_index

DAY = "2026-03-02T"
NOW = "2026-03-31T00:00:00Z"


def build_record(
    held: tuple[str, ...] = (), still_open: tuple[str, ...] = (), findings: tuple[str, ...] = (), *, looked: bool = True
) -> RecordFacts:
    """A record by the names of its checks; every check is high, but for those that begin with `low`."""
    return RecordFacts(_judge(held), _judge(still_open), frozenset(findings), looked)


def build_subject(tree: str = "one", commit: str = "a") -> Subject:
    return Subject(
        commit=commit * 40, tree=tree, baseline=NO_BASELINE, snapshot="c" * 64, checks="d" * 64, handoff="e" * 64
    )


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
        return MetricsFacts(index=index, rounds=build_decided_attempts(index), **{**usual, **facts})

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
