"""The envelope of an entry (DSSE): one line of canonical JSON around the signed payload."""

from __future__ import annotations

import binascii
import hashlib
from collections.abc import Iterable
from itertools import pairwise

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import EntryTooLargeError, EnvelopeMalformedError, KeyIdMismatchError, NotCanonicalError
from handoff_tui.log.entries import canonical
from handoff_tui.log.entries.sshsig import Signature, parse_signature

PAYLOAD_TYPE = "application/vnd.in-toto+json"
MAX_FILE_BYTES = canonical.MAX_BYTES
MAX_SIGNATURES = 16

_KEYS = {"payload", "payloadType", "signatures"}
_SIGNATURE_KEYS = {"keyid", "sig"}


class Envelope(NamedTuple):
    """The file of an entry, opened: what was signed, and by which keys it claims to be."""

    payload: bytes
    signatures: tuple[Signature, ...]


def build_pae(payload: bytes) -> bytes:
    """Returns what the signatures cover: type and payload, each with its length (DSSE's PAE)."""
    return b"DSSEv1 %d %b %d %b" % (len(PAYLOAD_TYPE), PAYLOAD_TYPE.encode(), len(payload), payload)


def build_entry_id(content: bytes) -> str:
    """Returns the name of an entry: the hash of its file."""
    return "sha256:" + hashlib.sha256(content).hexdigest()


def parse_envelope(content: bytes) -> Envelope:
    """Opens the file of an entry; refuses anything but the canonical form."""
    _check_size(content)
    if content[-1:] != b"\n":
        raise EnvelopeMalformedError("an entry ends with a newline", "The file is cut off, or is not an entry.")
    value = canonical.parse_json(content)
    if not isinstance(value, dict) or value.keys() != _KEYS:
        raise EnvelopeMalformedError("an envelope has payload, payloadType and signatures, and nothing else")
    if value["payloadType"] != PAYLOAD_TYPE:
        raise EnvelopeMalformedError(f"the type of the payload is not {PAYLOAD_TYPE}")
    payload = _parse_base64(value["payload"], "payload")
    named = _parse_signatures(value["signatures"])
    # One comparison finds everything: spaces, order, duplicate keys, escapes, base64 with stray bits.
    if _render(payload, [(signature.key.fingerprint, text) for signature, text in named]) != content:
        raise NotCanonicalError("the envelope is not in canonical form")
    return Envelope(payload, tuple(signature for signature, _ in named))


def build_envelope(payload: bytes, signatures: Iterable[bytes]) -> bytes:
    """Builds the file of an entry from its payload and its armored signatures, in any order."""
    given = tuple(signatures)
    named = {parse_signature(text).key.fingerprint: text for text in given}
    if len(named) != len(given):
        raise EnvelopeMalformedError("two signatures by the same key")
    _check_count(len(named))
    content = _render(payload, sorted(named.items()))
    _check_size(content)
    return content


def _render(payload: bytes, signatures: Iterable[tuple[str, bytes]]) -> bytes:
    """Puts canonical JSON together by hand, which is quick: nothing in it needs an escape."""
    listed = b",".join(
        b'{"keyid":"%b","sig":"%b"}' % (keyid.encode(), _build_base64(text)) for keyid, text in signatures
    )
    return b'{"payload":"%b","payloadType":"%b","signatures":[%b]}\n' % (
        _build_base64(payload),
        PAYLOAD_TYPE.encode(),
        listed,
    )


def _parse_signatures(value: canonical.Value) -> list[tuple[Signature, bytes]]:
    """Returns each signature with its armored text."""
    if not isinstance(value, list):
        raise EnvelopeMalformedError("signatures is not a list")
    _check_count(len(value))
    named = [_parse_named(item) for item in value]
    if any(first[0].key.fingerprint >= second[0].key.fingerprint for first, second in pairwise(named)):
        raise EnvelopeMalformedError("the signatures are not in the order of their keyids, or a key has signed twice")
    return named


def _parse_named(value: canonical.Value) -> tuple[Signature, bytes]:
    if not isinstance(value, dict) or value.keys() != _SIGNATURE_KEYS:
        raise EnvelopeMalformedError("a signature has keyid and sig, and nothing else")
    text = _parse_base64(value["sig"], "signature")
    signature = parse_signature(text)
    if value["keyid"] != signature.key.fingerprint:
        raise KeyIdMismatchError(f"a signature by {signature.key.fingerprint} is filed under another key")
    return signature, text


def _check_count(count: int) -> None:
    if not 1 <= count <= MAX_SIGNATURES:
        raise EnvelopeMalformedError(f"{count} signatures; an entry has 1 to {MAX_SIGNATURES}")


def _check_size(content: bytes) -> None:
    if len(content) > MAX_FILE_BYTES:
        raise EntryTooLargeError(f"an entry of {len(content)} bytes; the limit is {MAX_FILE_BYTES}")


def _parse_base64(value: canonical.Value, name: str) -> bytes:
    """Forgiving, because everything is encoded again and compared."""
    if not isinstance(value, str) or not value.isascii():
        raise EnvelopeMalformedError(f"the {name} is not base64")
    try:
        return binascii.a2b_base64(value)
    except binascii.Error as wrong:
        raise EnvelopeMalformedError(f"the {name} is not base64") from wrong


def _build_base64(data: bytes) -> bytes:
    return binascii.b2a_base64(data, newline=False)
