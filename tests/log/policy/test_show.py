"""Policies in words, and what changed between two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from handoff_tui.log.entries.public_keys import parse_public_key
from handoff_tui.log.policy.reports import KeyState
from handoff_tui.log.policy.show import (
    build_view,
    compare_all,
    compare_policies,
    describe_first,
    describe_gate,
    show_policy,
)
from handoff_tui.log.policy.signers import build_line
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.logs import LogBuilder, build_key, build_policy, build_policy_toml, build_signers, find_keyid

if TYPE_CHECKING:
    from tests.support.signed import Circle


def test_policy_in_force_is_told_whole(circle: Circle) -> None:
    """The shape that scripts are promised: people, gates, keys, history."""
    ada, claude = circle.person("ada"), circle.person("claude")
    genesis = circle.begin(ada)
    line = circle.enrol(claude, "--valid-before", "2099-01-31")
    second = circle.change(ada, (ada,), "--add-agent", line, name="agent")
    value = circle.show(ada).json
    assert value["schema"] == "handoff-tui/policy-show/v1"
    assert (value["log"], value["pinned"], value["drift"], value["problems"]) == (genesis, False, [], [])
    policy = value["policy"]
    assert value["policies"] == [policy]
    assert (policy["id"], policy["version"], policy["root_threshold"]) == (second, 2, 1)
    assert policy["roles"] == {"agent": [claude.email], "reviewer": [ada.email], "root": [ada.email]}
    assert policy["gates"] == [
        {
            "phase": "*",
            "words": ["one person decides"],
            "people": [ada.email],
            "threshold": 1,
            "require": None,
            "max_age_days": None,
            "require_user_presence": False,
            "require_signed_submission": False,
            "binds": "scope",
            "require_coverage": False,
            "headless": [],
        }
    ]
    assert (policy["start_line"], policy["solo"], policy["commits_by_agents"]) == (None, True, [])
    assert policy["keys"][1] == {
        "principal": claude.email,
        "keyid": parse_public_key(claude.public_text).fingerprint,
        "type": "ssh-ed25519",
        "roles": ["agent"],
        "state": "valid",
        "valid_after": None,
        "valid_before": "2099-01-31T23:59:59Z",
        "line": line,
    }
    assert [(step["version"], step["signed_by"], step["in_force"]) for step in value["history"]] == [
        (1, [ada.email], False),
        (2, [ada.email], True),
    ]


def test_drift_of_the_copies_is_told(circle: Circle) -> None:
    """A changed and a missing copy are named; what they say does not count."""
    ada = circle.person("ada")
    circle.begin(ada)
    trust = circle.repository / ".handoff-tui/trust"
    (trust / "policy.toml").write_text("version = 1\n")
    (trust / "allowed_signers").unlink()
    shown = circle.show(ada)
    assert shown.code == 0
    assert [problem["text"].partition(":")[0] for problem in shown.json["drift"]] == [
        ".handoff-tui/trust/allowed_signers is missing",
        ".handoff-tui/trust/policy.toml differs",
    ]
    assert shown.json["policy"]["root"] == [ada.email]


def test_looking_writes_nothing(circle: Circle, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither in the work tree nor in .git."""
    ada = circle.person("ada")
    circle.begin(ada)
    before = read_fingerprint(circle.repository)
    ada.become(monkeypatch)
    show_policy(circle.repository)
    assert compare_fingerprints(before, read_fingerprint(circle.repository)) == []


def test_log_that_is_not_sound_is_shown_with_its_faults(circle: Circle) -> None:
    """Exit code 3: the first entry is gone, and this clone knows it."""
    ada = circle.person("ada")
    circle.begin(ada)
    for file in (circle.repository / ".handoff-tui/log").glob("*/*.jsonl"):
        file.unlink()
    shown = circle.show(ada)
    assert shown.code == 3
    assert (shown.json["policy"], shown.json["policies"]) == (None, [])
    assert {problem["code"] for problem in shown.json["problems"]} == {"genesis-missing", "rollback"}


@pytest.mark.parametrize(
    ("now", "state"),
    [
        ("2026-01-01T00:00:00Z", KeyState.NOT_YET),
        ("2026-01-15T00:00:00Z", KeyState.VALID),
        ("2026-03-01T00:00:00Z", KeyState.EXPIRED),
    ],
)
def test_state_of_a_key_follows_its_window(now: str, state: KeyState) -> None:
    """And a gate that nobody can pass because of it is warned of."""
    from handoff_tui.log.policy.signers import build_line  # noqa: PLC0415

    window = {"valid_after": "2026-01-10T00:00:00Z", "valid_before": "2026-02-01T00:00:00Z"}
    log = LogBuilder()
    log.add_policy()
    entry = log.judge().entries[0]
    toml = build_policy_toml(reviewers=("alice",), agents=())
    view = build_view(entry, build_policy(toml, build_line("alice", build_key("alice"), **window)), now)
    assert view.keys[0].state is state
    assert any("could never open" in warning for warning in view.warnings) == (state is not KeyState.VALID)


def test_settling_policy_is_compared_with_each_side() -> None:
    """A side that it does not change is told as nothing."""
    left, right = build_policy(), build_policy(build_policy_toml(agents=()), build_signers("alice", "bob"))
    words = compare_all([left, right], left)
    assert words[0] == "against side 1 of the fork: nothing"
    assert all(word.startswith("against side 2 of the fork: ") for word in words[1:])
    assert compare_all([left], left) == ()


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
