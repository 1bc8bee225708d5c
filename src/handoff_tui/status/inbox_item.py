"""The inbox: every handoff of every open repository, with what makes it urgent or risky."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any, NamedTuple

from handoff_tui.core.model import Model
from handoff_tui.core.place import Place
from handoff_tui.log.gates.gate_state import GateName, Mover
from handoff_tui.status.review_state import ReviewedHandoff


class HandoffKey(NamedTuple):
    """One handoff of one repository. Ids are unique within a repository only."""

    root: str
    handoff: str


class RiskKind(StrEnum):
    """What makes work worth a closer look; each is a measured fact, never a score."""

    TESTS_REMOVED = "tests-removed"
    SKIPS_ADDED = "skips-added"
    POLICY_EDITED = "policy-edited"
    """The rules under which it is judged: our configuration, the trust policy, signers."""
    CI_EDITED = "ci-edited"
    DEPENDENCY_ADDED = "dependency-added"
    HIDDEN_CHARACTERS = "hidden-characters"
    CONTRADICTED = "contradicted"
    """Claims that do not hold."""
    SENSITIVE_PATH = "sensitive-path"
    """Paths that the configuration calls sensitive, modes, symbolic links, submodules."""
    SIZE = "size"
    """More files or lines than a person reads in one sitting."""


class RiskFact(Model):
    """One reason for a closer look, in words, and where to look."""

    kind: RiskKind
    text: str
    places: tuple[Place, ...] = ()


class WorkSize(NamedTuple):
    """How much differs from the baseline; lines are None if they were not counted."""

    files: int
    added: int | None = None
    deleted: int | None = None


class InboxItem(NamedTuple):
    """A line of the inbox. There may be thousands, so it is a tuple and no model."""

    key: HandoffKey
    repository: str
    """The repository's short name."""
    reviewed: ReviewedHandoff
    waits_on_me: bool
    """A reviewer must act, and this reviewer may."""
    phase: str | None
    risks: tuple[RiskFact, ...] | None = None
    """None until they are measured."""
    since: datetime | None = None
    """When it last changed, by git or by the log; None if unknown."""
    search: str = ""
    """What a filter looks through, in lower case."""
    size: WorkSize | None = None
    """None until it is measured, and without a baseline."""
    closed: str = ""
    """Why every gate of its repository is closed; then nothing there can be decided, whatever the item says."""

    @property
    def group(self) -> InboxGroup:
        """Whether it waits on this reviewer, on somebody else, or on nobody."""
        if self.closed:
            return InboxGroup.WAITS_ON_OTHERS
        if self.waits_on_me:
            return InboxGroup.WAITS_ON_ME
        gate = self.reviewed.gate
        settled = gate.state in _SETTLED or gate.next_move.who is Mover.NOBODY
        return InboxGroup.SETTLED if settled else InboxGroup.WAITS_ON_OTHERS


class UnclaimedWork(NamedTuple):
    """The changed files of a repository that belong to no handoff: an item of its own."""

    root: str
    repository: str
    """The repository's short name."""
    files: tuple[str, ...]
    commits: tuple[str, ...] = ()
    """The commits that changed them; none for files that are not committed."""


class InboxGroup(IntEnum):
    """The three parts of the inbox, in this order."""

    WAITS_ON_ME = 0
    WAITS_ON_OTHERS = 1
    SETTLED = 2


class InboxOrder(StrEnum):
    """How the inbox is sorted. The parts stay together, whatever the order within them."""

    URGENCY = "urgency"
    """Risk, then age."""
    AGE = "age"
    NAME = "name"
    PHASE = "phase"


def close_items(items: Iterable[InboxItem], closed: str) -> tuple[InboxItem, ...]:
    """The items of a repository whose gates are closed: none of them can be decided."""
    return tuple(item._replace(closed=closed, waits_on_me=False) for item in items)


_SETTLED = frozenset({GateName.APPROVED, GateName.OVERRIDDEN, GateName.SKIPPED})
_WORST_FIRST = {kind: number for number, kind in enumerate(RiskKind)}


def sort_inbox(items: Iterable[InboxItem], order: InboxOrder = InboxOrder.URGENCY) -> tuple[InboxItem, ...]:
    """Items of any number of repositories, in order."""
    return tuple(sorted(items, key=_KEYS[order]))


def _by_urgency(item: InboxItem) -> tuple[Any, ...]:
    return (item.group, *_rank_risks(item), *_by_age(item))


def _by_age(item: InboxItem) -> tuple[Any, ...]:
    """What waits longest comes first; among settled items, the one settled last."""
    seconds = item.since.timestamp() if item.since else 0.0
    age = (item.since is None, -seconds) if item.group is InboxGroup.SETTLED else (item.since is None, seconds)
    return (item.group, *age, item.repository, item.key)


def _by_name(item: InboxItem) -> tuple[Any, ...]:
    return (item.group, item.key.handoff.casefold(), item.repository, item.key)


def _by_phase(item: InboxItem) -> tuple[Any, ...]:
    return (item.group, (item.phase or "").casefold(), *_by_name(item))


def sort_risks(risks: Iterable[RiskFact]) -> tuple[RiskFact, ...]:
    """The worst kind first; facts of one kind keep their order."""
    return tuple(sorted(risks, key=lambda risk: _WORST_FIRST[risk.kind]))


def _rank_risks(item: InboxItem) -> tuple[int, int]:
    """The worst kind first, then how many there are: facts are compared, never added up."""
    if item.group is InboxGroup.SETTLED or not item.risks:
        return len(_WORST_FIRST), 0
    return min(_WORST_FIRST[risk.kind] for risk in item.risks), -len(item.risks)


_KEYS: dict[InboxOrder, Callable[[InboxItem], tuple[Any, ...]]] = {
    InboxOrder.URGENCY: _by_urgency,
    InboxOrder.AGE: _by_age,
    InboxOrder.NAME: _by_name,
    InboxOrder.PHASE: _by_phase,
}
