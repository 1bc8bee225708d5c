"""Values of metrics, from the signed log and git only; each lists the entries behind it."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.core.model import Model


class Unit(StrEnum):
    """What a metric is measured in."""

    SHARE = "share"
    """From 0 to 1."""
    SECONDS = "seconds"
    NUMBER = "number"


class Target(Model):
    """What a metric should be; `below` is strict, `most` and `least` are inclusive."""

    below: float | None = None
    most: float | None = None
    least: float | None = None

    def is_met(self, value: float) -> bool:
        return (
            (self.below is None or value < self.below)
            and (self.most is None or value <= self.most)
            and (self.least is None or value >= self.least)
        )


class Spread(Model):
    """The spread of single values; each of these is one of them."""

    least: float
    median: float
    ninetieth: float
    most: float


class Week(Model):
    """A metric over one week; None if nothing happened."""

    begins: str
    """Its Monday, UTC: `2026-03-02`."""
    value: float | None
    of: int


class LeftOut(Model):
    """What belongs in a metric but couldn't be counted."""

    why: str
    number: int
    sources: tuple[str, ...] = ()


class MetricGroup(Model):
    """The metric over one type, phase, rule, severity or person."""

    name: str
    value: float | None
    part: float | None = None
    of: int
    spread: Spread | None = None
    sources: tuple[str, ...] = ()


class Metric(Model):
    """One metric. If it can't be computed its value is None, and `why` says why."""

    id: str
    """Kebab-case; never changes."""
    system: str
    """`A` or `C` for what those systems ask for, `session` for the rest."""
    title: str
    means: str
    """What is counted, in a sentence."""
    unit: Unit
    value: float | None = None
    why: str = ""
    part: float | None = None
    """For a share, how many; for a mean, the sum."""
    of: int = 0
    """How many values it is based on."""
    spread: Spread | None = None
    target: Target | None = None
    grouped_by: str = ""
    """What the groups are: type, phase, rule, …; empty if there are none."""
    groups: tuple[MetricGroup, ...] = ()
    weeks: tuple[Week, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    sources: tuple[str, ...] = ()
    """Ids of the entries behind it, in log order."""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without a target or a value."""
        return None if self.target is None or self.value is None else self.target.is_met(self.value)


class MetricsReport(Model):
    """All metrics of one log."""

    repo: str
    head: str | None
    log: str | None
    fatal: bool
    """Whether the log isn't intact; then no metric is computed."""
    made_at: str
    since: str | None = None
    until: str | None = None
    entries: int = 0
    """How many entries in these days count."""
    submissions: int = 0
    decisions: int = 0
    """Without withdrawn decisions and withdrawals."""
    withdrawn: int = 0
    not_counted: int = 0
    """Entries that are void or refused."""
    notes: tuple[str, ...] = ()
    """What limits all metrics: a broken log, a shallow clone."""
    metrics: tuple[Metric, ...] = ()

    def find(self, name: str) -> Metric | None:
        return next((metric for metric in self.metrics if metric.id == name), None)
