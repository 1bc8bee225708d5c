"""Attempts as the log tells them: what was submitted, who decided, and how it ended. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from handoff_tui.log.gates.position import SENDING_BACK
from handoff_tui.log.index import LogIndex, Submission, Vote
from handoff_tui.log.record import DecisionVerb, Entry

APPROVING = frozenset({DecisionVerb.APPROVE, DecisionVerb.CARRY})
PASSING = APPROVING | {DecisionVerb.OVERRIDE, DecisionVerb.SKIP}
ENDING = PASSING | SENDING_BACK


class RoundEnd(StrEnum):
    """How an attempt ended, by each person's last word on it; a veto outweighs everything else."""

    SENT_BACK = "sent back"
    OPEN = "open"
    PASSED = "passed"
    OVERRIDDEN = "overridden"
    SKIPPED = "skipped"


_ORDER = (
    (SENDING_BACK, RoundEnd.SENT_BACK),
    (frozenset({DecisionVerb.HOLD}), RoundEnd.OPEN),
    (APPROVING, RoundEnd.PASSED),
    (frozenset({DecisionVerb.OVERRIDE}), RoundEnd.OVERRIDDEN),
    (frozenset({DecisionVerb.SKIP}), RoundEnd.SKIPPED),
)


class Round(NamedTuple):
    """One attempt at a phase of a handoff. What is void is not in it, nor what was withdrawn and the withdrawal."""

    handoff: str
    phase: str
    attempt: int
    submissions: tuple[Submission, ...]
    votes: tuple[Vote, ...]
    end: RoundEnd
    ended_by: Vote | None
    """The last of the decisions that made it end so."""

    @property
    def place(self) -> tuple[str, str]:
        return self.handoff, self.phase

    def list_entries(self) -> Iterator[Entry]:
        yield from (made.entry for made in self.submissions)
        yield from (vote.entry for vote in self.votes)

    def find_first_ending(self) -> Vote | None:
        """The first decision that was more than a pause."""
        return next((vote for vote in self.votes if vote.decision.verb in ENDING), None)


def build_rounds(index: LogIndex) -> list[Round]:
    """Every attempt that somebody submitted or decided on, by handoff, phase and number."""
    submissions: dict[tuple[str, str, int], list[Submission]] = {}
    votes: dict[tuple[str, str, int], list[Vote]] = {}
    for (handoff, phase), made in index.submissions_at.items():
        for one in made:
            if not index.is_void(one.entry.id):
                submissions.setdefault((handoff, phase, one.work.attempt), []).append(one)
    for (handoff, phase), decided in index.votes_at.items():
        for vote in decided:
            if not index.is_void(vote.entry.id):
                votes.setdefault((handoff, phase, vote.work.attempt), []).append(vote)
    withdrawn = index.find_withdrawn().keys()
    return [
        _build_round(key, submissions.get(key, []), votes.get(key, []), withdrawn)
        for key in sorted({*submissions, *votes})
    ]


def group_by_place(rounds: Iterable[Round]) -> dict[tuple[str, str], list[Round]]:
    """The attempts at each phase of each handoff, first to last."""
    places: dict[tuple[str, str], list[Round]] = {}
    for one in rounds:
        places.setdefault(one.place, []).append(one)
    return places


def sort_key(entry: Entry) -> tuple[str, int, str]:
    """The order in which entries are told: by time, then by their place in the log."""
    return entry.time, entry.seq, entry.id


@lru_cache(maxsize=65_536)
def parse_seconds(time: str) -> float:
    """A time of the log as seconds since 1970."""
    return datetime.fromisoformat(time).timestamp()


def _build_round(
    key: tuple[str, str, int], submissions: list[Submission], votes: list[Vote], withdrawn: Collection[str]
) -> Round:
    """A withdrawal is its maker's last word, so nothing that they said before it counts for the end."""
    if len(submissions) > 1:
        submissions.sort(key=lambda one: sort_key(one.entry))
    if len(votes) > 1:
        votes.sort(key=lambda vote: sort_key(vote.entry))
    last = {vote.entry.actor: vote for vote in votes}
    end, ended_by = RoundEnd.OPEN, None
    for verbs, found in _ORDER:
        fitting = [vote for vote in last.values() if vote.decision.verb in verbs]
        if fitting:
            end, ended_by = found, max(fitting, key=lambda vote: sort_key(vote.entry))
            break
    counted = tuple(
        vote for vote in votes if vote.decision.verb is not DecisionVerb.WITHDRAW and vote.entry.id not in withdrawn
    )
    return Round(*key, tuple(submissions), counted, end, None if end is RoundEnd.OPEN else ended_by)
