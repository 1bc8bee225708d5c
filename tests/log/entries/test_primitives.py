from __future__ import annotations

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from handoff_tui.log.entries.primitives import build_pair, is_on_curve, is_valid
from handoff_tui.log.entries.public_keys import KeyType, build_string, parse_key_blob
from tests.support.log_keys import build_example_key, build_key


def test_curve_says_which_points_are_on_it() -> None:
    """A point of one curve is none of another."""
    point = build_key(KeyType.ECDSA_256).public.point
    assert is_on_curve(KeyType.ECDSA_256, point)
    assert is_on_curve(KeyType.SK_ECDSA, point)
    assert not is_on_curve(KeyType.ECDSA_384, point)
    assert not is_on_curve(KeyType.ECDSA_256, point[:-1] + bytes([point[-1] ^ 1]))


def test_ed25519_key_that_is_no_point_has_no_signatures() -> None:
    """Half of all numbers are on no point of the curve: no signature matches them, and nothing breaks."""
    for first in range(2, 30):
        key = parse_key_blob(build_string(b"ssh-ed25519") + build_string(bytes([first]) + bytes(31)))
        assert not is_valid(key, b"", bytes(64), b"message")


def test_ed25519_signature_has_one_form() -> None:
    """The order of the curve, added to the second half, gives a signature that some programs take: not this one."""
    order = 2**252 + 27742317777372353535851937790883648493
    key = build_example_key("alice")
    value = key.sign_inner(b"message")[-64:]
    second = int.from_bytes(value[32:], "little") + order
    assert not is_valid(key.public, b"", value[:32] + second.to_bytes(32, "little"), b"message")


@pytest.mark.parametrize("pair", [(1, 1), (2**256, 1), (1, 2**256), (2**16383, 2**16383)])
def test_ecdsa_pair_out_of_range_does_not_fit(pair: tuple[int, int]) -> None:
    """Numbers beyond the order are refused, and break nothing."""
    assert not is_valid(build_key(KeyType.ECDSA_256).public, b"ecdsa-sha2-nistp256", build_pair(*pair), b"message")


@pytest.mark.parametrize(("name", "digest"), [(b"rsa-sha2-256", hashes.SHA256()), (b"rsa-sha2-512", hashes.SHA512())])
def test_rsa_signature_fits_by_the_hash_it_names(name: bytes, digest: hashes.HashAlgorithm) -> None:
    """A signature of one hash is none of the other, and other paddings are none."""
    key = build_key(KeyType.RSA)
    assert isinstance(key.private, rsa.RSAPrivateKey)
    other = ({b"rsa-sha2-256", b"rsa-sha2-512"} - {name}).pop()
    value = key.private.sign(b"message", padding.PKCS1v15(), digest)
    assert is_valid(key.public, name, value, b"message")
    assert not is_valid(key.public, other, value, b"message")
    assert not is_valid(key.public, name, value + b"\0", b"message")
    assert not is_valid(key.public, name, b"", b"message")
    pss = key.private.sign(b"message", padding.PSS(padding.MGF1(digest), 20), digest)
    assert not is_valid(key.public, name, pss, b"message")


def test_rsa_signature_without_its_leading_zeros_fits() -> None:
    """Some agents drop them, and OpenSSH takes it."""
    key = build_key(KeyType.RSA)
    assert isinstance(key.private, rsa.RSAPrivateKey)
    for number in range(5000):
        message = str(number).encode()
        value = key.private.sign(message, padding.PKCS1v15(), hashes.SHA256())
        if not value[0]:
            break
    else:
        raise AssertionError("one in 256 has a zero in front")
    assert is_valid(key.public, b"rsa-sha2-256", value.lstrip(b"\0"), message)
