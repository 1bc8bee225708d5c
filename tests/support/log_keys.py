"""Keys of every accepted type that sign without ssh-keygen, and signed log entries made from any value."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from handoff_tui.log.entries import canonical
from handoff_tui.log.entries.envelope import build_envelope, build_pae
from handoff_tui.log.entries.public_keys import KeyType, PublicKey, build_string, parse_key_blob
from handoff_tui.log.entries.sshsig import armor, build_signature_blob, build_signed_data

PrivateKey = Ed25519PrivateKey | ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey
APPLICATION = b"ssh:handoff"

_CURVES: dict[KeyType, tuple[ec.EllipticCurve, hashes.HashAlgorithm]] = {
    KeyType.ECDSA_256: (ec.SECP256R1(), hashes.SHA256()),
    KeyType.SK_ECDSA: (ec.SECP256R1(), hashes.SHA256()),
    KeyType.ECDSA_384: (ec.SECP384R1(), hashes.SHA384()),
    KeyType.ECDSA_521: (ec.SECP521R1(), hashes.SHA512()),
}


class LogKey:
    """A private key of some type that signs for the log."""

    def __init__(self, kind: KeyType, private: PrivateKey) -> None:
        self.private = private
        self.public = build_public_key(kind, private)

    @property
    def fingerprint(self) -> str:
        return self.public.fingerprint

    def sign(self, message: bytes, *, hash_name: bytes = b"sha512", flags: int = 1, counter: int = 7) -> bytes:
        """The armored signature over a message, as `ssh-keygen -Y sign` makes it."""
        inner = self.sign_inner(build_signed_data(message, hash_name), flags=flags, counter=counter)
        return armor(build_signature_blob(self.public, inner, hash_name))

    def sign_inner(
        self, signed: bytes, *, flags: int = 1, counter: int = 7, rsa_name: bytes = b"rsa-sha2-512"
    ) -> bytes:
        """The key's own signature over what an SSHSIG covers."""
        kind = self.public.type
        more = b""
        if self.public.is_security_key:
            more = flags.to_bytes(1, "big") + counter.to_bytes(4, "big")
            application = hashlib.sha256(self.public.application).digest()
            signed = application + more + hashlib.sha256(signed).digest()
        name = rsa_name if kind is KeyType.RSA else kind.encode()
        return build_string(name) + build_string(self._sign_value(signed, name)) + more

    def _sign_value(self, signed: bytes, name: bytes) -> bytes:
        if isinstance(self.private, Ed25519PrivateKey):
            return self.private.sign(signed)
        if isinstance(self.private, rsa.RSAPrivateKey):
            digest = hashes.SHA512() if name == b"rsa-sha2-512" else hashes.SHA256()
            return self.private.sign(signed, padding.PKCS1v15(), digest)
        pair = decode_dss_signature(self.private.sign(signed, ec.ECDSA(_CURVES[self.public.type][1])))
        return b"".join(build_string(build_number(number)) for number in pair)


def build_number(number: int) -> bytes:
    """A positive number as SSH writes it, without its length."""
    return number.to_bytes(number.bit_length() // 8 + 1, "big") if number else b""


def build_public_key(kind: KeyType, private: PrivateKey, application: bytes = APPLICATION) -> PublicKey:
    parts = [kind.encode()]
    if isinstance(private, rsa.RSAPrivateKey):
        numbers = private.public_key().public_numbers()
        parts += [build_number(numbers.e), build_number(numbers.n)]
    elif isinstance(private, Ed25519PrivateKey):
        parts += [private.public_key().public_bytes_raw()]
    else:
        point = private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        parts += [b"nistp" + str(private.curve.key_size).encode(), point]
    if kind in {KeyType.SK_ED25519, KeyType.SK_ECDSA}:
        parts += [application]
    return parse_key_blob(b"".join(map(build_string, parts)))


@cache
def build_example_key(name: str) -> LogKey:
    """The Ed25519 key of alice, bob or claude in the golden vectors, or of any other name."""
    seed = hashlib.sha256(f"handoff_tui example key: {name}".encode()).digest()
    return LogKey(KeyType.ED25519, Ed25519PrivateKey.from_private_bytes(seed))


@cache
def build_key(kind: KeyType, number: int = 1) -> LogKey:
    """The first key of a type, or another, the same for a whole run: making one of RSA takes a while."""
    return LogKey(kind, _MAKERS[kind]())


def _make_curve_key(kind: KeyType) -> Callable[[], PrivateKey]:
    return lambda: ec.generate_private_key(_CURVES[kind][0])


_MAKERS: dict[KeyType, Callable[[], PrivateKey]] = {
    KeyType.ED25519: Ed25519PrivateKey.generate,
    KeyType.SK_ED25519: Ed25519PrivateKey.generate,
    KeyType.RSA: lambda: rsa.generate_private_key(65537, 2048),
    **{kind: _make_curve_key(kind) for kind in _CURVES},
}


GOLDEN = Path(__file__).resolve().parents[1] / "data" / "golden_log"
IDS: dict[str, str] = json.loads((GOLDEN / "ids.json").read_text(encoding="utf-8"))


def read_golden(name: str) -> bytes:
    """The golden file of `genesis`, `decision`, `scoped_submission` or `scoped_decision`."""
    return (GOLDEN / f"{IDS[name].removeprefix('sha256:')}.intoto.jsonl").read_bytes()


def sign_payload(payload: bytes, *keys: LogKey) -> bytes:
    """The file of an entry, signed by some keys; by alice where none is named."""
    pae = build_pae(payload)
    return build_envelope(payload, [key.sign(pae) for key in keys or (build_example_key("alice"),)])


def sign_statement(statement: Any, *keys: LogKey) -> bytes:  # noqa: ANN401 - also what no entry may be
    """As `sign_payload`, from the value of a payload, right or wrong."""
    return sign_payload(canonical.encode(statement), *keys)


def build_statement(kind: str = "decision", **predicate: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
    """The value of a right payload, with some fields of its predicate replaced."""
    if kind == "genesis":
        statement = _load_payload("genesis")
    elif kind == "policy":
        statement = _load_payload("genesis")
        del statement["predicate"]["nonce"]
        log = IDS["genesis"]
        statement["predicate"] |= {"log": log, "previous": log, "parents": [log], "seq": 2, "version": 2}
    elif kind in {"scoped_submission", "scoped_decision"}:
        statement = _load_payload(kind)
    else:
        statement = _load_payload("decision")
        if kind == "submission":
            statement["predicateType"] = "urn:handoff-tui:submission:v1"
            statement["subject"].pop()
            for name in ("decision", "reason", "regards"):
                del statement["predicate"][name]
    statement["predicate"] |= predicate
    return statement


def _load_payload(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(base64.b64decode(json.loads(read_golden(name))["payload"]))
    return value
