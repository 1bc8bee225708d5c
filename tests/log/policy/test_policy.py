"""policy.toml: what is read, and what spoils it."""

from __future__ import annotations

import pytest

from handoff_tui.core.errors import TrustPolicyError
from handoff_tui.log.entry import PolicyText
from handoff_tui.log.policy.policy import Policy, parse_policy
from tests.support.logs import build_policy_toml, build_signers


def parse(toml: str, *, version: int = 1, signers: tuple[str, ...] = ("alice", "bob", "claude")) -> Policy:
    return parse_policy(PolicyText(version=version, allowed_signers=build_signers(*signers), policy_toml=toml))


def test_policy_is_read() -> None:
    """Roles, thresholds and gates arrive as written."""
    gates = (
        '[gates."*"]\nthreshold = 1\nmax_age_days = 14\n[gates.release]\nthreshold = 2\nrequire_user_presence = true\n'
    )
    policy = parse(build_policy_toml(root=("alice", "bob"), threshold=2, gates=gates))
    assert (policy.root, policy.root_threshold) == (frozenset({"alice", "bob"}), 2)
    release, other = policy.find_gate("release"), policy.find_gate("plan")
    assert release
    assert other
    assert (release.threshold, release.require_user_presence, release.max_age_days) == (2, True, None)
    assert (other.threshold, other.max_age_days) == (1, 14)


def test_policy_version_follows_the_entry() -> None:
    """The file counts with its entry, or stays at one."""
    assert parse(build_policy_toml(version=3), version=3).version == 3
    assert parse(build_policy_toml(version=1), version=3).version == 3
    with pytest.raises(TrustPolicyError, match="version 2"):
        parse(build_policy_toml(version=2), version=3)


def test_roles_allow_what_they_say() -> None:
    """Reviewers decide and submit, agents only submit, strangers neither; a role that a gate asks for decides."""
    more = '[roles.security]\nprincipals = ["sue"]\n[roles.idle]\nprincipals = ["ian"]\n'
    policy = parse(build_policy_toml(gates='[gates."*"]\nrequire = "1 of security"\n', more=more))
    assert [name for name in ("alice", "bob", "sue", "claude", "ian", "eve") if policy.may_decide(name)] == [
        "alice",
        "bob",
        "sue",
    ]
    assert [name for name in ("alice", "claude", "ian", "eve") if policy.may_submit(name)] == ["alice", "claude"]


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("version = ", "not TOML"),
        ("version = 1\n", "no \\[roles"),
        (build_policy_toml() + "[surprise]\n", "unknown key 'surprise'"),
        (build_policy_toml(gates='[gates."*"]\nquorum = 2\n'), "unknown key 'quorum'"),
        (build_policy_toml(gates=""), "no \\[gates"),
        (build_policy_toml(gates='[gates."*"]\nthreshold = 0\n'), "not a whole number from 1"),
        (build_policy_toml(gates='[gates."*"]\nthreshold = true\n'), "not a whole number from 1"),
        (build_policy_toml(gates='[gates."*"]\nrequire_user_presence = 1\n'), "neither true nor false"),
        (build_policy_toml(gates='[gates."*"]\nrequire = 3\n'), "not text"),
        (build_policy_toml(gates='[gates."*"]\nrequire = "1 of agent"\n'), "may not decide"),
        (build_policy_toml(reviewers=()), "nobody in roles.reviewer"),
        (build_policy_toml(reviewers=("alice", "alice")), "twice"),
        (build_policy_toml(reviewers=("a*",)), "not a list of principals"),
        (build_policy_toml(agents=("alice",)), "agents may never decide"),
        (build_policy_toml(root=("claude",)), "may not change the policy"),
        (build_policy_toml(root=("alice", "zoe"), threshold=2), "1 of its people have a key"),
        ("version = 1\nroles = 3\n", "no \\[roles"),
        ("version = 1\n[roles]\nroot = 3\n", "not a table"),
    ],
)
def test_bad_policy_is_refused_with_its_reason(toml: str, words: str) -> None:
    """Whatever is unknown, missing or senseless spoils the whole policy."""
    with pytest.raises(TrustPolicyError, match=words):
        parse(toml)


def test_gate_is_found_in_any_letters() -> None:
    """A phase in capitals does not slip past its own gate to the easier one for all."""
    policy = parse(build_policy_toml(gates='[gates."*"]\nthreshold = 1\n[gates.review]\nthreshold = 2\n'))
    assert [
        rule.threshold for phase in ("review", "Review", "REVIEW", "plan") if (rule := policy.find_gate(phase))
    ] == [
        2,
        2,
        2,
        1,
    ]
