from __future__ import annotations

import tomllib

import pytest

from handoff_tui.core.errors import TrustPolicyError
from handoff_tui.log.policy.policy import parse_policy
from handoff_tui.log.policy.signers import build_line, parse_allowed_signers
from handoff_tui.log.policy.texts import (
    Texts,
    add_signer,
    build_first_texts,
    build_policy_text,
    drop_key,
    parse_signer_line,
    read_principals,
    set_principals,
    set_root_threshold,
    set_version,
)
from tests.support.logs import build_key, find_keyid

WRITTEN = """\
# kept
version = 7  # kept too

[roles.reviewer]
principals = [  # a list over lines
  "alice",
]
[ roles . "root" ] # odd, and right
threshold = 1
principals=["alice"]
[gates."*"]
threshold = 1
"""


def build_texts(toml: str = WRITTEN, *names: str) -> Texts:
    return Texts("".join(build_line(name.partition("/")[0], build_key(name)) for name in names or ("alice",)), toml)


def test_solo_policy_is_one_person_and_their_agents() -> None:
    """Threshold 1 everywhere; the agents may only submit."""
    texts = build_first_texts("ada@example.org", build_key("ada"), {"claude": build_key("claude")})
    policy = parse_policy(build_policy_text(texts, 1, nonce="0" * 32))
    assert policy.root == policy.reviewers == {"ada@example.org"}
    assert (policy.root_threshold, policy.gates["*"].threshold) == (1, 1)
    assert policy.agents == {"claude"}
    assert policy.may_submit("claude")
    assert not policy.may_decide("claude")
    assert {signer.principal for signer in policy.signers.values()} == {"ada@example.org", "claude"}
    assert (policy.start_line, policy.solo) == ("", False)


def test_start_line_and_solo_are_written_with_what_they_mean() -> None:
    """And both survive a change of the version, which keeps every comment."""
    texts = build_first_texts("ada@example.org", build_key("ada"), {}, start_line="ab" * 20, solo=True)
    texts = set_version(texts, 2)
    policy = parse_policy(build_policy_text(texts, 2, previous="sha256:" + "0" * 64))
    assert (policy.start_line, policy.solo) == ("ab" * 20, True)
    assert "it does not show that a second person looked" in texts.policy_toml


@pytest.mark.parametrize("name", ["", "two words", 'a"b', "a\nb", "ünï"])
def test_name_that_the_log_does_not_allow_is_refused(name: str) -> None:
    """Before it is written anywhere."""
    with pytest.raises(TrustPolicyError, match="cannot be a name"):
        build_first_texts(name, build_key("ada"), {})


def test_version_is_set_and_the_rest_stays() -> None:
    """Comments and layout are as they were."""
    assert set_version(build_texts(), 8).policy_toml == WRITTEN.replace("version = 7", "version = 8")


@pytest.mark.parametrize("toml", ["", "[roles.root]\nversion = 1\n", "ver = 1\n", "version = 'x'\n", "version = [\n"])
def test_version_that_is_not_at_the_top_is_told(toml: str) -> None:
    """It is not put anywhere by guess."""
    with pytest.raises(TrustPolicyError, match=r"version|not TOML"):
        set_version(build_texts(toml), 2)


def test_added_signer_has_key_and_roles() -> None:
    """In the middle of whatever people wrote; nobody else changes."""
    line = build_line("bob", build_key("bob"))
    texts = add_signer(build_texts(), f"  {line}", ("root", "reviewer"))
    assert read_principals(texts, "root") == ["alice", "bob"]
    assert read_principals(texts, "reviewer") == ["alice", "bob"]
    assert "# kept" in texts.policy_toml
    assert "# odd, and right" in texts.policy_toml
    assert [signer.principal for signer in parse_allowed_signers(texts.allowed_signers).values()] == ["alice", "bob"]


def test_role_that_is_not_there_is_made() -> None:
    """An agent's line makes the role of agents; a second key of a person changes no role."""
    texts = add_signer(build_texts(), build_line("claude", build_key("claude")), ("agent",))
    assert tomllib.loads(texts.policy_toml)["roles"]["agent"] == {"principals": ["claude"]}
    again = add_signer(texts, build_line("alice", build_key("alice/2")), ("reviewer",))
    assert again.policy_toml == texts.policy_toml


def test_file_without_a_last_newline_gets_one() -> None:
    """Two lines never become one."""
    texts = Texts(build_line("alice", build_key("alice")).rstrip("\n"), WRITTEN)
    assert len(parse_allowed_signers(add_signer(texts, build_line("bob", build_key("bob")), ()).allowed_signers)) == 2


def test_key_that_is_there_is_not_added_twice() -> None:
    """Whoever it is said to be of."""
    with pytest.raises(TrustPolicyError, match="already, as alice's"):
        add_signer(build_texts(), build_line("mallory", build_key("alice")), ())


@pytest.mark.parametrize(
    "line", ["", "# comment", "alice", build_line("a", build_key("a")) + build_line("b", build_key("b"))]
)
def test_line_is_exactly_one(line: str) -> None:
    """Nothing, a comment, no key, or two of them."""
    with pytest.raises(TrustPolicyError):
        parse_signer_line(line)


def test_dropped_key_takes_its_last_owner_out_of_every_role() -> None:
    """A person with another key keeps all roles."""
    texts = build_texts(WRITTEN.replace('"alice",', '"alice", "bob",'), "alice", "alice/2", "bob")
    one_less = drop_key(texts, find_keyid("alice"))
    assert read_principals(one_less, "root") == ["alice"]
    assert find_keyid("alice") not in parse_allowed_signers(one_less.allowed_signers)
    without_bob = drop_key(texts, find_keyid("bob")[:20])
    assert read_principals(without_bob, "reviewer") == ["alice"]
    assert len(parse_allowed_signers(without_bob.allowed_signers)) == 2


@pytest.mark.parametrize("keyid", ["SHA256:", "SHA256:nothing-like-it", ""])
def test_key_is_named_well_enough(keyid: str) -> None:
    """A beginning that is too short, or fits none."""
    with pytest.raises(TrustPolicyError, match="names 0 keys"):
        drop_key(build_texts(), keyid)


def test_root_threshold_is_set_or_added() -> None:
    """In the root's table, and in no other."""
    assert tomllib.loads(set_root_threshold(build_texts(), 2).policy_toml)["roles"]["root"]["threshold"] == 2
    without = WRITTEN.replace("threshold = 1\nprincipals", "principals")
    content = tomllib.loads(set_root_threshold(build_texts(without), 3).policy_toml)
    assert content["roles"]["root"]["threshold"] == 3
    assert content["gates"]["*"] == {"threshold": 1}


@pytest.mark.parametrize(
    "toml",
    [
        'version = 1\nroles = { root = { principals = ["alice"] } }\n',
        'version = 1\n[roles]\nroot.principals = ["alice"]\n',
        'version = 1\n[roles.root]\nprincipals = [ # ]\n"alice"]\n',
        "version = 1\nroles = 3\n",
        "version = 1\nroles.root = 3\n",
        "not toml",
    ],
)
def test_text_that_cannot_be_changed_safely_is_left_to_people(toml: str) -> None:
    """What was changed must mean exactly what was meant, or it is refused."""
    with pytest.raises(TrustPolicyError) as refused:
        set_principals(build_texts(toml), "root", ["alice", "bob"])
    assert "--edit" in refused.value.hint
