"""Signature arithmetic by `cryptography`; imported only when a signature is checked."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from handoff_tui.log.entries.public_keys import KeyType, PublicKey

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ec

Check = Callable[[bytes, bytes], None]
"""Takes signature and message; raises if they don't match."""

_CURVES = {
    KeyType.ECDSA_256: ("SECP256R1", "SHA256"),
    KeyType.SK_ECDSA: ("SECP256R1", "SHA256"),
    KeyType.ECDSA_384: ("SECP384R1", "SHA384"),
    KeyType.ECDSA_521: ("SECP521R1", "SHA512"),
}
"""The curve and the hash of each kind. Most keys are Ed25519, and the other algorithms are imported for the others."""
_RSA_HASHES = {b"rsa-sha2-256": "SHA256", b"rsa-sha2-512": "SHA512"}


def is_on_curve(kind: KeyType, point: bytes) -> bool:
    try:
        _load_point(kind, point)
    except ValueError:
        return False
    return True


def _load_point(kind: KeyType, point: bytes) -> ec.EllipticCurvePublicKey:
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415

    return ec.EllipticCurvePublicKey.from_encoded_point(getattr(ec, _CURVES[kind][0])(), point)


def is_valid(key: PublicKey, algorithm: bytes, signature: bytes, message: bytes) -> bool:
    """Whether the signature matches. ECDSA signatures are in DER (`build_pair`), the others as in SSH."""
    try:
        _load_check(key, algorithm)(signature, message)
    except InvalidSignature:
        return False
    return True


def build_pair(first: int, second: int) -> bytes:
    """Builds an ECDSA signature in the form that `is_valid` takes."""
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature  # noqa: PLC0415

    return encode_dss_signature(first, second)


@lru_cache(maxsize=256)
def _load_check(key: PublicKey, algorithm: bytes) -> Check:
    if key.type is KeyType.RSA:
        return _build_rsa_check(key, _RSA_HASHES[algorithm])
    if key.type in _CURVES:
        return _build_curve_check(key)
    return Ed25519PublicKey.from_public_bytes(key.point).verify


def _build_rsa_check(key: PublicKey, digest: str) -> Check:
    from cryptography.hazmat.primitives import hashes  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric import padding, rsa  # noqa: PLC0415

    public = rsa.RSAPublicNumbers(key.exponent, key.modulus).public_key()
    form, algorithm = padding.PKCS1v15(), getattr(hashes, digest)()
    size = (public.key_size + 7) // 8
    # Some agents drop leading zeros; OpenSSH puts them back, and so must we.
    return lambda signature, message: public.verify(signature.rjust(size, b"\0"), message, form, algorithm)


def _build_curve_check(key: PublicKey) -> Check:
    from cryptography.hazmat.primitives import hashes  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415

    public, algorithm = _load_point(key.type, key.point), ec.ECDSA(getattr(hashes, _CURVES[key.type][1])())
    return lambda signature, message: public.verify(signature, message, algorithm)
