"""SSH public keys, read strictly: which types are accepted, their fingerprints, and the encoding they share."""

from __future__ import annotations

import binascii
import hashlib
from enum import StrEnum
from functools import lru_cache

from handoff_tui.core.classes import dataclass, field
from handoff_tui.core.errors import LogEntryError, PublicKeyMalformedError

_MAX_NUMBER_BYTES = 16384 // 8
"""OpenSSH's limit; it also bounds what a hostile number can cost."""
MIN_RSA_BITS = 2048
_MAX_RSA_BITS = 16384
_MAX_EXPONENT_BITS = 64
_MAX_BLOB_BYTES = 8192
_HINT = "Accepted are ed25519, ecdsa, rsa from 2048 bits, and the FIDO2 forms of the first two; no certificates."
_EDWARDS_BYTES = 32
_EDWARDS_PRIME = 2**255 - 19
_EIGHTH_ORDER_Y = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_WEAK_Y = frozenset({0, 1, _EDWARDS_PRIME - 1, _EIGHTH_ORDER_Y, _EDWARDS_PRIME - _EIGHTH_ORDER_Y})
"""The points of order 1, 2, 4 and 8."""
_UNCOMPRESSED = 4
_MIN_EXPONENT = 3
_ORDER_256 = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_ORDER_384 = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973
_ORDER_521 = (1 << 521) - (1 << 260) + 0xA51868783BF2F966B7FCC0148F709A5D03BB5C9B8899C47AEBB6FB71E91386409


class WireReader:
    """Reads one value after another from bytes (RFC 4251); whatever does not fit raises the given error."""

    __slots__ = ("_data", "_error", "_position")

    def __init__(self, data: bytes, error: type[LogEntryError], position: int = 0) -> None:
        self._data = data
        self._error = error
        self._position = position

    def take_string(self) -> bytes:
        data = self._data
        start = self._position + 4
        # A length that is cut short also gives an end beyond the data.
        end = start + int.from_bytes(data[start - 4 : start], "big")
        if end > len(data):
            raise self._error("cut short: a length points behind the end")
        self._position = end
        return data[start:end]

    def take_integer(self, size: int) -> int:
        end = self._position + size
        if end > len(self._data):
            raise self._error("cut short: a number is missing")
        value = int.from_bytes(self._data[self._position : end], "big")
        self._position = end
        return value

    def take_number(self, *, minimal: bool) -> int:
        """Reads a positive number of any size; with `minimal`, refuses leading zeros, which OpenSSH ignores."""
        data = self.take_string()
        if not data.strip(b"\0"):
            raise self._error("a number is zero")
        if data[0] & 0x80:
            raise self._error("a number is negative")
        if len(data) > _MAX_NUMBER_BYTES + 1 or (len(data) > _MAX_NUMBER_BYTES and data[0]):
            raise self._error("a number is too large")
        if minimal and not data[0] and not data[1] & 0x80:
            raise self._error("a number has leading zeros")
        return int.from_bytes(data, "big")

    def finish(self) -> None:
        if self._position != len(self._data):
            raise self._error(f"{len(self._data) - self._position} bytes too many at the end")


def build_string(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


class KeyType(StrEnum):
    """The types of key whose signatures count, by their OpenSSH names. Certificates do not."""

    ED25519 = "ssh-ed25519"
    SK_ED25519 = "sk-ssh-ed25519@openssh.com"
    ECDSA_256 = "ecdsa-sha2-nistp256"
    ECDSA_384 = "ecdsa-sha2-nistp384"
    ECDSA_521 = "ecdsa-sha2-nistp521"
    SK_ECDSA = "sk-ecdsa-sha2-nistp256@openssh.com"
    RSA = "ssh-rsa"


SECURITY_KEY_TYPES = frozenset({KeyType.SK_ED25519, KeyType.SK_ECDSA})


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A public key, read strictly: equal keys have equal blobs."""

    blob: bytes
    type: KeyType = field(compare=False)
    fingerprint: str = field(compare=False)
    """`SHA256:` and base64, as ssh-keygen prints it."""
    point: bytes = field(default=b"", compare=False)
    """The 32 bytes of an Ed25519 key, or the uncompressed point of an ECDSA key."""
    exponent: int = field(default=0, compare=False)
    modulus: int = field(default=0, compare=False)
    """Of an RSA key."""
    application: bytes = field(default=b"", compare=False)
    """What a security key was enrolled for; part of all it signs."""

    @property
    def is_security_key(self) -> bool:
        return self.type in SECURITY_KEY_TYPES

    @property
    def text(self) -> str:
        """Type and base64, as in `authorized_keys`."""
        return f"{self.type} {binascii.b2a_base64(self.blob, newline=False).decode()}"


def parse_public_key(text: str) -> PublicKey:
    """Reads a line as in a `.pub` file: type, base64, optional comment. Options are not accepted."""
    words = text.removesuffix("\n").split(" ", 2)
    if len(words) < 2 or not text.removesuffix("\n").isprintable():  # noqa: PLR2004 - a type and a key
        raise PublicKeyMalformedError('not a public key: expected "type base64 comment"', _HINT)
    _find_type(words[0].encode())
    try:
        blob = binascii.a2b_base64(words[1].encode(), strict_mode=True)
    except binascii.Error as wrong:
        raise PublicKeyMalformedError("the public key is not base64", _HINT) from wrong
    key = parse_key_blob(blob)
    if f"{words[0]} {words[1]}" != key.text:
        raise PublicKeyMalformedError(
            "the public key is not written as OpenSSH writes it, or its type is another", _HINT
        )
    return key


@lru_cache(maxsize=256)
def parse_key_blob(blob: bytes) -> PublicKey:
    """Reads a key as it is inside signatures. A log has many entries and few keys, so they are cached."""
    if len(blob) > _MAX_BLOB_BYTES:
        raise PublicKeyMalformedError("the public key is too large")
    reader = WireReader(blob, PublicKeyMalformedError)
    kind = _find_type(reader.take_string())
    fingerprint = build_fingerprint(blob)
    if kind is KeyType.RSA:
        key = _parse_rsa(reader, blob, fingerprint)
    else:
        point = _parse_edwards_point(reader) if kind in EDWARDS_TYPES else _parse_curve_point(reader, kind)
        application = _parse_application(reader) if kind in SECURITY_KEY_TYPES else b""
        key = PublicKey(blob, kind, fingerprint, point=point, application=application)
    reader.finish()
    return key


def build_fingerprint(blob: bytes) -> str:
    digest = hashlib.sha256(blob).digest()
    return "SHA256:" + binascii.b2a_base64(digest, newline=False).decode().rstrip("=")


def _find_type(name: bytes) -> KeyType:
    try:
        return KeyType(name.decode("ascii"))
    except ValueError as wrong:
        shown = ascii(name[:60].decode("latin-1"))
        raise PublicKeyMalformedError(f"keys of type {shown} are not accepted", _HINT) from wrong


def _parse_edwards_point(reader: WireReader) -> bytes:
    point = reader.take_string()
    if len(point) != _EDWARDS_BYTES:
        raise PublicKeyMalformedError("an Ed25519 key has 32 bytes")
    # The sign of x is the highest bit; y alone tells the rest.
    y = int.from_bytes(point, "little") & (1 << 255) - 1
    if y >= _EDWARDS_PRIME:
        raise PublicKeyMalformedError("the Ed25519 key is not in its one form")
    if y in _WEAK_Y:
        raise PublicKeyMalformedError("the Ed25519 key is weak: anybody can sign for it")
    return point


def _parse_curve_point(reader: WireReader, kind: KeyType) -> bytes:
    name, order = _CURVES[kind]
    if reader.take_string() != name:
        raise PublicKeyMalformedError("the curve is not the one that the key's type names")
    point = reader.take_string()
    size = (order.bit_length() + 7) // 8
    if len(point) != 1 + 2 * size or point[0] != _UNCOMPRESSED:
        raise PublicKeyMalformedError("the point of the ECDSA key is not in uncompressed form")
    # As in OpenSSH: a coordinate that is too short or too long is deliberate.
    for coordinate in (int.from_bytes(point[1 : 1 + size], "big"), int.from_bytes(point[1 + size :], "big")):
        if coordinate.bit_length() <= order.bit_length() // 2 or coordinate >= order - 1:
            raise PublicKeyMalformedError("the point of the ECDSA key is not acceptable")
    from handoff_tui.log.entries.primitives import is_on_curve  # noqa: PLC0415 - few keys need the package for that

    if not is_on_curve(kind, point):
        raise PublicKeyMalformedError("the point of the ECDSA key is not on its curve")
    return point


def _parse_rsa(reader: WireReader, blob: bytes, fingerprint: str) -> PublicKey:
    exponent = reader.take_number(minimal=True)
    modulus = reader.take_number(minimal=True)
    if not MIN_RSA_BITS <= modulus.bit_length() <= _MAX_RSA_BITS:
        raise PublicKeyMalformedError(
            f"an RSA key of {modulus.bit_length()} bits; {MIN_RSA_BITS} to {_MAX_RSA_BITS} are accepted", _HINT
        )
    if exponent < _MIN_EXPONENT or exponent.bit_length() > _MAX_EXPONENT_BITS or not exponent & modulus & 1:
        raise PublicKeyMalformedError("the RSA key has an exponent or modulus that no key has")
    return PublicKey(blob, KeyType.RSA, fingerprint, exponent=exponent, modulus=modulus)


def _parse_application(reader: WireReader) -> bytes:
    application = reader.take_string()
    if b"\0" in application:
        raise PublicKeyMalformedError("the application of the security key is not text")
    return application


EDWARDS_TYPES = frozenset({KeyType.ED25519, KeyType.SK_ED25519})
_CURVES = {
    KeyType.ECDSA_256: (b"nistp256", _ORDER_256),
    KeyType.SK_ECDSA: (b"nistp256", _ORDER_256),
    KeyType.ECDSA_384: (b"nistp384", _ORDER_384),
    KeyType.ECDSA_521: (b"nistp521", _ORDER_521),
}
