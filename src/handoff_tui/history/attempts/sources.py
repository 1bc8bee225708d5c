"""What tells of the attempts at a phase: entries of the log, the handoff's own documents, runs of agents. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from handoff_tui.agents.runs.run import RunState
from handoff_tui.core.work import Attempt
from handoff_tui.handoffs.handoff import Handoff, build_id
from handoff_tui.history.attempts.report import AttemptDecision, AttemptOutcome
from handoff_tui.log.index import LogIndex, Submission, Vote
from handoff_tui.log.record import DecisionVerb, Work

_BY_VERB = {
    DecisionVerb.REJECT: AttemptOutcome.REJECTED,
    DecisionVerb.RETRY: AttemptOutcome.RETRY,
    DecisionVerb.HOLD: AttemptOutcome.HELD,
    DecisionVerb.OVERRIDE: AttemptOutcome.OVERRIDDEN,
    DecisionVerb.SKIP: AttemptOutcome.SKIPPED,
    DecisionVerb.APPROVE: AttemptOutcome.APPROVED,
    DecisionVerb.CARRY: AttemptOutcome.APPROVED,
    DecisionVerb.WITHDRAW: AttemptOutcome.WITHDRAWN,
}
"""In the order in which they weigh: one who sends back outweighs all who let pass."""


class AttemptSources(NamedTuple):
    """All that tells of one attempt, oldest first."""

    number: int
    submissions: tuple[Submission, ...] = ()
    votes: tuple[Vote, ...] = ()
    """Those that count for nothing are among them."""
    void: frozenset[str] = frozenset()
    """Ids of those."""
    claimed: tuple[Attempt, ...] = ()
    runs: tuple[RunState, ...] = ()

    @property
    def living(self) -> tuple[Vote, ...]:
        return tuple(vote for vote in self.votes if vote.entry.id not in self.void)

    @property
    def entries(self) -> list[Vote | Submission]:
        """All that count."""
        return [*self.submissions, *self.living]

    @property
    def last_votes(self) -> tuple[Vote, ...]:
        """The last word of each person."""
        return tuple({vote.entry.actor: vote for vote in self.living}.values())

    @property
    def newest(self) -> Vote | Submission | None:
        """The entry whose content stands for the attempt."""
        return max(self.entries, key=lambda one: (one.entry.seq, one.entry.id), default=None)

    @property
    def work(self) -> Work | None:
        return None if self.newest is None else self.newest.work

    @property
    def trees(self) -> frozenset[str]:
        """What its entries are bound to; more than one where the files changed within the attempt."""
        return frozenset(one.work.subject.tree for one in self.entries)

    @property
    def outcome(self) -> AttemptOutcome:
        verbs = {vote.decision.verb for vote in self.last_votes}
        for verb, outcome in _BY_VERB.items():
            if verb in verbs:
                return outcome
        if self.submissions:
            return AttemptOutcome.SUBMITTED
        return AttemptOutcome.RAN if self.runs else AttemptOutcome.CLAIMED

    def list_decisions(self) -> tuple[AttemptDecision, ...]:
        last = {vote.entry.id for vote in self.last_votes}
        return tuple(
            AttemptDecision(
                entry=vote.entry.id,
                actor=vote.entry.actor,
                verb=vote.decision.verb.value,
                time=vote.entry.time,
                reason=vote.decision.reason,
                taken_back=vote.entry.id not in self.void and vote.entry.id not in last,
                void="it counts for nothing: its key was revoked" if vote.entry.id in self.void else "",
            )
            for vote in self.votes
        )


def group_attempts(
    index: LogIndex | None, handoff: Handoff, phase: str, runs: Iterable[RunState] = ()
) -> list[AttemptSources]:
    """Every attempt that anything tells of, by its number."""
    submissions: defaultdict[int, list[Submission]] = defaultdict(list)
    votes: defaultdict[int, list[Vote]] = defaultdict(list)
    claimed: defaultdict[int, list[Attempt]] = defaultdict(list)
    started: defaultdict[int, list[RunState]] = defaultdict(list)
    void = frozenset[str]()
    if index is not None:
        void = frozenset(index.verdict.void)
        for one in index.find_submissions(handoff.id, phase):
            submissions[one.work.attempt].append(one)
        for vote in index.votes_at.get((handoff.id, phase), ()):
            votes[vote.work.attempt].append(vote)
    for told in handoff.attempts:
        if told.phase is None or is_same_phase(told.phase, phase):
            claimed[told.number].append(told)
    for run in runs:
        if is_same_phase(run.key.phase, phase):
            started[run.key.attempt].append(run)
    return [
        AttemptSources(
            number,
            tuple(submissions[number]),
            tuple(votes[number]),
            void,
            tuple(claimed[number]),
            tuple(started[number]),
        )
        for number in sorted({*submissions, *votes, *claimed, *started})
    ]


def is_same_phase(told: str, phase: str) -> bool:
    """Documents and pipelines spell phases as they like; the log has one way."""
    return build_id(told).casefold() == phase.casefold()
