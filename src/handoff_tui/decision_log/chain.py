"""Whether entries whose bytes and signatures are sound also hang together: genesis, order, policy, revocation, witness.

Pure: it is given everything it judges. FATAL closes every gate; REFUSED entries are left out and named.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from handoff_tui.decision_log.policy_frontier import PolicyFrontier
from handoff_tui.decision_log.times import add_seconds
from handoff_tui.errors import EntryRefusedError
from handoff_tui.models.log_record import Entry, EntryKind, LogProblem, LogVerdict, ProblemLevel

_CLOCKS_DIFFER_SECONDS = 300


class Candidate(NamedTuple):
    """An entry that is sound by itself: bytes, schema and signatures."""

    entry: Entry
    payload: str
    """A digest of what was signed; two files with one payload are the same entry twice."""
    touched: bool = False


class Known(NamedTuple):
    """What is known from outside the entries."""

    now: str
    pin: str | None = None
    witness: frozenset[str] = frozenset()


@dataclass(slots=True)
class Chain:
    """The state of one verification."""

    candidates: Mapping[str, Candidate]
    known: Known
    accepted: dict[str, Entry] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    orphans: dict[str, str] = field(default_factory=dict)
    """Entries whose parent is nowhere, with that parent's id."""
    frontier: PolicyFrontier = field(default_factory=PolicyFrontier)
    problems: list[LogProblem] = field(default_factory=list)
    latest: str = ""

    def judge(self) -> LogVerdict:
        self.latest = add_seconds(self.known.now, _CLOCKS_DIFFER_SECONDS)
        genesis = self._find_genesis()
        twins = self._find_twins()
        for identifier in sorted(self.candidates, key=lambda key: (self.candidates[key].entry.seq, key)):
            entry = self.candidates[identifier].entry
            if identifier in twins:
                self._refuse(identifier, "duplicate", f"the same statement as {twins[identifier]}, signed again")
                continue
            try:
                self._accept(entry, genesis)
            except EntryRefusedError as refused:
                self._refuse(identifier, refused.code, refused.message)
        void = self._find_void()
        self._judge_orphans()
        self._judge_policies()
        self._judge_witness()
        return self._build_verdict(genesis, void)

    def _find_genesis(self) -> str | None:
        roots = sorted(
            identifier
            for identifier, candidate in self.candidates.items()
            if candidate.entry.policy is not None and candidate.entry.policy.nonce is not None
        )
        if self.known.pin is not None:
            if self.known.pin not in roots:
                self._add_fatal("genesis-missing", self.known.pin, "the first entry, which is pinned, is not there")
                return None
            return self.known.pin
        if len(roots) == 1:
            return roots[0]
        if roots:
            text = f"{len(roots)} entries claim to be the first one; pin the right one to tell them apart"
            self._add_fatal("genesis-ambiguous", None, text)
        elif self.candidates:
            self._add_fatal("genesis-missing", None, "the first entry is not there")
        return None

    def _find_twins(self) -> dict[str, str]:
        """Files with one payload and other signatures: one counts, and nobody can fork the log with copies."""
        parents = {parent for candidate in self.candidates.values() for parent in candidate.entry.parents}
        chosen: dict[str, str] = {}
        ranked = sorted(self.candidates, key=lambda key: (key not in self.known.witness, key not in parents, key))
        for identifier in ranked:
            chosen.setdefault(self.candidates[identifier].payload, identifier)
        return {
            identifier: chosen[candidate.payload]
            for identifier, candidate in self.candidates.items()
            if chosen[candidate.payload] != identifier
        }

    def _accept(self, entry: Entry, genesis: str | None) -> None:
        if entry.policy is not None and entry.policy.nonce is not None:
            if entry.id != genesis:
                raise EntryRefusedError("foreign-genesis", "a first entry that is not the one of this log")
        elif genesis is None or entry.log != genesis:
            raise EntryRefusedError("replay", "it belongs to another log")
        self._check_place(entry)
        if entry.policy is not None:
            self.frontier.accept_policy(entry)
        else:
            self.frontier.accept_work(entry)
        self.accepted[entry.id] = entry

    def _check_place(self, entry: Entry) -> None:
        """Parents, number and time."""
        for parent in entry.parents:
            if parent not in self.candidates:
                self.orphans[entry.id] = parent
                raise EntryRefusedError("missing-parent", f"it follows {parent}, which is not there")
            if parent not in self.accepted:
                raise EntryRefusedError(
                    "parent-refused", f"it follows {parent}, which is refused or does not come before it"
                )
        above = [self.accepted[parent] for parent in entry.parents]
        if entry.seq != 1 + max((parent.seq for parent in above), default=0):
            raise EntryRefusedError("wrong-number", f"its number is {entry.seq}, which does not follow its parents'")
        if any(entry.time < parent.time for parent in above):
            raise EntryRefusedError("back-dated", f"its time {entry.time} is before that of an entry it follows")
        if entry.time > self.latest:
            raise EntryRefusedError("future", f"its time {entry.time} has not come yet")

    def _refuse(self, identifier: str, code: str, text: str) -> None:
        self.refused.add(identifier)
        if code != "missing-parent":  # whether that is fatal is known at the end
            self.problems.append(LogProblem(level=ProblemLevel.REFUSED, code=code, entry=identifier, text=text))

    def _add_fatal(self, code: str, identifier: str | None, text: str) -> None:
        self.problems.append(LogProblem(level=ProblemLevel.FATAL, code=code, entry=identifier, text=text))

    def _judge_orphans(self) -> None:
        """A trusted person's entry follows something: if that is gone, somebody has removed it."""
        trusted = self.frontier.find_trusted_keys()
        for identifier, parent in sorted(self.orphans.items()):
            entry = self.candidates[identifier].entry
            is_trusted = any(keyid in trusted for keyid in entry.keyids)
            level = ProblemLevel.FATAL if is_trusted else ProblemLevel.REFUSED
            text = f"it follows {parent}, which is not there"
            self.problems.append(LogProblem(level=level, code="missing-parent", entry=identifier, text=text))

    def _judge_policies(self) -> None:
        tips = self.frontier.find_tips()
        if len(tips) > 1:
            text = (
                f"the policy has {len(tips)} successors that do not know of each other: {', '.join(tips)}; "
                "a policy that follows all of them, signed by the people of each, settles it"
            )
            self._add_fatal("policy-forked", tips[0], text)

    def _judge_witness(self) -> None:
        for identifier in sorted(self.known.witness - self.accepted.keys()):
            state = "is refused now" if identifier in self.candidates else "is gone"
            self._add_fatal("rollback", identifier, f"an entry that was seen here, and was valid, {state}")

    def _find_void(self) -> dict[str, str]:
        """Entries of a key that a policy dropped, which that policy had not seen and which had not seen it."""
        void: dict[str, str] = {}
        by_key: dict[str, list[Entry]] = {}
        for entry in self.accepted.values():
            if entry.kind is not EntryKind.POLICY:
                by_key.setdefault(entry.keyids[0], []).append(entry)
        for policy, dropped in self.frontier.find_dropped_keys():
            suspects = [entry for key in dropped for entry in by_key.get(key, ())]
            if not suspects:
                continue
            seen = find_ancestors(policy, self.accepted)
            for entry in suspects:
                if entry.id not in seen and not self.frontier.has_seen(entry, policy):
                    void[entry.id] = f"its key was dropped by {policy}, which had not seen it"
        return void

    def _build_verdict(self, genesis: str | None, void: dict[str, str]) -> LogVerdict:
        followed = {parent for entry in self.accepted.values() for parent in entry.parents}
        tips = self.frontier.find_tips()
        touched = frozenset(identifier for identifier in self.accepted if self.candidates[identifier].touched)
        return LogVerdict(
            entries=tuple(self.accepted.values()),
            heads=tuple(sorted(self.accepted.keys() - followed)),
            log=genesis,
            policy=tips[0] if len(tips) == 1 else None,
            void=dict(sorted(void.items())),
            touched=touched,
            problems=tuple(self.problems),
        )


def judge_chain(candidates: Mapping[str, Candidate], known: Known) -> LogVerdict:
    """What of these entries is valid, in order, and what is wrong with the rest."""
    return Chain(candidates, known).judge()


def find_ancestors(identifier: str, entries: Mapping[str, Entry], lowest_seq: int = 0) -> set[str]:
    """Every entry that this one follows, itself not among them; below `lowest_seq` nothing is looked at."""
    seen: set[str] = set()
    waiting = list(entries[identifier].parents)
    while waiting:
        parent = waiting.pop()
        if parent not in seen and entries[parent].seq >= lowest_seq:
            seen.add(parent)
            waiting.extend(entries[parent].parents)
    return seen
