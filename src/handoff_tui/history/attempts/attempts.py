"""The attempts at a phase, side by side: who ran, how long, what flipped, what was asked for and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from handoff_tui.agents.runs.folders import list_runs
from handoff_tui.core.errors import HandoffNotFoundError
from handoff_tui.decisions.examine import Examined, find_handoff
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Desk
from handoff_tui.history.attempts.content import AttemptContent, build_content_now, read_content
from handoff_tui.history.attempts.measure import find_places
from handoff_tui.history.attempts.records import Around, build_open_record, build_record, measure_record
from handoff_tui.history.attempts.report import AttemptHistory, AttemptRecord, CommitPlace, HistoryList, HistorySummary
from handoff_tui.history.attempts.sources import AttemptSources, group_attempts
from handoff_tui.history.known_phases import find_known_phase
from handoff_tui.log.gates.position import SENDING_BACK, find_phase
from handoff_tui.log.index import LogIndex, build_log_index
from handoff_tui.log.open_log import OpenLog
from handoff_tui.log.record import DecisionVerb
from handoff_tui.status.refresh import read_harvest

MOST_MEASURED = 20
"""Of a longer history the newest attempts are measured, unless somebody asks for all."""
NOW = "now"
_APPROVING = frozenset({DecisionVerb.APPROVE, DecisionVerb.CARRY})
_BROKEN = "the log is not sound, so what it says of attempts cannot be relied on: handoff-tui log verify"
_GONE = "its documents are not here any more; this is what the log says"


def read_history(
    desk: Desk,
    log: OpenLog,
    wanted: str,
    phase: str | None = None,
    *,
    measured: int | None = MOST_MEASURED,
    now: Examined | None = None,
) -> AttemptHistory:
    """Every attempt at a phase, oldest first; the newest `measured` of them looked into, or all with nothing.

    `now` is the gate as it is at this moment, where somebody has looked: work that no entry knows is an attempt too.
    """
    timeline = open_timeline(desk, log, wanted, phase, now)
    return AttemptHistory(
        handoff=timeline.handoff.id,
        phase=timeline.phase,
        title=timeline.handoff.title or "",
        attempts=timeline.read_records(measured),
        fatal=timeline.index.verdict.fatal,
        notes=timeline.list_notes(),
    )


def list_histories(desk: Desk, log: OpenLog) -> HistoryList:
    """Every phase of every handoff that somebody tried, by the log and the documents; nothing is measured."""
    index = build_log_index(log.verify())
    handoffs = {handoff.id: handoff for handoff in read_harvest(desk).handoffs}
    places = {*index.votes_at, *index.submissions_at}
    places |= {(handoff.id, find_phase(handoff)) for handoff in handoffs.values() if handoff.attempts}
    rows = [_summarise(index, handoffs.get(name) or _build_gone(name), phase) for name, phase in sorted(places)]
    found = sorted((row for row in rows if row is not None), key=lambda row: row.when, reverse=True)
    return HistoryList(rows=tuple(found), fatal=index.verdict.fatal)


def open_timeline(
    desk: Desk, log: OpenLog, wanted: str, phase: str | None = None, now: Examined | None = None
) -> Timeline:
    """All that tells of the attempts at a phase, read once."""
    index = now.index if now is not None else build_log_index(log.verify())
    handoffs = now.taken.harvest.handoffs if now is not None else read_harvest(desk).handoffs
    gone = False
    try:
        handoff = find_handoff(handoffs, wanted)
    except HandoffNotFoundError:
        last = _find_last_phase(index, wanted)
        if last is None:
            raise
        handoff, phase, gone = _build_gone(wanted), phase or last, True
    runs = list_runs(desk.repository.common_dir, handoff.id)
    chosen = find_known_phase(desk, index, handoff, phase, runs)
    sources = tuple(group_attempts(index, handoff, chosen, runs))
    fits = now is not None and now.target.phase == chosen and now.handoff.id == handoff.id
    return Timeline(desk, index, handoff, handoffs, chosen, sources, now if fits else None, gone=gone)


@dataclass(frozen=True)
class Timeline:
    """The attempts at one phase, ready to be looked into one by one."""

    desk: Desk
    index: LogIndex
    handoff: Handoff
    handoffs: tuple[Handoff, ...]
    phase: str
    sources: tuple[AttemptSources, ...]
    now: Examined | None = None
    gone: bool = False
    """Whether only the log knows the handoff any more."""

    def name(self, sources: AttemptSources | None) -> str:
        """How an attempt is called; nothing stands for what is here now."""
        return f"{self.handoff.id}:{self.phase}:{NOW if sources is None else sources.number}"

    def read_content(self, sources: AttemptSources | None) -> AttemptContent:
        if sources is None:
            if self.now is None:
                raise ValueError("nobody has looked at what is here now")
            return build_content_now(self.name(None), self.now)
        return read_content(self.desk, self.name(sources), sources)

    def find(self, number: int) -> AttemptSources | None:
        return next((one for one in self.sources if one.number == number), None)

    def has_open_work(self) -> bool:
        """Whether what is here now is in no entry of the log."""
        if self.now is None:
            return False
        known = {tree for one in self.sources for tree in one.trees}
        bound = [one for one in self.sources if one.work is not None]
        last = self.read_content(bound[-1]).snapshot if bound else None
        return self.now.snapshot.tree not in known and (last is None or last.tree != self.now.snapshot.tree)

    def list_notes(self) -> tuple[str, ...]:
        others = sorted({phase for name, phase in self._list_places() if name == self.handoff.id} - {self.phase})
        notes = [_BROKEN] if self.index.verdict.fatal else []
        if self.gone:
            notes.append(_GONE)
        if others:
            notes.append(f"the log knows other phases of it too: {', '.join(others)} (--phase)")
        return tuple(notes)

    def read_records(self, measured: int | None) -> tuple[AttemptRecord, ...]:
        """The records, the newest of them measured, and what is here now as the last where no entry knows it."""
        places = find_places(self.desk, (one.work.subject.commit for one in self.sources if one.work is not None))
        links = self._build_links(places)
        first = 0 if measured is None else max(0, len(links) - measured)
        contents = {place: links[place].read(self) for place in range(max(0, first - 1), len(links))}
        records = [link.record for link in links]
        approved = self.list_approved()
        for place in range(first, len(links)):
            around = Around(contents.get(place - 1), contents[place], contents.get(place + 1), approved)
            reviewed = (self.handoff, self.handoffs)
            records[place] = measure_record(self.desk, reviewed, records[place], around, links[place].sources)
        return tuple(records)

    def _build_links(self, places: Mapping[str, CommitPlace]) -> list[_Link]:
        """What is here now takes the place of an attempt that the documents or a run tell of, and no entry does."""
        earlier = (None, *self.sources)
        links = [
            _Link(one, build_record(self.name(one), one, before, places, self.handoff.producers))
            for before, one in zip(earlier, self.sources, strict=False)
        ]
        if self.now is not None and self.has_open_work():
            told = self.find_told(self.now)
            record = build_open_record(self.name(None), self.now, told)
            links[len(links) - (told is not None) :] = [_Link(told, record, is_now=True)]
        return links

    def find_told(self, now: Examined) -> AttemptSources | None:
        """What documents and runs tell of what is here now; where an entry is about other work, that is not it."""
        last = self.sources[-1] if self.sources else None
        if last is None or last.number != now.target.attempt or (last.work is not None and self.has_open_work()):
            return None
        return last._replace(submissions=(), votes=())

    def list_approved(self) -> frozenset[str]:
        """Commits that somebody approved, of any handoff."""
        return frozenset(
            vote.work.subject.commit
            for vote in self.index.votes.values()
            if vote.decision.verb in _APPROVING and not self.index.is_void(vote.entry.id)
        )

    def _list_places(self) -> set[tuple[str, str]]:
        return {*self.index.votes_at, *self.index.submissions_at}


class _Link(NamedTuple):
    """One attempt in its chain: what tells of it, and the record as far as that goes."""

    sources: AttemptSources | None
    record: AttemptRecord
    is_now: bool = False

    def read(self, timeline: Timeline) -> AttemptContent:
        return timeline.read_content(None if self.is_now else self.sources)


def _summarise(index: LogIndex, handoff: Handoff, phase: str) -> HistorySummary | None:
    sources = group_attempts(index, handoff, phase)
    if not sources:
        return None
    last = sources[-1]
    votes = last.living
    told = last.claimed[-1] if last.claimed else None
    newest = last.newest
    who = votes[-1].entry.actor if votes else newest.entry.actor if newest else (told.agent if told else None)
    when = newest.entry.time if newest else (told.when if told else None)
    back = [one for one in sources if any(vote.decision.verb in SENDING_BACK for vote in one.last_votes)]
    return HistorySummary(
        handoff=handoff.id,
        phase=phase,
        attempts=len(sources),
        sent_back=len(back),
        outcome=last.outcome,
        who=who or "",
        when=when or "",
    )


def _find_last_phase(index: LogIndex, handoff: str) -> str | None:
    """The phase of the newest entry on a handoff that only the log knows."""
    phases = [entry.work.phase for entry in index.verdict.entries if entry.work and entry.work.handoff == handoff]
    return phases[-1] if phases else None


def _build_gone(name: str) -> Handoff:
    return Handoff(id=name, dialect="")
