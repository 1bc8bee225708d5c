"""Every metric: what it is, its target, and the values behind it with the log entries they come from. Pure.

Shares, means and medians are computed from single values, by group and by week.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from enum import StrEnum
from functools import lru_cache, wraps
from typing import Any, Final

from handoff_tui.core.classes import NamedTuple
from handoff_tui.history.metrics.facts import (
    AttemptEnd,
    DecidedAttempt,
    MetricsFacts,
    RunFacts,
    Start,
    is_submission_of,
    parse_seconds,
    sort_key,
)
from handoff_tui.history.metrics.report import LeftOut, Metric, MetricGroup, Spread, Target, Unit, Week
from handoff_tui.log.entry import APPROVING, PASSING, DecisionVerb, Entry
from handoff_tui.log.gates.gate import bound_files
from handoff_tui.log.index import DecisionEntry

_MOST_WEEKS = 104
"""Only the newest weeks of a longer log are drawn; the metric covers all of it."""


class Reduce(StrEnum):
    """How many values become one."""

    SHARE = "share"
    MEAN = "mean"
    MEDIAN = "median"
    NUMBER = "number"
    """How many there are."""


_UNITS = {
    Reduce.SHARE: Unit.SHARE,
    Reduce.MEAN: Unit.NUMBER,
    Reduce.MEDIAN: Unit.SECONDS,
    Reduce.NUMBER: Unit.NUMBER,
}


class MetricDefinition(NamedTuple):
    """What a metric is, before anything is counted."""

    id: str
    system: str
    reduce: Reduce
    title: str
    means: str
    grouped_by: str = ""
    target: Target | None = None

    def build(self, measured: Mapping[str, object]) -> Metric:
        """The metric, with everything that was measured of it."""
        words = {name: value for name, value in self._asdict().items() if name != "reduce"}
        return Metric.model_validate({"unit": _UNITS[self.reduce], **words, **measured})


class MetricValue(NamedTuple):
    """One value of a metric, its time, and the entries behind it."""

    time: str
    value: float
    sources: tuple[str, ...]
    group: str = ""


class Observed(NamedTuple):
    """All values of a metric, and what could not be counted: reason to entries."""

    observations: Sequence[MetricValue]
    left_out: Mapping[str, Sequence[str]] = {}
    why: str = ""
    """Why there is nothing to count, if there is nothing."""


class DayWindow(NamedTuple):
    """A range of days, inclusive."""

    since: str | None = None
    until: str | None = None

    def has(self, time: str) -> bool:
        """Days compare as text, as the log writes them."""
        day = time[:10]
        return (self.since is None or day >= self.since) and (self.until is None or day <= self.until)


def build_metric(definition: MetricDefinition, observed: Observed, window: DayWindow) -> Metric:
    """The metric over a range of days; without values in it, None and why."""
    chosen = [one for one in observed.observations if window.has(one.time)]
    counted = _count(definition, chosen)
    return definition.build(
        {
            **counted,
            "why": "" if counted["value"] is not None else explain_missing(observed),
            "groups": _build_groups(definition, chosen),
            "weeks": build_weeks(definition.reduce, chosen),
            "left_out": build_left_out(observed.left_out),
        }
    )


def explain_missing(observed: Observed) -> str:
    if observed.observations:
        return "nothing happened in these days"
    if any(observed.left_out.values()):
        return "nothing could be counted; see what was left out"
    return observed.why or "nothing to count in the log yet"


def reduce_values(reduce: Reduce, values: Sequence[float]) -> tuple[float | None, float | None]:
    """The value, and the sum for shares and means (None for others)."""
    if reduce is Reduce.NUMBER:
        return float(len(values)), None
    if not values:
        return None, None
    if reduce is Reduce.MEDIAN:
        return find_percentile(sorted(values), 0.5), None
    total = math.fsum(values)
    return total / len(values), total


def find_percentile(ordered: Sequence[float], share: float) -> float:
    """The smallest of the values that this share of them doesn't exceed."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def build_spread(values: Sequence[float]) -> Spread | None:
    if not values:
        return None
    ordered = sorted(values)
    return Spread(
        least=ordered[0],
        median=find_percentile(ordered, 0.5),
        ninetieth=find_percentile(ordered, 0.9),
        most=ordered[-1],
    )


def build_weeks(reduce: Reduce, observations: Iterable[MetricValue]) -> tuple[Week, ...]:
    """Every week from first to last, including empty ones."""
    by_week: dict[date, list[float]] = {}
    for one in observations:
        by_week.setdefault(_find_monday(one.time[:10]), []).append(one.value)
    if not by_week:
        return ()
    last = max(by_week).toordinal()
    first = max(min(by_week).toordinal(), last - 7 * (_MOST_WEEKS - 1))  # as numbers: no date is before year 1
    mondays = [date.fromordinal(number) for number in range(first, last + 1, 7)]
    return tuple(_build_week(reduce, monday, by_week.get(monday, [])) for monday in mondays)


def build_left_out(left_out: Mapping[str, Sequence[str]]) -> tuple[LeftOut, ...]:
    return tuple(
        LeftOut(why=why, number=len(sources), sources=tuple(sources)) for why, sources in left_out.items() if sources
    )


def list_sources(observations: Iterable[MetricValue]) -> tuple[str, ...]:
    """Each entry once, in order of first use."""
    return tuple(dict.fromkeys(source for one in observations for source in one.sources))


def _build_groups(definition: MetricDefinition, observations: Sequence[MetricValue]) -> tuple[MetricGroup, ...]:
    if not definition.grouped_by:
        return ()
    by_name: dict[str, list[MetricValue]] = {}
    for one in observations:
        by_name.setdefault(one.group, []).append(one)
    return tuple(MetricGroup(name=name, **_count(definition, by_name[name])) for name in sorted(by_name))


def _count(definition: MetricDefinition, observations: Sequence[MetricValue]) -> dict[str, Any]:
    """What a metric and each of its groups have: a share has no spread, since each value is yes or no."""
    values = [one.value for one in observations]
    value, part = reduce_values(definition.reduce, values)
    return {
        "value": value,
        "part": part,
        "of": len(values),
        "spread": build_spread(values) if definition.reduce is not Reduce.SHARE else None,
        "sources": list_sources(observations),
    }


def _build_week(reduce: Reduce, monday: date, values: Sequence[float]) -> Week:
    value = reduce_values(reduce, values)[0] if values else None
    return Week(begins=monday.isoformat(), value=value, of=len(values))


@lru_cache(maxsize=4096)
def _find_monday(day: str) -> date:
    found = date.fromisoformat(day)
    return found - timedelta(days=found.weekday())


RUBBER_STAMP_SECONDS = 60
_JUDGED = {AttemptEnd.PASSED: 0.0, AttemptEnd.SENT_BACK: 1.0, AttemptEnd.OVERRIDDEN: 1.0}
_NOT_HERE = "no longer here"
_BACKWARDS = "the work is dated after the decision on it"
_NO_START = "nothing was submitted, and the commit isn't in this repository"
_NO_RECORD = "the review record isn't here"
_SKIPPED = "the phase was skipped"


class _LeftOut(NamedTuple):
    """An entry that belongs in a metric but can't be counted, and why."""

    why: str
    entry: Entry


_Observer = Callable[[MetricsFacts], Observed]
_Observing = Callable[[MetricsFacts], Iterator[MetricValue | _LeftOut]]


def _observer(why: str) -> Callable[[_Observing], _Observer]:
    """Collects what a function yields; `why` is said if that is nothing."""

    def wrap(observe: _Observing) -> _Observer:
        @wraps(observe)
        def collect(facts: MetricsFacts) -> Observed:
            found: list[MetricValue] = []
            left_out: dict[str, list[str]] = defaultdict(list)
            for one in observe(facts):
                if isinstance(one, MetricValue):
                    found.append(one)
                else:
                    left_out[one.why].append(one.entry.id)
            return Observed(_sort(found), left_out, why)

        return collect

    return wrap


@_observer("no attempt has been decided yet")
def observe_failures(facts: MetricsFacts) -> Iterator[MetricValue | _LeftOut]:
    """One value per decided attempt: 1 if it was sent back or overridden."""
    for attempt, decided in _list_ended(facts):
        if attempt.end is AttemptEnd.SKIPPED:
            yield _LeftOut(_SKIPPED, decided.entry)
        else:
            yield MetricValue(decided.entry.time, _JUDGED[attempt.end], (decided.entry.id,))


def observe_compliance(facts: MetricsFacts) -> Observed:
    """One value per decided attempt: 1 if the same files had been submitted, which runs the checks."""
    if not any(one.submissions for one in facts.attempts):
        return Observed((), why="no submission in the log; unsigned submissions leave no trace")
    found: list[MetricValue] = []
    for one, _ in _list_ended(facts):
        decided = one.find_first_ending()
        if decided is not None:
            before = [made.entry.id for made in one.submissions if is_submission_of(made, decided)]
            found.append(MetricValue(decided.entry.time, float(bool(before)), (*before, decided.entry.id)))
    return Observed(_sort(found), why="no attempt has been decided yet")


@_observer("the log and the history of HEAD show no session")
def observe_resumption(facts: MetricsFacts) -> Iterator[MetricValue | _LeftOut]:
    """Seconds from the decision that ended an attempt to the first commit before the handoff's next entry."""
    following_work = _find_following_work(facts)
    for _, decided in _list_ended(facts):
        ended = decided.entry
        following = following_work[ended.id]
        if following is None:
            yield _LeftOut("nothing was submitted or decided after it yet", ended)
        elif decided.work.subject.commit not in facts.behind:
            yield _LeftOut("its commit isn't in the history of HEAD", ended)
        else:
            begun = parse_seconds(ended.time)
            first = facts.find_first_work(begun, parse_seconds(following.time))
            if first is None:
                yield _LeftOut("no commit between it and the next entry", ended)
            else:
                yield MetricValue(ended.time, first - begun, (ended.id, following.id))


@_observer("no attempt followed one whose review record is here")
def observe_rediscovery(facts: MetricsFacts) -> Iterator[MetricValue | _LeftOut]:
    """One value per further attempt: how many findings had been shown at an earlier attempt."""
    for attempts in facts.places.values():
        told: dict[str, str] = {}
        last = ""
        for one in attempts:
            read = [(decided.entry, facts.find_record(decided)) for decided in one.decisions]
            records = [(entry, record) for entry, record in read if record is not None]
            yield from (_LeftOut(_NO_RECORD, entry) for entry, record in read if record is None)
            if not records:
                continue
            here = {finding: entry.id for entry, record in records for finding in record.findings}
            again = sorted({told[finding] for finding in here if finding in told})
            newest, _ = records[-1]
            if last:
                number = float(sum(finding in told for finding in here))
                yield MetricValue(newest.time, number, (*(again or [last]), *(entry.id for entry, _ in records)))
            told = {**here, **told}
            last = newest.id


@_observer("no handoff has been decided yet")
def observe_success(facts: MetricsFacts) -> Iterator[MetricValue | _LeftOut]:
    """One value per phase of a handoff: 1 if its last attempt was approved."""
    for attempts in facts.places.values():
        ended = [(one, one.ended_by.entry) for one in attempts if one.ended_by is not None]
        if not ended:
            continue
        last, entry = ended[-1]
        if last.end is AttemptEnd.SKIPPED:
            yield _LeftOut(_SKIPPED, entry)
        else:
            sources = tuple(entry.id for _, entry in ended)
            yield MetricValue(entry.time, 1.0 - _JUDGED[last.end], sources, _find_type(facts, last))


@_observer("no handoff has been approved yet")
def observe_duration(facts: MetricsFacts) -> Iterator[MetricValue | _LeftOut]:
    """Seconds from the first work at a phase to the approval of its last attempt."""
    for attempts in facts.places.values():
        last = attempts[-1]
        if last.end is AttemptEnd.PASSED and last.ended_by is not None:
            yield _measure(facts.find_beginning(attempts), last.ended_by.entry, _find_type(facts, last))


@_observer("nothing has been decided yet")
def observe_decision_time(facts: MetricsFacts) -> Iterator[MetricValue | _LeftOut]:
    """Seconds from when the work was ready to the first decision on it, holds aside."""
    for one in facts.attempts:
        decided = one.find_first_ending()
        if decided is not None:
            start = facts.find_start(one, decided)
            yield _measure(start, decided.entry, "" if start is None else start.by)


def _measure(start: Start | None, ended: Entry, group: str) -> MetricValue | _LeftOut:
    """The seconds from a start to an entry."""
    if start is None:
        return _LeftOut(_NO_START, ended)
    took = parse_seconds(ended.time) - start.seconds
    return _LeftOut(_BACKWARDS, ended) if took < 0 else MetricValue(ended.time, took, (*start.sources, ended.id), group)


@_observer("nothing has been decided yet")
def observe_loops(facts: MetricsFacts) -> Iterator[MetricValue]:
    """One value per decided phase of a handoff: how often it was sent back."""
    for (_, phase), attempts in facts.places.items():
        decisions = [one.ended_by.entry for one in attempts if one.ended_by is not None]
        if decisions:
            back = sum(one.end is AttemptEnd.SENT_BACK for one in attempts)
            yield MetricValue(decisions[-1].time, float(back), tuple(entry.id for entry in decisions), phase)


@_observer("nothing has been approved yet")
def observe_staleness(facts: MetricsFacts) -> Iterator[MetricValue]:
    """One value per decision that let work go on: 1 if the phase came up again with other files."""
    for attempts in facts.places.values():
        entries = sorted((entry for one in attempts for entry in one.list_entries()), key=sort_key)
        decisions = (decided for one in attempts for decided in one.decisions)
        passing = {decided.entry.id for decided in decisions if decided.decision.verb in PASSING}
        newest: dict[str, Entry] = {}
        for entry in reversed(entries):
            tree = _find_files(entry)
            if entry.id in passing:
                later = next((other for seen, other in newest.items() if seen != tree), None)
                sources = (entry.id,) if later is None else (entry.id, later.id)
                yield MetricValue(entry.time, float(later is not None), sources)
            newest.setdefault(tree, entry)


def observe_debts(facts: MetricsFacts, until: str | None = None) -> Observed:
    """One value per unsettled override, now or at the end of a day: its age in seconds."""
    now = parse_seconds(facts.now)
    if until is not None:
        now = min(now, parse_seconds(f"{until}T23:59:59Z"))
    found: list[MetricValue] = []
    for identifier, decided in facts.index.find_debts(until).items():
        age = max(0.0, now - parse_seconds(decided.entry.time))
        found.append(MetricValue(decided.entry.time, age, (identifier,), decided.work.handoff))
    return Observed(_sort(found))


@_observer("nothing has been approved yet")
def observe_rubber_stamps(facts: MetricsFacts) -> Iterator[MetricValue | _LeftOut]:
    """One value per approval: 1 if it came within seconds of the work, with no file marked as read and no comment."""
    for one in facts.attempts:
        for decided in one.decisions:
            if decided.decision.verb not in APPROVING | {DecisionVerb.OVERRIDE}:
                continue
            entry, record, start = decided.entry, facts.find_record(decided), facts.find_start(one, decided)
            if record is None:
                yield _LeftOut(_NO_RECORD, entry)
            elif start is None and not record.looked:
                yield _LeftOut(_NO_START, entry)
            else:
                took = RUBBER_STAMP_SECONDS if start is None else parse_seconds(entry.time) - start.seconds
                quick = not record.looked and took < RUBBER_STAMP_SECONDS
                sources = (*(start.sources if start is not None else ()), entry.id)
                yield MetricValue(
                    entry.time, float(quick), sources, "you" if entry.actor == facts.reviewer else "others"
                )


def _observe_runs(measure: Callable[[RunFacts], float | None], why: str) -> _Observer:
    """Returns an observer with one value per run that has one, by agent."""

    def collect(facts: MetricsFacts) -> Observed:
        values = ((run, measure(run)) for run in facts.runs)
        found = [MetricValue(run.time, value, (), run.agent) for run, value in values if value is not None]
        return Observed(_sort(found), {}, why)

    return collect


def _list_ended(facts: MetricsFacts) -> Iterator[tuple[DecidedAttempt, DecisionEntry]]:
    for one in facts.attempts:
        if one.ended_by is not None:
            yield one, one.ended_by


def _find_following_work(facts: MetricsFacts) -> dict[str, Entry | None]:
    """For every entry, the next one on the same handoff with other files: between the two was a session."""
    entries: dict[str, list[Entry]] = defaultdict(list)
    for one in facts.attempts:
        entries[one.key.handoff] += one.list_entries()
    following: dict[str, Entry | None] = {}
    for found in entries.values():
        after: Entry | None = None
        for entry in sorted(found, key=sort_key, reverse=True):
            other = after is not None and _find_files(after) != _find_files(entry)
            following[entry.id] = after if other or after is None else following[after.id]
            after = entry
    return following


def _find_files(entry: Entry) -> str:
    return "" if entry.work is None else bound_files(entry.work)


def _find_type(facts: MetricsFacts, one: DecidedAttempt) -> str:
    return facts.types.get(one.key.handoff, _NOT_HERE)


def _sort(observations: list[MetricValue]) -> list[MetricValue]:
    return sorted(observations, key=lambda one: (one.time, one.sources))


def _define(
    name: str, system: str, reduce: Reduce, grouped_by: str = "", target: Target | None = None
) -> MetricDefinition:
    return MetricDefinition(name, system, reduce, *_WORDS[name], grouped_by, target)


_WORDS: Final = {
    "handoff-failure-rate": ("Handoff failure rate", "Attempts sent back or overridden, of all decided attempts."),
    "pre-handoff-compliance": (
        "Pre-handoff compliance",
        "Decided attempts whose exact files were submitted and signed before the decision; submitting runs the checks.",
    ),
    "time-to-resume": (
        "Time to resume",
        (
            "Median time from the decision that ended an attempt to the next commit in the history of HEAD, before the "
            "handoff's next entry."
        ),
    ),
    "context-rediscovery": (
        "Context rediscovery",
        "Findings at a further attempt that an earlier one had already shown; the mean per further attempt.",
    ),
    "success-rate": ("Success rate", "Phases whose last attempt was approved, of all decided phases."),
    "handoff-duration": (
        "Handoff duration",
        (
            "Median time from the first work at a phase (its submission, else its commit) to the approval of its last "
            "attempt."
        ),
    ),
    "success-by-rule": (
        "Passing checks by rule",
        "Passing results in review records, of all that applied. Each rule lists the entries where it failed.",
    ),
    "success-by-severity": ("Passing checks by severity", "The same results by severity."),
    "open-time-by-rule": (
        "Time checks stayed open by rule",
        "Median time from the first review record in which a check failed to the next in which it didn't.",
    ),
    "open-time-by-severity": ("Time checks stayed open by severity", "The same times by severity."),
    "time-to-decision": (
        "Time to decision",
        "Median time from the submission (or the commit, if nothing was submitted) to the first decision, holds aside.",
    ),
    "loops-per-stage": ("Loops per stage", "How often a phase of a handoff was sent back, on average."),
    "stale-rate": (
        "Stale rate",
        "Decisions that let work go on, but whose phase came up again because the files changed.",
    ),
    "override-debt": (
        "Override debt",
        "Overrides no approval has settled by the last of these days; the spread is their age in seconds.",
    ),
    "rubber-stamps": (
        "Rubber stamps",
        (
            f"Approvals and overrides within {RUBBER_STAMP_SECONDS} seconds of the work, with no file marked as read "
            "and no comment. Only you are shown by name; others are counted together."
        ),
    ),
    "cost-per-run": (
        "Cost per run",
        "US dollars that a run of an agent on this machine cost, as its program says.",
    ),
    "tokens-per-run": ("Tokens per run", "Tokens that a run of an agent on this machine read and wrote, on average."),
    "turns-per-run": (
        "Turns per run",
        "How often the model answered in a run on this machine, on average.",
    ),
    "denials-per-run": ("Denials per run", "What an agent on this machine was not allowed to do, per run, on average."),
}
"""The title of each metric, and what is counted."""
_NO_RUNS, _NO_COST = "no run here has a stream that can be read", "no run here says what it cost"
_SESSIONS, _PROCEDURES, _DESK = "A", "C", "desk"
_NONE, _MOSTLY = Target.model_construct(most=0.0), Target.model_construct(least=0.95)
SUCCESS_BY_RULE: Final = _define("success-by-rule", _PROCEDURES, Reduce.SHARE, "rule")
SUCCESS_BY_SEVERITY: Final = _define("success-by-severity", _PROCEDURES, Reduce.SHARE, "severity")
OPEN_BY_RULE: Final = _define("open-time-by-rule", _PROCEDURES, Reduce.MEDIAN, "rule")
OPEN_BY_SEVERITY: Final = _define("open-time-by-severity", _PROCEDURES, Reduce.MEDIAN, "severity")
OVERRIDE_DEBT: Final = _define("override-debt", _DESK, Reduce.NUMBER, "handoff", _NONE)
ALL: Final[tuple[tuple[MetricDefinition, _Observer | None], ...]] = (
    (_define("handoff-failure-rate", _SESSIONS, Reduce.SHARE), observe_failures),
    (_define("pre-handoff-compliance", _SESSIONS, Reduce.SHARE), observe_compliance),
    (_define("time-to-resume", _SESSIONS, Reduce.MEDIAN), observe_resumption),
    (_define("context-rediscovery", _SESSIONS, Reduce.MEAN), observe_rediscovery),
    (_define("success-rate", _PROCEDURES, Reduce.SHARE, "type", _MOSTLY), observe_success),
    (_define("handoff-duration", _PROCEDURES, Reduce.MEDIAN, "type"), observe_duration),
    (SUCCESS_BY_RULE, None),
    (SUCCESS_BY_SEVERITY, None),
    (OPEN_BY_RULE, None),
    (OPEN_BY_SEVERITY, None),
    (_define("time-to-decision", _DESK, Reduce.MEDIAN, "beginning"), observe_decision_time),
    (_define("loops-per-stage", _DESK, Reduce.MEAN, "phase"), observe_loops),
    (_define("stale-rate", _DESK, Reduce.SHARE), observe_staleness),
    (OVERRIDE_DEBT, None),
    (_define("rubber-stamps", _DESK, Reduce.SHARE, "whose", _NONE), observe_rubber_stamps),
    (_define("cost-per-run", _DESK, Reduce.MEAN, "agent"), _observe_runs(lambda run: run.cost, _NO_COST)),
    (_define("tokens-per-run", _DESK, Reduce.MEAN, "agent"), _observe_runs(lambda run: float(run.tokens), _NO_RUNS)),
    (_define("turns-per-run", _DESK, Reduce.MEAN, "agent"), _observe_runs(lambda run: float(run.turns), _NO_RUNS)),
    (_define("denials-per-run", _DESK, Reduce.MEAN, "agent"), _observe_runs(lambda run: float(run.denials), _NO_RUNS)),
)
"""In the order they are shown, each with what observes it; those without need more than the facts."""
