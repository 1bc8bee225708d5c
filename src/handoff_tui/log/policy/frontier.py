"""Which policy is in force after each entry, whether an entry fits the one before it, and who signed what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from handoff_tui.core.classes import dataclass, field
from handoff_tui.core.errors import EntryRefusedError, TrustPolicyError
from handoff_tui.log.entry import Entry, LogVerdict
from handoff_tui.log.policy.policy import Policy, parse_policy

if TYPE_CHECKING:
    from handoff_tui.log.policy.reports import SignatureTally


@dataclass(slots=True)
class PolicyFrontier:
    """For each entry, the newest policies it knows of: one, or several after a fork."""

    policies: dict[str, Policy] = field(default_factory=dict)
    after: dict[str, frozenset[str]] = field(default_factory=dict)
    """Entry id to the newest policies known after it."""
    past: dict[str, frozenset[str]] = field(default_factory=dict)
    """Policy id to every policy it has seen."""
    before: dict[str, frozenset[str]] = field(default_factory=dict)
    """Policy id to the policies it succeeds."""

    def accept_policy(self, entry: Entry) -> None:
        """Accepts a policy with the next version, signed for by every policy it succeeds and by itself."""
        text = entry.policy
        assert text is not None  # noqa: S101 - the caller looked
        succeeded = self.find_in_force(entry.parents)
        # before reading its texts, which a stranger may have made expensive
        for older in sorted(succeeded):
            _check_threshold(entry, self.policies[older], "the former")
        try:
            policy = parse_policy(text)
        except TrustPolicyError as wrong:
            raise EntryRefusedError(wrong.message, code="bad-policy") from wrong
        if text.nonce is None:
            self._check_succession(entry, succeeded)
        elif text.version != 1:
            raise EntryRefusedError(f"the first policy has version {text.version}", code="bad-policy")
        self._check_signatures(entry, policy, succeeded)
        self.policies[entry.id] = policy
        self.before[entry.id] = succeeded
        self.past[entry.id] = succeeded.union(*(self.past[older] for older in succeeded))
        self.after[entry.id] = frozenset({entry.id})

    def accept_work(self, entry: Entry) -> None:
        """Accepts a submission or decision signed once, by its actor, with a key and a role of the policy in force."""
        newest = self.find_in_force(entry.parents)
        if len(newest) != 1:
            raise EntryRefusedError(
                "two policies are in force before it, and neither follows the other", code="policy-forked"
            )
        (in_force,) = newest
        work = entry.work
        assert work is not None  # noqa: S101 - the schema says so
        if work.policy != in_force:
            raise EntryRefusedError(f"it names the policy {work.policy}; {in_force} is in force", code="wrong-policy")
        self._check_actor(entry, self.policies[in_force])
        self.after[entry.id] = newest

    def find_tips(self) -> list[str]:
        """Finds policies that no other policy has seen; more than one is a fork."""
        seen = frozenset[str]().union(*self.past.values())
        return sorted(self.policies.keys() - seen)

    def find_trusted_keys(self) -> frozenset[str]:
        return frozenset(keyid for tip in self.find_tips() for keyid in self.policies[tip].signers)

    def find_dropped_keys(self) -> Iterator[tuple[str, frozenset[str]]]:
        """Finds each policy that dropped keys, with those keys."""
        for identifier, succeeded in self.before.items():
            older = {keyid for policy in succeeded for keyid in self.policies[policy].signers}
            dropped = frozenset(older - self.policies[identifier].signers.keys())
            if dropped:
                yield identifier, dropped

    def has_seen(self, entry: Entry, policy: str) -> bool:
        """Whether an entry came after a policy."""
        return any(policy == newest or policy in self.past[newest] for newest in self.after[entry.id])

    def find_in_force(self, parents: Iterable[str]) -> frozenset[str]:
        """Finds the policies in force for an entry with these parents: one, or several after a fork."""
        known = frozenset[str]().union(*[self.after[parent] for parent in parents])
        if len(known) <= 1:
            return known
        return frozenset(one for one in known if not any(one in self.past[other] for other in known))

    def _check_succession(self, entry: Entry, succeeded: frozenset[str]) -> None:
        text = entry.policy
        assert text is not None  # noqa: S101 - the caller looked
        highest = max((self.policies[older].version for older in succeeded), default=0)
        if text.version != highest + 1:
            raise EntryRefusedError(f"its version is {text.version}; {highest + 1} comes next", code="wrong-version")
        if text.previous not in {older for older in succeeded if self.policies[older].version == highest}:
            raise EntryRefusedError(f"it succeeds {text.previous}, which is not in force", code="wrong-policy")

    def _check_signatures(self, entry: Entry, policy: Policy, succeeded: frozenset[str]) -> None:
        """Refuses signatures by strangers and agents: adding theirs would turn any policy into another entry."""
        deciding = [policy, *(self.policies[older] for older in sorted(succeeded))]
        for keyid in entry.keyids:
            owners = [(one, one.signers[keyid].principal) for one in deciding if keyid in one.signers]
            if not owners:
                raise EntryRefusedError(f"it is signed by {keyid}, a key that no policy here has", code="unknown-key")
            if all(owner in one.agents for one, owner in owners):
                raise EntryRefusedError(f"it is signed by {keyid}, the key of an agent", code="wrong-role")
        _check_threshold(entry, policy, "its own")

    def _check_actor(self, entry: Entry, policy: Policy) -> None:
        if len(entry.keyids) != 1:
            raise EntryRefusedError(f"it has {len(entry.keyids)} signatures instead of one", code="signature-count")
        signer = policy.signers.get(entry.keyids[0])
        if signer is None:
            raise EntryRefusedError(f"its key {entry.keyids[0]} is not in the policy in force", code="unknown-key")
        if signer.principal != entry.actor:
            raise EntryRefusedError(
                f"it says {entry.actor}, but is signed with the key of {signer.principal}", code="impersonation"
            )
        if not signer.covers(entry.time):
            raise EntryRefusedError(f"the key of {entry.actor} was not valid at {entry.time}", code="key-not-valid")
        allowed = policy.may_decide if entry.kind.decides else policy.may_submit
        if not allowed(entry.actor):
            raise EntryRefusedError(f"{entry.actor} has no role that allows this", code="wrong-role")


def _check_threshold(entry: Entry, policy: Policy, whose: str) -> None:
    people = {
        policy.signers[keyid].principal
        for keyid in entry.keyids
        if keyid in policy.signers and policy.signers[keyid].covers(entry.time)
    }
    signed = len(people & policy.root)
    if signed < policy.root_threshold:
        raise EntryRefusedError(
            f"{signed} of {policy.root_threshold} signatures that {whose} root role needs", code="too-few-signatures"
        )


def build_frontier(verdict: LogVerdict) -> PolicyFrontier:
    """Builds the policies after each entry of a verified log."""
    frontier = PolicyFrontier()
    for entry in verdict.entries:
        if entry.policy is not None:
            frontier.accept_policy(entry)
        else:
            frontier.accept_work(entry)
    return frontier


def find_signed_by(entry: Entry, deciding: Iterable[Policy]) -> tuple[str, ...]:
    """Names the people whose keys signed a policy entry, by the policies that decide on it."""
    policies = tuple(deciding)
    return tuple(
        sorted({one.signers[keyid].principal for keyid in entry.keyids for one in policies if keyid in one.signers})
    )


def find_counting_keys(deciding: Iterable[Policy], time: str) -> dict[str, str]:
    """Finds keys whose signature on a policy entry counts, with their owners."""
    return {
        keyid: signer.principal
        for policy in deciding
        for keyid, signer in policy.signers.items()
        if signer.principal in policy.root and signer.covers(time)
    }


def count_signatures(whose: str, policy: Policy, keyids: Iterable[str], time: str) -> SignatureTally:
    """Counts the signatures of these keys against the threshold of one policy's root role."""
    from handoff_tui.log.policy.reports import SignatureTally  # noqa: PLC0415 - for proposals

    counting = find_counting_keys((policy,), time)
    signed = {counting[keyid] for keyid in keyids if keyid in counting}
    return SignatureTally(
        whose=whose,
        version=policy.version,
        threshold=policy.root_threshold,
        signed=tuple(sorted(signed)),
        missing=max(0, policy.root_threshold - len(signed)),
        waiting=tuple(sorted(set(counting.values()) - signed)),
    )


def find_voided(entries: Iterable[Entry], parents: Iterable[str], dropped: frozenset[str]) -> tuple[str, ...]:
    """Finds submissions and decisions by dropped keys that an entry with these parents has not seen."""
    by_id: Mapping[str, Entry] = {entry.id: entry for entry in entries}
    seen: set[str] = set()
    waiting = list(parents)
    while waiting:
        one = waiting.pop()
        if one not in seen and one in by_id:
            seen.add(one)
            waiting += by_id[one].parents
    return tuple(
        entry.id
        for entry in by_id.values()
        if entry.policy is None and entry.id not in seen and not dropped.isdisjoint(entry.keyids)
    )
