"""The stops of the slider: commits of the history of HEAD and entries of the log, in the order in which they came."""

from __future__ import annotations

from handoff_tui.git.history.commit_graph import GraphCommit, read_graph
from handoff_tui.handoffs.session import Desk
from handoff_tui.history.travel.past_log import WholeLog
from handoff_tui.history.travel.values import Stop, StopKind, TravelLine
from handoff_tui.log.entries.times import build_time, parse_time
from handoff_tui.log.record import Entry, ProblemLevel
from handoff_tui.log.show.entries import describe_act

MOST_STOPS = 5_000
"""So many commits have a stop; older ones are reached by their names."""


def read_stops(desk: Desk, log: WholeLog | None, most: int = MOST_STOPS) -> TravelLine:
    """Every stop, oldest first."""
    head = desk.work_tree.facts.head
    if head is None:
        return TravelLine(notes=("there is no commit yet",))
    commits = read_graph(desk.repository.git, head, "--date-order", f"--max-count={most + 1}")
    notes = _list_notes(desk, log, cut=len(commits) > most, most=most)
    entries = sorted(log.verdict.entries, key=lambda entry: (entry.seq, entry.id)) if log is not None else []
    return TravelLine(head=head, stops=tuple(build_stops(commits[:most][::-1], entries)), notes=notes)


def build_stops(commits: list[GraphCommit], entries: list[Entry]) -> list[Stop]:
    """Both in one order. `commits` are oldest first, `entries` by number.

    An entry comes after the commit that it is about, after the entries before it, and after what was committed by
    the time that it tells.
    """
    if not commits:
        return []
    places = {commit.id: number for number, commit in enumerate(commits)}
    behind: dict[int, list[Entry]] = {}
    place = 0
    for entry in entries:
        about = places.get(entry.work.subject.commit, 0) if entry.work is not None else 0
        place = max(place, about)
        moment = parse_time(entry.time)
        while place + 1 < len(commits) and commits[place + 1].moment <= moment:
            place += 1
        behind.setdefault(place, []).append(entry)
    stops: list[Stop] = []
    known: str | None = None
    for number, commit in enumerate(commits):
        stops.append(_build_commit_stop(commit, known))
        for entry in behind.get(number, ()):
            known = entry.id
            stops.append(_build_entry_stop(entry, commit))
    return stops


def build_stop(commit: GraphCommit, entry: Entry | None) -> Stop:
    """A stop of its own, for a moment that is not on the line."""
    return _build_commit_stop(commit, None) if entry is None else _build_entry_stop(entry, commit)


def _build_commit_stop(commit: GraphCommit, known: str | None) -> Stop:
    return Stop(
        key=commit.id,
        kind=StopKind.COMMIT,
        commit=commit.id,
        entry=known,
        time=build_time(commit.moment),
        who=commit.author,
        title=commit.subject,
    )


def _build_entry_stop(entry: Entry, commit: GraphCommit) -> Stop:
    work = entry.work
    about = f" {work.handoff} · {work.phase} · attempt {work.attempt}" if work is not None else ""
    return Stop(
        key=entry.id,
        kind=StopKind.ENTRY,
        commit=commit.id,
        entry=entry.id,
        time=entry.time,
        who=entry.actor,
        title=f"{describe_act(entry)}{about}",
    )


def _list_notes(desk: Desk, log: WholeLog | None, *, cut: bool, most: int) -> tuple[str, ...]:
    notes: list[str] = []
    if cut:
        notes.append(f"only the newest {most:,} commits have a stop; older ones are reached by name")
    if desk.repository.shallow:
        notes.append("this clone is shallow: the history before its first commits is not here")
    if log is not None and log.verdict.fatal:
        codes = sorted({one.code for one in log.verdict.problems if one.level is ProblemLevel.FATAL})
        notes.append(f"the log is not sound ({', '.join(codes)}): every gate is closed, then as now")
    return tuple(notes)
