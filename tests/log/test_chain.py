"""Every way in which entries can fail to hang together."""

from __future__ import annotations

from random import Random

import pytest

from handoff_tui.log.chain import Chain, Known, judge_chain
from handoff_tui.log.entry import LogProblemLevel, LogVerdict
from tests.support.logs import NOW, LogBuilder, build_policy_toml, build_signers
from tests.support.real_log import list_codes


def fatal(verdict: LogVerdict) -> list[str]:
    return list_codes(verdict, LogProblemLevel.FATAL)


def refused(verdict: LogVerdict) -> list[str]:
    return list_codes(verdict, LogProblemLevel.REFUSED)


@pytest.fixture
def log() -> LogBuilder:
    """A log with its first policy."""
    builder = LogBuilder()
    builder.add_policy()
    return builder


def test_chain_accepts_what_follows_the_rules(log: LogBuilder) -> None:
    """A policy, a submission and a decision are valid, in order, with one head and the policy in force."""
    submission = log.add_submission()
    decision = log.add_decision()
    verdict = log.judge()
    assert not verdict.problems
    assert [entry.id for entry in verdict.entries] == [log.genesis, submission, decision]
    assert (verdict.heads, verdict.log, verdict.policy) == ((decision,), log.genesis, log.genesis)


def test_empty_log_is_clean() -> None:
    """Having no log isn't a fault, as long as nothing was ever seen."""
    assert not LogBuilder().judge().problems


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"log": "sha256:" + "9" * 64}, "replay"),
        ({"seq": 3}, "wrong-number"),
        ({"time": "2025-12-31T00:00:00Z"}, "back-dated"),
        ({"time": "2026-02-01T00:05:01Z"}, "future"),
        ({"policy_id": "sha256:" + "8" * 64}, "wrong-policy"),
        ({"actor": "mallory"}, "unknown-key"),
        ({"actor": "alice", "key": "bob"}, "impersonation"),
        ({"actor": "claude"}, "wrong-role"),
    ],
)
def test_decision_out_of_place_is_refused(log: LogBuilder, changes: dict[str, object], code: str) -> None:
    """A replay, a wrong number or time, an unknown key, an impersonation, an agent that decides: refused, not fatal."""
    log.add_decision(**changes)  # type: ignore[arg-type]
    verdict = log.judge()
    assert (fatal(verdict), refused(verdict)) == ([], [code])


def test_clock_may_be_a_little_ahead(log: LogBuilder) -> None:
    """Five minutes are allowed between two machines."""
    log.add_decision(time="2026-02-01T00:05:00Z")
    assert not log.judge().problems


def test_what_follows_a_refused_entry_is_refused(log: LogBuilder) -> None:
    """One bad entry takes those after it along; the others stay."""
    good = log.add_decision()
    bad = log.add_decision(actor="mallory", parents=(log.genesis,))
    log.add_decision(parents=(bad,))
    verdict = log.judge()
    assert refused(verdict) == ["unknown-key", "parent-refused"]
    assert verdict.heads == (good,)


def test_missing_parent_is_fatal_for_a_trusted_key(log: LogBuilder) -> None:
    """If what a trusted person followed is gone, somebody removed it."""
    middle = log.add_decision()
    log.add_decision(actor="bob")
    del log.candidates[middle]
    assert fatal(log.judge()) == ["missing-parent"]


def test_missing_parent_of_a_stranger_is_refused(log: LogBuilder) -> None:
    """A stranger can name any parent: that must not close the gates."""
    log.add_decision(actor="mallory", parents=("sha256:" + "7" * 64,), seq=2)
    verdict = log.judge()
    assert (fatal(verdict), refused(verdict)) == ([], ["missing-parent"])


def test_pinned_genesis_must_be_there(log: LogBuilder) -> None:
    """With a pin, another first entry is refused and a missing one is fatal."""
    assert not log.judge(pin=log.genesis).problems
    assert "genesis-missing" in fatal(log.judge(pin="sha256:" + "6" * 64))


def test_second_genesis_needs_a_pin(log: LogBuilder) -> None:
    """Two first entries cannot be told apart without a pin; with one, the other is refused."""
    first = log.genesis
    other = LogBuilder()
    other.add_policy(time="2026-01-02T00:00:00Z")
    log.candidates |= other.candidates
    assert fatal(log.judge()) == ["genesis-ambiguous"]
    verdict = log.judge(pin=first)
    assert (fatal(verdict), refused(verdict)) == ([], ["foreign-genesis"])


def test_witnessed_entry_that_is_gone_is_a_rollback(log: LogBuilder) -> None:
    """A cut tail and a wiped log are noticed by who has seen them."""
    seen = frozenset({log.genesis, log.add_decision()})
    assert not log.judge(witness=seen).problems
    tail = next(iter(seen - {log.genesis}))
    del log.candidates[tail]
    assert fatal(log.judge(witness=seen)) == ["rollback"]
    assert fatal(LogBuilder().judge(witness=seen)) == ["rollback", "rollback"]


def test_same_statement_signed_twice_counts_once(log: LogBuilder) -> None:
    """A copy with another signature is refused, and what follows it counts: clones may take different ones."""
    first = log.add_decision(payload="same")
    second = log.add_decision(parents=(log.genesis,), payload="same")
    follower = log.add_decision(actor="bob", verb="reject", parents=(second,))
    for taken in (first, second):
        verdict = log.judge(witness=frozenset({log.genesis, taken}))
        assert refused(verdict) == ["duplicate"]
        assert fatal(verdict) == []
        assert {entry.id for entry in verdict.entries} == {log.genesis, taken, follower}
        assert verdict.heads == (follower,)


def test_copy_of_a_policy_with_fewer_signatures_takes_no_place(log: LogBuilder) -> None:
    """Anybody can take a signature away and let a made-up entry follow the copy; the policy stays in force."""
    toml = build_policy_toml(root=("alice", "bob"), threshold=2, version=2)
    whole = log.add_policy(toml, keys=("alice", "bob"), payload="same")
    veto = log.add_decision(verb="reject")
    copy = log.add_policy(
        toml, keys=("alice",), payload="same", parents=(log.genesis,), previous=log.genesis, version=2
    )
    log.policy = whole
    log.rename(copy, "sha256:" + "0" * 64)
    log.add_decision("mallory", parents=("sha256:" + "0" * 64,))
    for known in ({}, {"witness": frozenset({veto})}, {"pin": log.genesis}):
        verdict = log.judge(**known)
        assert (fatal(verdict), verdict.policy, verdict.heads) == ([], whole, (veto,))


def test_copy_of_the_first_entry_harms_no_pinned_log(log: LogBuilder) -> None:
    """However the copy is named, the pinned one is the first."""
    pinned = log.genesis
    log.candidates[pinned] = log.candidates[pinned]._replace(payload="same")
    decision = log.add_decision()
    log.genesis = ""
    copy = log.add_policy(payload="same", parents=())
    log.rename(copy, "sha256:" + "0" * 64)
    verdict = log.judge(pin=pinned)
    assert (fatal(verdict), refused(verdict), verdict.heads) == ([], ["duplicate"], (decision,))


def test_agent_cannot_sign_a_policy_too(log: LogBuilder) -> None:
    """An agent's signature beside the right ones would make another entry of the same policy."""
    log.add_policy(keys=("alice", "claude"))
    assert refused(log.judge()) == ["wrong-role"]


def test_policy_succeeds_with_both_thresholds(log: LogBuilder) -> None:
    """A new policy is signed by the people of the old root and of the new one."""
    toml = build_policy_toml(root=("alice", "bob"), threshold=2, version=2)
    log.add_policy(toml, keys=("alice", "bob"))
    verdict = log.judge()
    assert not verdict.problems
    assert verdict.policy == log.policy


def test_two_keys_of_one_person_count_once(log: LogBuilder) -> None:
    """The threshold counts people, not keys."""
    signers = build_signers("alice", "alice/2", "bob", "claude")
    log.add_policy(build_policy_toml(root=("alice", "bob"), threshold=2), signers, keys=("alice", "alice/2"))
    assert refused(log.judge()) == ["too-few-signatures"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"version": 3}, "wrong-version"),
        ({"previous": "sha256:" + "5" * 64, "version": 2}, "wrong-policy"),
        ({"keys": ("alice", "mallory")}, "unknown-key"),
        ({"toml": "version = 1\n[unknown]\n"}, "bad-policy"),
    ],
)
def test_policy_out_of_place_is_refused(log: LogBuilder, changes: dict[str, object], code: str) -> None:
    """A wrong number or predecessor, a foreign signature, an unknown key in the file."""
    log.add_policy(**changes)  # type: ignore[arg-type]
    assert refused(log.judge()) == [code]


def test_fork_is_not_settled_by_one_side(log: LogBuilder) -> None:
    """Whoever settles a fork needs the people of both sides."""
    first = log.policy
    left = log.add_policy(build_policy_toml(), previous=first, parents=(first,))
    right = log.add_policy(build_policy_toml(root=("bob",)), keys=("alice", "bob"), previous=first, parents=(first,))
    log.add_policy(previous=right, parents=(left, right), keys=("alice",))
    verdict = log.judge()
    assert fatal(verdict) == ["policy-forked"]
    assert refused(verdict) == ["too-few-signatures"]


def test_decision_between_two_policies_is_refused(log: LogBuilder) -> None:
    """Nobody can decide while it is open which policy holds."""
    first = log.policy
    left = log.add_policy(previous=first, parents=(first,))
    right = log.add_policy(previous=first, parents=(first,), time="2026-01-03T00:00:00Z")
    log.add_decision(parents=(left, right))
    assert refused(log.judge()) == ["policy-forked"]


def test_decision_of_a_dropped_key_is_void_if_unseen(log: LogBuilder) -> None:
    """Revocation is causal: what the dropping policy had seen stays, what it had not is void."""
    first = log.policy
    seen = log.add_decision(actor="bob")
    log.add_policy(build_policy_toml(reviewers=("alice",)), build_signers("alice", "claude"), parents=(seen,))
    unseen = log.add_decision(actor="bob", parents=(seen,), policy_id=first, handoff="H-2")
    verdict = log.judge()
    assert not verdict.problems
    assert set(verdict.void) == {unseen}


def test_decision_after_the_key_came_back_counts(log: LogBuilder) -> None:
    """A key that was dropped and enrolled again is judged by the policy its entries know."""
    log.add_policy(build_policy_toml(reviewers=("alice",)), build_signers("alice", "claude"))
    log.add_policy()
    log.add_decision(actor="bob")
    verdict = log.judge()
    assert not verdict.problems
    assert not verdict.void


def test_rotated_key_is_unknown_afterwards(log: LogBuilder) -> None:
    """After a rotation the old key signs nothing any more."""
    log.add_policy(signers=build_signers("alice/2", "bob", "claude"), keys=("alice", "alice/2"))
    log.add_decision(actor="alice", key="alice")
    assert refused(log.judge()) == ["unknown-key"]


def test_key_outside_its_time_is_refused(log: LogBuilder) -> None:
    """An expired key signs nothing."""
    signers = build_signers("alice", "claude") + build_signers("bob").replace(
        '" ssh', '",valid-before="20260101000000Z" ssh'
    )
    log.add_policy(signers=signers)
    log.add_decision(actor="bob")
    assert refused(log.judge()) == ["key-not-valid"]


def test_chain_is_independent_of_order(log: LogBuilder) -> None:
    """The same entries in another order give the same verdict."""
    first = log.add_decision()
    log.add_decision(actor="bob", parents=(first,))
    log.add_decision(actor="mallory", parents=(first,))
    forward = log.judge()
    log.candidates = dict(reversed(log.candidates.items()))
    assert log.judge() == forward


@pytest.mark.parametrize("seed", range(30))
def test_growing_chain_says_what_a_whole_one_says(seed: int) -> None:
    """Entries that arrive one by one, in any order, end in the verdict that all of them at once get."""
    random = Random(seed)  # noqa: S311 - chance that can be repeated, and no secret
    log = LogBuilder()
    log.add_policy()
    for _ in range(12):
        _add_something(log, random)
    order = list(log.candidates)
    random.shuffle(order)
    chain, known, arrived = Chain(), Known(now=NOW), {}
    for identifier in order:
        arrived[identifier] = log.candidates[identifier]
        grown = chain.judge(arrived, known)
        whole = judge_chain(arrived, known)
        assert set(grown.entries) == set(whole.entries)
        assert (grown.heads, grown.void, grown.policy, grown.log) == (whole.heads, whole.void, whole.policy, whole.log)
        assert sorted(map(str, grown.problems)) == sorted(map(str, whole.problems))


def _add_something(log: LogBuilder, random: Random) -> None:
    parents = tuple(random.sample(sorted(log.candidates), k=min(len(log.candidates), random.choice([1, 1, 1, 2]))))
    kind = random.choice(["decision"] * 6 + ["policy", "dropping", "twin", "stranger"])
    if kind == "policy":
        log.add_policy(parents=parents, previous=random.choice([log.genesis, log.policy]))
    elif kind == "dropping":
        log.add_policy(build_policy_toml(reviewers=("alice",)), build_signers("alice", "claude"), parents=parents)
    else:
        actor = "mallory" if kind == "stranger" else random.choice(["alice", "bob"])
        policy = random.choice([log.genesis, log.policy])
        log.add_decision(actor, parents=parents, policy_id=policy, payload="twin" if kind == "twin" else None)
