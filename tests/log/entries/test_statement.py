"""Entries: bytes to values and back."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf import json_format  # type: ignore[import-untyped]
from in_toto_attestation.v1.statement import Statement  # type: ignore[import-untyped]
from in_toto_attestation.v1.statement_pb2 import Statement as StatementMessage  # type: ignore[import-untyped]
from securesystemslib.dsse import Envelope

from handoff_tui.core.errors import (
    EntrySchemaError,
    EntryTooLargeError,
    EnvelopeMalformedError,
    LogEntryError,
    NotCanonicalError,
    SignatureInvalidError,
)
from handoff_tui.log.entries import canonical
from handoff_tui.log.entries.envelope import build_envelope
from handoff_tui.log.entries.public_keys import KeyType
from handoff_tui.log.entries.statement import build_payload, parse_entry, parse_payload, verify_signatures
from handoff_tui.log.entry import DecisionVerb, Entry, EntryKind
from tests.support.log_keys import (
    GOLDEN,
    IDS,
    build_example_key,
    build_key,
    build_statement,
    read_golden,
    sign_payload,
    sign_statement,
)

KINDS = ("genesis", "policy", "submission", "decision")
ALICE, BOB = build_example_key("alice"), build_example_key("bob")
WRONG_FIELDS: list[canonical.Value] = ["", "\n", 0, True, [], {}, [1], [""], {"a": "b"}, [[]]]
WRONG_PARTS: list[canonical.Value] = ["", "x", 1, True, [], {}, [{}], [[]]]
SIGNERS = {"genesis": (ALICE, BOB), "decision": (ALICE,)}


@pytest.mark.parametrize("name", ["genesis", "decision"])
def test_golden_file_is_read_and_written_again(name: str) -> None:
    """Byte for byte: value, payload, signatures by the golden keys, file, id."""
    content = read_golden(name)
    parsed = parse_entry(content)
    verify_signatures(parsed)
    assert parsed.entry.id == IDS[name]
    payload = build_payload(parsed.entry)
    signatures = [key.sign(parsed.pae) for key in SIGNERS[name]]
    assert build_envelope(payload, reversed(signatures)) == content


def test_golden_decision_says_what_is_in_it() -> None:
    """Every field at its place in the model."""
    parsed = parse_entry(read_golden("decision"))
    entry = parsed.entry
    assert parsed.pae == (GOLDEN / "decision.pae").read_bytes()
    assert build_payload(entry) == (GOLDEN / "decision.payload").read_bytes()
    assert (entry.kind, entry.actor, entry.seq, entry.time) == (
        EntryKind.DECISION,
        "alice@example.com",
        2,
        "2026-09-21T15:06:40Z",
    )
    assert entry.parents == (IDS["genesis"],)
    assert (entry.log, entry.policy, entry.keyids) == (IDS["genesis"], None, (ALICE.fingerprint,))
    assert entry.work is not None
    assert entry.decision is not None
    subject = {name: IDS[name] for name in ("commit", "tree", "baseline", "snapshot", "checks", "handoff")}
    assert entry.work.subject.model_dump(exclude={"scope", "start"}) == subject
    assert entry.work.producers == ("claude@agents.example",)
    assert (entry.decision.verb, entry.decision.review) == (DecisionVerb.APPROVE, IDS["review"])


def test_golden_genesis_stands_alone() -> None:
    """It has a nonce, and neither a log nor a predecessor nor parents."""
    entry = parse_entry(read_golden("genesis")).entry
    assert (entry.log, entry.parents, entry.seq) == (None, (), 1)
    assert entry.policy is not None
    assert (entry.policy.previous, entry.policy.nonce) == (None, "00112233445566778899aabbccddeeff")
    assert entry.keyids == tuple(sorted([ALICE.fingerprint, BOB.fingerprint]))


@pytest.mark.parametrize("kind", KINDS)
def test_entry_of_every_kind_comes_back(kind: str) -> None:
    """Read, built again, the same bytes; without a signature too."""
    content = sign_statement(build_statement(kind), ALICE, BOB)
    parsed = parse_entry(content)
    verify_signatures(parsed)
    payload = build_payload(parsed.entry)
    assert sign_payload(payload, BOB, ALICE) == content
    assert parse_payload(payload) == parsed.entry.model_copy(update={"id": "", "keyids": ()})


@pytest.mark.parametrize("kind", KeyType)
def test_entry_by_a_key_of_every_type_is_verified(kind: KeyType) -> None:
    """And a signature for other content is not."""
    content = sign_statement(build_statement(), build_key(kind))
    verify_signatures(parse_entry(content))
    other = build_statement(reason="another")
    stolen = base64.b64decode(json.loads(content)["signatures"][0]["sig"])
    with pytest.raises(SignatureInvalidError):
        verify_signatures(parse_entry(build_envelope(canonical.encode(other), [stolen])))


def test_one_wrong_signature_of_two_is_noticed() -> None:
    """All must fit, not one of them."""
    payload = canonical.encode(build_statement("genesis"))
    pae = parse_entry(sign_payload(payload)).pae
    content = build_envelope(payload, [ALICE.sign(pae), BOB.sign(pae + b" ")])
    with pytest.raises(SignatureInvalidError, match=BOB.fingerprint.replace("+", ".")):
        verify_signatures(parse_entry(content))


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_mandatory_and_no_other_is_allowed(kind: str) -> None:
    """In the statement, the predicate, the subjects and the files, though properly signed."""
    for path in ((), ("predicate",), ("subject", 0), ("subject", 1, "digest"), ("predicate", "files")):
        if path == ("predicate", "files") and kind in {"submission", "decision"}:
            continue
        names = list(find(build_statement(kind), path))
        for name in [*names, None]:
            statement = build_statement(kind)
            part = find(statement, path)
            if name is None:
                part["extra"] = "x"
            else:
                del part[name]
            with pytest.raises(EntrySchemaError):
                parse_entry(sign_statement(statement))


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_has_one_type(kind: str) -> None:
    """A text isn't a list and a boolean isn't a number, wherever it is."""
    for name in build_statement(kind)["predicate"]:
        right = build_statement(kind)["predicate"][name]
        for wrong in WRONG_FIELDS:
            if type(wrong) is type(right) and not isinstance(wrong, str | int) and not wrong:
                continue
            if name == "reason" and isinstance(wrong, str):
                continue
            with pytest.raises(EntrySchemaError):
                parse_entry(sign_statement(build_statement(kind, **{name: wrong})))
    for name in ("_type", "predicateType", "subject", "predicate"):
        for wrong in WRONG_PARTS:
            with pytest.raises(EntrySchemaError):
                parse_entry(sign_statement(build_statement(kind) | {name: wrong}))


def find(value: Any, path: tuple[str | int, ...]) -> Any:  # noqa: ANN401 - a part of a statement, of any type
    for step in path:
        value = value[step]
    return value


def swap_subjects(statement: dict[str, Any]) -> None:
    statement["subject"][0], statement["subject"][1] = statement["subject"][1], statement["subject"][0]


SUBJECT_EDITS: list[Callable[[dict[str, Any]], object]] = [
    swap_subjects,
    lambda statement: statement["subject"].pop(),
    lambda statement: statement["subject"].append(statement["subject"][0]),
    lambda statement: statement["subject"].insert(1, statement["subject"][0]),
    lambda statement: statement["subject"][0].update(name="Commit"),
    lambda statement: statement["subject"][0].update(digest={"sha256": "f" * 40}),
    lambda statement: statement["subject"][0].update(digest={"sha1": "f" * 40}),
    lambda statement: statement["subject"][1].update(digest={"gitCommit": "f" * 40}),
    lambda statement: statement["subject"][1].update(digest={"gitTree": "f" * 41}),
    lambda statement: statement["subject"][1].update(digest={"gitTree": "F" * 40}),
    lambda statement: statement["subject"][1].update(digest={"gitTree": "f" * 40, "sha256": "f" * 64}),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("edit", SUBJECT_EDITS)
def test_subjects_have_their_names_order_and_digests(kind: str, edit: Callable[[dict[str, Any]], object]) -> None:
    """Swapped, left out, doubled, renamed, or with another hash: refused."""
    statement = build_statement(kind)
    edit(statement)
    with pytest.raises(EntrySchemaError):
        parse_entry(sign_statement(statement))


def test_submission_has_no_review_and_a_decision_must() -> None:
    """The seventh subject belongs to decisions alone."""
    submission, decision = build_statement("submission"), build_statement()
    submission["subject"].append(decision["subject"].pop())
    for statement in (submission, decision):
        with pytest.raises(EntrySchemaError, match="subjects"):
            parse_entry(sign_statement(statement))


def test_kind_cannot_be_exchanged() -> None:
    """A submission under a decision's type, or the reverse, is neither."""
    for kind in KINDS:
        for other in EntryKind:
            statement = build_statement(kind)
            if statement["predicateType"] != other:
                with pytest.raises(EntrySchemaError):
                    parse_entry(sign_statement(statement | {"predicateType": other.value}))
    with pytest.raises(EntrySchemaError, match="predicateType"):
        parse_entry(sign_statement(build_statement() | {"predicateType": "urn:handoff-tui:decision:v9"}))


def test_entries_of_sha256_repositories_are_read() -> None:
    """Commits and trees may have 64 digits."""
    statement = build_statement()
    statement["subject"][0]["digest"]["gitCommit"] = "a" * 64
    statement["subject"][1]["digest"]["gitTree"] = "b" * 64
    parsed = parse_entry(sign_statement(statement))
    verify_signatures(parsed)
    assert parsed.entry.work is not None
    assert parsed.entry.work.subject.commit == "a" * 64
    assert build_payload(parsed.entry) == canonical.encode(statement)


@pytest.mark.parametrize("name", ["allowed_signers", "policy.toml"])
def test_policy_subjects_are_the_hashes_of_the_texts(name: str) -> None:
    """A text that was changed without its digest is refused; with it, it is read."""
    statement = build_statement("genesis")
    text = "# ö\n" + statement["predicate"]["files"][name]
    statement["predicate"]["files"][name] = text
    with pytest.raises(EntrySchemaError, match=name):
        parse_entry(sign_statement(statement))
    index = ["allowed_signers", "policy.toml"].index(name)
    statement["subject"][index]["digest"]["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    assert build_payload(parse_entry(sign_statement(statement)).entry) == canonical.encode(statement)


GENESIS = IDS["genesis"]


@pytest.mark.parametrize(
    ("kind", "changed"),
    [
        ("genesis", {"parents": [GENESIS]}),
        ("genesis", {"seq": 2}),
        ("genesis", {"log": GENESIS}),
        ("genesis", {"previous": GENESIS}),
        ("genesis", {"nonce": "0" * 31}),
        ("genesis", {"nonce": "A" * 32}),
        ("genesis", {"version": 0}),
        ("policy", {"nonce": "0" * 32}),
        ("policy", {"parents": []}),
        ("policy", {"seq": 1}),
        ("policy", {"previous": GENESIS.removeprefix("sha256:")}),
        ("submission", {"parents": []}),
        ("submission", {"seq": 1}),
        ("submission", {"reason": "x"}),
        ("submission", {"attempt": 0}),
        ("submission", {"attempt": 1_000_001}),
        ("submission", {"attempt": True}),
        ("decision", {"parents": [GENESIS, GENESIS]}),
        ("decision", {"parents": [GENESIS, "sha256:" + "0" * 64]}),
        ("decision", {"regards": ["sha256:" + "f" * 64, GENESIS]}),
        ("decision", {"decision": "Approve"}),
        ("decision", {"decision": "yes"}),
        ("decision", {"handoff": "../etc"}),
        ("decision", {"phase": ""}),
        ("decision", {"actor": "alice smith"}),
        ("decision", {"producers": ["*"]}),
        ("decision", {"policy": "sha256:"}),
        ("decision", {"time": "2026-02-30T00:00:00Z"}),
        ("decision", {"reason": "\x1b[2J"}),
        ("decision", {"reason": "x" * 4001}),
    ],
)
def test_field_out_of_its_grammar_is_refused(kind: str, changed: dict[str, Any]) -> None:
    """Each one, though properly signed."""
    with pytest.raises(EntrySchemaError):
        parse_entry(sign_statement(build_statement(kind, **changed)))


@pytest.mark.parametrize("verb", DecisionVerb)
def test_reason_is_mandatory_but_for_approve_and_carry(verb: DecisionVerb) -> None:
    """A blank one is as good as none."""
    assert parse_entry(sign_statement(build_statement(decision=verb.value, reason="because")))
    for blank in ("", "  \n"):
        content = sign_statement(build_statement(decision=verb.value, reason=blank))
        if verb in {DecisionVerb.APPROVE, DecisionVerb.CARRY}:
            assert parse_entry(content)
        else:
            with pytest.raises(EntrySchemaError, match="reason"):
                parse_entry(content)


def test_producers_need_no_order() -> None:
    """The format sorts parents and regards, and leaves the producers as they were named."""
    producers = ["b@example.com", "a@example.com"]
    entry = parse_entry(sign_statement(build_statement(producers=producers))).entry
    assert entry.work is not None
    assert list(entry.work.producers) == producers


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"[]",
        b'{"a":1}',
        json.dumps(build_statement()).encode(),
        canonical.encode(build_statement()) + b"\n",
        canonical.encode(build_statement()).replace(b'"seq":2', b'"seq":2.0'),
        canonical.encode(build_statement()).replace(b'"seq":2', b'"seq":2,"seq":2'),
        canonical.encode(build_statement()).replace(b'"regards":[]', b'"regards":null'),
    ],
)
def test_payload_that_is_not_canonical_is_refused_though_signed(payload: bytes) -> None:
    """The signature makes nothing right."""
    with pytest.raises((NotCanonicalError, EntrySchemaError)):
        parse_entry(sign_payload(payload))


def read_entry(kind: str) -> Entry:
    return parse_payload(canonical.encode(build_statement(kind)))


@pytest.mark.parametrize(
    ("kind", "update"),
    [
        ("decision", {"kind": EntryKind.SUBMISSION}),
        ("decision", {"decision": None}),
        ("decision", {"work": None}),
        ("decision", {"log": None}),
        ("decision", {"actor": "alice smith"}),
        ("decision", {"parents": ()}),
        ("decision", {"time": "yesterday"}),
        ("submission", {"kind": EntryKind.DECISION}),
        ("submission", {"policy": read_entry("genesis").policy}),
        ("genesis", {"work": read_entry("submission").work}),
        ("genesis", {"policy": None}),
        ("policy", {"log": None}),
    ],
)
def test_entry_that_could_not_be_read_back_is_not_built(kind: str, update: dict[str, Any]) -> None:
    """Nobody is asked to sign what would be refused."""
    with pytest.raises(EntrySchemaError):
        build_payload(read_entry(kind).model_copy(update=update))


def test_text_with_half_a_pair_is_not_built() -> None:
    """Neither in a reason nor in a policy's text."""
    decision, policy = read_entry("decision"), read_entry("genesis")
    assert decision.decision is not None
    assert policy.policy is not None
    broken = [
        decision.model_copy(update={"decision": decision.decision.model_copy(update={"reason": "\ud800"})}),
        policy.model_copy(update={"policy": policy.policy.model_copy(update={"policy_toml": "\udfff"})}),
    ]
    for entry in broken:
        with pytest.raises(NotCanonicalError):
            build_payload(entry)


def test_file_is_not_built_without_signatures_or_over_the_limit() -> None:
    """What could not be read back is not written."""
    payload = canonical.encode(build_statement())
    with pytest.raises(EnvelopeMalformedError):
        build_envelope(payload, [])
    with pytest.raises(EntryTooLargeError):
        build_envelope(b"x" * 256 * 1024, [ALICE.sign(b"")])


@pytest.mark.parametrize("kind", KINDS)
def test_other_programs_read_what_we_write(kind: str) -> None:
    """securesystemslib takes the envelope apart as we do, and in-toto's own library finds a valid statement inside."""
    content = sign_statement(build_statement(kind), ALICE, BOB)
    parsed = parse_entry(content)
    envelope = Envelope.from_dict(json.loads(content))
    assert envelope.pae() == parsed.pae
    assert envelope.payload_type == "application/vnd.in-toto+json"
    assert tuple(envelope.signatures) == parsed.entry.keyids
    statement = Statement.copy_from_pb(json_format.Parse(envelope.payload, StatementMessage()))
    statement.validate()
    assert statement.pb.predicate_type == parsed.entry.kind
    assert statement.pb.predicate["actor"] == parsed.entry.actor
    assert [subject.name for subject in statement.pb.subject] == [
        subject["name"] for subject in build_statement(kind)["subject"]
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"seq":2', b'"seq": 2'),
        (b'"seq":2', b'"seq":02'),
        (b'"seq":2', b'"seq":9007199254740992'),
        (b"checks green", b"checks\\u0020green"),
        (b"checks green", b"checks\\/green"),
        (b"checks green", b"checks\\tgreen"),
        (b"checks green", b"checks\ngreen"),
        (b"checks green", b"checks\\ud800green"),
        (b"checks green", b"checks\xed\xa0\x80green"),
        (b"checks green", b"checks\xffgreen"),
        (b"in-toto.io", b"in-totoxio"),
    ],
)
def test_escapes_and_numbers_have_one_form(old: bytes, new: bytes) -> None:
    """Bytes that other JSON readers take for the same value are refused."""
    payload = (GOLDEN / "decision.payload").read_bytes()
    changed = payload.replace(old, new, 1)
    assert changed != payload
    with pytest.raises(LogEntryError):
        parse_payload(changed)
