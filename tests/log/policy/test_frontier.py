"""Which policy is in force after each entry."""

from __future__ import annotations

from handoff_tui.log.policy.frontier import PolicyFrontier
from tests.support.logs import LogBuilder, build_policy_toml, build_signers


def test_frontier_knows_the_newest_policies() -> None:
    """After a fork two policies are newest; keys that one of them dropped are named with it."""
    log = LogBuilder()
    first = log.add_policy()
    left = log.add_policy(previous=first, parents=(first,))
    right = log.add_policy(
        build_policy_toml(reviewers=("alice",)), build_signers("alice", "claude"), previous=first, parents=(first,)
    )
    frontier = PolicyFrontier()
    for identifier in (first, left, right):
        frontier.accept_policy(log.candidates[identifier].entry)
    assert frontier.find_tips() == sorted([left, right])
    ((policy, dropped),) = frontier.find_dropped_keys()
    assert policy == right
    assert len(dropped) == 1
