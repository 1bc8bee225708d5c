from __future__ import annotations

from handoff_tui.log.entry import LogVerdict
from handoff_tui.log.policy.frontier import (
    build_frontier,
    count_signatures,
    find_counting_keys,
    find_signed_by,
    find_voided,
)
from handoff_tui.log.policy.signers import build_line
from tests.support.logs import LogBuilder, build_key, build_policy, build_policy_toml, build_signers, find_keyid

NOW = "2026-02-01T00:00:00Z"
TWO = build_policy_toml(root=("alice", "bob"), threshold=2)


def test_policies_of_a_log_are_found_in_their_order() -> None:
    """The tip, what it succeeded, and who signed it."""
    log = LogBuilder()
    first = log.add_policy()
    log.add_decision()
    second = log.add_policy(TWO, signed_by=("alice", "bob"))
    verdict = log.judge()
    frontier = build_frontier(verdict)
    assert frontier.find_tips() == [second]
    assert frontier.before[second] == {first}
    entry = next(entry for entry in verdict.entries if entry.id == second)
    assert find_signed_by(entry, frontier.policies.values()) == ("alice", "bob")


def test_fork_has_two_tips() -> None:
    """And both are in force for who follows both."""
    log = LogBuilder()
    first = log.add_policy()
    sides = [log.add_policy(TWO, signed_by=("alice", "bob"), previous=first, parents=(first,), seq=2) for _ in range(2)]
    frontier = build_frontier(log.judge())
    assert frontier.find_tips() == sorted(sides)
    assert frontier.find_in_force(sides) == set(sides)


def test_signatures_are_counted_by_people() -> None:
    """Two keys of one person are one; who has no say, or no valid key, counts for nothing."""
    late = build_line("bob", build_key("bob"), valid_after="2026-03-01T00:00:00Z")
    policy = build_policy(TWO, build_signers("alice", "alice/2", "bob/2", "claude") + late)
    assert set(find_counting_keys((policy,), NOW)) == {find_keyid(name) for name in ("alice", "alice/2", "bob/2")}
    keys = [find_keyid(name) for name in ("alice", "alice/2", "bob", "claude", "stranger")]
    tally = count_signatures("ours", policy, keys, NOW)
    assert (tally.signed, tally.missing, tally.waiting) == (("alice",), 1, ("bob",))
    done = count_signatures("ours", policy, [find_keyid("alice"), find_keyid("bob/2")], NOW)
    assert (done.signed, done.missing, done.waiting) == (("alice", "bob"), 0, ())


def test_unseen_entries_of_a_dropped_key_are_found() -> None:
    """Those that the parents have seen stay, and so do those of other keys."""
    log = LogBuilder()
    first = log.add_policy()
    seen = log.add_decision(actor="bob")
    unseen = log.add_decision(actor="bob", parents=(seen,))
    log.add_decision(actor="alice", parents=(seen,))
    entries = log.judge().entries
    assert find_voided(entries, (seen,), frozenset({find_keyid("bob")})) == (unseen,)
    assert find_voided(entries, (first,), frozenset({find_keyid("bob")})) == (seen, unseen)
    assert find_voided(entries, (first,), frozenset()) == ()
    assert build_frontier(LogVerdict()).find_tips() == []
