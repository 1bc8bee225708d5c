"""Judges how entries fit together: genesis, order, policy, revocation, witness.

Pure: it is given everything it judges. Their bytes and signatures were checked before. FATAL closes every gate; REFUSED
entries are left out and named.
"""

from __future__ import annotations

from collections.abc import Mapping

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import EntryRefusedError
from handoff_tui.log.entries.times import add_seconds
from handoff_tui.log.entry import Entry, EntryKind, LogProblem, LogProblemLevel, LogVerdict
from handoff_tui.log.policy.frontier import PolicyFrontier

_CLOCKS_DIFFER_SECONDS = 300
_MISSING_PARENT = "missing-parent"
_FUTURE = "future"


class Candidate(NamedTuple):
    """An entry that is valid by itself: bytes, schema and signatures."""

    entry: Entry
    payload: str
    """A digest of what was signed; two files with the same payload are the same entry twice."""
    touched: bool = False


class Known(NamedTuple):
    """What is known from elsewhere than the entries."""

    now: str
    pin: str | None = None
    witness: frozenset[str] = frozenset()


class Chain:
    """Entries in order. It can grow: judging one more costs the same after ten entries and after ten thousand."""

    def __init__(self) -> None:
        self.candidates: dict[str, Candidate] = {}
        self.accepted: dict[str, Entry] = {}
        self._reset(None)

    def _reset(self, genesis: str | None) -> None:
        self.accepted = {}
        self._genesis = genesis
        self._refused: dict[str, tuple[str, str]] = {}
        self._orphans: dict[str, str] = {}
        self._heads: set[str] = set()
        self._touched: set[str] = set()
        self._void: dict[str, str] = {}
        self._counted: dict[str, str | None] = {}
        """Payload to the entry that counts for it; None if all that have it were refused."""
        self._twins: dict[str, str] = {}
        """More files with the payload of an accepted entry, each with that entry."""
        self._frontier = PolicyFrontier()

    def judge(self, candidates: Mapping[str, Candidate], known: Known) -> LogVerdict:
        """Judges exactly these entries; what was judged before and is unchanged is not judged again."""
        if self.candidates.keys() <= candidates.keys():
            return self.grow({one: candidates[one] for one in candidates.keys() - self.candidates.keys()}, known)
        self.candidates = dict(candidates)
        self._judge_all(known)
        return self._build_verdict(known)

    def grow(self, added: Mapping[str, Candidate], known: Known) -> LogVerdict:
        """Judges further entries; costs only as much as they do, unless they change an earlier judgement."""
        new = {one: candidate for one, candidate in added.items() if one not in self.candidates}
        self.candidates.update(new)
        if self._is_decisive(new, known):
            self._judge_all(known)
        else:
            self._accept_all(new, known)
        return self._build_verdict(known)

    def _judge_all(self, known: Known) -> None:
        roots = _find_roots(self.candidates)
        self._reset(known.pin or (roots[0] if len(roots) == 1 else None))
        self._accept_all(self.candidates, known)
        self._void = self._find_void()

    def _is_decisive(self, added: Mapping[str, Candidate], known: Known) -> bool:
        """Whether new entries can change the judgement of older ones."""
        missing = set(self._orphans.values())
        return (
            not self.accepted
            or known.pin not in {None, self._genesis}
            or any(code == _FUTURE for code, _ in self._refused.values())
            or any(
                candidate.entry.kind is EntryKind.POLICY or candidate.payload in self._counted or one in missing
                for one, candidate in added.items()
            )
            or len({candidate.payload for candidate in added.values()}) < len(added)
            or bool(self._void)
        )

    def _accept_all(self, candidates: Mapping[str, Candidate], known: Known) -> None:
        """Accepts in order. Of several files with the same payload, the first valid one counts."""
        latest = add_seconds(known.now, _CLOCKS_DIFFER_SECONDS)
        for one in sorted(candidates, key=lambda key: _build_rank(candidates[key].entry, known)):
            candidate = candidates[one]
            counted = self._counted.setdefault(candidate.payload, None)
            if counted is not None:
                self._twins[one] = counted
                self._refused[one] = ("duplicate", f"the same statement as {counted}, signed again")
                continue
            try:
                self._accept(candidate, latest)
                self._counted[candidate.payload] = one
            except EntryRefusedError as refused:
                self._refused[one] = (refused.code, refused.message)

    def _accept(self, candidate: Candidate, latest: str) -> None:
        entry = self._name_counted(candidate.entry)
        if entry.policy is not None and entry.policy.nonce is not None:
            if entry.id != self._genesis:
                raise EntryRefusedError(
                    "it claims to be the first entry, but this log has another", code="foreign-genesis"
                )
        elif self._genesis is None or entry.log != self._genesis:
            raise EntryRefusedError("it belongs to another log", code="replay")
        self._check_place(entry, latest)
        if entry.policy is not None:
            self._frontier.accept_policy(entry)
        else:
            self._frontier.accept_work(entry)
        self.accepted[entry.id] = entry
        self._heads.difference_update(entry.parents)
        self._heads.add(entry.id)
        if candidate.touched:
            self._touched.add(entry.id)

    def _name_counted(self, entry: Entry) -> Entry:
        """Replaces the ids it names by those that count here: two clones may keep different twins of one statement."""
        work, policy, twins = entry.work, entry.policy, self._twins
        if not twins:
            return entry
        named = {*entry.parents, work.policy if work else None, policy.previous if policy else None}
        if named.isdisjoint(twins):
            return entry
        changes: dict[str, object] = {"parents": tuple(sorted({twins.get(one, one) for one in entry.parents}))}
        if work is not None:
            changes["work"] = work.model_copy(update={"policy": twins.get(work.policy, work.policy)})
        if policy is not None and policy.previous is not None:
            changes["policy"] = policy.model_copy(update={"previous": twins.get(policy.previous, policy.previous)})
        return entry.model_copy(update=changes)

    def _check_place(self, entry: Entry, latest: str) -> None:
        """Checks parents, number and time."""
        for parent in entry.parents:
            if parent not in self.candidates:
                self._orphans[entry.id] = parent
                raise EntryRefusedError(f"it follows {parent}, which is missing", code=_MISSING_PARENT)
            if parent not in self.accepted:
                raise EntryRefusedError(
                    f"it follows {parent}, which is refused, or doesn't come before it", code="parent-refused"
                )
        above = [self.accepted[parent] for parent in entry.parents]
        if entry.seq != 1 + max([parent.seq for parent in above], default=0):
            raise EntryRefusedError(
                f"its number is {entry.seq}, which doesn't follow its parents'", code="wrong-number"
            )
        if entry.time < max([parent.time for parent in above], default=""):
            raise EntryRefusedError(
                f"its time {entry.time} is earlier than that of an entry it follows", code="back-dated"
            )
        if entry.time > latest:
            raise EntryRefusedError(f"its time {entry.time} is in the future", code=_FUTURE)

    def _find_void(self) -> dict[str, str]:
        """Finds entries by a key that a policy dropped, if neither had seen the other."""
        drops = list(self._frontier.find_dropped_keys())
        if not drops:
            return {}
        void: dict[str, str] = {}
        by_key: dict[str, list[Entry]] = {}
        for entry in self.accepted.values():
            if entry.kind is not EntryKind.POLICY:
                by_key.setdefault(entry.keyids[0], []).append(entry)
        for policy, dropped in drops:
            suspects = [entry for key in dropped for entry in by_key.get(key, ())]
            if not suspects:
                continue
            seen = find_ancestors(policy, self.accepted)
            for entry in suspects:
                if entry.id not in seen and not self._frontier.has_seen(entry, policy):
                    void[entry.id] = f"its key was dropped by {policy}, which had not seen it"
        return dict(sorted(void.items()))

    def _build_verdict(self, known: Known) -> LogVerdict:
        tips = self._frontier.find_tips()
        problems = [
            *self._judge_genesis(known),
            *self._list_refused(),
            *self._judge_policies(tips),
            *self._judge_witness(known),
        ]
        # built without validation: it is all our own, and there may be ten thousand of them
        return LogVerdict.model_construct(
            entries=tuple(self.accepted.values()),
            heads=tuple(sorted(self._heads)),
            log=self._genesis if self._genesis in self.accepted else None,
            policy=tips[0] if len(tips) == 1 else None,
            void=self._void,
            touched=frozenset(self._touched),
            problems=tuple(problems),
        )

    def _judge_genesis(self, known: Known) -> list[LogProblem]:
        if known.pin is not None:
            if known.pin in self.accepted:
                return []
            return [_build_fatal("genesis-missing", known.pin, "the first entry, which is pinned, is missing")]
        if self._genesis is not None or not self.candidates:
            return []
        roots = _find_roots(self.candidates)
        if roots:
            text = f"{len(roots)} entries claim to be the first; pin the right one to tell them apart"
            return [_build_fatal("genesis-ambiguous", None, text)]
        return [_build_fatal("genesis-missing", None, "the first entry is missing")]

    def _list_refused(self) -> list[LogProblem]:
        """If a trusted person's entry follows one that is gone, somebody removed it, and that is fatal."""
        trusted = self._frontier.find_trusted_keys()
        problems: list[LogProblem] = []
        for one, (code, text) in self._refused.items():
            signed_by = self.candidates[one].entry.keyids
            is_fatal = code == _MISSING_PARENT and any(keyid in trusted for keyid in signed_by)
            level = LogProblemLevel.FATAL if is_fatal else LogProblemLevel.REFUSED
            problems.append(LogProblem(level=level, code=code, entry=one, text=text))
        return problems

    def _judge_policies(self, tips: list[str]) -> list[LogProblem]:
        if len(tips) <= 1:
            return []
        text = (
            f"the policy has {len(tips)} successors that do not know of each other: {', '.join(tips)}; "
            "a policy that follows all of them, signed by the people of each, settles it"
        )
        return [_build_fatal("policy-forked", tips[0], text)]

    def _judge_witness(self, known: Known) -> list[LogProblem]:
        gone = sorted(known.witness.difference(self.accepted, self._twins))
        states = {one: "is refused now" if one in self.candidates else "is gone" for one in gone}
        return [
            _build_fatal("rollback", one, f"an entry that this clone has seen valid {state}")
            for one, state in states.items()
        ]


def judge_chain(candidates: Mapping[str, Candidate], known: Known) -> LogVerdict:
    """Judges entries from scratch."""
    return Chain().judge(candidates, known)


def find_ancestors(identifier: str, entries: Mapping[str, Entry], lowest_seq: int = 0) -> set[str]:
    """Finds every entry that this one follows, without itself and without any below `lowest_seq`."""
    seen: set[str] = set()
    waiting = list(entries[identifier].parents)
    while waiting:
        parent = waiting.pop()
        if parent not in seen and entries[parent].seq >= lowest_seq:
            seen.add(parent)
            waiting.extend(entries[parent].parents)
    return seen


def _find_roots(candidates: Mapping[str, Candidate]) -> list[str]:
    """Finds entries that claim to be the first."""
    return sorted(
        one
        for one, candidate in candidates.items()
        if candidate.entry.policy is not None and candidate.entry.policy.nonce is not None
    )


def _build_rank(entry: Entry, known: Known) -> tuple[int, bool, bool, int, str]:
    """Orders by number; of twins, the one known from elsewhere comes first, then the one with the most signatures.

    Anybody can remove a signature, or write some kinds of signature differently; that must not decide anything.
    """
    return entry.seq, entry.id != known.pin, entry.id not in known.witness, -len(entry.keyids), entry.id


def _build_fatal(code: str, identifier: str | None, text: str) -> LogProblem:
    return LogProblem(level=LogProblemLevel.FATAL, code=code, entry=identifier, text=text)
