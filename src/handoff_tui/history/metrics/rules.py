"""How checks stood in the records of decisions, by rule and severity, and how long they stayed open. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from handoff_tui.history.metrics.facts import Judged, MetricsFacts, RecordFacts
from handoff_tui.history.metrics.figures import (
    Definition,
    Observation,
    Observed,
    Reduce,
    Window,
    build_left_out,
    build_weeks,
    explain_nothing,
)
from handoff_tui.history.metrics.report import Figure, FigureGroup
from handoff_tui.history.metrics.rounds import Round, parse_seconds, sort_key
from handoff_tui.log.index import Vote

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
