from __future__ import annotations

import pytest

from handoff_tui.log.entries.public_keys import KeyType
from handoff_tui.log.policy.faults import find_able, find_deciders, find_faults, find_turned_agents, find_warnings
from handoff_tui.log.policy.signers import build_line
from tests.support.log_keys import build_key as build_real_key
from tests.support.logs import build_key, build_policy, build_policy_toml, build_signers, find_keyid

NOW = "2026-02-01T00:00:00Z"


def test_usual_policy_has_no_faults() -> None:
    """Nothing is wrong with the one that tests use, and nothing is to be warned of."""
    assert find_faults(build_policy(), NOW) == ()
    assert find_warnings(build_policy()) == ()


def test_policy_that_nobody_could_change_is_refused() -> None:
    """Root keys that have expired, or are not valid yet."""
    for window in ({"valid_before": "2026-01-31T23:59:59Z"}, {"valid_after": "2026-02-01T00:00:01Z"}):
        line = build_line("alice", build_key("alice"), **window)
        faults = find_faults(build_policy(signers=line + build_signers("bob", "claude")), NOW)
        assert faults[0].startswith("nobody could change it again: roles.root needs 1 signatures, and 0")


def test_more_signatures_than_an_entry_holds_are_refused() -> None:
    """An entry has at most sixteen."""
    people = tuple(f"p{number}" for number in range(17))
    toml = build_policy_toml(root=people, reviewers=people, agents=(), threshold=17)
    assert "at most 16" in find_faults(build_policy(toml, build_signers(*people)), NOW)[0]


@pytest.mark.parametrize(
    ("gate", "words"),
    [
        ("threshold = 3", "it needs 3, and 2 could decide"),
        ("require_user_presence = true", "0 could decide with a key that proves a touch"),
        ('require = "2 of root"', 'nobody can meet "2 of root"'),
        ('require = "1 of root and 2 of reviewer"', "nobody can meet"),
    ],
)
def test_gate_that_could_never_be_passed_is_refused(gate: str, words: str) -> None:
    """Too few people, no key that can be touched, a requirement that they cannot fill."""
    faults = find_faults(build_policy(build_policy_toml(gates=f"[gates.release]\n{gate}\n")), NOW)
    assert len(faults) == 1
    assert words in faults[0]


def test_gate_with_a_touched_key_can_be_passed() -> None:
    """By who has a security key."""
    key = build_real_key(KeyType.SK_ED25519).public
    policy = build_policy(
        build_policy_toml(gates='[gates."*"]\nrequire_user_presence = true\n'),
        build_signers("alice", "claude") + build_line("bob", key.text),
    )
    assert find_faults(policy, NOW) == ()
    assert find_deciders(policy, policy.gates["*"], NOW) == {"bob"}
    assert find_able(policy, NOW, touched=True) == {"bob"}


def test_gate_of_no_phase_is_refused() -> None:
    """A name that no phase can have would never be asked."""
    faults = find_faults(build_policy(build_policy_toml(gates='[gates."two words"]\nthreshold = 1\n')), NOW)
    assert faults == ("gates.two words is not the name of a phase",)


def test_agent_in_any_other_role_is_refused() -> None:
    """Also in a role that only a gate asks for."""
    policy = build_policy(build_policy_toml(more='[roles.security]\nprincipals = ["claude"]\n'))
    assert find_faults(policy, NOW) == ("the agent claude is in roles.security",)


def test_agent_never_turns_into_a_person() -> None:
    """Neither by its name nor by its key, whichever of several former policies knew it."""
    old = build_policy()
    renamed = build_policy(build_policy_toml(reviewers=("alice", "claude"), agents=()))
    assert find_turned_agents((old, old), renamed) == (
        "claude was an agent, and would be a person",
        f"the key {find_keyid('claude')} of the agent claude would be claude's",
    )
    given = build_policy(
        build_policy_toml(agents=()), build_signers("alice", "bob") + build_line("bob", build_key("claude"))
    )
    assert find_turned_agents((old,), given) == (f"the key {find_keyid('claude')} of the agent claude would be bob's",)
    assert find_turned_agents((old,), old) == ()


def test_what_should_be_known_is_warned_of() -> None:
    """Root keys that run out, phases without a gate, names without keys, keys without a role."""
    line = build_line("alice", build_key("alice"), valid_before="2027-01-31T00:00:00Z")
    policy = build_policy(
        build_policy_toml(reviewers=("alice", "carol"), gates="[gates.release]\nthreshold = 1\n"),
        line + build_signers("bob", "claude"),
    )
    assert find_warnings(policy) == (
        "after 2027-01-31T00:00:00Z too few root keys are valid to change the policy; renew them before",
        "only release can open: there is no gate for other phases",
        "carol has a role and no key",
        "bob has a key and no role",
    )


def test_key_that_another_one_outlives_is_no_warning() -> None:
    """A second key of the same person is still valid."""
    line = build_line("alice", build_key("alice"), valid_before="2027-01-31T00:00:00Z")
    assert find_warnings(build_policy(signers=line + build_signers("alice/2", "bob", "claude"))) == ()
