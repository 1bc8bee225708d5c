"""Figures about handoffs, computed from the signed log and git alone; each names the entries it rests on."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.core.model import Model


class Unit(StrEnum):
    """What a figure is measured in."""

    SHARE = "share"
    """From 0 to 1."""
    SECONDS = "seconds"
    NUMBER = "number"


class Target(Model):
    """What a figure should be; `below` is strict, `most` and `least` are not."""

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
    """How single values lie; each of these is one of them."""

    least: float
    median: float
    ninetieth: float
    most: float


class Week(Model):
    """A figure over one week; nothing where nothing happened in it."""

    begins: str
    """Its Monday, UTC: `2026-03-02`."""
    value: float | None
    of: int


class LeftOut(Model):
    """What belongs into a figure and could not be counted."""

    why: str
    number: int
    sources: tuple[str, ...] = ()


class FigureGroup(Model):
    """The figure over some of what it counts: one type, phase, rule, severity or person."""

    name: str
    value: float | None
    part: float | None = None
    of: int
    spread: Spread | None = None
    sources: tuple[str, ...] = ()


class Figure(Model):
    """One figure. Where it cannot be computed its value is nothing, and `why` says why."""

    id: str
    """Kebab-case; never changes."""
    system: str
    """`A` or `C` for what those systems ask for, `desk` for the rest."""
    title: str
    means: str
    """What is counted, in a sentence."""
    unit: Unit
    value: float | None = None
    why: str = ""
    part: float | None = None
    """Of a share, how many; of a mean, the sum."""
    of: int = 0
    """How many single values it rests on."""
    spread: Spread | None = None
    target: Target | None = None
    grouped_by: str = ""
    """What the groups are: type, phase, rule, …; empty where there are none."""
    groups: tuple[FigureGroup, ...] = ()
    weeks: tuple[Week, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    sources: tuple[str, ...] = ()
    """Ids of the entries that it rests on, in the order of the log."""

    @property
    def met(self) -> bool | None:
        """Whether the target is reached; nothing where there is no target or no value."""
        return None if self.target is None or self.value is None else self.target.is_met(self.value)


class MetricsReport(Model):
    """All figures of one log."""

    repo: str
    head: str | None
    log: str | None
    fatal: bool
    """Whether the log can be believed; of one that cannot no figure is computed."""
    made_at: str
    since: str | None = None
    until: str | None = None
    entries: int = 0
    """How many entries of the days asked about count."""
    submissions: int = 0
    decisions: int = 0
    """Without those that were withdrawn, and the withdrawals."""
    withdrawn: int = 0
    not_counted: int = 0
    """Entries that are void or refused."""
    notes: tuple[str, ...] = ()
    """What limits the figures as a whole: a broken log, a shallow clone."""
    figures: tuple[Figure, ...] = ()

    def find(self, name: str) -> Figure | None:
        return next((figure for figure in self.figures if figure.id == name), None)
