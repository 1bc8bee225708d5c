"""SSH public keys, and the encoding inside them."""

from __future__ import annotations

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from handoff_tui.core.errors import PublicKeyMalformedError, SignatureMalformedError
from handoff_tui.log.entries.public_keys import (
    _CURVES,
    _EDWARDS_PRIME,
    _WEAK_Y,
    KeyType,
    WireReader,
    build_string,
    parse_key_blob,
    parse_public_key,
)
from tests.support.log_keys import build_example_key, build_key, build_number


def build_blob(*parts: bytes) -> bytes:
    return b"".join(map(build_string, parts))


def build_text(blob: bytes, kind: str) -> str:
    return f"{kind} {base64.b64encode(blob).decode()}"


@pytest.mark.parametrize("kind", KeyType)
def test_key_of_every_accepted_type_is_read(kind: KeyType) -> None:
    """Text, blob and value say the same."""
    key = build_key(kind).public
    assert key.type is kind
    assert parse_public_key(f"{key.text} somebody at home\n") == key
    assert key.is_security_key == kind.startswith("sk-") == bool(key.application)


@pytest.mark.parametrize("kind", KeyType)
def test_key_with_a_byte_too_many_or_too_few_is_refused(kind: KeyType) -> None:
    """At the end, and at the end of every part."""
    blob = build_key(kind).public.blob
    for wrong in (blob + b"\0", *(blob[:length] for length in range(len(blob)))):
        with pytest.raises(PublicKeyMalformedError):
            parse_key_blob(wrong)


@pytest.mark.parametrize(
    "kind",
    [
        "ssh-dss", "ssh-ed25519-cert-v01@openssh.com", "ssh-rsa-cert-v01@openssh.com", "ssh-ed448", "", "SSH-ED25519",
        "rsa-sha2-512", "webauthn-sk-ecdsa-sha2-nistp256@openssh.com", "ssh-ed25519\0", "sk-ssh-ed25519", "ö",
    ],
)  # fmt: skip
def test_key_of_another_type_is_refused(kind: str) -> None:
    """Certificates, DSA, and names that only look like one."""
    blob = build_blob(kind.encode(), b"x" * 32)
    with pytest.raises(PublicKeyMalformedError) as caught:
        parse_key_blob(blob)
    assert caught.value.hint
    with pytest.raises(PublicKeyMalformedError):
        parse_public_key(build_text(blob, kind))


def test_key_whose_text_names_another_type_is_refused() -> None:
    """The word before the key and the word inside it must agree."""
    blob = build_key(KeyType.ECDSA_256).public.blob
    with pytest.raises(PublicKeyMalformedError, match="its type is another"):
        parse_public_key(build_text(blob, "ecdsa-sha2-nistp384"))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[:0],
        lambda text: text.split()[0],
        lambda text: text.replace(" ", "  "),
        lambda text: text.replace(" ", "\t"),
        lambda text: " " + text,
        lambda text: f'namespaces="git" {text}',
        lambda text: f"{text}=",
        lambda text: f"{text}\x1b[0m",
        lambda text: f"{text}\n{text}",
        lambda text: text[:-1],
        lambda text: text[:30] + "*" + text[30:],
        lambda text: text.replace("ssh", "ＳＳＨ"),
        lambda text: f"{text} \ud800",
    ],
)
def test_line_of_another_shape_is_refused(change: object) -> None:
    """Options, tabs, two lines, broken base64, control characters: nothing is guessed."""
    assert callable(change)
    with pytest.raises(PublicKeyMalformedError):
        parse_public_key(change(build_example_key("alice").public.text))


def test_base64_with_stray_bits_is_refused() -> None:
    """The same key cannot be written in two ways."""
    text = build_key(KeyType.ECDSA_384).public.text
    assert text.endswith("=")
    last = text.rstrip("=")[-1]
    with pytest.raises(PublicKeyMalformedError):
        parse_public_key(text.replace(f"{last}=", f"{chr(ord(last) + 1)}="))


@pytest.mark.parametrize("length", [0, 31, 33])
def test_ed25519_key_has_32_bytes(length: int) -> None:
    """Neither less nor more."""
    with pytest.raises(PublicKeyMalformedError, match="32"):
        parse_key_blob(build_blob(b"ssh-ed25519", b"\x02" * length))


def multiply_by_eight(y: int) -> tuple[int, int]:
    """Eight times a point of the Edwards curve that has this y; the neutral point is (0, 1)."""
    prime = _EDWARDS_PRIME
    d = -121665 * pow(121666, -1, prime) % prime
    square = (y * y - 1) * pow(d * y * y + 1, -1, prime) % prime
    x = pow(square, (prime + 3) // 8, prime)
    if (x * x - square) % prime:
        x = x * pow(2, (prime - 1) // 4, prime) % prime
    assert (x * x - square) % prime == 0
    for _ in range(3):
        product = d * x * x * y * y
        x, y = (2 * x * y * pow(1 + product, -1, prime), (y * y + x * x) * pow(1 - product, -1, prime))
    return x % prime, y % prime


@pytest.mark.parametrize("sign", [0, 1])
@pytest.mark.parametrize("y", sorted(_WEAK_Y))
def test_ed25519_key_of_small_order_is_refused(y: int, sign: int) -> None:
    """Anybody can sign for the points of which eight make nothing, so they are nobody's key."""
    assert multiply_by_eight(y) == (0, 1)
    point = (y | sign << 255).to_bytes(32, "little")
    with pytest.raises(PublicKeyMalformedError, match="anybody"):
        parse_key_blob(build_blob(b"ssh-ed25519", point))


@pytest.mark.parametrize("y", [_EDWARDS_PRIME, _EDWARDS_PRIME + 1, 2**255 - 1])
def test_ed25519_key_with_a_second_form_is_refused(y: int) -> None:
    """A number that is larger than the field is another name of a smaller one."""
    with pytest.raises(PublicKeyMalformedError, match="one form"):
        parse_key_blob(build_blob(b"ssh-ed25519", y.to_bytes(32, "little")))


CURVES = {KeyType.ECDSA_256: ec.SECP256R1(), KeyType.ECDSA_384: ec.SECP384R1(), KeyType.ECDSA_521: ec.SECP521R1()}


@pytest.mark.parametrize("kind", CURVES)
def test_order_of_the_curve_is_the_one_that_is_known_elsewhere(kind: KeyType) -> None:
    """A private key may be one less than the order, and not the order."""
    order = _CURVES[kind][1]
    assert ec.derive_private_key(order - 1, CURVES[kind]).private_numbers().private_value == order - 1
    with pytest.raises(ValueError, match=r"."):
        ec.derive_private_key(order, CURVES[kind])


@pytest.mark.parametrize("kind", [*CURVES, KeyType.SK_ECDSA])
def test_ecdsa_point_must_be_a_plain_point_of_its_curve(kind: KeyType) -> None:
    """Not compressed, not infinite, not beside the curve, not of another curve, no tiny or overlong coordinate."""
    key = build_key(kind).public
    curve = _CURVES[kind][0]
    more = [key.application] if key.is_security_key else []
    size = len(key.point) // 2
    x, y = key.point[1 : 1 + size], key.point[1 + size :]
    wrong = [
        b"", b"\0", b"\x02" + x, b"\x03" + x, b"\x06" + x + y, b"\x04" + y + x, b"\x04" + x, key.point + b"\0",
        b"\x04" + bytes(size) + y, b"\x04" + x + bytes(size), b"\x04" + b"\xff" * size + y, b"\x04" + bytes(2 * size),
        key.point[:-1] + bytes([key.point[-1] ^ 1]),
    ]  # fmt: skip
    for point in wrong:
        with pytest.raises(PublicKeyMalformedError, match=r"point|curve"):
            parse_key_blob(build_blob(kind.encode(), curve, point, *more))
    with pytest.raises(PublicKeyMalformedError, match="curve"):
        parse_key_blob(build_blob(kind.encode(), b"nistp192", key.point, *more))


def build_rsa(exponent: bytes, modulus: bytes) -> bytes:
    return build_blob(b"ssh-rsa", exponent, modulus)


def test_rsa_key_must_be_large_enough() -> None:
    """From 2048 bits; a larger one is accepted up to OpenSSH's limit."""
    weak = rsa.generate_private_key(65537, 1024).public_key().public_numbers()  # noqa: S505 - to be refused
    with pytest.raises(PublicKeyMalformedError, match="1024 bits"):
        parse_key_blob(build_rsa(build_number(weak.e), build_number(weak.n)))
    with pytest.raises(PublicKeyMalformedError, match="2047 bits"):
        parse_key_blob(build_rsa(b"\1\0\1", build_number((1 << 2046) + 1)))
    assert parse_key_blob(build_rsa(b"\1\0\1", build_number((1 << 16383) + 1))).modulus.bit_length() == 16384
    with pytest.raises(PublicKeyMalformedError, match="too large"):
        parse_key_blob(build_rsa(b"\1\0\1", build_number((1 << 16384) + 1)))


@pytest.mark.parametrize("exponent", [b"", b"\1", b"\2", b"\x80", b"\0\0\3", b"\0\1\0\1", b"\1" * 9])
def test_rsa_exponent_must_be_one_that_keys_have(exponent: bytes) -> None:
    """Zero, one, even, negative, padded and giant ones are refused."""
    with pytest.raises(PublicKeyMalformedError):
        parse_key_blob(build_rsa(exponent, build_number(build_key(KeyType.RSA).public.modulus)))


def test_rsa_modulus_must_be_odd_and_in_its_one_form() -> None:
    """A zero in front would give the same key another fingerprint."""
    modulus = build_number(build_key(KeyType.RSA).public.modulus)
    for wrong in (b"\0" + modulus, modulus[1:], modulus[:-1] + b"\2"):
        with pytest.raises(PublicKeyMalformedError):
            parse_key_blob(build_rsa(b"\1\0\1", wrong))


def test_security_key_application_is_text() -> None:
    """A NUL in it is refused, as in OpenSSH."""
    point = build_key(KeyType.SK_ED25519).public.point
    with pytest.raises(PublicKeyMalformedError, match="application"):
        parse_key_blob(build_blob(b"sk-ssh-ed25519@openssh.com", point, b"ssh:\0"))


def test_giant_key_is_refused() -> None:
    """A key that no program makes is not even taken apart."""
    point = build_key(KeyType.SK_ED25519).public.point
    with pytest.raises(PublicKeyMalformedError, match="too large"):
        parse_key_blob(build_blob(b"sk-ssh-ed25519@openssh.com", point, b"s" * 9000))


def read(data: bytes) -> WireReader:
    return WireReader(data, SignatureMalformedError)


@pytest.mark.parametrize(
    ("data", "word"),
    [(b"", "zero"), (b"\0", "zero"), (b"\0\0", "zero"), (b"\x80", "negative"), (b"\x01" * 2049, "large")],
)
def test_reader_refuses_a_number_that_openssh_refuses(data: bytes, word: str) -> None:
    """Zero (which no key or signature has), negative ones, and those over 16384 bits."""
    with pytest.raises(SignatureMalformedError, match=word):
        read(build_string(data)).take_number(minimal=False)


def test_reader_takes_leading_zeros_only_where_told() -> None:
    """A number of a signature may have them, as in OpenSSH; in a key they would give it a second name."""
    data = build_string(b"\0\0\x07")
    assert read(data).take_number(minimal=False) == 7
    with pytest.raises(SignatureMalformedError, match="leading zeros"):
        read(data).take_number(minimal=True)
    assert read(build_string(b"\0" + b"\xff" * 2048)).take_number(minimal=True).bit_length() == 16384
