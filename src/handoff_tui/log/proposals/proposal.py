"""The file of a proposed policy, which people send to each other: what is signed, and the signatures so far."""

from __future__ import annotations

import binascii
import hashlib
import json
from collections.abc import Sequence

from handoff_tui.core.errors import LogEntryError, ProposalError, SignatureInvalidError
from handoff_tui.core.model import dataclass
from handoff_tui.log.entries import canonical
from handoff_tui.log.entries.envelope import PAYLOAD_TYPE, build_pae
from handoff_tui.log.entries.sshsig import parse_signature, re_armor, verify_signature
from handoff_tui.log.entries.statement import parse_payload
from handoff_tui.log.entry import Entry, PolicyText

SCHEMA = "handoff-tui/policy-proposal/v1"
MAX_BYTES = 1024 * 1024
_KEYS = frozenset({"schema", "payloadType", "payload", "signatures"})
_SIGNATURE_KEYS = frozenset({"keyid", "sig"})


@dataclass(frozen=True, slots=True)
class Proposal:
    """A policy entry before it is in the log. Every signature was checked."""

    payload: bytes
    entry: Entry
    """Without an id, which is known once all have signed."""
    text: PolicyText
    signatures: dict[str, bytes]
    """Armored, by the fingerprint of the key."""

    @property
    def digest(self) -> str:
        return "sha256:" + hashlib.sha256(self.payload).hexdigest()

    @property
    def keyids(self) -> tuple[str, ...]:
        return tuple(sorted(self.signatures))


def build_proposal(payload: bytes, signatures: Sequence[bytes] = ()) -> Proposal:
    """Checks that the payload is a policy that succeeds another, and that each signature matches."""
    entry = parse_payload(payload)
    if entry.policy is None or entry.policy.previous is None:
        raise ProposalError("it does not propose a new policy")
    checked: dict[str, bytes] = {}
    for given in signatures:
        armored = re_armor(given)
        signature = parse_signature(armored)
        verify_signature(signature, build_pae(payload))
        checked[signature.key.fingerprint] = armored
    return Proposal(payload, entry, entry.policy, checked)


def merge_proposals(proposals: Sequence[Proposal]) -> Proposal:
    """Merges copies that different people have signed; they must propose exactly the same."""
    first = proposals[0]
    for other in proposals[1:]:
        if other.payload != first.payload:
            raise ProposalError(
                f"the files propose different policies: {first.digest} and {other.digest}",
                "Seal them one by one; only copies of one proposal can be merged.",
            )
    signatures = [armored for proposal in proposals for armored in proposal.signatures.values()]
    return build_proposal(first.payload, signatures)


def add_signature(proposal: Proposal, armored: bytes) -> Proposal:
    return build_proposal(proposal.payload, (*proposal.signatures.values(), armored))


def render_proposal(proposal: Proposal) -> bytes:
    """Writes the file."""
    value = {
        "schema": SCHEMA,
        "payloadType": PAYLOAD_TYPE,
        "payload": _encode(proposal.payload),
        "signatures": [{"keyid": keyid, "sig": _encode(proposal.signatures[keyid])} for keyid in proposal.keyids],
    }
    return (json.dumps(value, indent=2) + "\n").encode()


def parse_proposal(content: bytes) -> Proposal:
    """Reads a file that somebody sent; refuses anything but a proposal whose signatures all match."""
    try:
        value = canonical.parse_json(content, max_bytes=MAX_BYTES)
        payload, signatures = _parse_fields(value)
        return build_proposal(payload, signatures)
    except SignatureInvalidError as wrong:
        raise ProposalError(wrong.message, "It was changed after it was signed. Ask for the file again.") from wrong
    except LogEntryError as wrong:
        raise ProposalError(f"it is not a policy proposal: {wrong.message}", wrong.hint) from wrong


def _parse_fields(value: canonical.Value) -> tuple[bytes, list[bytes]]:
    if not isinstance(value, dict) or value.keys() != _KEYS or value["schema"] != SCHEMA:
        raise ProposalError(
            f"it is not a policy proposal: schema is not {SCHEMA}, or it has other fields",
            "`handoff-tui policy propose` makes such a file.",
        )
    if value["payloadType"] != PAYLOAD_TYPE:
        raise ProposalError(f"it is not a policy proposal: the payload's type is not {PAYLOAD_TYPE}")
    listed = value["signatures"]
    if not isinstance(listed, list):
        raise ProposalError("it is not a policy proposal: signatures is not a list")
    return _decode(value["payload"]), [_parse_signature(item) for item in listed]


def _parse_signature(item: canonical.Value) -> bytes:
    if not isinstance(item, dict) or item.keys() != _SIGNATURE_KEYS:
        raise ProposalError("it is not a policy proposal: a signature has keyid and sig, and nothing else")
    armored = _decode(item["sig"])
    if item["keyid"] != parse_signature(re_armor(armored)).key.fingerprint:
        raise ProposalError("a signature is filed under another key")
    return armored


def _encode(data: bytes) -> str:
    return binascii.b2a_base64(data, newline=False).decode()


def _decode(value: canonical.Value) -> bytes:
    if isinstance(value, str) and value.isascii():
        try:
            return binascii.a2b_base64(value, strict_mode=True)
        except binascii.Error:
            pass
    raise ProposalError("it is not a policy proposal: a part of it is not base64")
