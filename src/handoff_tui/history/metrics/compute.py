"""Computes a metric from single values: shares, means and medians, by group and by week. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

from handoff_tui.history.metrics.report import LeftOut, Metric, MetricGroup, Spread, Target, Unit, Week

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


class Observation(NamedTuple):
    """One value of a metric, its time, and the entries behind it."""

    time: str
    value: float
    sources: tuple[str, ...]
    group: str = ""


class Observed(NamedTuple):
    """All values of a metric, and what could not be counted: reason to entries."""

    observations: Sequence[Observation]
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


def build_weeks(reduce: Reduce, observations: Iterable[Observation]) -> tuple[Week, ...]:
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


def list_sources(observations: Iterable[Observation]) -> tuple[str, ...]:
    """Each entry once, in order of first use."""
    return tuple(dict.fromkeys(source for one in observations for source in one.sources))


def _build_groups(definition: MetricDefinition, observations: Sequence[Observation]) -> tuple[MetricGroup, ...]:
    if not definition.grouped_by:
        return ()
    by_name: dict[str, list[Observation]] = {}
    for one in observations:
        by_name.setdefault(one.group, []).append(one)
    return tuple(MetricGroup(name=name, **_count(definition, by_name[name])) for name in sorted(by_name))


def _count(definition: MetricDefinition, observations: Sequence[Observation]) -> dict[str, Any]:
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
