"""OpenSSH signatures (SSHSIG): armor, strict reading, and whether they match a message."""

from __future__ import annotations

import binascii
import hashlib

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import (
    EntryTooLargeError,
    SignatureForeignError,
    SignatureInvalidError,
    SignatureMalformedError,
)
from handoff_tui.core.namespace import NAMESPACE
from handoff_tui.log.entries.public_keys import (
    EDWARDS_TYPES,
    KeyType,
    PublicKey,
    WireReader,
    build_string,
    parse_key_blob,
)

MAX_ARMOR_BYTES = 64 * 1024

_BEGIN = b"-----BEGIN SSH SIGNATURE-----\n"
_END = b"-----END SSH SIGNATURE-----\n"
_COLUMNS = 70
_MAGIC = b"SSHSIG"
_VERSION = 1
_HASHES = {b"sha512": hashlib.sha512, b"sha256": hashlib.sha256}
_RSA_ALGORITHMS = frozenset({b"rsa-sha2-512", b"rsa-sha2-256"})
_EDWARDS_BYTES = 64
_USER_PRESENT = 0x01
_REMAKE = "Sign again with `ssh-keygen -Y sign -n handoff-log@handoff-tui`."


class Signature(NamedTuple):
    """A signature as read; whether it matches anything is another question."""

    key: PublicKey
    hash_name: bytes
    algorithm: bytes
    value: bytes
    """The signature proper, made by the key's own algorithm."""
    flags: int | None = None
    """Only security keys have flags and a counter."""
    counter: int | None = None

    @property
    def user_present(self) -> bool:
        """Whether a security key says it was touched; other keys cannot tell."""
        return self.flags is not None and bool(self.flags & _USER_PRESENT)


def armor(blob: bytes) -> bytes:
    """Writes the text form exactly as ssh-keygen does."""
    text = binascii.b2a_base64(blob, newline=False)
    lines = [text[start : start + _COLUMNS] for start in range(0, len(text), _COLUMNS)]
    return b"\n".join([_BEGIN.removesuffix(b"\n"), *lines, _END])


def unarmor(text: bytes) -> bytes:
    """Reads the text form; refuses any form but that of `armor`."""
    blob = _parse_base64(text, text[len(_BEGIN) : -len(_END)])
    if armor(blob) != text:
        raise SignatureMalformedError("the signature is not written exactly as ssh-keygen writes it", _REMAKE)
    return blob


def re_armor(text: bytes) -> bytes:
    """Rewrites what another signer returned (other columns, CRLF, spaces around) as `armor` would."""
    stripped = text.strip()
    begin, end = _BEGIN.strip(), _END.strip()
    if not (stripped.startswith(begin) and stripped.endswith(end)):
        raise SignatureMalformedError("what the signer returned is not an SSH signature", _REMAKE)
    body = b"".join(stripped[len(begin) : -len(end)].split())
    blob = _parse_base64(text, body)
    if binascii.b2a_base64(blob, newline=False) != body:
        raise SignatureMalformedError("what the signer returned is not base64", _REMAKE)
    return armor(blob)


def parse_signature(text: bytes) -> Signature:
    """Reads a signature in text form, made for this log and by an accepted type of key."""
    return parse_signature_blob(unarmor(text))


def parse_signature_blob(blob: bytes) -> Signature:
    if blob[: len(_MAGIC)] != _MAGIC:
        raise SignatureMalformedError("not an SSH signature", _REMAKE)
    reader = WireReader(blob, SignatureMalformedError, len(_MAGIC))
    if reader.take_integer(4) != _VERSION:
        raise SignatureMalformedError("an SSH signature of another version than 1")
    key_blob = reader.take_string()
    namespace = reader.take_string()
    reserved = reader.take_string()
    hash_name = reader.take_string()
    inner = reader.take_string()
    reader.finish()
    if namespace != NAMESPACE.encode():
        shown = ascii(namespace[:60].decode("latin-1"))
        raise SignatureForeignError(f"the signature was made for {shown}, not for this log", _REMAKE)
    if reserved:
        raise SignatureMalformedError("the reserved field of the signature is not empty")
    if hash_name not in _HASHES:
        raise SignatureMalformedError("the signature's hash is neither sha512 nor sha256")
    return _parse_inner(parse_key_blob(key_blob), hash_name, inner)


def verify_signature(signature: Signature, message: bytes) -> None:
    """Raises unless the signature's own key made it for this message."""
    # Imported here: reading the log must not pay for the package.
    from handoff_tui.log.entries.primitives import is_valid  # noqa: PLC0415

    signed = build_signed_data(message, signature.hash_name)
    if signature.flags is not None and signature.counter is not None:
        signed = b"".join(
            [
                hashlib.sha256(signature.key.application).digest(),
                signature.flags.to_bytes(1, "big"),
                signature.counter.to_bytes(4, "big"),
                hashlib.sha256(signed).digest(),
            ]
        )
    if not is_valid(signature.key, signature.algorithm, signature.value, signed):
        raise SignatureInvalidError(
            f"the signature by {signature.key.fingerprint} does not match the content",
            "The content or the signature was changed after signing.",
        )


def build_signed_data(message: bytes, hash_name: bytes = b"sha512") -> bytes:
    """Returns what is really signed: namespace, hash and digest, so that no signature serves two purposes."""
    digest = _HASHES[hash_name](message).digest()
    parts = (NAMESPACE.encode(), b"", hash_name, digest)
    return _MAGIC + b"".join(map(build_string, parts))


def build_signature_blob(key: PublicKey, inner: bytes, hash_name: bytes = b"sha512") -> bytes:
    """Builds an SSHSIG around what a key made of `build_signed_data`."""
    parts = (key.blob, NAMESPACE.encode(), b"", hash_name, inner)
    return _MAGIC + _VERSION.to_bytes(4, "big") + b"".join(map(build_string, parts))


def _parse_inner(key: PublicKey, hash_name: bytes, inner: bytes) -> Signature:
    """Reads the part that depends on the type of key."""
    reader = WireReader(inner, SignatureMalformedError)
    algorithm = reader.take_string()
    if algorithm not in _RSA_ALGORITHMS if key.type is KeyType.RSA else algorithm != key.type.encode():
        shown = ascii(algorithm[:60].decode("latin-1"))
        raise SignatureMalformedError(f"a signature of type {shown} by a key of type {key.type}")
    value = reader.take_string()
    flags = counter = None
    if key.is_security_key:
        flags = reader.take_integer(1)
        counter = reader.take_integer(4)
    reader.finish()
    if key.type in EDWARDS_TYPES:
        if len(value) != _EDWARDS_BYTES:
            raise SignatureMalformedError("an Ed25519 signature has 64 bytes")
    elif key.type is not KeyType.RSA:
        value = _parse_pair(value)
    return Signature(key, hash_name, algorithm, value, flags, counter)


def _parse_pair(value: bytes) -> bytes:
    """Reads the two numbers of an ECDSA signature; ignores leading zeros, as OpenSSH does."""
    from handoff_tui.log.entries.primitives import build_pair  # noqa: PLC0415 - as above

    reader = WireReader(value, SignatureMalformedError)
    pair = build_pair(reader.take_number(minimal=False), reader.take_number(minimal=False))
    reader.finish()
    return pair


def _parse_base64(text: bytes, body: bytes) -> bytes:
    """Forgiving, because callers encode the bytes again and compare."""
    if len(text) > MAX_ARMOR_BYTES:
        raise EntryTooLargeError(f"a signature of {len(text)} bytes; the limit is {MAX_ARMOR_BYTES}")
    try:
        return binascii.a2b_base64(body)
    except binascii.Error as wrong:
        raise SignatureMalformedError("the signature is not base64", _REMAKE) from wrong
