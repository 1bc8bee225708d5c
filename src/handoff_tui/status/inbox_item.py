"""The queue: every handoff of every open repository, what can be done about it, and what makes it risky."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.model import Model
from handoff_tui.core.place import Place
from handoff_tui.core.text.labels import plural
from handoff_tui.log.gates.gate_state import OPENING, GateName, Mover
from handoff_tui.status.next_move import describe_reason
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


class CauseCommit(NamedTuple):
    """The commit that caused a problem."""

    id: str
    subject: str = ""
    author: str = ""
    handoff: str = ""
    """The handoff that the commit belongs to, if it is another one."""


class Unmeasured(StrEnum):
    """Why there is no measurement yet."""

    NOT_RUN = "not run"
    NO_CONSENT = "no consent"
    UNKNOWN = "unknown"
    """The check ran, and nothing here can tell."""


RUNNABLE = frozenset({Unmeasured.NOT_RUN, Unmeasured.NO_CONSENT})
"""What a run measures, once it has consent."""


class ReviewProblem(NamedTuple):
    """One root cause: the false claim, the checks that fail over it, where else it is said, and what caused it."""

    key: str
    """The same for the same problem, whenever it is measured."""
    title: str
    blocks: bool = True
    place: Place | None = None
    facts: tuple[str, ...] = ()
    """What was measured, in words."""
    checks: tuple[str, ...] = ()
    """The checks that fail over it."""
    places: tuple[Place, ...] = ()
    """Where else it shows."""
    cause: CauseCommit | None = None
    unmeasured: Unmeasured | None = None
    """Set if nothing is known to be wrong."""

    @property
    def fails(self) -> bool:
        """Whether something that was measured stops an approval."""
        return self.blocks and self.unmeasured is None


class MeasuredGate(NamedTuple):
    """What the checks of a handoff's gate say now."""

    passed: int
    total: int
    problems: tuple[ReviewProblem, ...] = ()
    """Worst first."""
    failing: int = 0
    """How many blocking checks don't pass: with one of them, nobody can approve it."""


class QueueGroup(IntEnum):
    """The parts of the queue: what the user can do about an item."""

    READY = 0
    YOUR_CALL = 1
    RUNNING = 2
    AGENTS_TURN = 3
    WAITING = 4
    DONE = 5
    PAST = 6


NEEDS_YOU = frozenset({QueueGroup.READY, QueueGroup.YOUR_CALL})


class InboxItem(NamedTuple):
    """A line of the queue. There may be thousands, so it is a tuple and no model."""

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
    refusal: str = ""
    """Why this person can't approve it, whatever the checks say; empty if they can."""
    may_decide: bool = True
    """Whether this person decides anything here. If not, it is said once, and not as the reason of each item."""
    measured: MeasuredGate | None = None
    """None until its checks were run."""
    running: str = ""
    """The agent that works on it now; empty if none does."""

    @property
    def group(self) -> QueueGroup:
        """What the user can do about it."""
        gate = self.reviewed.gate
        if self.reviewed.past:
            return QueueGroup.PAST
        if self.running:
            return QueueGroup.RUNNING
        if self.closed or gate.state is GateName.HELD:
            return QueueGroup.WAITING
        return self._group_mine() if self.waits_on_me else self._group_others()

    def _group_others(self) -> QueueGroup:
        gate = self.reviewed.gate
        is_over = gate.next_move.who is Mover.NOBODY and not gate.blocking
        if is_over or gate.state in OPENING:
            return QueueGroup.DONE
        return QueueGroup.AGENTS_TURN if gate.next_move.who is Mover.AGENT else QueueGroup.WAITING

    def _group_mine(self) -> QueueGroup:
        gate = self.reviewed.gate
        if gate.awaits:
            return QueueGroup.WAITING
        is_clean = self.measured is not None and not self.measured.failing and not self.refusal and not gate.against
        is_clean = is_clean and self.reviewed.handoff.branch is None
        decides = gate.next_move.who is Mover.REVIEWER and gate.state not in OPENING
        return QueueGroup.READY if is_clean and decides else QueueGroup.YOUR_CALL

    @property
    def needs_you(self) -> bool:
        return self.group in NEEDS_YOU

    @property
    def is_measured(self) -> bool:
        """Whether everything it claims was measured here; without that nothing is green."""
        return self.measured is not None and not self.reviewed.claims.unverified

    @property
    def waits_for_consent(self) -> bool:
        """Whether a command was not run because nobody has consented to it."""
        problems = self.measured.problems if self.measured is not None else ()
        return any(problem.unmeasured is Unmeasured.NO_CONSENT for problem in problems)

    @property
    def reason(self) -> str:
        """Why it is in its group, in one sentence; of several reasons the one that stops an approval."""
        gate = self.reviewed.gate
        if self.closed or self.running:
            return f"every gate is closed: {self.closed}" if self.closed else f"{self.running} is working on it"
        if not self.waits_on_me:
            return self._describe_waiting()
        if gate.awaits or gate.next_move.who is Mover.HUMAN or gate.state in {*OPENING, GateName.HELD}:
            return describe_reason(gate)
        if self.reviewed.handoff.branch is not None:
            return gate.next_move.what
        return self._describe_measured()

    def _describe_waiting(self) -> str:
        """Of what somebody else does next. Who may decide nothing here is told so once, elsewhere."""
        gate = self.reviewed.gate
        why = describe_reason(gate)
        if gate.next_move.who is not Mover.REVIEWER or gate.state in {*OPENING, GateName.HELD, GateName.SUPERSEDED}:
            return why
        if self.may_decide:
            return self.refusal or "another reviewer decides"
        if self.measured is not None:
            return self._describe_measured()
        return "another reviewer decides" if why == gate.next_move.what else why

    def _describe_measured(self) -> str:
        """Of what stops an approval, what is particular to this handoff comes first."""
        gate, measured = self.reviewed.gate, self.measured
        is_told = bool(gate.against) or gate.state is GateName.SUPERSEDED
        refusal = self.refusal if self.may_decide else ""
        if measured is None:
            return describe_reason(gate) if is_told else "its checks are being run"
        problem = next(iter(measured.problems), None)
        if problem is not None and (problem.blocks or not (is_told or refusal)):
            more = f" (+{len(measured.problems) - 1} more)" if len(measured.problems) > 1 else ""
            return f"{problem.title}{more}"
        if is_told or measured.failing:
            return describe_reason(gate)
        if refusal:
            return refusal
        claims = self.reviewed.claims
        held = f", all {claims.holds} claims hold" if claims.holds else ""
        open_claims = f", {plural(claims.unverified, 'claim')} not measured" if claims.unverified else held
        return f"{plural(measured.passed, 'check')} pass{'' if measured.passed != 1 else 'es'}{open_claims}"


class UnclaimedWork(NamedTuple):
    """The changed files of a repository that belong to no handoff: an item of its own."""

    root: str
    repository: str
    """The repository's short name."""
    files: tuple[str, ...]
    commits: tuple[str, ...] = ()
    """The commits that changed them; none for files that are not committed."""


def close_items(items: Iterable[InboxItem], closed: str) -> tuple[InboxItem, ...]:
    """The items of a repository whose gates are closed: none of them can be decided."""
    return tuple(item._replace(closed=closed, waits_on_me=False) for item in items)


def mark_running(items: tuple[InboxItem, ...], agents: Mapping[HandoffKey, str]) -> tuple[InboxItem, ...]:
    """The items sorted again, each with the agent that works on it; the same tuple if nothing differs."""
    if all(item.running == agents.get(item.key, "") for item in items):
        return items
    return sort_inbox(item._replace(running=agents.get(item.key, "")) for item in items)


_WORST_FIRST = {kind: number for number, kind in enumerate(RiskKind)}
_NEWEST_FIRST = frozenset({QueueGroup.DONE, QueueGroup.PAST})


def sort_inbox(items: Iterable[InboxItem]) -> tuple[InboxItem, ...]:
    """Items of any number of repositories: by group, then by risk, then what waits longest."""
    return tuple(sorted(items, key=_rank))


def _rank(item: InboxItem) -> tuple[Any, ...]:
    group = item.group
    seconds = item.since.timestamp() if item.since else 0.0
    age = (item.since is None, -seconds if group in _NEWEST_FIRST else seconds)
    return (group, *_rank_risks(item, group), *age, item.repository, item.key)


def sort_risks(risks: Iterable[RiskFact]) -> tuple[RiskFact, ...]:
    """The worst kind first; facts of one kind keep their order."""
    return tuple(sorted(risks, key=lambda risk: _WORST_FIRST[risk.kind]))


def _rank_risks(item: InboxItem, group: QueueGroup) -> tuple[int, int]:
    """The worst kind first, then how many there are: facts are compared, never added up."""
    if group in _NEWEST_FIRST or not item.risks:
        return len(_WORST_FIRST), 0
    return min(_WORST_FIRST[risk.kind] for risk in item.risks), -len(item.risks)
