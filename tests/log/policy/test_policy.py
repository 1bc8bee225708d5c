"""A policy's two texts: parsed, checked for faults, and signed for."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.core.errors import HandoffError, TrustPolicyError
from handoff_tui.core.namespace import NAMESPACE
from handoff_tui.log.entries.public_keys import KeyType
from handoff_tui.log.entry import LogVerdict, PolicyText
from handoff_tui.log.policy.faults import find_able, find_deciders, find_faults, find_turned_agents, find_warnings
from handoff_tui.log.policy.frontier import (
    PolicyFrontier,
    build_frontier,
    count_signatures,
    find_counting_keys,
    find_voided,
)
from handoff_tui.log.policy.policy import Policy, is_met, parse_policy, parse_requirement
from handoff_tui.log.policy.signers import build_line, parse_allowed_signers
from handoff_tui.log.policy.texts import (
    PolicyTexts,
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
from tests.support.log_keys import build_key as build_real_key
from tests.support.logs import LogBuilder, build_key, build_policy, build_policy_toml, build_signers, find_keyid


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
    ] == [2, 2, 2, 1]


ROLES = frozenset({"security", "dev", "root"})
MEMBERS = {"security": {"sue", "sam"}, "dev": {"dan", "dora", "sue"}, "root": {"rob"}}


@pytest.mark.parametrize(
    ("text", "people", "met"),
    [
        ("1 of security", {"sue"}, True),
        ("1 of security", {"dan"}, False),
        ("1 of security and 2 of dev", {"sam", "dan", "dora"}, True),
        ("1 of security and 2 of dev", {"sue", "dan"}, False),
        ("1 of security and 2 of dev", {"sue", "dan", "dora"}, True),
        ("1 of security and 1 of dev", {"sue"}, False),
        ("2 of security or 1 of root", {"rob"}, True),
        ("(1 of security or 1 of root) and 1 of dev", {"rob", "sue"}, True),
        ("1 of dev and 2 of dev", {"dan", "dora"}, True),
        ("1 of dev and (1 of root or 1 of security)", {"sue", "sam"}, True),
    ],
)
def test_requirement_is_met_by_people(text: str, people: set[str], met: bool) -> None:  # noqa: FBT001 - a table of cases
    """Each place is filled by one person of its role; a person with two roles fills one of them."""
    assert is_met(parse_requirement(text, ROLES), people, MEMBERS) is met


@pytest.mark.parametrize(
    "text",
    ["", "security", "0 of dev", "one of dev", "1 of", "1 of dev and", "1 of dev 2 of root", "(1 of dev", "1 of dev)",
     "1 of nobody", "1 of dev; 2 of root", " and ".join(["(1 of dev or 1 of root)"] * 40), "1 of dev " * 200,
     "(" * 30 + "1 of dev"],
)  # fmt: skip
def test_malformed_requirement_is_refused(text: str) -> None:
    """What cannot be read, names an unknown role or could be met in too many ways is refused at once."""
    with pytest.raises(TrustPolicyError):
        parse_requirement(text, ROLES)


def test_requirement_reads_as_it_was_written() -> None:
    """Its words can be shown and read again."""
    text = "(1 of security or 1 of root) and 2 of dev"
    assert str(parse_requirement(text, ROLES)) == text


@given(st.text(alphabet="12 ofandr()securitydev", max_size=80))
def test_requirement_never_fails_otherwise(text: str) -> None:
    """Any text is a requirement or a clear refusal."""
    try:
        found = parse_requirement(text, ROLES)
    except TrustPolicyError:
        return
    assert str(parse_requirement(str(found), ROLES)) == str(found)


@given(st.sets(st.sampled_from(["sue", "sam", "dan", "dora", "rob"])), st.sampled_from(["sue", "sam", "dan", "rob"]))
def test_more_people_never_meet_less(people: set[str], another: str) -> None:
    """Nobody's approval can close a gate that was open."""
    requirement = parse_requirement("1 of security and (2 of dev or 1 of root)", ROLES)
    assert is_met(requirement, people | {another}, MEMBERS) >= is_met(requirement, people, MEMBERS)


KEY = build_key("alice")


def test_signers_are_read() -> None:
    """Principal, key and times; comments and blank lines are passed over."""
    text = f"# people\n\n{build_line('alice@example.com', KEY, valid_after='2026-01-01T00:00:00Z')}"
    signer = parse_allowed_signers(text)[find_keyid("alice")]
    assert (signer.principal, signer.key, signer.valid_after) == ("alice@example.com", KEY, "2026-01-01T00:00:00Z")


@pytest.mark.parametrize(
    ("moment", "time"),
    [("20260131Z", "2026-01-31T00:00:00Z"), ("202601311215Z", "2026-01-31T12:15:00Z"),
     ("20260131121530Z", "2026-01-31T12:15:30Z")],
)  # fmt: skip
def test_validity_is_read_in_all_lengths(moment: str, time: str) -> None:
    """OpenSSH writes days, minutes or seconds; both ends are inside."""
    text = f'alice namespaces="{NAMESPACE}",valid-before="{moment}" {KEY}\n'
    signer = next(iter(parse_allowed_signers(text).values()))
    assert signer.valid_before == time
    assert signer.covers(time)
    assert not signer.covers("2026-02-01T00:00:00Z")


@pytest.mark.parametrize(
    "line",
    [
        f"alice {KEY}",
        f'alice namespaces="git" {KEY}',
        f'alice namespaces="{NAMESPACE},git" {KEY}',
        f'* namespaces="{NAMESPACE}" {KEY}',
        f'alice,bob namespaces="{NAMESPACE}" {KEY}',
        f'alice cert-authority,namespaces="{NAMESPACE}" {KEY}',
        f'alice namespaces="{NAMESPACE}",namespaces="{NAMESPACE}" {KEY}',
        f'alice namespaces="{NAMESPACE}",valid-after="20260131" {KEY}',
        f'alice namespaces="{NAMESPACE}",valid-after="20261331Z" {KEY}',
        f'alice  namespaces="{NAMESPACE}" {KEY}',
        f'alice\tnamespaces="{NAMESPACE}" {KEY}',
        f'alice namespaces="{NAMESPACE}" ssh-dss AAAA',
        f'alice namespaces="{NAMESPACE}" {KEY[:-4]}',
        f'alice namespaces="{NAMESPACE}"',
        f'alice namespaces="{NAMESPACE}" {KEY} \x1b[31m',
    ],
)
def test_line_outside_the_format_is_refused(line: str) -> None:
    """No wildcards, no lists, no certificates, no other namespace, no local times, no odd white space."""
    with pytest.raises(HandoffError):
        parse_allowed_signers(line + "\n")


def test_one_key_belongs_to_one_person() -> None:
    """The same key for two people would let one sign as the other."""
    with pytest.raises(TrustPolicyError, match="twice"):
        parse_allowed_signers(build_line("alice", KEY) + build_line("bob", KEY))


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
def test_ssh_keygen_finds_the_principals_we_wrote(tmp_path: Path) -> None:
    """What we write is what OpenSSH reads."""
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    public = " ".join((tmp_path / "key.pub").read_text().split()[:2])
    signers = tmp_path / "allowed_signers"
    signers.write_text(build_line("alice@example.com", public, valid_before="2036-01-01T00:00:00Z"))
    message = tmp_path / "message"
    message.write_bytes(b"hello")
    subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", NAMESPACE, message], check=True)
    found = subprocess.run(
        ["ssh-keygen", "-Y", "find-principals", "-f", signers, "-s", tmp_path / "message.sig"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert found.stdout.strip() == "alice@example.com"
    assert next(iter(parse_allowed_signers(signers.read_text()).values())).principal == "alice@example.com"


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


TWO = build_policy_toml(root=("alice", "bob"), threshold=2)


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


def build_texts(toml: str = WRITTEN, *names: str) -> PolicyTexts:
    return PolicyTexts(
        "".join(build_line(name.partition("/")[0], build_key(name)) for name in names or ("alice",)), toml
    )


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
    texts = PolicyTexts(build_line("alice", build_key("alice")).rstrip("\n"), WRITTEN)
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
