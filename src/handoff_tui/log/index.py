"""A verified log, arranged for questions: decisions and submissions by handoff and phase, open debts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from handoff_tui.log.chain import find_ancestors
from handoff_tui.log.record import Decision, DecisionVerb, Entry, LogVerdict, Work

VETOES = (DecisionVerb.REJECT, DecisionVerb.RETRY, DecisionVerb.HOLD)


class Submission(NamedTuple):
    """An entry by which work was handed over."""

    entry: Entry
    work: Work


class Vote(NamedTuple):
    """An entry by which somebody decided."""

    entry: Entry
    work: Work
    decision: Decision


@dataclass(frozen=True, slots=True)
class LogIndex:
    """Everything valid in a log. What is void is among the votes: it still takes the place of what it followed."""

    verdict: LogVerdict
    entries: Mapping[str, Entry]
    votes: Mapping[str, Vote]
    votes_at: Mapping[tuple[str, str], tuple[Vote, ...]]
    submissions_at: Mapping[tuple[str, str], tuple[Submission, ...]]

    def is_void(self, identifier: str) -> bool:
        return identifier in self.verdict.void

    def find_submissions(self, handoff: str, phase: str) -> tuple[Submission, ...]:
        """Submissions that count."""
        return tuple(one for one in self.submissions_at.get((handoff, phase), ()) if not self.is_void(one.entry.id))

    def find_last_votes(self, handoff: str, phase: str) -> list[Vote]:
        """Each person's causally last decisions on a phase.

        A void decision takes the person's earlier approval with it, and not an earlier veto: what a stolen key says
        must not lift what its owner said.
        """
        by_person: dict[str, list[Vote]] = {}
        for vote in self.votes_at.get((handoff, phase), ()):
            by_person.setdefault(vote.entry.actor, []).append(vote)
        last: dict[str, Vote] = {}
        for own in by_person.values():
            living = [vote for vote in own if not self.is_void(vote.entry.id)]
            last |= {vote.entry.id: vote for vote in self._find_maximal(own) if not self.is_void(vote.entry.id)}
            if len(living) < len(own):
                kept = (vote for vote in self._find_maximal(living) if vote.decision.verb in VETOES)
                last |= {vote.entry.id: vote for vote in kept}
        return sorted(last.values(), key=lambda vote: (vote.entry.seq, vote.entry.id))

    def find_withdrawn(self, place: tuple[str, str] | None = None) -> dict[str, str]:
        """Decisions (on one phase of a handoff) that their own maker took back, each with the entry that says so.

        Only what the gate does not count either: on the same phase, and known to the entry that takes it back.
        """
        made = self.votes.values() if place is None else self.votes_at.get(place, ())
        return {
            regarded: vote.entry.id
            for vote in made
            if vote.decision.verb is DecisionVerb.WITHDRAW and not self.is_void(vote.entry.id)
            for regarded in vote.decision.regards
            if regarded in self.votes and self._is_taken_back(self.votes[regarded], vote)
        }

    def _is_taken_back(self, vote: Vote, by: Vote) -> bool:
        if vote.entry.actor != by.entry.actor:
            return False
        if (vote.work.handoff, vote.work.phase) != (by.work.handoff, by.work.phase):
            return False
        return vote.entry.id in find_ancestors(by.entry.id, self.entries, vote.entry.seq)

    def find_debts(self, until: str | None = None) -> dict[str, Vote]:
        """Overrides that no later approval regards; with a day, as it was at the end of that day."""
        living = [
            vote
            for vote in self.votes.values()
            if not self.is_void(vote.entry.id) and (until is None or vote.entry.time[:10] <= until)
        ]
        settled = {
            regarded
            for vote in living
            if vote.decision.verb is DecisionVerb.APPROVE
            for regarded in vote.decision.regards
        }
        return {
            vote.entry.id: vote
            for vote in living
            if vote.decision.verb is DecisionVerb.OVERRIDE and vote.entry.id not in settled
        }

    def _find_maximal(self, own: list[Vote]) -> list[Vote]:
        """Those of a person's votes that no other of them follows."""
        if len(own) <= 1:
            return own
        lowest = min(vote.entry.seq for vote in own)
        followed: set[str] = set()
        for vote in sorted(own, key=lambda vote: -vote.entry.seq):
            if vote.entry.id not in followed:
                followed |= find_ancestors(vote.entry.id, self.entries, lowest)
        return [vote for vote in own if vote.entry.id not in followed]


def build_log_index(verdict: LogVerdict) -> LogIndex:
    votes: dict[str, Vote] = {}
    votes_at: dict[tuple[str, str], list[Vote]] = {}
    submissions_at: dict[tuple[str, str], list[Submission]] = {}
    for entry in verdict.entries:
        if entry.work is None:
            continue
        place = (entry.work.handoff, entry.work.phase)
        if entry.decision is None:
            submissions_at.setdefault(place, []).append(Submission(entry, entry.work))
        else:
            votes[entry.id] = Vote(entry, entry.work, entry.decision)
            votes_at.setdefault(place, []).append(votes[entry.id])
    return LogIndex(
        verdict=verdict,
        entries={entry.id: entry for entry in verdict.entries},
        votes=votes,
        votes_at={place: tuple(found) for place, found in votes_at.items()},
        submissions_at={place: tuple(found) for place, found in submissions_at.items()},
    )
