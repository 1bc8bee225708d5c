"""Signature arithmetic by `cryptography`; imported only when a signature is checked."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from handoff_tui.log.entries.public_keys import KeyType, PublicKey

Check = Callable[[bytes, bytes], None]
"""Takes signature and message; raises if they don't match."""

_CURVES: dict[KeyType, tuple[type[ec.EllipticCurve], type[hashes.HashAlgorithm]]] = {
    KeyType.ECDSA_256: (ec.SECP256R1, hashes.SHA256),
    KeyType.SK_ECDSA: (ec.SECP256R1, hashes.SHA256),
    KeyType.ECDSA_384: (ec.SECP384R1, hashes.SHA384),
    KeyType.ECDSA_521: (ec.SECP521R1, hashes.SHA512),
}
_RSA_HASHES: dict[bytes, type[hashes.HashAlgorithm]] = {b"rsa-sha2-256": hashes.SHA256, b"rsa-sha2-512": hashes.SHA512}


def is_on_curve(kind: KeyType, point: bytes) -> bool:
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(_CURVES[kind][0](), point)
    except ValueError:
        return False
    return True


def is_valid(key: PublicKey, algorithm: bytes, signature: bytes, message: bytes) -> bool:
    """Whether the signature matches. ECDSA signatures are in DER (`build_pair`), the others as in SSH."""
    try:
        _load_check(key, algorithm)(signature, message)
    except InvalidSignature:
        return False
    return True


def build_pair(first: int, second: int) -> bytes:
    """Builds an ECDSA signature in the form that `is_valid` takes."""
    return encode_dss_signature(first, second)


@lru_cache(maxsize=256)
def _load_check(key: PublicKey, algorithm: bytes) -> Check:
    if key.type is KeyType.RSA:
        return _build_rsa_check(key, _RSA_HASHES[algorithm]())
    if key.type in _CURVES:
        curve, digest = _CURVES[key.type]
        return _build_curve_check(ec.EllipticCurvePublicKey.from_encoded_point(curve(), key.point), digest())
    return Ed25519PublicKey.from_public_bytes(key.point).verify


def _build_rsa_check(key: PublicKey, digest: hashes.HashAlgorithm) -> Check:
    public = rsa.RSAPublicNumbers(key.exponent, key.modulus).public_key()
    form = padding.PKCS1v15()
    size = (public.key_size + 7) // 8
    # Some agents drop leading zeros; OpenSSH puts them back, and so must we.
    return lambda signature, message: public.verify(signature.rjust(size, b"\0"), message, form, digest)


def _build_curve_check(public: ec.EllipticCurvePublicKey, digest: hashes.HashAlgorithm) -> Check:
    algorithm = ec.ECDSA(digest)
    return lambda signature, message: public.verify(signature, message, algorithm)
