from __future__ import annotations

import pytest

from handoff_tui.log.policy.show import compare_policies, describe_first, describe_gate
from handoff_tui.log.policy.signers import build_line
from tests.support.logs import build_key, build_policy, build_policy_toml, build_signers, find_keyid


@pytest.mark.parametrize(
    ("gate", "words"),
    [
        ("threshold = 1", ("one person decides",)),
        ("threshold = 2", ("2 different people decide",)),
        (
            'threshold = 2\nrequire = "1 of root and (1 of reviewer or 2 of root)"\nmax_age_days = 14',
            (
                "2 different people decide",
                "among them 1 of root and (1 of reviewer or 2 of root)",
                "no more than 14 days ago",
            ),
        ),
        (
            "max_age_days = 1\nrequire_user_presence = true\nrequire_signed_submission = true",
            (
                "one person decides",
                "no more than 1 day ago",
                "with a key that was touched",
                "on work with a signed submission",
            ),
        ),
    ],
)
def test_gate_is_told_in_words(gate: str, words: tuple[str, ...]) -> None:
    """Every demand of a gate is a phrase, and nothing else is."""
    policy = build_policy(build_policy_toml(gates=f"[gates.release]\n{gate}\n"))
    assert describe_gate(policy.gates["release"]) == words


def test_same_meaning_is_no_change() -> None:
    """Whatever the spelling."""
    spelled = "# other words\n" + build_policy_toml(reviewers=("bob", "alice"))
    assert compare_policies(build_policy(), build_policy(spelled)) == ()


def test_every_change_is_told() -> None:
    """Roles, the threshold, gates and keys."""
    old = build_policy()
    new = build_policy(
        build_policy_toml(
            root=("alice", "bob"),
            reviewers=("alice",),
            agents=(),
            threshold=2,
            gates='[gates."*"]\nthreshold = 1\nmax_age_days = 14\n[gates.release]\nthreshold = 1\n',
            more='[roles.security]\nprincipals = ["bob"]\n',
        ),
        build_signers("alice", "bob") + build_line("alice", build_key("new"), valid_before="2027-01-31T00:00:00Z"),
    )
    assert sorted(compare_policies(old, new)) == sorted(
        [
            "claude may no longer hand over work as an agent",
            "bob may no longer decide",
            "bob may change the policy from now on",
            "bob has the role security from now on",
            "changing the policy takes 2 signatures instead of 1",
            "gate *: one person decides, no more than 14 days ago (before: one person decides)",
            "gate release: one person decides (new)",
            f"dropped key of claude: {find_keyid('claude')}; what it signs from now on doesn't count",
            f"new key of alice: {find_keyid('new')}, valid until 2027-01-31T00:00:00Z",
        ]
    )
    assert "gate release: no rule of its own (before: one person decides)" in compare_policies(new, old)


def test_key_that_changes_hands_or_time_is_told() -> None:
    """Another owner, another window, and none at all."""
    old = build_policy(signers=build_signers("alice", "bob", "claude"))
    moved = build_signers("alice", "claude") + build_line(
        "alice", build_key("bob"), valid_after="2026-01-01T00:00:00Z", valid_before="2026-02-01T00:00:00Z"
    )
    assert compare_policies(old, build_policy(signers=moved)) == (
        (
            f"key of alice, which was bob's: {find_keyid('bob')}, "
            "valid from 2026-01-01T00:00:00Z, valid until 2026-02-01T00:00:00Z"
        ),
    )
    back = compare_policies(build_policy(signers=moved), old)
    assert back == (f"key of bob, which was alice's: {find_keyid('bob')}, valid at all times",)


def test_empty_role_is_told() -> None:
    """A role that nobody has comes and goes."""
    with_role = build_policy(build_policy_toml(more="[roles.security]\nprincipals = []\n"))
    assert compare_policies(build_policy(), with_role) == ("the role security, which nobody has, is new",)
    assert compare_policies(with_role, build_policy()) == ("the role security, which nobody has, is gone",)


def test_first_policy_is_told_by_its_people() -> None:
    """Root, reviewers, and agents where there are any."""
    assert describe_first(build_policy()) == (
        "root alice, 1 to change the policy",
        "reviewers alice, bob",
        "agents claude",
    )
    assert len(describe_first(build_policy(build_policy_toml(agents=())))) == 2
