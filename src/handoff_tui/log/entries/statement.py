"""Entries of the log: bytes to a checked value and back. How entries fit together is for `chain` to judge."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Final

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import EntrySchemaError
from handoff_tui.log.entries import canonical, fields
from handoff_tui.log.entries.envelope import build_entry_id, build_pae, parse_envelope
from handoff_tui.log.entries.fields import Fields
from handoff_tui.log.entries.sshsig import Signature, verify_signature
from handoff_tui.log.entry import APPROVING, Decision, DecisionVerb, Entry, EntryKind, PolicyText, Subject, Work

STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
DIGESTS: Final = {"sha256": fields.SHA256, "gitCommit": fields.GIT_OBJECT, "gitTree": fields.GIT_OBJECT}
"""The grammar of each kind of digest."""
_SHARED: Final = frozenset({"actor", "parents", "seq", "time"})
_WORK: Final = _SHARED | {"attempt", "handoff", "log", "phase", "policy", "producers"}
_POLICY_SUBJECTS: Final = {"allowed_signers": "sha256", "policy.toml": "sha256"}
_WORK_SUBJECTS: Final = {
    "commit": "gitCommit",
    "tree": "gitTree",
    "baseline": "sha256",
    "snapshot": "sha256",
    "checks": "sha256",
    "handoff": "sha256",
}


_SCOPED_SUBJECTS: Final = {
    "commit": "gitCommit",
    "tree": "gitTree",
    "scope": "sha256",
    "start": "gitCommit",
    "snapshot": "sha256",
    "checks": "sha256",
    "handoff": "sha256",
}
_DECIDED: Final = _WORK | {"decision", "reason", "regards"}


class EntryForm(NamedTuple):
    """The form of one kind of entry: every field is mandatory, and there are no others."""

    kind: EntryKind
    name: str
    """For error messages."""
    fields: frozenset[str]
    subjects: Mapping[str, str]
    """Each subject's name with its kind of digest, in order."""


GENESIS: Final = EntryForm(EntryKind.POLICY, "the policy", _SHARED | {"files", "nonce", "version"}, _POLICY_SUBJECTS)
POLICY: Final = EntryForm(
    EntryKind.POLICY, "the policy", _SHARED | {"files", "log", "previous", "version"}, _POLICY_SUBJECTS
)
SUBMISSION: Final = EntryForm(EntryKind.SUBMISSION, "the submission", _WORK, _WORK_SUBJECTS)
DECISION: Final = EntryForm(EntryKind.DECISION, "the decision", _DECIDED, {**_WORK_SUBJECTS, "review": "sha256"})
SCOPED_SUBMISSION: Final = EntryForm(EntryKind.SCOPED_SUBMISSION, "the submission", _WORK, _SCOPED_SUBJECTS)
SCOPED_DECISION: Final = EntryForm(
    EntryKind.SCOPED_DECISION, "the decision", _DECIDED, {**_SCOPED_SUBJECTS, "review": "sha256"}
)
FORMS: Final = {form.kind: form for form in (POLICY, SUBMISSION, DECISION, SCOPED_SUBMISSION, SCOPED_DECISION)}
"""By kind; the first policy of a log has `GENESIS` instead."""

_STATEMENT_KEYS = frozenset({"_type", "predicate", "predicateType", "subject"})
_DESCRIPTOR_KEYS = frozenset({"digest", "name"})
_FILE_KEYS = frozenset({"allowed_signers", "policy.toml"})


class ParsedEntry(NamedTuple):
    """An entry with everything needed to check who signed it."""

    entry: Entry
    signatures: tuple[Signature, ...]
    pae: bytes
    """What the signatures cover."""


class _Parts(NamedTuple):
    """What sets the kinds of entry apart."""

    policy: PolicyText | None = None
    work: Work | None = None
    decision: Decision | None = None


def parse_entry(content: bytes) -> ParsedEntry:
    """Reads the file of an entry: envelope, fields, form of the signatures. `verify_signatures` is the next step."""
    envelope = parse_envelope(content)
    keyids = tuple(signature.key.fingerprint for signature in envelope.signatures)
    entry = parse_payload(envelope.payload, build_entry_id(content), keyids)
    return ParsedEntry(entry, envelope.signatures, build_pae(envelope.payload))


def verify_signatures(parsed: ParsedEntry) -> None:
    """Raises unless every signature fits. Whether the keys are trusted is for the chain to say."""
    for signature in parsed.signatures:
        verify_signature(signature, parsed.pae)


def parse_payload(payload: bytes, entry_id: str = "", keyids: tuple[str, ...] = ()) -> Entry:
    """Reads the signed part alone, as it is before anybody signs; says what is wrong with it."""
    statement = fields.parse_object(canonical.decode_shaped(payload), _STATEMENT_KEYS, "the statement")
    if statement["_type"] != STATEMENT_TYPE:
        raise EntrySchemaError(f"the statement's _type is not {STATEMENT_TYPE}")
    form = _find_form(statement)
    values = fields.parse_object(statement["predicate"], form.fields, form.name)
    digests = _parse_subjects(statement["subject"], form.subjects)
    return _build_entry(values, form.kind, entry_id, keyids, _PARSERS[form.kind](values, digests))


def build_payload(entry: Entry) -> bytes:
    """Returns what is to be signed; refuses an entry that could not be read back. Its id and keyids play no part."""
    payload = canonical.encode(
        {
            "_type": STATEMENT_TYPE,
            "predicate": _build_predicate(entry),
            "predicateType": entry.kind.value,
            "subject": _build_subjects(entry),
        }
    )
    if parse_payload(payload, entry.id, entry.keyids) != entry:
        raise EntrySchemaError("the entry has parts that its kind does not have")
    return payload


def _find_form(statement: Fields) -> EntryForm:
    named, predicate = statement["predicateType"], statement["predicate"]
    kind = next((kind for kind in FORMS if kind == named), None)
    if kind is None:
        raise EntrySchemaError("the predicateType is not one of this log", "A newer version may know it.")
    is_genesis = kind is EntryKind.POLICY and isinstance(predicate, dict) and "nonce" in predicate
    return GENESIS if is_genesis else FORMS[kind]


def _parse_policy(values: Fields, digests: dict[str, str]) -> _Parts:
    files = fields.parse_object(values["files"], _FILE_KEYS, "files")
    for name, digest in digests.items():
        if hashlib.sha256(fields.parse_text(files, name).encode()).hexdigest() != digest:
            raise EntrySchemaError(f"the subject {name} is not the hash of the text that is carried")
    is_genesis = "nonce" in values
    text = PolicyText(
        version=fields.parse_integer(values, "version"),
        allowed_signers=fields.parse_text(files, "allowed_signers"),
        policy_toml=fields.parse_text(files, "policy.toml"),
        previous=None if is_genesis else fields.parse_word(values, "previous", fields.ENTRY_ID),
        nonce=fields.parse_word(values, "nonce", fields.NONCE) if is_genesis else None,
    )
    return _Parts(policy=text)


def _parse_submission(values: Fields, digests: dict[str, str]) -> _Parts:
    return _Parts(work=_parse_work(values, digests))


def _parse_decision(values: Fields, digests: dict[str, str]) -> _Parts:
    try:
        verb = DecisionVerb(fields.parse_text(values, "decision"))
    except ValueError as wrong:
        raise EntrySchemaError("the decision is not one of this log", "A newer version may know it.") from wrong
    decision = Decision(
        verb=verb,
        reason=fields.parse_reason(values, "reason", mandatory=verb not in APPROVING),
        regards=fields.parse_ids(values, "regards"),
        review=digests.pop("review"),
    )
    return _Parts(work=_parse_work(values, digests), decision=decision)


_PARSERS: Mapping[EntryKind, Callable[[Fields, dict[str, str]], _Parts]] = {
    EntryKind.POLICY: _parse_policy,
    EntryKind.SUBMISSION: _parse_submission,
    EntryKind.DECISION: _parse_decision,
    EntryKind.SCOPED_SUBMISSION: _parse_submission,
    EntryKind.SCOPED_DECISION: _parse_decision,
}


def _parse_work(values: Fields, digests: dict[str, str]) -> Work:
    return Work(
        handoff=fields.parse_word(values, "handoff", fields.LABEL),
        phase=fields.parse_word(values, "phase", fields.LABEL),
        attempt=fields.parse_integer(values, "attempt", fields.MAX_ATTEMPT),
        producers=fields.parse_words(values, "producers", fields.PRINCIPAL),
        policy=fields.parse_word(values, "policy", fields.ENTRY_ID),
        subject=Subject(**digests),
    )


def _build_entry(values: Fields, kind: EntryKind, entry_id: str, keyids: tuple[str, ...], parts: _Parts) -> Entry:
    """Adds the fields that all kinds share. Only a genesis stands alone, and it is the first."""
    parents = fields.parse_ids(values, "parents")
    seq = fields.parse_integer(values, "seq")
    is_genesis = "log" not in values
    if is_genesis != (not parents) or is_genesis != (seq == 1):
        raise EntrySchemaError(
            "the genesis has no parents and the number 1, and all others have parents and a higher one"
        )
    return Entry(
        id=entry_id,
        kind=kind,
        actor=fields.parse_word(values, "actor", fields.PRINCIPAL),
        seq=seq,
        time=fields.parse_time(values, "time"),
        parents=parents,
        log=None if is_genesis else fields.parse_word(values, "log", fields.ENTRY_ID),
        keyids=keyids,
        policy=parts.policy,
        work=parts.work,
        decision=parts.decision,
    )


def _parse_subjects(value: canonical.Value, expected: Mapping[str, str]) -> dict[str, str]:
    """Returns digests by name; names, order and kinds of digest are fixed for each kind of entry."""
    if not isinstance(value, list) or len(value) != len(expected):
        raise EntrySchemaError(f"the subjects are not {', '.join(expected)}")
    digests: dict[str, str] = {}
    for item, (name, kind) in zip(value, expected.items(), strict=True):
        if not isinstance(item, dict) or item.keys() != _DESCRIPTOR_KEYS or item["name"] != name:
            raise EntrySchemaError(f"the subject {name} is out of place, or has more or less than a name and a digest")
        digest = item["digest"]
        if not isinstance(digest, dict) or len(digest) != 1 or kind not in digest:
            raise EntrySchemaError(f"the subject {name} does not have exactly one digest, {kind}")
        digests[name] = fields.parse_word(digest, kind, DIGESTS[kind])
    return digests


def _build_predicate(entry: Entry) -> Fields:
    values: Fields = {"actor": entry.actor, "parents": [*entry.parents], "seq": entry.seq, "time": entry.time}
    if entry.log is not None:
        values["log"] = entry.log
    if entry.policy is not None:
        values["files"] = {**entry.policy.files}
        values["version"] = entry.policy.version
        optional = {"previous": entry.policy.previous, "nonce": entry.policy.nonce}
        values |= {name: value for name, value in optional.items() if value is not None}
    if entry.work is not None:
        work = entry.work
        values |= {"attempt": work.attempt, "handoff": work.handoff, "phase": work.phase, "policy": work.policy}
        values["producers"] = [*work.producers]
    if entry.decision is not None:
        values |= {"decision": entry.decision.verb.value, "reason": entry.decision.reason}
        values["regards"] = [*entry.decision.regards]
    return values


def _build_subjects(entry: Entry) -> canonical.Value:
    digests: dict[str, str] = {}
    if entry.policy is not None:
        # Half a surrogate pair passes here, so that the encoder can refuse it as it does in every other field.
        texts = {"allowed_signers": entry.policy.allowed_signers, "policy.toml": entry.policy.policy_toml}
        digests |= {
            name: hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest() for name, text in texts.items()
        }
    if entry.work is not None:
        digests |= entry.work.subject.model_dump()
    if entry.decision is not None:
        digests["review"] = entry.decision.review
    bound = FORMS[entry.kind].subjects
    return [{"digest": {kind: digests[name]}, "name": name} for name, kind in bound.items() if name in digests]
