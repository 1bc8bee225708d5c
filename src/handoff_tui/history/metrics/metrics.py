"""Figures about handoffs, from the signed log and git alone."""

from __future__ import annotations

import gc
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Final

from handoff_tui.core.errors import UsageError
from handoff_tui.git.history.commits import read_commit_dates
from handoff_tui.git.history.work_commits import find_ancestors, list_work_times
from handoff_tui.git.signing.signing_key import read_identity
from handoff_tui.handoffs.read_handoffs import read_shelf
from handoff_tui.handoffs.session import Desk, open_desk
from handoff_tui.history.metrics import definitions as define
from handoff_tui.history.metrics import observations as observe
from handoff_tui.history.metrics.facts import Judged, MetricsFacts, RecordFacts, RecordParser
from handoff_tui.history.metrics.figures import (
    Definition,
    Observation,
    Observed,
    Reduce,
    Window,
    build_figure,
    build_left_out,
    build_weeks,
    explain_nothing,
)
from handoff_tui.history.metrics.report import Figure, FigureGroup, MetricsReport
from handoff_tui.history.metrics.rounds import Round, build_rounds, parse_seconds, sort_key
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.index import LogIndex, Vote, build_log_index
from handoff_tui.log.open_log import OpenLog, open_log
from handoff_tui.log.record import LogVerdict, ProblemLevel
from handoff_tui.log.storage.evidence_files import REVIEWS, EvidenceFiles
from handoff_tui.system.clock import read_now

_NO_RECORD = "the review record is not here"
_STILL_OPEN = "still open at the newest decision"
_WHY = "no review record is here"
_NEVER_CLOSED = "no check was open in one record and closed in a later one"


@dataclass(slots=True)
class _Tally:
    """How often a check was judged, how often it held, and the entries where it did not."""

    judged: int = 0
    held: int = 0
    failing: list[str] = field(default_factory=list)

    def add_held(self, times: int) -> None:
        self.judged += times
        self.held += times

    def add_open(self, entry: str) -> None:
        self.judged += 1
        if not self.failing or self.failing[-1] != entry:
            self.failing.append(entry)


def build_rule_figures(
    facts: MetricsFacts, by_rule: Definition, by_severity: Definition, window: Window
) -> tuple[Figure, Figure]:
    """The share of judgements that held, by rule and by severity; a group names the entries where it did not hold."""
    seen = [(vote, record) for vote, record in list_records(facts) if window.has(vote.entry.time)]
    rules: dict[str, _Tally] = defaultdict(_Tally)
    severities: dict[str, _Tally] = defaultdict(_Tally)
    weeks: list[Observation] = []
    for held, times in Counter(record.held for _, record in seen).items():
        for judged in held:
            rules[judged.rule].add_held(times)
            severities[judged.severity].add_held(times)
    for vote, record in seen:
        for judged in record.open:
            rules[judged.rule].add_open(vote.entry.id)
            severities[judged.severity].add_open(vote.entry.id)
        number = len(record.held) + len(record.open)
        if number:
            weeks.append(Observation(vote.entry.time, len(record.held) / number, ()))
    observed = Observed(weeks, _list_unread(facts, window), _WHY)
    sources = tuple(vote.entry.id for vote, _ in seen)
    return (
        _build_figure(by_rule, rules, observed, sources),
        _build_figure(by_severity, severities, observed, sources),
    )


def observe_open_times(facts: MetricsFacts) -> tuple[Observed, Observed]:
    """Seconds from the first record of a phase in which a check was open to the next in which it was not.

    The same values twice: by rule and by severity.
    """
    found: list[tuple[Judged, Vote, Vote]] = []
    still_open: list[str] = []
    for rounds in facts.places.values():
        opened: dict[Judged, Vote] = {}
        for vote in _list_votes(rounds):
            record = facts.find_record(vote)
            if record is None:
                continue
            now_open = {judged.rule for judged in record.open} if opened else set()
            closed = [judged for judged in opened if judged.rule not in now_open]
            found += [(judged, opened.pop(judged), vote) for judged in closed]
            known = {judged.rule for judged in opened}
            opened |= {judged: vote for judged in record.open if judged.rule not in known}
        still_open += [first.entry.id for first in opened.values()]
    left_out = {_STILL_OPEN: still_open}
    found.sort(key=lambda one: (one[2].entry.time, one[0], one[2].entry.id))
    return (
        Observed([_measure(first, last, judged.rule) for judged, first, last in found], left_out, _NEVER_CLOSED),
        Observed([_measure(first, last, judged.severity) for judged, first, last in found], left_out, _NEVER_CLOSED),
    )


def _list_votes(rounds: Sequence[Round]) -> list[Vote]:
    votes = [vote for one in rounds for vote in one.votes]
    return votes if len(rounds) == 1 else sorted(votes, key=lambda vote: sort_key(vote.entry))


def _measure(first: Vote, last: Vote, group: str) -> Observation:
    took = parse_seconds(last.entry.time) - parse_seconds(first.entry.time)
    return Observation(last.entry.time, took, (first.entry.id, last.entry.id), group)


def list_records(facts: MetricsFacts) -> Iterator[tuple[Vote, RecordFacts]]:
    """Every decision whose record is here, oldest first."""
    for vote in facts.votes:
        record = facts.find_record(vote)
        if record is not None:
            yield vote, record


def _list_unread(facts: MetricsFacts, window: Window) -> dict[str, list[str]]:
    missing = [vote.entry.id for vote in facts.votes if facts.find_record(vote) is None and window.has(vote.entry.time)]
    return {_NO_RECORD: missing}


def _build_figure(
    definition: Definition, tallies: dict[str, _Tally], observed: Observed, sources: Sequence[str]
) -> Figure:
    judged = sum(tally.judged for tally in tallies.values())
    held = sum(tally.held for tally in tallies.values())
    return Figure(
        id=definition.id,
        system=definition.system,
        title=definition.title,
        means=definition.means,
        unit=definition.unit,
        target=definition.target,
        grouped_by=definition.grouped_by,
        value=held / judged if judged else None,
        why="" if judged else explain_nothing(observed),
        part=float(held) if judged else None,
        of=judged,
        groups=tuple(
            FigureGroup(
                name=name,
                value=tally.held / tally.judged,
                part=float(tally.held),
                of=tally.judged,
                sources=tuple(tally.failing),
            )
            for name, tally in sorted(tallies.items())
        ),
        weeks=build_weeks(Reduce.MEAN, observed.observations),
        left_out=build_left_out(observed.left_out),
        sources=tuple(sources),
    )


_OBSERVERS: Final[tuple[tuple[Definition, Callable[[MetricsFacts], Observed]], ...]] = (
    (define.FAILURE_RATE, observe.observe_failures),
    (define.COMPLIANCE, observe.observe_compliance),
    (define.TIME_TO_RESUME, observe.observe_resumption),
    (define.REDISCOVERY, observe.observe_rediscovery),
    (define.SUCCESS_BY_TYPE, observe.observe_success),
    (define.DURATION_BY_TYPE, observe.observe_duration),
    (define.TIME_TO_DECISION, observe.observe_decision_time),
    (define.LOOPS, observe.observe_loops),
    (define.STALE_RATE, observe.observe_staleness),
    (define.RUBBER_STAMPS, observe.observe_rubber_stamps),
)


def read_metrics_at(start: Path, window: Window) -> MetricsReport:
    """The figures of the repository around a folder."""
    desk = open_desk(start)
    return read_metrics(desk, open_log(desk.repository), window)


def read_metrics(
    desk: Desk,
    log: OpenLog,
    window: Window,
    now: Callable[[], datetime] = read_now,
    known: dict[str, RecordFacts] | None = None,
) -> MetricsReport:
    """Verifies the log and counts. Of a log that is not sound nothing is counted.

    `known` are records that were read before; who counts again and again keeps it, and it grows.
    """
    with _pause_collection():
        return _read_metrics(desk, log, window, build_time(now()), {} if known is None else known)


def _read_metrics(
    desk: Desk, log: OpenLog, window: Window, moment: str, known: dict[str, RecordFacts]
) -> MetricsReport:
    verdict = log.verify()
    report = MetricsReport(
        repo=str(desk.repository.root),
        head=desk.work_tree.facts.head,
        log=verdict.log,
        fatal=verdict.fatal,
        made_at=moment,
        since=window.since,
        until=window.until,
        entries=sum(window.has(one.time) and one.id not in verdict.void for one in verdict.entries),
        not_counted=len(verdict.void) + sum(one.level is ProblemLevel.REFUSED for one in verdict.problems),
        notes=tuple(_list_notes(desk, verdict)),
    )
    if verdict.fatal:
        return report.model_copy(update={"figures": build_no_figures("the log is not sound")})
    facts = read_facts(desk, log, build_log_index(verdict), moment, known)
    return report.model_copy(
        update={
            "submissions": sum(window.has(made.entry.time) for one in facts.rounds for made in one.submissions),
            "decisions": sum(window.has(vote.entry.time) for one in facts.rounds for vote in one.votes),
            "withdrawn": sum(window.has(facts.index.entries[one].time) for one in facts.index.find_withdrawn()),
            "figures": build_figures(facts, window),
        }
    )


@contextmanager
def _pause_collection() -> Iterator[None]:
    """Of 10,000 entries a million small values are kept, none in a circle: to look for circles costs a third more."""
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()


def parse_window(since: str | None, until: str | None) -> Window:
    """Two days as a person wrote them: `2026-03-01`."""
    for written in (since, until):
        if written is not None:
            _check_day(written)
    if since is not None and until is not None and until < since:
        raise UsageError(f"{until} is before {since}", "Give the earlier day to --since.")
    return Window(since, until)


def build_figures(facts: MetricsFacts, window: Window) -> tuple[Figure, ...]:
    """Every figure, in the order in which they are told. Pure."""
    by_rule, by_severity = build_rule_figures(facts, define.SUCCESS_BY_RULE, define.SUCCESS_BY_SEVERITY, window)
    built = {by_rule.id: by_rule, by_severity.id: by_severity}
    for definition, observed in zip(
        (define.OPEN_BY_RULE, define.OPEN_BY_SEVERITY), observe_open_times(facts), strict=True
    ):
        built[definition.id] = build_figure(definition, _narrow(observed, facts, window), window)
    for definition, observer in _OBSERVERS:
        built[definition.id] = build_figure(definition, _narrow(observer(facts), facts, window), window)
    # a debt is a state and no event: what matters is what is open at the end, however old
    debts = observe.observe_debts(facts, window.until)
    built[define.OVERRIDE_DEBT.id] = build_figure(define.OVERRIDE_DEBT, debts, Window(until=window.until))
    return tuple(built[definition.id] for definition in define.ALL)


def _narrow(observed: Observed, facts: MetricsFacts, window: Window) -> Observed:
    """What was left out is told of the days that are asked about, like everything else."""
    entries = facts.index.entries
    return observed._replace(
        left_out={
            why: [source for source in sources if window.has(entries[source].time)]
            for why, sources in observed.left_out.items()
        }
    )


def build_no_figures(why: str) -> tuple[Figure, ...]:
    """Every figure without a value."""
    return tuple(
        build_figure(one, Observed((), why=why), Window()).model_copy(update={"value": None, "why": why})
        for one in define.ALL
    )


def read_facts(desk: Desk, log: OpenLog, index: LogIndex, now: str, known: dict[str, RecordFacts]) -> MetricsFacts:
    """Reads what figures need besides the log: records, commits, and the handoffs that are here."""
    rounds = build_rounds(index)
    git = desk.repository.git
    commits = {vote.work.subject.commit for one in rounds for vote in one.votes}
    has_history = bool(rounds) and desk.work_tree.facts.head is not None
    first = min((entry.time for one in rounds for entry in one.list_entries()), default=now)
    return MetricsFacts(
        index=index,
        rounds=rounds,
        now=now,
        records=_read_records(log, rounds, known),
        commit_seconds={name: parse_seconds(moment) for name, moment in read_commit_dates(git, commits).items()},
        behind=find_ancestors(git, commits) if has_history else frozenset(),
        work_seconds=list_work_times(git, int(parse_seconds(first))) if has_history else (),
        types=_read_types(desk) if rounds else {},
        reviewer=read_identity(git).email,
    )


def _read_records(log: OpenLog, rounds: Iterable[Round], known: dict[str, RecordFacts]) -> dict[str, RecordFacts]:
    """By digest. Those of other branches are looked for there; one that cannot be read is as good as missing."""
    wanted = sorted({vote.decision.review for one in rounds for vote in one.votes} - known.keys())
    tips = dict.fromkeys(log.blobs.read_listing().branches.refs.values())
    parser = RecordParser()
    stored = EvidenceFiles(log.repository).read_many(REVIEWS, wanted, tips)
    parsed = ((digest, parser.parse(content)) for digest, content in stored)
    known |= {digest: facts for digest, facts in parsed if facts is not None}
    return known


def _read_types(desk: Desk) -> dict[str, str]:
    return {handoff.id: handoff.type.value for handoff in read_shelf(desk).harvest.handoffs}


def _list_notes(desk: Desk, verdict: LogVerdict) -> Iterator[str]:
    if verdict.log is None and not verdict.fatal:
        yield "there is no signed log here yet; `handoff-tui init` begins one"
    for problem in verdict.problems:
        if problem.level is ProblemLevel.FATAL:
            yield f"the log is not sound: {problem.text}"
    if desk.repository.shallow:
        yield "this clone is shallow: what rests on commits that it lacks is left out (git fetch --unshallow)"


def _check_day(written: str) -> None:
    try:
        right = date.fromisoformat(written).isoformat() == written
    except ValueError:
        right = False
    if not right:
        raise UsageError(f"{written!r} is no day", "Write it as 2026-03-01.")
