"""The policies of a verified log: which succeeded which, which are in force, and who signed them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from handoff_tui.log.policy.frontier import PolicyFrontier
from handoff_tui.log.policy.policy import Policy
from handoff_tui.log.policy.reports import SignatureTally
from handoff_tui.log.record import Entry, LogVerdict


def build_frontier(verdict: LogVerdict) -> PolicyFrontier:
    """The policies after each entry; the entries were judged before and are in their order."""
    frontier = PolicyFrontier()
    for entry in verdict.entries:
        if entry.policy is not None:
            frontier.accept_policy(entry)
        else:
            frontier.accept_work(entry)
    return frontier


def find_signed_by(entry: Entry, deciding: Iterable[Policy]) -> tuple[str, ...]:
    """The people whose keys signed a policy entry, by the policies that decide on it."""
    policies = tuple(deciding)
    return tuple(
        sorted({one.signers[keyid].principal for keyid in entry.keyids for one in policies if keyid in one.signers})
    )


def find_counting_keys(deciding: Iterable[Policy], time: str) -> dict[str, str]:
    """Keys whose signature under a policy entry counts for something, with their owners."""
    return {
        keyid: signer.principal
        for policy in deciding
        for keyid, signer in policy.signers.items()
        if signer.principal in policy.root and signer.covers(time)
    }


def count_signatures(whose: str, policy: Policy, keyids: Iterable[str], time: str) -> SignatureTally:
    """How far the signatures of these keys go towards what one policy asks of its own root role."""
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
    """Submissions and decisions by dropped keys which an entry with these parents has not seen."""
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
