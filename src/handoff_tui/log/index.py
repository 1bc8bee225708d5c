"""A verified log, arranged for questions: decisions and submissions by handoff and phase, open debts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property

from handoff_tui.core.classes import NamedTuple, dataclass
from handoff_tui.log.chain import find_ancestors
from handoff_tui.log.entry import VETOES, Decision, DecisionVerb, Entry, GateKey, LogVerdict, PhaseKey, Work


class SubmissionEntry(NamedTuple):
    """An entry that hands work over."""

    entry: Entry
    work: Work


class DecisionEntry(NamedTuple):
    """An entry that decides on work."""

    entry: Entry
    work: Work
    decision: Decision


@dataclass(frozen=True)
class LogIndex:
    """Everything valid in a log. Void decisions are in it: they still replace what they followed."""

    verdict: LogVerdict
    entries: Mapping[str, Entry]
    decisions: Mapping[str, DecisionEntry]
    """By entry id."""
    decisions_at: Mapping[PhaseKey, tuple[DecisionEntry, ...]]
    submissions_at: Mapping[PhaseKey, tuple[SubmissionEntry, ...]]

    @property
    def places(self) -> frozenset[PhaseKey]:
        """Every phase of a handoff that the log has an entry on."""
        return frozenset({*self.decisions_at, *self.submissions_at})

    def is_void(self, identifier: str) -> bool:
        return identifier in self.verdict.void

    def list_decisions(self, handoff: str, phase: str) -> tuple[DecisionEntry, ...]:
        """All decisions on a phase in the order of the log, void ones among them."""
        return self.decisions_at.get(PhaseKey(handoff, phase), ())

    def list_living(self, handoff: str) -> list[DecisionEntry]:
        """All decisions on a handoff that are not void, whatever their phase, in the order of the log."""
        made = [one for place, several in self.decisions_at.items() if place.handoff == handoff for one in several]
        return sorted(
            (one for one in made if not self.is_void(one.entry.id)), key=lambda one: (one.entry.seq, one.entry.id)
        )

    def find_submissions(self, handoff: str, phase: str) -> tuple[SubmissionEntry, ...]:
        """Submissions that count."""
        made = self.submissions_at.get(PhaseKey(handoff, phase), ())
        return tuple(one for one in made if not self.is_void(one.entry.id))

    def find_submitters(self, key: GateKey) -> frozenset[str]:
        """Who handed over this very attempt."""
        made = self.find_submissions(*key.place)
        return frozenset(one.entry.actor for one in made if one.work.attempt == key.attempt)

    def find_last_decisions(self, handoff: str, phase: str) -> list[DecisionEntry]:
        """Each person's causally last decisions on a phase.

        A void decision takes the person's earlier approval with it, but not an earlier veto: a stolen key must not lift
        what its owner said.
        """
        by_person: dict[str, list[DecisionEntry]] = {}
        for made in self.list_decisions(handoff, phase):
            by_person.setdefault(made.entry.actor, []).append(made)
        last: dict[str, DecisionEntry] = {}
        for own in by_person.values():
            living = [made for made in own if not self.is_void(made.entry.id)]
            last |= {made.entry.id: made for made in self._find_maximal(own) if not self.is_void(made.entry.id)}
            if len(living) < len(own):
                kept = (made for made in self._find_maximal(living) if made.decision.verb in VETOES)
                last |= {made.entry.id: made for made in kept}
        return sorted(last.values(), key=lambda made: (made.entry.seq, made.entry.id))

    def find_withdrawn(self, place: PhaseKey | None = None) -> dict[str, str]:
        """Decisions (on one phase of a handoff) that their own maker withdrew, each with the entry that says so.

        As at the gate, a withdrawal counts only on the same phase, and for decisions that came before it.
        """
        made = self.decisions.values() if place is None else self.list_decisions(*place)
        return {
            referenced: withdrawal.entry.id
            for withdrawal in made
            if withdrawal.decision.verb is DecisionVerb.WITHDRAW and not self.is_void(withdrawal.entry.id)
            for referenced in withdrawal.decision.regards
            if referenced in self.decisions and self._is_withdrawn(self.decisions[referenced], withdrawal)
        }

    @cached_property
    def fatal_texts(self) -> tuple[str, ...]:
        """What makes the log unusable; empty if it is intact."""
        return tuple(problem.text for problem in self.verdict.fatal_problems)

    @cached_property
    def debts_by_handoff(self) -> Mapping[str, tuple[str, ...]]:
        """The overrides of each handoff that no later approval settles."""
        debts: dict[str, tuple[str, ...]] = {}
        for identifier, made in self.find_debts().items():
            debts[made.work.handoff] = (*debts.get(made.work.handoff, ()), identifier)
        return debts

    def find_debts(self, until: str | None = None) -> dict[str, DecisionEntry]:
        """Overrides that no later approval settles; with a day, as of the end of that day."""
        living = [
            made
            for made in self.decisions.values()
            if not self.is_void(made.entry.id) and (until is None or made.entry.time[:10] <= until)
        ]
        settled = {
            referenced
            for made in living
            if made.decision.verb is DecisionVerb.APPROVE
            for referenced in made.decision.regards
        }
        return {
            made.entry.id: made
            for made in living
            if made.decision.verb is DecisionVerb.OVERRIDE and made.entry.id not in settled
        }

    @cached_property
    def _parallel(self) -> tuple[int, ...]:
        """Numbers that several entries have, because they did not know of each other."""
        counted = Counter(entry.seq for entry in self.entries.values())
        return tuple(seq for seq, number in counted.items() if number > 1)

    def _is_withdrawn(self, made: DecisionEntry, by: DecisionEntry) -> bool:
        if made.entry.actor != by.entry.actor or made.work.key.place != by.work.key.place:
            return False
        return made.entry.id in find_ancestors(by.entry.id, self.entries, made.entry.seq)

    def _find_maximal(self, own: list[DecisionEntry]) -> list[DecisionEntry]:
        """Those of a person's decisions that no other of them follows."""
        if len(own) <= 1:
            return own
        newest = max(own, key=lambda made: made.entry.seq)
        lowest = min(made.entry.seq for made in own)
        if not any(lowest <= seq <= newest.entry.seq for seq in self._parallel):
            return [newest]  # one chain: each follows those before it
        followed: set[str] = set()
        for made in sorted(own, key=lambda made: -made.entry.seq):
            if made.entry.id not in followed:
                followed |= find_ancestors(made.entry.id, self.entries, lowest)
        return [made for made in own if made.entry.id not in followed]


def build_log_index(verdict: LogVerdict) -> LogIndex:
    decisions: dict[str, DecisionEntry] = {}
    decisions_at: dict[PhaseKey, list[DecisionEntry]] = {}
    submissions_at: dict[PhaseKey, list[SubmissionEntry]] = {}
    for entry in verdict.entries:
        if entry.work is None:
            continue
        place = entry.work.key.place
        if entry.decision is None:
            submissions_at.setdefault(place, []).append(SubmissionEntry(entry, entry.work))
        else:
            decisions[entry.id] = DecisionEntry(entry, entry.work, entry.decision)
            decisions_at.setdefault(place, []).append(decisions[entry.id])
    return LogIndex(
        verdict=verdict,
        entries={entry.id: entry for entry in verdict.entries},
        decisions=decisions,
        decisions_at={place: tuple(made) for place, made in decisions_at.items()},
        submissions_at={place: tuple(made) for place, made in submissions_at.items()},
    )
