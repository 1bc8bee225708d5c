"""Every attack on the log that must be refused or noticed: real files, real signatures, the real verification.

Writers at the same time and death in the middle of an append are in `test_journal.py`; what git does to a log when
branches are merged and histories rewritten is in `test_log_merges.py`; attributes that hide a change from a diff are in
`tests/git/objects/test_tree_reader.py`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from handoff_tui.log.entries import canonical
from handoff_tui.log.entries.envelope import build_envelope, build_pae
from handoff_tui.log.entries.sshsig import armor, build_signature_blob, re_armor
from handoff_tui.log.gates.gate_state import GateName
from tests.support.command_line import say
from tests.support.log_keys import build_example_key, sign_payload
from tests.support.logs import build_policy_toml, build_signers
from tests.support.real_log import (
    SCOPED,
    SUBJECT,
    RealLog,
    find_problem,
    judge_at,
    list_codes,
    verify_at,
)
from tests.support.repositories import RepositoryBuilder
from tests.support.ssh_keys import make_key, read_public


@pytest.fixture
def log(builder: RepositoryBuilder) -> RealLog:
    """A log in which alice has approved H-1, and bob H-2 after her."""
    real = RealLog(builder)
    real.begin()
    real.decide("alice", handoff="H-1")
    real.decide("bob", handoff="H-2")
    assert list_codes(real.verify()) == ["not-pinned"]
    real.vouch()
    return real


@pytest.fixture
def fresh(builder: RepositoryBuilder) -> RealLog:
    """A log with its first policy, which no verification has seen."""
    real = RealLog(builder)
    real.begin()
    return real


def find(log: RealLog, handoff: str) -> str:
    """The last entry on a handoff."""
    return [one for one, entry in log.entries.items() if entry.work is not None and entry.work.handoff == handoff][-1]


def refused(log: RealLog) -> list[str]:
    return list_codes(log.verify(), "REFUSED")


def change_predicate(**fields: object) -> Any:  # noqa: ANN401 - a change to a statement
    def change(statement: dict[str, Any]) -> None:
        statement["predicate"] |= fields

    return change


# changes to what is written


def test_edit_in_place_is_noticed(log: RealLog) -> None:
    """A changed file is named and not used; who follows it misses it, and the clone that saw it says so."""
    first = find(log, "H-1")
    log.place(first).write_bytes(log.read(first).replace(b'"sig"', b'"sug"'))
    report = log.verify()
    assert report.fatal
    assert set(list_codes(report)) == {"unsuitable-file", "missing-parent", "rollback"}


def test_edit_in_place_of_a_committed_entry_changes_nothing(log: RealLog) -> None:
    """The copy in the branch is the true one and is used; the false one is named."""
    log.builder.commit()
    place = log.place(find(log, "H-2"))
    place.write_bytes(place.read_bytes() + b" ")
    report = log.verify()
    assert (report.fatal, report.entries, list_codes(report)) == (False, 3, ["unsuitable-file"])
    assert "work tree" in find_problem(report, "unsuitable-file")


def test_edit_and_rename_is_refused(log: RealLog) -> None:
    """A right name does not make up for a signature that does not fit; and the entry that was is missed."""
    last = find(log, "H-2")
    changed = log.rewrite(last, change_predicate(decision="reject", reason="no"))
    log.place(last).unlink()
    log.store(changed)
    report = log.verify()
    assert list_codes(report, "REFUSED") == ["bad-signature"]
    assert list_codes(report, "FATAL") == ["rollback"]


@pytest.mark.parametrize("place", ["envelope", "signature"])
def test_unsigned_field_is_refused(log: RealLog, place: str) -> None:
    """Nothing can be added that no signature covers."""
    envelope = json.loads(log.read(find(log, "H-2")))
    (envelope if place == "envelope" else envelope["signatures"][0])["note"] = "approved by all"
    log.store(canonical.encode(envelope) + b"\n")
    assert refused(log) == ["bad-envelope"]


def test_field_that_the_format_does_not_know_is_refused_even_signed(log: RealLog) -> None:
    """A signed extra isn't part of an entry."""
    log.store(log.rewrite(find(log, "H-2"), change_predicate(note="more"), "bob"))
    assert refused(log) == ["bad-schema"]


def test_whitespace_is_refused(log: RealLog) -> None:
    """The same values in other bytes are not the entry: in the envelope, in the payload, at the end."""
    content = log.read(find(log, "H-2"))
    spaced = json.dumps(json.loads(content), separators=(", ", ": ")).encode() + b"\n"
    payload = base64.b64decode(json.loads(content)["payload"]).replace(b'":', b'": ', 1)
    for other in (spaced, sign_payload(payload, build_example_key("bob")), content + b"\n", content[:-1]):
        log.store(other)
    assert sorted(refused(log)) == ["bad-envelope", "not-canonical", "not-canonical", "not-canonical"]


def test_swapped_signature_is_refused(log: RealLog) -> None:
    """A true signature by the same key over something else does not fit."""
    other = log.decide("bob", handoff="H-3")
    first, second = (json.loads(log.read(one)) for one in (find(log, "H-2"), other))
    second["signatures"] = first["signatures"]
    log.store(canonical.encode(second) + b"\n")
    assert refused(log) == ["bad-signature"]


def test_signature_under_another_keyid_is_refused(log: RealLog) -> None:
    """A signature cannot be filed under the name of a key that did not make it."""
    envelope = json.loads(log.read(find(log, "H-2")))
    envelope["signatures"][0]["keyid"] = build_example_key("alice").fingerprint
    log.store(canonical.encode(envelope) + b"\n")
    assert refused(log) == ["keyid-mismatch"]


def test_swapped_names_are_noticed(log: RealLog) -> None:
    """Two true files under each other's names are both false."""
    first, second = log.place(find(log, "H-1")), log.place(find(log, "H-2"))
    contents = first.read_bytes(), second.read_bytes()
    first.write_bytes(contents[1])
    second.write_bytes(contents[0])
    report = log.verify()
    assert list_codes(report, "REFUSED") == ["unsuitable-file", "unsuitable-file"]
    assert list_codes(report, "FATAL") == ["rollback"]


# who signed


def test_unknown_key_is_refused(log: RealLog) -> None:
    """Whoever is not in the policy says nothing here."""
    log.decide("mallory")
    assert refused(log) == ["unknown-key"]


def test_impersonation_is_refused(log: RealLog) -> None:
    """An enrolled key cannot speak in somebody else's name."""
    log.decide("alice", key="bob")
    assert refused(log) == ["impersonation"]


def test_agent_that_approves_is_refused(log: RealLog) -> None:
    """An agent's key fills no human's slot; it may submit."""
    log.submit("claude")
    assert refused(log) == []
    log.decide("claude")
    assert refused(log) == ["wrong-role"]


@pytest.mark.parametrize("how", ["producer", "submitter"])
def test_producer_that_approves_is_not_counted(fresh: RealLog, how: str) -> None:
    """Nobody approves their own work, whether git names them or they handed it over themselves."""
    if how == "submitter":
        fresh.submit("alice")
    fresh.decide("alice")
    producers = frozenset({"claude", "alice"} if how == "producer" else {"claude"})
    gate = fresh.judge(producers=producers)
    assert (gate.state, [one.counted for one in gate.approvals]) == (GateName.PENDING, [False])
    fresh.decide("bob")
    assert fresh.judge(producers=producers).state is GateName.APPROVED


def test_same_person_with_two_keys_counts_once(builder: RepositoryBuilder) -> None:
    """Gates and policies count people, not keys."""
    log = RealLog(builder)
    gates = '[gates."*"]\nthreshold = 2\n'
    signers = build_signers("alice", "alice/2", "bob", "claude")
    log.begin(build_policy_toml(root=("alice", "bob"), threshold=2, gates=gates), signers, ("alice", "bob"))
    log.decide("alice")
    log.decide("alice", key="alice/2")
    assert refused(log) == []
    assert log.judge().state is GateName.PENDING
    log.add_policy(build_policy_toml(root=("alice",)), signers, ("alice", "alice/2"))
    assert refused(log) == ["too-few-signatures"]
    log.policy = log.genesis
    log.decide("bob", parents=(find(log, "H-1"),))
    assert log.judge().state is GateName.APPROVED


@pytest.mark.parametrize("namespace", ["git", "file", "handoff-log@handoff-tui.example"])
def test_signature_for_another_purpose_is_refused(fresh: RealLog, tmp_path: Path, namespace: str) -> None:
    """What the same key signed for git, or anything else, isn't an approval."""
    key = make_key(tmp_path / "key")
    signers = build_signers("alice", "claude") + f'bob namespaces="handoff-log@handoff-tui" {read_public(key)}\n'
    fresh.add_policy(signers=signers)
    payload = base64.b64decode(
        json.loads(fresh.rewrite(fresh.decide("alice"), change_predicate(actor="bob")))["payload"]
    )
    message = tmp_path / "message"
    message.write_bytes(build_pae(payload))
    subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", namespace, message], check=True)
    signed = re_armor((tmp_path / "message.sig").read_bytes())
    envelope: dict[str, Any] = {
        "payload": base64.b64encode(payload).decode(),
        "payloadType": "application/vnd.in-toto+json",
        "signatures": [{"keyid": find_fingerprint(key), "sig": base64.b64encode(signed).decode()}],
    }
    fresh.store(canonical.encode(envelope) + b"\n")
    assert refused(fresh) == ["foreign-signature"]


def test_commit_signature_presented_as_approval_is_refused(fresh: RealLog, tmp_path: Path) -> None:
    """The signature of a real signed commit, put into an envelope, is refused."""
    key = make_key(tmp_path / "key")
    builder = fresh.builder.config("gpg.format", "ssh").config("user.signingkey", str(key))
    builder.git("commit", "--quiet", "--allow-empty", "-S", "-m", "approve")
    raw = builder.git("cat-file", "commit", "HEAD")
    start = raw.index("-----BEGIN SSH")
    signature = raw[start : raw.index("-----END SSH SIGNATURE-----") + 27].replace("\n ", "\n")
    envelope = json.loads(fresh.read(fresh.decide("alice")))
    envelope["signatures"] = [
        {"keyid": find_fingerprint(key), "sig": base64.b64encode(re_armor(signature.encode())).decode()}
    ]
    fresh.store(canonical.encode(envelope) + b"\n")
    assert refused(fresh) == ["foreign-signature"]


def test_login_signature_presented_as_approval_is_refused(fresh: RealLog) -> None:
    """What a key signs when it logs in has no namespace; wrapped as if it had one, it does not fit."""
    alice = build_example_key("alice")
    statement = json.loads(base64.b64decode(json.loads(fresh.read(fresh.decide("alice")))["payload"]))
    statement["predicate"]["handoff"] = "H-9"
    payload = canonical.encode(statement)
    inner = alice.sign_inner(build_pae(payload))  # the bytes themselves, as ssh does, and not an SSHSIG of them
    fresh.store(build_envelope(payload, [armor(build_signature_blob(alice.public, inner))]))
    assert refused(fresh) == ["bad-signature"]


# what was removed


def test_deleted_middle_is_fatal(log: RealLog) -> None:
    """A trusted entry whose parent is gone closes every gate, also for a clone that has never seen it."""
    log.place(find(log, "H-1")).unlink()
    assert set(list_codes(log.verify(), "FATAL")) == {"missing-parent", "rollback"}
    log.forget()
    report = log.verify()
    assert list_codes(report, "FATAL") == ["missing-parent"]
    assert log.judge().state is GateName.BLOCKED


def test_cut_tail_is_noticed_by_the_witness(log: RealLog) -> None:
    """A person who has seen the last entry misses it."""
    log.place(find(log, "H-2")).unlink()
    report = log.verify()
    assert list_codes(report, "FATAL") == ["rollback"]
    assert log.judge().state is GateName.BLOCKED


@pytest.mark.parametrize("where", ["branch", "remote"])
def test_cut_tail_is_mended_by_any_branch(log: RealLog, tmp_path: Path, where: str) -> None:
    """An entry that a local or remote-tracking branch still has is not gone."""
    log.builder.commit("log")
    if where == "branch":
        log.builder.step("branch", "keeper")
    else:
        log.builder.push(tmp_path / "remote.git")
    log.place(find(log, "H-2")).unlink()
    log.builder.commit("tidy up")
    report = log.verify()
    assert (report.fatal, report.entries) == (False, 3)


def test_cut_tail_is_noticed_against_a_commit(log: RealLog) -> None:
    """In CI, which has seen nothing: what the base has must be here, even where a branch still has it."""
    base = log.builder.commit("log").head()
    log.place(find(log, "H-2")).unlink()
    log.builder.commit("tidy up")
    log.forget()
    assert not log.verify().fatal
    report = log.verify(against=base)
    assert list_codes(report, "FATAL") == ["entry-deleted"]
    assert report.problems[0].entry == find(log, "H-2")


def test_change_and_move_are_noticed_against_a_commit(log: RealLog) -> None:
    """An entry that was changed in place, or put under another name, is lost too; what is new isn't a loss."""
    base = log.builder.commit("log").head()
    log.decide("alice", handoff="H-3")
    assert list_codes(log.verify(against=base)) == []
    log.place(find(log, "H-1")).write_bytes(b"{}\n")
    log.place(find(log, "H-2")).rename(log.folder / ".handoff-tui/log/moved.intoto.jsonl")
    assert list_codes(log.verify(against=base), "FATAL") == ["entry-modified", "entry-renamed"]


def test_wiped_log_is_noticed(log: RealLog) -> None:
    """By the witness, by a pin, by a base commit; without any of them nobody could know."""
    base = log.builder.commit("log").head()
    for entry in log.entries:
        log.place(entry).unlink()
    log.builder.commit("clean up").step("tag", "old", base)
    assert {"genesis-missing", "rollback"} == set(list_codes(log.verify(), "FATAL"))
    log.forget()
    assert list_codes(log.verify(pin=log.genesis), "FATAL") == ["genesis-missing"]
    assert list_codes(log.verify(against="old"), "FATAL") == ["entry-deleted"] * 3
    assert not log.verify().fatal


def test_replaced_log_is_noticed(log: RealLog, tmp_path: Path) -> None:
    """Another log in its place, sound in itself, is not this one."""
    other = RealLog(RepositoryBuilder.init(tmp_path / "other"))
    other.begin(build_policy_toml(root=("mallory",), reviewers=("mallory",)), build_signers("mallory"), ("mallory",))
    for entry in log.entries:
        log.place(entry).unlink()
    log.write(other.genesis, other.read(other.genesis))
    report = log.verify()
    assert set(list_codes(report, "FATAL")) == {"genesis-missing", "rollback"}
    assert list_codes(report, "REFUSED") == ["foreign-genesis"]


# when


def test_back_dated_entry_is_refused(log: RealLog) -> None:
    """No entry is older than what it follows."""
    log.decide(time="2025-12-31T23:59:59Z")
    assert refused(log) == ["back-dated"]


def test_future_entry_is_refused(log: RealLog) -> None:
    """An entry from tomorrow does not count today."""
    log.decide(time="2099-01-01T00:00:00Z")
    assert refused(log) == ["future"]


def test_wrong_number_is_refused(log: RealLog) -> None:
    """The number is one more than the parents'."""
    log.decide(seq=9)
    assert refused(log) == ["wrong-number"]


# replays


def test_replay_from_another_repository_is_refused(log: RealLog, tmp_path: Path) -> None:
    """The same people, the same policy, another log: their approvals there say nothing here."""
    other = RealLog(RepositoryBuilder.init(tmp_path / "other"))
    other.add_policy(nonce="1" * 32)
    stranger = other.decide("alice", handoff="H-7")
    log.write(stranger, other.read(stranger))
    assert refused(log) == ["replay"]


@pytest.mark.parametrize(
    ("asked", "state"),
    [
        ({}, GateName.APPROVED),
        ({"handoff": "H-2"}, GateName.PENDING),
        ({"phase": "release"}, GateName.PENDING),
        ({"attempt": 2}, GateName.SUPERSEDED),
        ({"subject": SUBJECT.model_copy(update={"tree": "9" * 40})}, GateName.SUPERSEDED),
        ({"whole_handoff": "9" * 64}, GateName.SUPERSEDED),
        ({"edited": True}, GateName.SUPERSEDED),
    ],
)
def test_approval_counts_for_nothing_else(fresh: RealLog, asked: dict[str, Any], state: GateName) -> None:
    """Another handoff, phase, attempt, other files, other words: not approved by an entry of the first version."""
    fresh.decide("alice")
    assert fresh.judge(**asked).state is state


def change_scoped(**digests: str) -> dict[str, Any]:
    return {"subject": SCOPED.model_copy(update=digests)}


@pytest.mark.parametrize(
    ("asked", "state"),
    [
        (change_scoped(), GateName.APPROVED),
        ({"handoff": "H-2", **change_scoped()}, GateName.PENDING),
        ({"phase": "release", **change_scoped()}, GateName.PENDING),
        ({"attempt": 2, **change_scoped()}, GateName.SUPERSEDED),
        (change_scoped(scope="9" * 64), GateName.SUPERSEDED),
        (change_scoped(handoff="9" * 64), GateName.SUPERSEDED),
        (change_scoped(commit="9" * 40, tree="9" * 40, start="9" * 40), GateName.APPROVED),
        (change_scoped(snapshot="9" * 64, checks="9" * 64), GateName.APPROVED),
    ],
)
def test_approval_of_a_scope_counts_for_nothing_else(fresh: RealLog, asked: dict[str, Any], state: GateName) -> None:
    """Other files of the handoff or other words supersede it; where it was seen, and work of others, do not."""
    fresh.decide("alice", subject=SCOPED)
    assert fresh.judge(**asked).state is state


def test_approval_of_a_scope_does_not_open_a_gate_for_the_whole_tree(builder: RepositoryBuilder) -> None:
    """A gate that binds the tree closes with any other tree, and an entry of the first version never gains a scope."""
    log = RealLog(builder)
    log.begin(build_policy_toml() + 'binds = "tree"\n')
    log.decide("alice", subject=SCOPED)
    assert log.judge(**change_scoped()).state is GateName.APPROVED
    assert log.judge(**change_scoped(tree="9" * 40)).state is GateName.SUPERSEDED


@pytest.mark.parametrize("name", ["scope", "start"])
def test_scope_pointed_elsewhere_is_refused(fresh: RealLog, name: str) -> None:
    """Neither the digest of the files nor where the work began can be changed in a signed entry."""

    def change(statement: dict[str, Any]) -> None:
        subject = next(one for one in statement["subject"] if one["name"] == name)
        subject["digest"] = {kind: "9" * len(value) for kind, value in subject["digest"].items()}

    fresh.store(fresh.rewrite(fresh.decide("alice", subject=SCOPED), change))
    assert refused(fresh) == ["bad-signature"]


def drop_subject(name: str) -> Callable[[dict[str, Any]], None]:
    def change(statement: dict[str, Any]) -> None:
        statement["subject"] = [one for one in statement["subject"] if one["name"] != name]

    return change


def swap_subjects(statement: dict[str, Any]) -> None:
    subjects = statement["subject"]
    subjects[2], subjects[3] = subjects[3], subjects[2]


def relabel(kind: str) -> Callable[[dict[str, Any]], None]:
    return lambda statement: statement.update(predicateType=kind)


def weaken_scope(statement: dict[str, Any]) -> None:
    statement["subject"][2]["digest"] = {"gitTree": "5" * 40}


@pytest.mark.parametrize(
    "change",
    [
        drop_subject("scope"),
        drop_subject("start"),
        drop_subject("review"),
        swap_subjects,
        weaken_scope,
        relabel("urn:handoff-tui:decision:v1"),
        relabel("urn:handoff-tui:submission:v2"),
        relabel("urn:handoff-tui:decision:v3"),
    ],
)
def test_scoped_entry_of_another_form_is_refused_though_signed(
    fresh: RealLog, change: Callable[[dict[str, Any]], None]
) -> None:
    """Subjects left out, in another order or of another kind; one version's content under the other's name."""
    fresh.store(fresh.rewrite(fresh.decide("alice", subject=SCOPED), change, "alice"))
    assert refused(fresh) == ["bad-schema"]


def test_entry_of_the_first_version_under_the_name_of_the_second_is_refused(fresh: RealLog) -> None:
    """It would bind no scope at all."""
    fresh.store(fresh.rewrite(fresh.decide("alice"), relabel("urn:handoff-tui:decision:v2"), "alice"))
    assert refused(fresh) == ["bad-schema"]


@pytest.mark.parametrize("field", ["handoff", "phase", "attempt", "policy", "log", "parents", "time"])
def test_approval_rewritten_for_something_else_is_refused(log: RealLog, field: str) -> None:
    """No field of a signed entry can be pointed elsewhere."""
    other = "sha256:" + "5" * 64
    values: dict[str, object] = {"attempt": 2, "parents": [other], "time": "2026-01-01T01:00:00Z"}
    changed = log.rewrite(find(log, "H-2"), change_predicate(**{field: values.get(field, other)}))
    log.store(changed)
    assert refused(log) == ["bad-schema" if field in {"handoff", "phase"} else "bad-signature"]


def test_copy_with_another_signature_counts_once(log: RealLog) -> None:
    """One statement signed twice is one entry: nobody multiplies a voice or forks the log with copies."""
    payload = base64.b64decode(json.loads(log.read(find(log, "H-2")))["payload"])
    bob = build_example_key("bob")
    log.store(build_envelope(payload, [bob.sign(build_pae(payload), hash_name=b"sha256")]))
    report = log.verify()
    assert (list_codes(report), report.entries) == (["duplicate"], 3)


# keys that came and went


def test_revoked_key_makes_what_the_policy_had_not_seen_void(log: RealLog) -> None:
    """What bob signed before stays; what turns up beside the policy that dropped his key counts for nothing."""
    before = log.heads()
    log.add_policy(signers=build_signers("alice", "claude"), toml=build_policy_toml(reviewers=("alice",)))
    hidden = log.decide("bob", parents=before, policy_id=log.genesis)
    report = log.verify()
    assert (list_codes(report), report.problems[0].entry) == (["void"], hidden)
    assert find_void(log) == [hidden]


def test_revoked_key_signs_nothing_any_more(log: RealLog) -> None:
    """After the policy that dropped it, the key is unknown."""
    log.add_policy(signers=build_signers("alice", "claude"), toml=build_policy_toml(reviewers=("alice",)))
    log.decide("bob")
    assert refused(log) == ["unknown-key"]


def test_expired_key_is_refused(builder: RepositoryBuilder) -> None:
    """Outside of its window a key does not count; inside it does, however long ago that was."""
    log = RealLog(builder)
    window = build_signers("bob", valid_after="2026-01-01T00:00:00Z", valid_before="2026-01-01T00:30:00Z")
    log.begin(signers=build_signers("alice", "claude") + window)
    log.decide("bob")
    assert refused(log) == []
    log.decide("bob", time="2026-01-01T00:30:01Z")
    assert refused(log) == ["key-not-valid"]


def test_rotated_key_keeps_the_past_and_loses_the_future(log: RealLog) -> None:
    """What the old key signed stands; from the new policy on only the new key counts."""
    log.add_policy(signers=build_signers("alice", "bob/2", "claude"))
    log.decide("bob", key="bob/2", handoff="H-4")
    assert refused(log) == []
    assert log.judge(handoff="H-2").state is GateName.APPROVED
    log.decide("bob", handoff="H-5")
    assert refused(log) == ["unknown-key"]


# the policy


def test_policy_by_too_few_is_refused(builder: RepositoryBuilder) -> None:
    """Two of the root role are needed, and one is not two."""
    log = RealLog(builder)
    log.begin(build_policy_toml(root=("alice", "bob"), threshold=2), keys=("alice", "bob"))
    log.add_policy(build_policy_toml(root=("alice",)), keys=("alice",))
    report = log.verify()
    assert (list_codes(report, "REFUSED"), report.policy) == (["too-few-signatures"], log.genesis)


def test_policy_by_its_own_new_key_is_refused(log: RealLog) -> None:
    """Nobody can let themselves in."""
    toml = build_policy_toml(root=("mallory",), reviewers=("mallory",))
    log.add_policy(toml, build_signers("mallory"), ("mallory",))
    assert refused(log) == ["too-few-signatures"]
    log.policy = log.genesis
    log.add_policy(
        signers=build_signers("alice", "bob", "claude"), keys=("alice", "mallory"), parents=(find(log, "H-2"),)
    )
    assert sorted(refused(log)) == ["too-few-signatures", "unknown-key"]


def test_forked_policy_is_fatal_until_settled(log: RealLog) -> None:
    """Two successors that do not know of each other close every gate; one that saw both opens them."""
    parents = log.heads()
    left = log.add_policy(build_policy_toml(), parents=parents, previous=log.genesis)
    right = log.add_policy(
        build_policy_toml(reviewers=("alice",)), parents=parents, previous=log.genesis, time="2026-01-01T01:00:00Z"
    )
    assert list_codes(log.verify(), "FATAL") == ["policy-forked"]
    assert log.judge().state is GateName.BLOCKED
    log.add_policy(parents=(left, right), previous=max(left, right))
    assert not log.verify().fatal


@pytest.mark.parametrize(
    ("toml", "signers"),
    [
        ("version = 1\n", None),
        ("= not toml", None),
        ("version = " + "9" * 5000 + "\n", None),
        ("a = " + "[" * 5000 + "]" * 5000 + "\n", None),
        (build_policy_toml() + "\n[surprise]\n", None),
        (build_policy_toml(agents=("alice",)), None),
        (None, 'alice namespaces="handoff-log@handoff-tui" ssh-ed25519 AAAA\n'),
        (None, 'alice namespaces="handoff-log@handoff-tui" ssh-dss AAAAB3NzaC1kc3M\n'),
        (None, "* " + build_signers("alice").partition(" ")[2]),
        (None, "cert-authority " + build_signers("alice")),
    ],
)
def test_policy_that_makes_no_sense_is_refused_and_harms_nothing(
    log: RealLog, toml: str | None, signers: str | None
) -> None:
    """Whatever texts somebody signs and drops into the log: that entry is refused, the others verify."""
    log.add_policy(toml, signers)
    report = log.verify()
    assert (list_codes(report, "REFUSED"), report.fatal, report.entries) == (["bad-policy"], False, 3)


def test_policy_of_a_stranger_is_refused_unread(log: RealLog) -> None:
    """A text that would take minutes and gigabytes to read costs nothing when nobody of the root role signed it."""
    log.add_policy(".".join(["a"] * 80_000) + " = 1\n", keys=("mallory",))
    report = log.verify()
    assert (list_codes(report, "REFUSED"), report.fatal, report.entries) == (["too-few-signatures"], False, 3)


def test_edited_trust_files_are_told_and_never_used(log: RealLog) -> None:
    """Who writes himself into the copy on disk is not in the policy."""
    trust = log.folder / ".handoff-tui/trust"
    (trust / "allowed_signers").write_text(build_signers("alice", "bob", "claude", "mallory"), encoding="utf-8")
    (trust / "policy.toml").write_text(build_policy_toml(reviewers=("alice", "mallory")), encoding="utf-8")
    log.decide("mallory")
    report = log.verify()
    assert list_codes(report, "REFUSED") == ["unknown-key"]
    assert list_codes(report, "NOTE") == ["trust-drift", "trust-drift"]


# what else can lie in the log's folder


def test_torn_file_is_refused(log: RealLog) -> None:
    """Half an entry under the name of the whole one is named, and nothing else suffers."""
    other = log.decide("alice", handoff="H-8")
    content = log.read(other)
    for size in (0, 1, len(content) // 2, len(content) - 1):
        log.place(other).write_bytes(content[:size])
        report = log.verify()
        assert (list_codes(report), report.entries) == (["unsuitable-file"], 3)


@pytest.mark.parametrize("what", ["entry", "shard", "log", "own"])
def test_link_is_never_followed(log: RealLog, tmp_path: Path, what: str) -> None:
    """A link to true entries isn't an entry: in the place of a file, a shard, or the whole folder."""
    last = log.place(find(log, "H-2"))
    place = {
        "entry": last,
        "shard": last.parent,
        "log": log.folder / ".handoff-tui/log",
        "own": log.folder / ".handoff-tui",
    }[what]
    place.rename(tmp_path / "away")
    place.symlink_to(tmp_path / "away")
    report = log.verify()
    assert report.fatal
    assert {"unsuitable-file", "rollback"} <= set(list_codes(report))


def test_pipe_is_told_and_never_opened(log: RealLog) -> None:
    """A named pipe in an entry's place blocks nobody."""
    name = log.place("sha256:" + "ab" * 32)
    name.parent.mkdir(exist_ok=True)
    os.mkfifo(name)
    assert list_codes(log.verify()) == ["unsuitable-file"]


def test_foreign_files_are_told(log: RealLog) -> None:
    """What isn't an entry by its name is listed, not read."""
    folder = log.folder / ".handoff-tui/log"
    log.builder.write(".handoff-tui/log/notes.txt").write(".handoff-tui/log/ab/README.md")
    (folder / "AB").mkdir()
    report = log.verify()
    assert (set(list_codes(report)), report.fatal) == ({"unsuitable-file"}, False)
    assert {problem.entry for problem in report.problems} >= {".handoff-tui/log/notes.txt"}


@pytest.mark.parametrize("size", [256 * 1024 + 1, 64 * 1024 * 1024])
def test_oversized_file_is_refused_unread(log: RealLog, size: int) -> None:
    """A file over the limit is named; a sparse one of any size costs nothing."""
    place = log.place("sha256:" + "cd" * 32)
    place.parent.mkdir(exist_ok=True)
    with place.open("wb") as file:
        file.truncate(size)
    report = log.verify()
    assert (list_codes(report), report.entries) == (["unsuitable-file"], 3)
    assert "too large" in find_problem(report, "unsuitable-file")


@pytest.mark.parametrize(
    "bomb",
    [
        b"[" * 150_000,
        b'{"payload":' * 15_000,
        b"1" * 150_000,
        b'{"a":1e999999}',
        b'"\\ud800"',
        b"\xff\xfe" * 100,
        b"null",
        b"{}",
        b"",
    ],
)
def test_json_bomb_is_refused(log: RealLog, bomb: bytes) -> None:
    """Deep, huge or broken JSON under its right name: refused at a bounded cost, as envelope and as payload."""
    log.store(bomb + b"\n")
    signature = build_example_key("bob").sign(build_pae(bomb))
    log.store(build_envelope(bomb, [signature]))
    report = log.verify()
    assert (len(list_codes(report, "REFUSED")), report.fatal, report.entries) == (2, False, 3)


@pytest.mark.parametrize("reason", ["\x1b[2Kapproved", "a\x00b", "tab\there", "\x7f", "\x9b31m", "\r"])
def test_control_characters_are_refused(log: RealLog, reason: str) -> None:
    """A reason with control characters isn't a reason, whoever signed it."""
    last = find(log, "H-2")
    log.store(log.rewrite(last, change_predicate(decision="reject", reason=reason), "bob"))
    assert refused(log) == ["bad-schema"]


def test_what_the_log_shows_cannot_steer_the_terminal(log: RealLog) -> None:
    """Names with escape sequences and bidirectional overrides are shown as what they are."""
    log.builder.write(".handoff-tui/log/\x1b[31mred\u202e.jsonl")
    log.decide("alice", verb="hold", handoff="H-9", reason="wait \u202etxt.exe")
    for verb in (("log",), ("log", "verify"), ("log", "show", find(log, "H-9"))):
        said = say(*verb, "--repo", log.folder, environment={"NO_COLOR": "1"})
        assert said.code == 0, said.stderr
        assert "\x1b" not in said.stdout
        assert "\u202e" not in said.stdout


# git in between


def test_replaced_objects_and_grafts_are_not_believed(log: RealLog) -> None:
    """A commit or blob that git was told to replace is read as it was written."""
    builder = log.builder.commit("log")
    head, last = builder.head(), log.place(find(log, "H-2"))
    blob = builder.git("rev-parse", f"HEAD:{last.relative_to(log.folder).as_posix()}")
    empty = builder.git("commit-tree", "-m", "nothing", builder.git("mktree"))
    builder.git("replace", head, empty)
    builder.git("replace", "-f", blob, builder.git("hash-object", "-w", "--stdin", stdin=b"{}\n"))
    grafts = log.folder / ".git/info/grafts"
    grafts.parent.mkdir(exist_ok=True)
    grafts.write_text(f"{head}\n", encoding="utf-8")
    for entry in log.entries:
        log.place(entry).unlink()
    report = log.verify()
    assert (report.fatal, report.entries) == (False, 3)


def test_line_ends_and_filters_leave_entries_alone(log: RealLog, tmp_path: Path) -> None:
    """With autocrlf on, text attributes and a filter for everything, a checkout has the bytes that were signed."""
    attributes = "* text=auto eol=crlf ident\n*.txt filter=shout\n*.jsonl filter=shout\n*.toml filter=shout\n"
    builder = log.builder.write(".gitattributes", attributes).write("a.txt", "a\n")
    log.builder.write(".handoff-tui/.gitattributes", "log/** -text -ident -filter\ntrust/** -text -ident -filter\n")
    loud = "tr a-z A-Z"
    settings = ("core.autocrlf=true", f"filter.shout.clean={loud}", f"filter.shout.smudge={loud}")
    shouting = [word for setting in settings for word in ("-c", setting)]
    builder.git(*shouting, "add", "--all")
    builder.git(*shouting, "commit", "--quiet", "-m", "log")
    copy = tmp_path / "copy"
    builder.git(*shouting, "clone", "--quiet", "--template=", str(log.folder), str(copy))
    assert (copy / "a.txt").read_bytes() == b"A\r\n"
    report = verify_at(copy, pin=log.genesis)
    assert (list_codes(report), report.entries) == ([], 3)


def test_entries_that_git_changed_are_noticed(log: RealLog, tmp_path: Path) -> None:
    """Where the attributes are missing and line ends were changed, the files are named, not used."""
    builder = log.builder.write(".gitattributes", "* text eol=crlf\n").commit()
    copy = tmp_path / "copy"
    builder.git("clone", "--quiet", "--template=", str(log.folder), str(copy))
    report = verify_at(copy)
    assert list_codes(report, "REFUSED") == ["unsuitable-file"] * 3
    assert (report.fatal, report.entries) == (False, 3)  # the branch has the true ones


def test_reject_on_another_branch_counts(log: RealLog, tmp_path: Path) -> None:
    """Who hides a rejection on a branch, or brings only the approval along, gains nothing."""
    builder = log.builder.commit("log").step("checkout", "--quiet", "-b", "aside")
    log.decide("bob", verb="reject", handoff="H-1")
    builder.commit("reject").step("checkout", "--quiet", "main")
    assert not log.place(find(log, "H-1")).exists()
    gate = log.judge()
    assert (gate.state, gate.why) == (GateName.REJECTED, ("bob: reject because",))
    copy = tmp_path / "copy"
    builder.git("clone", "--quiet", "--template=", str(log.folder), str(copy))
    assert judge_at(copy).state is GateName.REJECTED


def test_repository_with_sha256_ids_works(tmp_path: Path) -> None:
    """Longer object ids: read from the work tree and from branches, compared against a commit."""
    builder = RepositoryBuilder.init(tmp_path / "long", "--object-format=sha256")
    log = RealLog(builder)
    log.begin()
    subject = SUBJECT.model_copy(update={"commit": "a" * 64, "tree": "b" * 64})
    log.decide("alice", subject=subject)
    base = builder.commit("log").head()
    assert len(base) == 64
    log.decide("bob", subject=subject)
    assert list_codes(log.verify(against=base, second_opinion=True)) == ["not-pinned"]
    log.vouch()
    for entry in list(log.entries):
        log.place(entry).unlink()
    report = log.verify(against=base)
    assert (report.entries, set(list_codes(report, "FATAL"))) == (2, {"rollback", "entry-deleted"})


# the witness


@pytest.mark.parametrize("damage", ["garbage", "other fields", "link", "pipe"])
def test_damaged_witness_is_fatal(log: RealLog, tmp_path: Path, damage: str) -> None:
    """A clone that cannot read what it has seen must not go on as if it had seen nothing."""
    witness = log.folder / ".git/handoff-tui/witness.json"
    content = witness.read_bytes()
    witness.unlink()
    if damage == "link":
        (tmp_path / "away").write_bytes(content)
        witness.symlink_to(tmp_path / "away")
    elif damage == "pipe":
        os.mkfifo(witness)
    else:
        witness.write_bytes(b"{" if damage == "garbage" else b"{}")
    report = log.verify()
    assert list_codes(report, "FATAL") == ["witness-damaged"]
    assert log.judge().state is GateName.BLOCKED


def find_void(log: RealLog) -> list[str]:
    said = say("log", "--json", "--repo", log.folder)
    return [row["id"] for row in said.json["entries"] if row["state"] == "void"]


def find_fingerprint(key: Path) -> str:
    blob = base64.b64decode(read_public(key).split(" ")[1])
    return "SHA256:" + base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")
