"""Every metric: what it is, its target, and the values behind it with the log entries they come from. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Final

from handoff_tui.history.metrics.compute import MetricDefinition, Observation, Observed, Reduce
from handoff_tui.history.metrics.facts import (
    APPROVING,
    PASSING,
    AttemptEnd,
    DecidedAttempt,
    MetricsFacts,
    parse_seconds,
    sort_key,
)
from handoff_tui.history.metrics.report import Target, Unit
from handoff_tui.log.entry import DecisionVerb, Entry
from handoff_tui.log.gates.gate import bound_files
from handoff_tui.log.index import DecisionEntry

RUBBER_STAMP_SECONDS = 60
_JUDGED = {AttemptEnd.PASSED: 0.0, AttemptEnd.SENT_BACK: 1.0, AttemptEnd.OVERRIDDEN: 1.0}
_NOT_HERE = "no longer here"
_BACKWARDS = "the work is dated after the decision on it"
_NO_START = "nothing was submitted, and the commit isn't in this repository"
_NO_RECORD = "the review record isn't here"


def observe_failures(facts: MetricsFacts) -> Observed:
    """One value per decided attempt: 1 if it was sent back or overridden."""
    found: list[Observation] = []
    left_out: dict[str, list[str]] = defaultdict(list)
    for attempt, decided in _list_ended(facts):
        if attempt.end is AttemptEnd.SKIPPED:
            left_out["the phase was skipped"].append(decided.entry.id)
            continue
        found.append(Observation(decided.entry.time, _JUDGED[attempt.end], (decided.entry.id,)))
    return Observed(_sort(found), left_out, "no attempt has been decided yet")


def observe_compliance(facts: MetricsFacts) -> Observed:
    """One value per decided attempt: 1 if the same files had been submitted, which runs the checks."""
    if not any(one.submissions for one in facts.attempts):
        return Observed((), why="no submission in the log; unsigned submissions leave no trace")
    found: list[Observation] = []
    for one, _ in _list_ended(facts):
        decided = one.find_first_ending()
        if decided is None:
            continue
        before = [
            made.entry.id
            for made in one.submissions
            if made.entry.time <= decided.entry.time and bound_files(made.work) == bound_files(decided.work)
        ]
        found.append(Observation(decided.entry.time, float(bool(before)), (*before, decided.entry.id)))
    return Observed(_sort(found), why="no attempt has been decided yet")


def observe_resumption(facts: MetricsFacts) -> Observed:
    """Seconds from the decision that ended an attempt to the first commit before the handoff's next entry."""
    following_work = _find_following_work(facts)
    found: list[Observation] = []
    left_out: dict[str, list[str]] = defaultdict(list)
    for _, decided in _list_ended(facts):
        ended = decided.entry
        following = following_work[ended.id]
        if following is None:
            left_out["nothing was submitted or decided after it yet"].append(ended.id)
        elif decided.work.subject.commit not in facts.behind:
            left_out["its commit isn't in the history of HEAD"].append(ended.id)
        else:
            begun = parse_seconds(ended.time)
            first = facts.find_first_work(begun, parse_seconds(following.time))
            if first is None:
                left_out["no commit between it and the next entry"].append(ended.id)
            else:
                found.append(Observation(ended.time, first - begun, (ended.id, following.id)))
    return Observed(_sort(found), left_out, "the log and the history of HEAD show no session")


def observe_rediscovery(facts: MetricsFacts) -> Observed:
    """One value per further attempt: how many findings had been shown at an earlier attempt."""
    found: list[Observation] = []
    left_out: dict[str, list[str]] = defaultdict(list)
    for attempts in facts.places.values():
        told: dict[str, str] = {}
        last = ""
        for one in attempts:
            records = [
                (decided, record) for decided in one.decisions if (record := facts.find_record(decided)) is not None
            ]
            left_out[_NO_RECORD] += [
                decided.entry.id for decided in one.decisions if facts.find_record(decided) is None
            ]
            if not records:
                continue
            here = {finding: decided.entry.id for decided, record in records for finding in record.findings}
            again = sorted({told[finding] for finding in here if finding in told})
            if last:
                sources = (*(again or [last]), *(decided.entry.id for decided, _ in records))
                number = sum(finding in told for finding in here)
                found.append(Observation(records[-1][0].entry.time, float(number), sources))
            told = {**here, **told}
            last = records[-1][0].entry.id
    return Observed(_sort(found), left_out, "no attempt followed one whose review record is here")


def observe_success(facts: MetricsFacts) -> Observed:
    """One value per phase of a handoff: 1 if its last attempt was approved."""
    found: list[Observation] = []
    left_out: dict[str, list[str]] = defaultdict(list)
    for attempts in facts.places.values():
        ended = [one for one in attempts if one.ended_by is not None]
        if not ended or ended[-1].ended_by is None:
            continue
        decided = ended[-1].ended_by
        if ended[-1].end is AttemptEnd.SKIPPED:
            left_out["the phase was skipped"].append(decided.entry.id)
            continue
        sources = tuple(one.ended_by.entry.id for one in ended if one.ended_by is not None)
        value = 1.0 - _JUDGED[ended[-1].end]
        found.append(Observation(decided.entry.time, value, sources, _find_type(facts, ended[-1])))
    return Observed(_sort(found), left_out, "no handoff has been decided yet")


def observe_duration(facts: MetricsFacts) -> Observed:
    """Seconds from the first work at a phase to the approval of its last attempt."""
    found: list[Observation] = []
    left_out: dict[str, list[str]] = defaultdict(list)
    for attempts in facts.places.values():
        last = attempts[-1]
        if last.end is not AttemptEnd.PASSED or last.ended_by is None:
            continue
        start = facts.find_beginning(attempts)
        ended = last.ended_by.entry
        if start is None:
            left_out[_NO_START].append(ended.id)
        elif start.seconds > parse_seconds(ended.time):
            left_out[_BACKWARDS].append(ended.id)
        else:
            took = parse_seconds(ended.time) - start.seconds
            sources = (*start.sources, ended.id)
            found.append(Observation(ended.time, took, sources, _find_type(facts, last)))
    return Observed(_sort(found), left_out, "no handoff has been approved yet")


def observe_decision_time(facts: MetricsFacts) -> Observed:
    """Seconds from when the work was ready to the first decision on it, holds aside."""
    found: list[Observation] = []
    left_out: dict[str, list[str]] = defaultdict(list)
    for one in facts.attempts:
        decided = one.find_first_ending()
        if decided is None:
            continue
        start = facts.find_start(one, decided)
        if start is None:
            left_out[_NO_START].append(decided.entry.id)
            continue
        took = parse_seconds(decided.entry.time) - start.seconds
        if took < 0:
            left_out[_BACKWARDS].append(decided.entry.id)
            continue
        found.append(Observation(decided.entry.time, took, (*start.sources, decided.entry.id), start.by))
    return Observed(_sort(found), left_out, "nothing has been decided yet")


def observe_loops(facts: MetricsFacts) -> Observed:
    """One value per decided phase of a handoff: how often it was sent back."""
    found: list[Observation] = []
    for (_, phase), attempts in facts.places.items():
        decisions = [one.ended_by for one in attempts if one.ended_by is not None]
        if decisions:
            back = sum(one.end is AttemptEnd.SENT_BACK for one in attempts)
            sources = tuple(decided.entry.id for decided in decisions)
            found.append(Observation(decisions[-1].entry.time, float(back), sources, phase))
    return Observed(_sort(found), why="nothing has been decided yet")


def observe_staleness(facts: MetricsFacts) -> Observed:
    """One value per decision that let work go on: 1 if the phase came up again with other files."""
    found: list[Observation] = []
    for attempts in facts.places.values():
        entries = sorted((entry for one in attempts for entry in one.list_entries()), key=sort_key)
        decisions = {
            decided.entry.id: decided
            for one in attempts
            for decided in one.decisions
            if decided.decision.verb in PASSING
        }
        newest: dict[str, Entry] = {}
        for entry in reversed(entries):
            tree = _find_files(entry)
            if entry.id in decisions:
                later = next((other for seen, other in newest.items() if seen != tree), None)
                sources = (entry.id,) if later is None else (entry.id, later.id)
                found.append(Observation(entry.time, float(later is not None), sources))
            newest.setdefault(tree, entry)
    return Observed(_sort(found), why="nothing has been approved yet")


def observe_debts(facts: MetricsFacts, until: str | None = None) -> Observed:
    """One value per unsettled override, now or at the end of a day: its age in seconds."""
    now = parse_seconds(facts.now)
    if until is not None:
        now = min(now, parse_seconds(f"{until}T23:59:59Z"))
    found = [
        Observation(
            decided.entry.time, max(0.0, now - parse_seconds(decided.entry.time)), (identifier,), decided.work.handoff
        )
        for identifier, decided in facts.index.find_debts(until).items()
    ]
    return Observed(_sort(found))


def observe_rubber_stamps(facts: MetricsFacts) -> Observed:
    """One value per approval: 1 if it came within seconds of the work, with no file marked as read and no comment."""
    found: list[Observation] = []
    left_out: dict[str, list[str]] = defaultdict(list)
    for one in facts.attempts:
        for decided in one.decisions:
            if decided.decision.verb not in APPROVING | {DecisionVerb.OVERRIDE}:
                continue
            record, start = facts.find_record(decided), facts.find_start(one, decided)
            if record is None:
                left_out[_NO_RECORD].append(decided.entry.id)
            elif start is None and not record.looked:
                left_out[_NO_START].append(decided.entry.id)
            else:
                took = RUBBER_STAMP_SECONDS if start is None else parse_seconds(decided.entry.time) - start.seconds
                quick = not record.looked and took < RUBBER_STAMP_SECONDS
                sources = (*(start.sources if start is not None else ()), decided.entry.id)
                whose = "you" if decided.entry.actor == facts.reviewer else "others"
                found.append(Observation(decided.entry.time, float(quick), sources, whose))
    return Observed(_sort(found), left_out, "nothing has been approved yet")


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


def _sort(observations: list[Observation]) -> list[Observation]:
    return sorted(observations, key=lambda one: (one.time, one.sources))


_SESSIONS, _PROCEDURES, _DESK = "A", "C", "desk"

FAILURE_RATE: Final = MetricDefinition(
    "handoff-failure-rate",
    _SESSIONS,
    "Handoff failure rate",
    "Attempts sent back or overridden, of all decided attempts.",
    Unit.SHARE,
    Reduce.SHARE,
    Target.model_construct(below=0.05),
)
COMPLIANCE: Final = MetricDefinition(
    "pre-handoff-compliance",
    _SESSIONS,
    "Pre-handoff compliance",
    "Decided attempts whose exact files were submitted and signed before the decision; submitting runs the checks.",
    Unit.SHARE,
    Reduce.SHARE,
    Target.model_construct(least=1.0),
)
TIME_TO_RESUME: Final = MetricDefinition(
    "time-to-resume",
    _SESSIONS,
    "Time to resume",
    "Median time from the decision that ended an attempt to the next commit in the history of HEAD, before the "
    "handoff's next entry.",
    Unit.SECONDS,
    Reduce.MEDIAN,
    Target.model_construct(below=300.0),
)
REDISCOVERY: Final = MetricDefinition(
    "context-rediscovery",
    _SESSIONS,
    "Context rediscovery",
    "Findings at a further attempt that an earlier one had already shown; the mean per further attempt.",
    Unit.NUMBER,
    Reduce.MEAN,
    Target.model_construct(most=0.0),
)
SUCCESS_BY_TYPE: Final = MetricDefinition(
    "success-rate",
    _PROCEDURES,
    "Success rate",
    "Phases whose last attempt was approved, of all decided phases.",
    Unit.SHARE,
    Reduce.SHARE,
    Target.model_construct(least=0.95),
    grouped_by="type",
)
DURATION_BY_TYPE: Final = MetricDefinition(
    "handoff-duration",
    _PROCEDURES,
    "Handoff duration",
    "Median time from the first work at a phase (its submission, else its commit) to the approval of its last attempt.",
    Unit.SECONDS,
    Reduce.MEDIAN,
    grouped_by="type",
)
SUCCESS_BY_RULE: Final = MetricDefinition(
    "success-by-rule",
    _PROCEDURES,
    "Passing checks by rule",
    "Passing results in review records, of all that applied. Each rule lists the entries where it failed.",
    Unit.SHARE,
    Reduce.SHARE,
    grouped_by="rule",
)
SUCCESS_BY_SEVERITY: Final = MetricDefinition(
    "success-by-severity",
    _PROCEDURES,
    "Passing checks by severity",
    "The same results by severity.",
    Unit.SHARE,
    Reduce.SHARE,
    grouped_by="severity",
)
OPEN_BY_RULE: Final = MetricDefinition(
    "open-time-by-rule",
    _PROCEDURES,
    "Time checks stayed open by rule",
    "Median time from the first review record in which a check failed to the next in which it didn't.",
    Unit.SECONDS,
    Reduce.MEDIAN,
    grouped_by="rule",
)
OPEN_BY_SEVERITY: Final = MetricDefinition(
    "open-time-by-severity",
    _PROCEDURES,
    "Time checks stayed open by severity",
    "The same times by severity.",
    Unit.SECONDS,
    Reduce.MEDIAN,
    grouped_by="severity",
)
TIME_TO_DECISION: Final = MetricDefinition(
    "time-to-decision",
    _DESK,
    "Time to decision",
    "Median time from the submission (or the commit, if nothing was submitted) to the first decision, holds aside.",
    Unit.SECONDS,
    Reduce.MEDIAN,
    grouped_by="beginning",
)
LOOPS: Final = MetricDefinition(
    "loops-per-stage",
    _DESK,
    "Loops per stage",
    "How often a phase of a handoff was sent back, on average.",
    Unit.NUMBER,
    Reduce.MEAN,
    grouped_by="phase",
)
STALE_RATE: Final = MetricDefinition(
    "stale-rate",
    _DESK,
    "Stale rate",
    "Decisions that let work go on, but whose phase came up again because the files changed.",
    Unit.SHARE,
    Reduce.SHARE,
)
OVERRIDE_DEBT: Final = MetricDefinition(
    "override-debt",
    _DESK,
    "Override debt",
    "Overrides no approval has settled by the last of these days; the spread is their age in seconds.",
    Unit.NUMBER,
    Reduce.NUMBER,
    Target.model_construct(most=0.0),
    grouped_by="handoff",
)
RUBBER_STAMPS: Final = MetricDefinition(
    "rubber-stamps",
    _DESK,
    "Rubber stamps",
    f"Approvals and overrides within {RUBBER_STAMP_SECONDS} seconds of the work, with no file marked as read and no "
    "comment. Only you are shown by name; others are counted together.",
    Unit.SHARE,
    Reduce.SHARE,
    Target.model_construct(most=0.0),
    grouped_by="whose",
)
ALL: Final = (
    FAILURE_RATE,
    COMPLIANCE,
    TIME_TO_RESUME,
    REDISCOVERY,
    SUCCESS_BY_TYPE,
    DURATION_BY_TYPE,
    SUCCESS_BY_RULE,
    SUCCESS_BY_SEVERITY,
    OPEN_BY_RULE,
    OPEN_BY_SEVERITY,
    TIME_TO_DECISION,
    LOOPS,
    STALE_RATE,
    OVERRIDE_DEBT,
    RUBBER_STAMPS,
)
"""In the order they are shown."""
OBSERVERS: Final[tuple[tuple[MetricDefinition, Callable[[MetricsFacts], Observed]], ...]] = (
    (FAILURE_RATE, observe_failures),
    (COMPLIANCE, observe_compliance),
    (TIME_TO_RESUME, observe_resumption),
    (REDISCOVERY, observe_rediscovery),
    (SUCCESS_BY_TYPE, observe_success),
    (DURATION_BY_TYPE, observe_duration),
    (TIME_TO_DECISION, observe_decision_time),
    (LOOPS, observe_loops),
    (STALE_RATE, observe_staleness),
    (RUBBER_STAMPS, observe_rubber_stamps),
)
