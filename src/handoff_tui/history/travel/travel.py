"""Time travel: the repository as it was at a commit or at a log entry, read-only.

Files, settings and history are those of the commit; the log is the entry and everything it follows. Nothing is checked
out, and nothing is written but our own cache.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from functools import cached_property
from pathlib import Path

from handoff_tui import __version__
from handoff_tui.checks.report import CheckReport
from handoff_tui.checks.run.baseline import ChosenBaseline, choose_baseline
from handoff_tui.checks.run.choose import CheckRequest
from handoff_tui.core.errors import UsageError
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.git.history.commit_graph import GraphCommit, read_graph
from handoff_tui.git.history.commits import resolve_commits
from handoff_tui.handoffs.claims.measure import measure_claims
from handoff_tui.handoffs.session import Session
from handoff_tui.history.past.checks import build_past_report, choose_past_baseline
from handoff_tui.history.past.repository import (
    ENTRY_PREFIX,
    CurrentLog,
    PastGates,
    PastLog,
    PastRepositories,
    PastRepository,
    build_commit_hint,
    find_commit,
    read_current_log,
)
from handoff_tui.history.travel.values import PastState, Stop, StopKind, TravelLine
from handoff_tui.log.entries.times import build_time, parse_time
from handoff_tui.log.entry import Entry, LogProblemLevel
from handoff_tui.log.show.entries import describe_act
from handoff_tui.status.refresh import HandoffReviewer, build_state, find_all_scopes
from handoff_tui.status.review_state import ReviewState, ShownHandoff
from handoff_tui.status.show import build_shown, find_handoff, find_id
from handoff_tui.system.files.cache_files import drop_oldest, find_cache_folder
from handoff_tui.system.files.sealed_files import load_json, write_json

MOST_STOPS = 5_000
"""Older commits have no stop, but can be named."""


def read_stops(session: Session, log: CurrentLog | None, most: int = MOST_STOPS) -> TravelLine:
    """Every stop, oldest first."""
    head = session.work_tree.facts.head
    if head is None:
        return TravelLine(notes=("there is no commit yet",))
    commits = read_graph(session.repository.git, head, "--date-order", f"--max-count={most + 1}")
    notes = _list_notes(session, log, cut=len(commits) > most, most=most)
    entries = sorted(log.verdict.entries, key=lambda entry: (entry.seq, entry.id)) if log is not None else []
    return TravelLine(head=head, stops=tuple(build_stops(commits[:most][::-1], entries)), notes=notes)


def build_stops(commits: list[GraphCommit], entries: list[Entry]) -> list[Stop]:
    """Merges both into one order. `commits` are oldest first, `entries` by number.

    An entry comes after the commit it is about, after earlier entries, and after everything committed by its time.
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


def _list_notes(session: Session, log: CurrentLog | None, *, cut: bool, most: int) -> tuple[str, ...]:
    notes: list[str] = []
    if cut:
        notes.append(f"only the newest {most:,} commits have a stop; name older ones to see them")
    if session.repository.shallow:
        notes.append("this clone is shallow: older history isn't here")
    if log is not None and log.verdict.fatal:
        codes = sorted({one.code for one in log.verdict.problems if one.level is LogProblemLevel.FATAL})
        notes.append(f"the log isn't intact ({', '.join(codes)}): every gate is closed, then as now")
    return tuple(notes)


_MOST_IN_MEMORY = 200
_MOST_ON_DISK = 500
_SCHEMA = 2


class TravelCache:
    """States of visited stops, in memory and on disk. Losing it only costs time."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._folder = find_cache_folder(session.repository.root) / "travel"
        self._known: OrderedDict[str, PastState] = OrderedDict()

    def find(self, stop: Stop) -> PastState | None:
        key = self._build_key(stop)
        known = self._known.get(key)
        if known is None:
            known = self._load(key)
            if known is None:
                return None
            self._remember(key, known)
        return known if known.stop == stop else known.model_copy(update={"stop": stop})

    def keep(self, stop: Stop, found: PastState) -> None:
        key = self._build_key(stop)
        self._remember(key, found.model_copy(update={"from_cache": True}))
        # the state as one text: pydantic reads it back fastest
        if write_json(self._place(key), {"schema": _SCHEMA, "desk": found.model_dump_json()}):
            drop_oldest(self._folder, _MOST_ON_DISK)

    def _remember(self, key: str, found: PastState) -> None:
        self._known[key] = found
        while len(self._known) > _MOST_IN_MEMORY:
            self._known.popitem(last=False)

    def _load(self, key: str) -> PastState | None:
        value = load_json(self._place(key))
        if not isinstance(value, dict) or value.get("schema") != _SCHEMA:
            return None
        try:
            found = PastState.model_validate_json(str(value.get("desk")))
        except ValueError:
            return None
        return found.model_copy(update={"from_cache": True})

    def _place(self, key: str) -> Path:
        return self._folder / f"{key}.json"

    def _build_key(self, stop: Stop) -> str:
        text = json.dumps([stop.commit, stop.entry, stop.key, *self._surroundings])
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @cached_property
    def _surroundings(self) -> list[str]:
        """What else a past state depends on; read once, since a Traveller is replaced after every change."""
        git, loaded = self._session.repository.git, self._session.loaded
        refs = git.read("for-each-ref", "--format=%(objectname) %(refname)")
        usual = loaded.usual.model_dump_json()
        return [__version__, hashlib.sha256(refs).hexdigest(), hashlib.sha256(usual.encode()).hexdigest()]


_MOST_REPORTS = 8
_ALWAYS = (
    "without uncommitted changes and results of commands",
    "refs and git notes are today's, limited to commits that existed then",
)


class Traveller:
    """Visits the stops of one repository; stops visited before are fast. Not thread-safe."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._past = PastRepositories(session)
        self._cache = TravelCache(session)
        self._reports: OrderedDict[tuple[str, str | None], CheckReport] = OrderedDict()

    def close(self) -> None:
        """Ends the git process that reads objects; it is started again when needed."""
        self._past.close()

    @cached_property
    def log(self) -> CurrentLog | None:
        return read_current_log(self._session)

    @cached_property
    def line(self) -> TravelLine:
        """The stops of the slider, oldest first."""
        return read_stops(self._session, self.log)

    def find_stop(self, name: str) -> Stop:
        """The stop a person named: a commit, or an entry by its id or a prefix of it."""
        git = self._session.repository.git
        commit = None if name.startswith(ENTRY_PREFIX) else resolve_commits(git, [name])[name]
        if commit is not None:
            known = next((stop for stop in self.line.stops if stop.key == commit), None)
            return known or _build_commit_stop(find_commit(self._session, commit), None)
        entry = self.log.find_entry(name) if self.log is not None else None
        if entry is None:
            raise UsageError(f"{name!r} is neither a commit here nor a log entry", build_commit_hint(self._session))
        known = next((stop for stop in self.line.stops if stop.key == entry.id), None)
        about = entry.work.subject.commit if entry.work is not None else "HEAD"
        return known or _build_entry_stop(entry, find_commit(self._session, about))

    def visit(self, stop: Stop) -> PastState:
        """The state at a stop, from the cache if nothing it depends on has changed."""
        known = self._cache.find(stop)
        if known is None:
            known = self._look(stop)
            self._cache.keep(stop, known)
        return known

    def open(self, stop: Stop) -> PastRepository:
        """The files and settings at a stop."""
        return self._past.open(stop.commit)

    def show(self, stop: Stop, wanted: str) -> ShownHandoff:
        """One handoff in full, as it was."""
        past, state = self.open(stop), self.visit(stop).state
        reviewed = find_handoff(state, wanted, stop.commit[:SHORT_COMMIT])
        gates = self._open_gates(past, stop)
        scopes = find_all_scopes(past.session, past.reading.result.handoffs, gates)
        verdicts = measure_claims(reviewed.handoff, past.evidence)
        return build_shown(past.session, state, reviewed, verdicts, gates, scopes)

    def check(self, stop: Stop, request: CheckRequest) -> CheckReport:
        """The results of some rules at a stop."""
        past = self.open(stop)
        if request.handoff is not None:
            handoffs, at = past.reading.result.handoffs, stop.commit[:SHORT_COMMIT]
            request = request._replace(handoff=find_id(handoffs, request.handoff, at))
        if request.baseline is not None:
            baseline = choose_baseline(past.session, request.baseline)
        else:
            baseline = choose_past_baseline(past, self._open_gates(past, stop))
        return build_past_report(past, baseline, request)

    def list_notes(self, stop: Stop) -> tuple[str, ...]:
        """What can't be known about a stop."""
        return (*self._list_rewritten(stop), *_ALWAYS)

    def _look(self, stop: Stop) -> PastState:
        past = self.open(stop)
        then = self._find_log(stop)
        gates = None if then is None else PastGates(past, then)
        refused = past.session.loaded.refused_shortly
        return PastState(
            stop=stop,
            tree=past.commit.tree,
            state=_build_state(past, gates),
            report=self._report(past, choose_past_baseline(past, gates)),
            log=None if then is None else then.build_view(),
            notes=(
                *((f"its settings can't be used, so nothing was checked: {refused}",) if refused else ()),
                *self.list_notes(stop),
            ),
        )

    def _report(self, past: PastRepository, baseline: ChosenBaseline) -> CheckReport | None:
        """Consecutive entries on one commit share a report as long as the baseline stays the same."""
        if past.session.loaded.refused is not None:
            return None
        key = (past.commit.id, baseline.commit)
        if key not in self._reports:
            self._reports[key] = build_past_report(past, baseline, CheckRequest())
            while len(self._reports) > _MOST_REPORTS:
                self._reports.popitem(last=False)
        return self._reports[key]

    def _find_log(self, stop: Stop) -> PastLog | None:
        return None if self.log is None or stop.entry is None else self.log.build_at(stop.entry)

    def _open_gates(self, past: PastRepository, stop: Stop) -> PastGates | None:
        then = self._find_log(stop)
        return None if then is None else PastGates(past, then)

    def _list_rewritten(self, stop: Stop) -> tuple[str, ...]:
        """If an entry's commit isn't in the history, says which files are shown instead."""
        entry = self.log.entries.get(stop.entry) if self.log is not None and stop.entry else None
        if entry is None or entry.work is None or stop.key != entry.id:
            return ()
        about = entry.work.subject.commit
        on_line = {one.commit for one in self.line.stops}
        if about in on_line or about == stop.commit:
            return ()
        gone = f"the commit of this entry, {about[:SHORT_COMMIT]}, isn't in the history of HEAD"
        return (f"{gone} (rewritten, or on another branch); these are the files of {stop.commit[:SHORT_COMMIT]}",)


def _build_state(past: PastRepository, gates: PastGates | None) -> ReviewState:
    handoffs_read = past.reading.result
    reviewer = HandoffReviewer(past.session, handoffs_read, gates, closed=past.session.loaded.refused_shortly)
    verdicts = {handoff.id: measure_claims(handoff, past.evidence) for handoff in handoffs_read.handoffs}
    reviewed = tuple(reviewer.review(handoff, verdicts[handoff.id]) for handoff in handoffs_read.handoffs)
    return build_state(past.session, handoffs_read, reviewer, reviewed)
