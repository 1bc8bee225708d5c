"""The attempts at a phase side by side: who ran, how long, what flipped, what was asked for; or two compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from handoff_tui.agents.runs.folders import list_runs
from handoff_tui.agents.runs.run import RunState
from handoff_tui.changes.comparison.sides import Side
from handoff_tui.changes.comparison.snapshot_diff import BaselineChoice, ComparedPair, DiffScope, SnapshotDiff
from handoff_tui.changes.diff import ChangesReport, FilesDiff, compare_sides
from handoff_tui.checks.run.check import ProgressCallbacks
from handoff_tui.core.classes import NamedTuple, dataclass, replace
from handoff_tui.core.errors import HandoffError, HandoffNotFoundError, UsageError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.text.labels import plural
from handoff_tui.decisions.examine import WITHOUT_COMMANDS, ExaminedGate, examine, find_handoff, open_gates
from handoff_tui.decisions.threads import find_settled
from handoff_tui.handoffs.handoff import Handoff, build_id
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.scope.digests import read_path
from handoff_tui.handoffs.session import Session
from handoff_tui.history.attempts.attempt import (
    Neighbours,
    build_attempt,
    build_open_attempt,
    compare_checks,
    find_places,
    measure_attempt,
    read_points,
    read_work_since,
)
from handoff_tui.history.attempts.report import (
    AttemptComparison,
    AttemptHistory,
    AttemptRun,
    CommitPlace,
    HistoryList,
    HistorySummary,
    PastAttempt,
    ValueChange,
)
from handoff_tui.history.attempts.sources import (
    AttemptContent,
    AttemptSources,
    binds_now,
    build_content_now,
    group_attempts,
    list_results,
    read_content,
)
from handoff_tui.log.entry import APPROVING, SENDING_BACK, PhaseKey
from handoff_tui.log.gates.position import find_phase
from handoff_tui.log.gates.scoped_work import ScopedWork
from handoff_tui.log.index import LogIndex, build_log_index
from handoff_tui.log.open_log import OpenLog
from handoff_tui.log.storage.evidence import find_review
from handoff_tui.status.pipeline import find_pipeline

MOST_MEASURED = 20
"""Only the newest attempts are measured, unless all are asked for."""
NOW = "now"
_BROKEN = "the log is not intact, so its attempts can't be relied on: handoff-tui log verify"
_GONE = "its documents are gone; this is what the log says"


def read_history(
    session: Session,
    log: OpenLog,
    wanted: str,
    phase: str | None = None,
    *,
    measured: int | None = MOST_MEASURED,
    now: ExaminedGate | None = None,
) -> AttemptHistory:
    """Every attempt at a phase, oldest first; the newest `measured` in detail, or all if None.

    `now` is the gate as just examined: work that isn't in the log yet is an attempt too.
    """
    timeline = open_timeline(session, log, wanted, phase, now)
    return AttemptHistory(
        handoff=timeline.handoff.id,
        phase=timeline.phase,
        title=timeline.handoff.title or "",
        attempts=timeline.read_records(measured),
        fatal=timeline.index.verdict.fatal,
        notes=timeline.list_notes(),
    )


def list_histories(session: Session, log: OpenLog) -> HistoryList:
    """Every phase of every handoff with an attempt, from the log and the documents; nothing is measured."""
    index = build_log_index(log.verify())
    found_here = read_repository(session).result.handoffs
    handoffs = {handoff.id: handoff for handoff in found_here}
    work = open_gates(session, found_here, index).work
    tried = {PhaseKey(handoff.id, find_phase(handoff)) for handoff in handoffs.values() if handoff.attempts}
    rows = [
        _summarise(index, handoffs.get(name) or _build_gone(name), phase, work if name in handoffs else None)
        for name, phase in sorted(index.places | tried)
    ]
    found = sorted((row for row in rows if row is not None), key=lambda row: row.when, reverse=True)
    return HistoryList(rows=tuple(found), fatal=index.verdict.fatal)


def open_timeline(
    session: Session, log: OpenLog, wanted: str, phase: str | None = None, now: ExaminedGate | None = None
) -> Timeline:
    """Reads everything about the attempts at a phase, once."""
    index = now.index if now is not None else build_log_index(log.verify())
    handoffs = now.handoffs if now is not None else read_repository(session).result.handoffs
    gone = False
    try:
        handoff = find_handoff(handoffs, wanted)
    except HandoffNotFoundError:
        last = _find_last_phase(index, wanted)
        if last is None:
            raise
        handoff, phase, gone = _build_gone(wanted), phase or last, True
    runs = list_runs(session.repository.common_dir, handoff.id)
    chosen = find_known_phase(session, index, handoff, phase, runs)
    sources = tuple(group_attempts(index, handoff, chosen, runs))
    fits = now is not None and now.key.phase == chosen and now.handoff.id == handoff.id
    return Timeline(session, index, handoff, handoffs, chosen, sources, now if fits else None, gone=gone)


@dataclass(frozen=True)
class Timeline:
    """The attempts at one phase, ready to be measured one by one."""

    session: Session
    index: LogIndex
    handoff: Handoff
    handoffs: tuple[Handoff, ...]
    phase: str
    sources: tuple[AttemptSources, ...]
    now: ExaminedGate | None = None
    gone: bool = False
    """Whether only the log still knows the handoff."""

    def name(self, sources: AttemptSources | None) -> str:
        """The name of an attempt; None stands for what is here now."""
        return f"{self.handoff.id}:{self.phase}:{NOW if sources is None else sources.number}"

    def read_content(self, sources: AttemptSources | None) -> AttemptContent:
        if sources is None:
            if self.now is None:
                raise ValueError("the gate was not examined")
            return build_content_now(self.name(None), self.now)
        content = read_content(self.session, self.name(sources), sources)
        if self.now is not None and sources.submissions and not sources.living and self._is_here(sources):
            return replace(content, shown=list_results(self.now))  # nobody has reviewed it yet; the gate was examined
        return content

    def find(self, number: int) -> AttemptSources | None:
        return next((one for one in self.sources if one.number == number), None)

    def has_open_work(self) -> bool:
        """Whether what is here now isn't in the log."""
        if self.now is None:
            return False
        current = self.find(self.now.key.attempt)
        return current is None or not self._is_here(current)

    def _is_here(self, sources: AttemptSources) -> bool:
        """Whether an entry on this attempt is about exactly what is here now."""
        now = self.now
        if now is None or sources.number != now.key.attempt:
            return False
        return any(binds_now(self.session, entry, now) for entry in sources.entries)

    def list_notes(self) -> tuple[str, ...]:
        others = sorted({phase for name, phase in self.index.places if name == self.handoff.id} - {self.phase})
        notes = [_BROKEN] if self.index.verdict.fatal else []
        if self.gone:
            notes.append(_GONE)
        if others:
            notes.append(f"the log has other phases of it: {', '.join(others)} (--phase)")
        return tuple(notes)

    def read_records(self, measured: int | None) -> tuple[PastAttempt, ...]:
        """The attempts, the newest measured; what is here now comes last if it isn't in the log."""
        places = find_places(self.session, (one.work.subject.commit for one in self.sources if one.work is not None))
        steps = self._list_steps(places)
        first = 0 if measured is None else max(0, len(steps) - measured)
        contents = {place: steps[place].read(self) for place in range(max(0, first - 1), len(steps))}
        records = [step.record for step in steps]
        for place in range(first, len(steps)):
            around = Neighbours(
                contents.get(place - 1), contents[place], contents.get(place + 1), self.approved, self.settled
            )
            records[place] = self.measure(records[place], around, steps[place].sources)
        return tuple(records)

    def measure(self, record: PastAttempt, around: Neighbours, sources: AttemptSources | None) -> PastAttempt:
        return measure_attempt(self.session, (self.handoff, self.handoffs), record, around, sources)

    def _list_steps(self, places: Mapping[str, CommitPlace]) -> list[_Step]:
        """What is here now replaces an attempt that documents or a run mention but the log doesn't."""
        earlier = (None, *self.sources)
        steps = [
            _Step(one, build_attempt(self.name(one), one, before, places, self.handoff.producers))
            for before, one in zip(earlier, self.sources, strict=False)
        ]
        if self.now is not None and self.has_open_work():
            claimed = self.find_claimed(self.now)
            record = build_open_attempt(self.name(None), self.now, claimed)
            steps[len(steps) - (claimed is not None) :] = [_Step(claimed, record, is_now=True)]
        return steps

    def find_claimed(self, now: ExaminedGate) -> AttemptSources | None:
        """What documents and runs say about what is here now; None if the log has that attempt with other files."""
        last = self.sources[-1] if self.sources else None
        if last is None or last.number != now.key.attempt or (last.work is not None and self.has_open_work()):
            return None
        return last._replace(submissions=(), decisions=())

    @cached_property
    def approved(self) -> frozenset[str]:
        """Approved commits, of any handoff."""
        return frozenset(
            decided.work.subject.commit
            for decided in self.index.decisions.values()
            if decided.decision.verb in APPROVING and not self.index.is_void(decided.entry.id)
        )

    @cached_property
    def settled(self) -> dict[str, str]:
        """Who settled a comment, by the id of its thread."""
        return find_settled(self.session, self.index, PhaseKey(self.handoff.id, self.phase))

    @cached_property
    def own_paths(self) -> frozenset[str]:
        """The handoff's own files now, and those that its decisions were bound to."""
        records = (
            find_review(self.session.repository.root, made.decision.review)
            for one in self.sources
            for made in one.living
        )
        bound = {read_path(file) for record in records if record and record.scope for file in record.scope.files}
        if self.gone:
            return frozenset(bound)
        gates = self.now.gates if self.now is not None else open_gates(self.session, self.handoffs, self.index)
        scope = gates.work.scopes.of(self.handoff.id)
        return frozenset(bound | {*scope.befores, *scope.results})


class _Step(NamedTuple):
    """One attempt in the sequence: its sources, and what they say."""

    sources: AttemptSources | None
    record: PastAttempt
    is_now: bool = False

    def read(self, timeline: Timeline) -> AttemptContent:
        return timeline.read_content(None if self.is_now else self.sources)


def _summarise(index: LogIndex, handoff: Handoff, phase: str, work: ScopedWork | None) -> HistorySummary | None:
    """`work` is None for a handoff whose documents are gone."""
    sources = group_attempts(index, handoff, phase)
    if not sources:
        return None
    last = sources[-1]
    has_begun_another = work is not None and work.find_attempt(handoff, phase) > last.number
    decisions = last.living
    told = last.claimed[-1] if last.claimed else None
    newest = last.newest
    who = decisions[-1].entry.actor if decisions else newest.entry.actor if newest else (told.agent if told else None)
    when = newest.entry.time if newest else (told.when if told else None)
    back = [one for one in sources if any(decided.decision.verb in SENDING_BACK for decided in one.last_decisions)]
    return HistorySummary(
        handoff=handoff.id,
        phase=phase,
        attempts=len(sources) + has_begun_another,
        sent_back=len(back),
        outcome=last.outcome,
        who=who or "",
        when=when or "",
    )


def _find_last_phase(index: LogIndex, handoff: str) -> str | None:
    """The phase of the newest entry on a handoff that only the log knows; None if there is none."""
    phases = [entry.work.phase for entry in index.verdict.entries if entry.work and entry.work.handoff == handoff]
    return phases[-1] if phases else None


def _build_gone(name: str) -> Handoff:
    return Handoff(id=name, dialect="")


def find_known_phase(
    session: Session, index: LogIndex, handoff: Handoff, named: str | None, runs: Iterable[RunState] = ()
) -> str:
    """The named phase, or the handoff's default one. Refuses a phase nothing mentions."""
    phase = find_phase(handoff, named)
    if named is None:
        return phase
    known = list_known_phases(session, index, handoff, runs)
    if phase not in known:
        raise UsageError(
            f"{handoff.id} has no phase {named!r}",
            f"Known phases: {', '.join(sorted(known))}.",
        )
    return phase


def list_known_phases(session: Session, index: LogIndex, handoff: Handoff, runs: Iterable[RunState] = ()) -> list[str]:
    """Phases from the log first, then from its documents, agent runs, its pipeline, and the checks."""
    settings = session.loaded.settings
    pipeline = find_pipeline(handoff, settings.pipelines, index)
    logged = [phase for name, phase in index.places if name == handoff.id]
    told = [
        *(attempt.phase for attempt in handoff.attempts),
        handoff.source_phase,
        handoff.target_phase,
        *(run.key.phase for run in runs),
        *(phase.name for phase in (pipeline.phases if pipeline is not None else ())),
        *(phase for check in settings.checks.values() for phase in check.phases),
    ]
    return list(dict.fromkeys((*sorted(logged), find_phase(handoff), *(build_id(name) for name in told if name))))


_MOST_NAMED = 10
_NUMBER = compile_later(r"[0-9]{1,9}")
_RUN_FOLDER = "{run}"
_FORM = "Write ID:NUMBER or ID:PHASE:NUMBER, or `now` for what is here: H-3:1, H-3:build:2, H-3:now."


class AttemptName(NamedTuple):
    """An attempt as a person writes it; missing parts come from the other one, or are defaults."""

    handoff: str | None
    phase: str | None
    number: int | None
    """None for what is here now."""


class _Chosen(NamedTuple):
    """One side, found."""

    timeline: Timeline
    sources: AttemptSources | None
    record: PastAttempt
    content: AttemptContent


def parse_attempt_name(text: str) -> AttemptName:
    """Parses `H-3:2`, `H-3:build:2`, `H-3:now`; `2` and `now` alone refer to the handoff named before."""
    above, _, last = text.strip().rpartition(":")
    if last != NOW and not _NUMBER.fullmatch(last):
        raise UsageError(f"{text!r} isn't an attempt", _FORM)
    number = None if last == NOW else int(last)
    handoff, colon, phase = above.rpartition(":")
    return AttemptName((handoff if colon else above) or None, phase if colon else None, number)


def compare_attempts(
    session: Session,
    log: OpenLog,
    first: str,
    second: str,
    phase: str | None = None,
    telling: ProgressCallbacks | None = None,
) -> AttemptComparison:
    """Compares the second with the first; runs no command for what is here now."""
    return _build_comparison(session, *_choose_both(session, log, (first, second), phase, telling))


def diff_attempts(
    session: Session, log: OpenLog, first: str, second: str, telling: ProgressCallbacks | None = None
) -> ChangesReport:
    """The handoff's own files at one attempt and at another, to be read line by line."""
    before, after = _choose_both(session, log, (first, second), None, telling)
    found = _compare_files(session, before, after)
    pair = ComparedPair(
        scope=DiffScope.BETWEEN_ATTEMPTS, before=_describe_side(before.content), after=_describe_side(after.content)
    )
    return ChangesReport(pair, found.record, (), found.files, tuple(found.notes))


def _describe_side(content: AttemptContent) -> BaselineChoice:
    return BaselineChoice(commit=content.commit, tree=content.tree, reason=content.words)


def _choose_both(
    session: Session, log: OpenLog, names: tuple[str, str], phase: str | None, telling: ProgressCallbacks | None
) -> tuple[_Chosen, _Chosen]:
    old, new = map(parse_attempt_name, names)
    if old.handoff is None:
        raise UsageError(f"{names[0]!r} doesn't name a handoff", _FORM)
    new = new._replace(handoff=new.handoff or old.handoff, phase=new.phase or (None if new.handoff else old.phase))
    # captured first: files that an earlier attempt shares with it can be read then
    after = _choose(session, log, new._replace(phase=new.phase or phase), telling)
    return _choose(session, log, old._replace(phase=old.phase or phase), telling), after


def compare_runs(before: AttemptRun | None, after: AttemptRun | None) -> tuple[ValueChange, ...] | None:
    """How two agent runs were started: command, variables, folder, limit, prompt; None without both."""
    if before is None or after is None:
        return None
    pairs = (
        ("agent", before.agent, after.agent),
        ("command", _show_command(before), _show_command(after)),
        ("folder", before.folder, after.folder),
        ("time limit", _show_seconds(before.timeout_seconds), _show_seconds(after.timeout_seconds)),
        ("variables", ", ".join(before.environment), ", ".join(after.environment)),
        ("prompt, sha256", before.prompt_sha256, after.prompt_sha256),
        ("context, sha256", before.context_sha256, after.context_sha256),
        ("started by", before.owner, after.owner),
    )
    return tuple(ValueChange(what=what, before=old, after=new) for what, old, new in pairs if old != new)


def _choose(session: Session, log: OpenLog, name: AttemptName, telling: ProgressCallbacks | None) -> _Chosen:
    wanted = name.handoff or ""
    if name.number is None:
        now = examine(session, log, wanted, name.phase, telling=telling, options=WITHOUT_COMMANDS)
        return _choose_now(session, log, now)
    timeline = open_timeline(session, log, wanted, name.phase)
    sources = timeline.find(name.number)
    if sources is None and not timeline.gone:  # the gate may count the work here as the next attempt already
        now = examine(session, log, timeline.handoff.id, timeline.phase, telling=telling, options=WITHOUT_COMMANDS)
        if now.key.attempt == name.number:
            return _choose_now(session, log, now)
    if sources is None:
        known = ", ".join(str(one.number) for one in timeline.sources[-_MOST_NAMED:]) or "none"
        raise UsageError(
            f"{timeline.handoff.id} has no attempt {name.number} at {timeline.phase}",
            f"Known attempts: {known}. `handoff-tui history {timeline.handoff.id}` lists them.",
        )
    commits = () if sources.work is None else (sources.work.subject.commit,)
    named = timeline.handoff.producers
    plain = build_attempt(timeline.name(sources), sources, None, find_places(session, commits), named)
    return _look_into(timeline, sources, plain, sources)


def _choose_now(session: Session, log: OpenLog, now: ExaminedGate) -> _Chosen:
    timeline = open_timeline(session, log, now.handoff.id, now.key.phase, now)
    told = timeline.find_claimed(now)
    return _look_into(timeline, None, build_open_attempt(timeline.name(None), now, told), told)


def _look_into(
    timeline: Timeline, sources: AttemptSources | None, plain: PastAttempt, told: AttemptSources | None
) -> _Chosen:
    """One attempt by itself; what was asked for is measured on the other side."""
    content = timeline.read_content(sources)
    measured = timeline.measure(plain, Neighbours(None, content, None, timeline.approved, timeline.settled), told)
    return _Chosen(timeline, sources, measured.model_copy(update={"asked": ()}), content)


class _FoundFiles(NamedTuple):
    """What differs between two attempts."""

    record: SnapshotDiff | None
    files: FilesDiff | None
    """The handoff's own files; None if those of one attempt aren't here."""
    notes: list[str]


def _compare_files(session: Session, before: _Chosen, after: _Chosen) -> _FoundFiles:
    """Compares what belongs to the handoff: others worked between two attempts, too."""
    reviewed = (after.timeline.handoff, after.timeline.handoffs)
    old, new = (Side(side.content.snapshot, side.content.tree) for side in (before, after))
    try:
        record, found = compare_sides(session, reviewed, old, new)
    except HandoffError as refused:
        return _FoundFiles(None, None, [f"the files can't be compared: {refused.message}"])
    if found is None:
        gone = [side.record.name for side, tree in ((before, old.tree), (after, new.tree)) if tree is None]
        return _FoundFiles(record, None, [f"the files of {name} aren't here" for name in gone])
    own = found.keep_only(before.timeline.own_paths | after.timeline.own_paths)
    others = len(found.listed.changes) - len(own.listed.changes)
    left_out = f"left out: {plural(others, 'other file')} that changed in between"
    return _FoundFiles(record, own, [left_out] if others else [])


def _build_comparison(session: Session, before: _Chosen, after: _Chosen) -> AttemptComparison:
    notes = [f"{side.record.name}: {note}" for side in (before, after) for note in side.record.notes]
    found = _compare_files(session, before, after)
    notes += found.notes
    if before.timeline.handoff.id != after.timeline.handoff.id:
        notes.append("these are two handoffs: a rule's result for one says nothing about the other")
    commits, why = read_work_since(session, before.content.commit, after.content.commit)
    if why:
        notes.append(why)
    settled = before.timeline.settled
    asked = (
        () if before.sources is None else read_points(session, before.sources, before.content, after.content, settled)
    )
    return AttemptComparison(
        before=before.record,
        after=after.record,
        record=found.record,
        check_changes=compare_checks(before.content, after.content),
        files=None if found.files is None else tuple(found.files.list_files(counted=True)),
        commits=commits,
        run_changes=compare_runs(_find_last_run(before.record), _find_last_run(after.record)),
        asked=asked,
        fatal=before.timeline.index.verdict.fatal,
        notes=tuple(dict.fromkeys(notes)),
    )


def _find_last_run(record: PastAttempt) -> AttemptRun | None:
    return record.runs[-1] if record.runs else None


def _show_seconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:g} s"


def _show_command(run: AttemptRun) -> str:
    """The command without the run's folder, which differs every time."""
    folder = run.output.rpartition("/")[0]
    command = " ".join(run.argv)
    return command.replace(folder, _RUN_FOLDER) if folder else command
