"""Reads the metrics of a repository: from the signed log and git, and what the runs of agents here cost."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

from handoff_tui.agents.runs.folders import list_runs
from handoff_tui.core.classes import dataclass, field
from handoff_tui.core.errors import UsageError
from handoff_tui.core.pause_collection import without_collection
from handoff_tui.git.history.commit_graph import find_ancestors, list_work_times
from handoff_tui.git.history.commits import read_commit_dates
from handoff_tui.git.signing.signing_key import read_identity
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.history.metrics import definitions as define
from handoff_tui.history.metrics.facts import (
    DecidedAttempt,
    Judged,
    MetricsFacts,
    RecordFacts,
    RecordParser,
    RunFacts,
    build_decided_attempts,
    parse_seconds,
    sort_key,
)
from handoff_tui.history.metrics.report import Metric, MetricGroup, MetricsReport, Target
from handoff_tui.history.past.repository import list_limits
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.entry import LogProblemLevel
from handoff_tui.log.index import DecisionEntry, LogIndex, build_log_index
from handoff_tui.log.open_log import OpenLog, open_log
from handoff_tui.log.storage.evidence import REVIEWS, EvidenceFiles
from handoff_tui.system.clock import read_now

_NO_RECORD = "the review record isn't here"
_STILL_OPEN = "still open at the newest decision"
_WHY = "no review record is here"
_NEVER_CLOSED = "no check was open in one record and closed in a later one"


@dataclass(slots=True)
class _Tally:
    """How often a check was judged, how often it held, and the entries where it didn't."""

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


def build_rule_metrics(
    facts: MetricsFacts,
    by_rule: define.MetricDefinition,
    by_severity: define.MetricDefinition,
    window: define.DayWindow,
) -> tuple[Metric, Metric]:
    """The share of results that held, by rule and by severity; a group lists the entries where it didn't."""
    seen = [(decided, record) for decided, record in list_records(facts) if window.has(decided.entry.time)]
    rules: dict[str, _Tally] = defaultdict(_Tally)
    severities: dict[str, _Tally] = defaultdict(_Tally)
    weeks: list[define.MetricValue] = []
    for held, times in Counter(record.held for _, record in seen).items():
        for judged in held:
            rules[judged.rule].add_held(times)
            severities[judged.severity].add_held(times)
    for decided, record in seen:
        for judged in record.open:
            rules[judged.rule].add_open(decided.entry.id)
            severities[judged.severity].add_open(decided.entry.id)
        number = len(record.held) + len(record.open)
        if number:
            weeks.append(define.MetricValue(decided.entry.time, len(record.held) / number, ()))
    observed = define.Observed(weeks, _list_unread(facts, window), _WHY)
    sources = tuple(decided.entry.id for decided, _ in seen)
    return (
        _build_metric(by_rule, rules, observed, sources),
        _build_metric(by_severity, severities, observed, sources),
    )


def observe_open_times(facts: MetricsFacts) -> tuple[define.Observed, define.Observed]:
    """Seconds from the first record of a phase in which a check was open to the next in which it wasn't.

    The same values twice: by rule and by severity.
    """
    found: list[tuple[Judged, DecisionEntry, DecisionEntry]] = []
    still_open: list[str] = []
    for attempts in facts.places.values():
        opened: dict[Judged, DecisionEntry] = {}
        for decided in _list_decisions(attempts):
            record = facts.find_record(decided)
            if record is None:
                continue
            now_open = {judged.rule for judged in record.open} if opened else set()
            closed = [judged for judged in opened if judged.rule not in now_open]
            found += [(judged, opened.pop(judged), decided) for judged in closed]
            known = {judged.rule for judged in opened}
            opened |= {judged: decided for judged in record.open if judged.rule not in known}
        still_open += [first.entry.id for first in opened.values()]
    left_out = {_STILL_OPEN: still_open}
    found.sort(key=lambda one: (one[2].entry.time, one[0], one[2].entry.id))
    return (
        define.Observed([_measure(first, last, judged.rule) for judged, first, last in found], left_out, _NEVER_CLOSED),
        define.Observed(
            [_measure(first, last, judged.severity) for judged, first, last in found], left_out, _NEVER_CLOSED
        ),
    )


def _list_decisions(attempts: Sequence[DecidedAttempt]) -> list[DecisionEntry]:
    decisions = [decided for one in attempts for decided in one.decisions]
    return decisions if len(attempts) == 1 else sorted(decisions, key=lambda decided: sort_key(decided.entry))


def _measure(first: DecisionEntry, last: DecisionEntry, group: str) -> define.MetricValue:
    took = parse_seconds(last.entry.time) - parse_seconds(first.entry.time)
    return define.MetricValue(last.entry.time, took, (first.entry.id, last.entry.id), group)


def list_records(facts: MetricsFacts) -> Iterator[tuple[DecisionEntry, RecordFacts]]:
    """Every decision whose review record is here, oldest first."""
    for decided in facts.decisions:
        record = facts.find_record(decided)
        if record is not None:
            yield decided, record


def _list_unread(facts: MetricsFacts, window: define.DayWindow) -> dict[str, list[str]]:
    missing = [
        decided.entry.id
        for decided in facts.decisions
        if facts.find_record(decided) is None and window.has(decided.entry.time)
    ]
    return {_NO_RECORD: missing}


def _build_metric(
    definition: define.MetricDefinition, tallies: dict[str, _Tally], observed: define.Observed, sources: Sequence[str]
) -> Metric:
    judged = sum(tally.judged for tally in tallies.values())
    held = sum(tally.held for tally in tallies.values())
    return definition.build(
        {
            "value": held / judged if judged else None,
            "why": "" if judged else define.explain_missing(observed),
            "part": float(held) if judged else None,
            "of": judged,
            "groups": tuple(
                MetricGroup(
                    name=name,
                    value=tally.held / tally.judged,
                    part=float(tally.held),
                    of=tally.judged,
                    sources=tuple(tally.failing),
                )
                for name, tally in sorted(tallies.items())
            ),
            "weeks": define.build_weeks(define.Reduce.MEAN, observed.observations),
            "left_out": define.build_left_out(observed.left_out),
            "sources": tuple(sources),
        }
    )


def read_metrics_at(start: Path, window: define.DayWindow) -> MetricsReport:
    """The metrics of the repository around a folder."""
    session = open_session(start)
    return read_metrics(session, open_log(session.repository), window)


def read_metrics(
    session: Session,
    log: OpenLog,
    window: define.DayWindow,
    now: Callable[[], datetime] = read_now,
    known: dict[str, RecordFacts] | None = None,
) -> MetricsReport:
    """Verifies the log and counts; a log that isn't intact isn't counted.

    `known` caches review records between calls, and grows.
    """
    with without_collection():
        return _read_metrics(session, log, window, build_time(now()), {} if known is None else known)


def _read_metrics(
    session: Session, log: OpenLog, window: define.DayWindow, moment: str, known: dict[str, RecordFacts]
) -> MetricsReport:
    verdict = log.verify()
    report = MetricsReport(
        repo=str(session.repository.root),
        head=session.work_tree.facts.head,
        log=verdict.log,
        fatal=verdict.fatal,
        made_at=moment,
        since=window.since,
        until=window.until,
        entries=sum(window.has(one.time) and one.id not in verdict.void for one in verdict.entries),
        not_counted=len(verdict.void) + sum(one.level is LogProblemLevel.REFUSED for one in verdict.problems),
        notes=tuple(list_limits(session, verdict, "", "whatever needs commits it lacks is left out")),
    )
    if verdict.fatal:
        return report.model_copy(
            update={"metrics": _set_targets(session, build_empty_metrics("the log is not intact"))}
        )
    facts = read_facts(session, log, build_log_index(verdict), moment, known)
    return report.model_copy(
        update={
            "submissions": sum(window.has(made.entry.time) for one in facts.attempts for made in one.submissions),
            "decisions": sum(window.has(decided.entry.time) for one in facts.attempts for decided in one.decisions),
            "withdrawn": sum(window.has(facts.index.entries[one].time) for one in facts.index.find_withdrawn()),
            "metrics": _set_targets(session, build_metrics(facts, window)),
        }
    )


def _set_targets(session: Session, metrics: Iterable[Metric]) -> tuple[Metric, ...]:
    """The metrics, with the targets of `[mosaic.targets]` where session enforcement has one."""
    wanted = session.loaded.settings.mosaic.targets
    failures = wanted.failure_rate_maximum
    targets = {
        "handoff-failure-rate": Target(below=failures) if failures else Target(most=0.0),
        "pre-handoff-compliance": Target(least=wanted.compliance_minimum),
        "time-to-resume": Target(below=wanted.resume_minutes_maximum * 60.0),
        "context-rediscovery": Target(most=float(wanted.rediscovery_maximum)),
    }
    return tuple(metric.model_copy(update={"target": targets.get(metric.id, metric.target)}) for metric in metrics)


def parse_window(since: str | None, until: str | None) -> define.DayWindow:
    """Parses two days as a person writes them: `2026-03-01`."""
    for written in (since, until):
        if written is not None:
            _check_day(written)
    if since is not None and until is not None and until < since:
        raise UsageError(f"{until} is before {since}", "Give the earlier day to --since.")
    return define.DayWindow(since, until)


def build_metrics(facts: MetricsFacts, window: define.DayWindow) -> tuple[Metric, ...]:
    """Every metric, in the order they are shown. Pure."""
    by_rule, by_severity = build_rule_metrics(facts, define.SUCCESS_BY_RULE, define.SUCCESS_BY_SEVERITY, window)
    opened = zip((define.OPEN_BY_RULE, define.OPEN_BY_SEVERITY), observe_open_times(facts), strict=True)
    observed = [*opened, *((definition, observe(facts)) for definition, observe in define.ALL if observe is not None)]
    # debt is a state, not an event: whatever is open at the end counts, however old
    debts = define.observe_debts(facts, window.until)
    built = [
        by_rule,
        by_severity,
        define.build_metric(define.OVERRIDE_DEBT, debts, define.DayWindow(until=window.until)),
        *(define.build_metric(definition, _narrow(seen, facts, window), window) for definition, seen in observed),
    ]
    order = [definition.id for definition, _ in define.ALL]
    return tuple(sorted(built, key=lambda metric: order.index(metric.id)))


def _narrow(observed: define.Observed, facts: MetricsFacts, window: define.DayWindow) -> define.Observed:
    """Limits what was left out to the days asked about."""
    entries = facts.index.entries
    return observed._replace(
        left_out={
            why: [source for source in sources if window.has(entries[source].time)]
            for why, sources in observed.left_out.items()
        }
    )


def build_empty_metrics(why: str) -> tuple[Metric, ...]:
    """Every metric, without a value."""
    return tuple(definition.build({"why": why}) for definition, _ in define.ALL)


def read_facts(
    session: Session, log: OpenLog, index: LogIndex, now: str, known: dict[str, RecordFacts]
) -> MetricsFacts:
    """Reads what metrics need besides the log: review records, commits, and the handoffs here."""
    attempts = build_decided_attempts(index)
    git = session.repository.git
    commits = {decided.work.subject.commit for one in attempts for decided in one.decisions}
    has_history = bool(attempts) and session.work_tree.facts.head is not None
    first = min((entry.time for one in attempts for entry in one.list_entries()), default=now)
    return MetricsFacts(
        index=index,
        attempts=attempts,
        now=now,
        records=_read_records(log, attempts, known),
        commit_seconds={name: parse_seconds(moment) for name, moment in read_commit_dates(git, commits).items()},
        behind=find_ancestors(git, commits) if has_history else frozenset(),
        work_seconds=list_work_times(git, int(parse_seconds(first))) if has_history else (),
        types=_read_types(session) if attempts else {},
        reviewer=read_identity(git).email,
        runs=tuple(_list_run_facts(session)),
    )


def _list_run_facts(session: Session) -> Iterator[RunFacts]:
    """Yields the runs here whose stream was read."""
    for state in list_runs(session.repository.common_dir):
        usage = state.end.usage if state.end is not None else None
        if usage is not None and state.end is not None and state.plan is not None:
            ended = build_time(datetime.fromtimestamp(state.end.ended, UTC))
            tokens = usage.tokens_in + usage.tokens_out
            yield RunFacts(ended, state.plan.agent, usage.turns, tokens, usage.cost, len(usage.denials))


def _read_records(
    log: OpenLog, attempts: Iterable[DecidedAttempt], known: dict[str, RecordFacts]
) -> dict[str, RecordFacts]:
    """By digest, from all branches; an unreadable record counts as missing."""
    wanted = sorted({decided.decision.review for one in attempts for decided in one.decisions} - known.keys())
    tips = dict.fromkeys(log.blobs.read_listing().branches.refs.values())
    parser = RecordParser()
    stored = EvidenceFiles(log.repository).read_many(REVIEWS, wanted, tips)
    parsed = ((digest, parser.parse(content)) for digest, content in stored)
    known |= {digest: facts for digest, facts in parsed if facts is not None}
    return known


def _read_types(session: Session) -> dict[str, str]:
    return {handoff.id: handoff.type.value for handoff in read_repository(session).result.handoffs}


def _check_day(written: str) -> None:
    try:
        right = date.fromisoformat(written).isoformat() == written
    except ValueError:
        right = False
    if not right:
        raise UsageError(f"{written!r} isn't a day", "Write it as 2026-03-01.")
