from __future__ import annotations

import base64
import re
import subprocess
import sys

import pytest

from handoff_tui.core.errors import (
    EntryTooLargeError,
    LogEntryError,
    PublicKeyMalformedError,
    SignatureForeignError,
    SignatureInvalidError,
    SignatureMalformedError,
)
from handoff_tui.core.namespace import NAMESPACE
from handoff_tui.log.entries.public_keys import KeyType, build_string
from handoff_tui.log.entries.sshsig import (
    MAX_ARMOR_BYTES,
    armor,
    build_signature_blob,
    build_signed_data,
    parse_signature,
    parse_signature_blob,
    re_armor,
    unarmor,
    verify_signature,
)
from tests.support.log_keys import build_example_key, build_key, build_number

MESSAGE = b"a message"
ALICE = build_example_key("alice")


def build_blob(
    *,
    version: int = 1,
    key: bytes | None = None,
    namespace: bytes = NAMESPACE.encode(),
    reserved: bytes = b"",
    hash_name: bytes = b"sha512",
    inner: bytes | None = None,
) -> bytes:
    """An SSHSIG with some field replaced."""
    if inner is None:
        inner = ALICE.sign_inner(build_signed_data(MESSAGE))
    parts = (ALICE.public.blob if key is None else key, namespace, reserved, hash_name, inner)
    return b"SSHSIG" + version.to_bytes(4, "big") + b"".join(map(build_string, parts))


@pytest.mark.parametrize("kind", KeyType)
@pytest.mark.parametrize("hash_name", [b"sha512", b"sha256"])
def test_signature_of_every_type_fits(kind: KeyType, hash_name: bytes) -> None:
    """What a key signs is read and fits; another message does not."""
    text = build_key(kind).sign(MESSAGE, hash_name=hash_name)
    signature = parse_signature(text)
    assert (signature.key, signature.hash_name) == (build_key(kind).public, hash_name)
    verify_signature(signature, MESSAGE)
    with pytest.raises(SignatureInvalidError, match=re.escape(build_key(kind).fingerprint)):
        verify_signature(signature, MESSAGE + b".")


@pytest.mark.parametrize("kind", KeyType)
def test_touch_is_told_by_security_keys_only(kind: KeyType) -> None:
    """The flags are part of what was signed; a key without them was never touched."""
    key = build_key(kind)
    told = []
    for flags in (0, 1, 4, 5):
        signature = parse_signature(key.sign(MESSAGE, flags=flags))
        verify_signature(signature, MESSAGE)
        told.append(signature.user_present)
    is_security_key = kind in {KeyType.SK_ED25519, KeyType.SK_ECDSA}
    assert told == ([False, True, False, True] if is_security_key else [False] * 4)


@pytest.mark.parametrize("kind", [KeyType.SK_ED25519, KeyType.SK_ECDSA])
def test_touch_cannot_be_added_later(kind: KeyType) -> None:
    """A changed flag or counter no longer fits."""
    signature = parse_signature(build_key(kind).sign(MESSAGE, flags=0, counter=7))
    assert (signature.flags, signature.counter) == (0, 7)
    for changed in (signature._replace(flags=1), signature._replace(counter=8), signature._replace(flags=None)):
        with pytest.raises(SignatureInvalidError):
            verify_signature(changed, MESSAGE)


def test_armor_has_seventy_columns() -> None:
    """Whole lines, a last one that is never empty, and a newline at the end."""
    for size in range(1, 320):
        text = armor(bytes(size))
        *lines, last = text.decode().split("\n")[1:-2]
        assert all(len(line) == 70 for line in lines)
        assert 1 <= len(last) <= 70
        assert text.startswith(b"-----BEGIN SSH SIGNATURE-----\n")
        assert text.endswith(b"\n-----END SSH SIGNATURE-----\n")
        assert unarmor(text) == bytes(size)


def list_other_armors() -> dict[str, bytes]:
    """The same signature, written as other programs may write it."""
    text = ALICE.sign(MESSAGE)
    begin, *lines, end, _ = text.split(b"\n")
    body = b"".join(lines)
    columns = [body[start : start + 64] for start in range(0, len(body), 64)]
    return {
        "no newline at the end": text.rstrip(),
        "two newlines at the end": text + b"\n",
        "space before": b"\n " + text,
        "crlf": text.replace(b"\n", b"\r\n"),
        "one line": b"\n".join([begin, body, end, b""]),
        "64 columns": b"\n".join([begin, *columns, end, b""]),
        "empty line": b"\n".join([begin, b"", *lines, end, b""]),
        "indented": text.replace(b"\n", b"\n  "),
        "no line": begin + body + end,
    }


@pytest.mark.parametrize(("name", "text"), list_other_armors().items())
def test_other_armor_is_refused_and_can_be_made_right(name: str, text: bytes) -> None:
    """In the log there is one form; what a signer returns is brought into it first."""
    with pytest.raises(SignatureMalformedError):
        unarmor(text)
    assert re_armor(text) == ALICE.sign(MESSAGE)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"-----BEGIN SSH SIGNATURE-----",
        b"-----BEGIN SSH SIGNATURE-----\n-----END SSH SIGNATURE-----\nmore",
        b"more\n-----BEGIN SSH SIGNATURE-----\n-----END SSH SIGNATURE-----\n",
        b"-----BEGIN SSH SIGNATURE-----\nU1NIU0l\n-----END SSH SIGNATURE-----\n",
        b"-----BEGIN SSH SIGNATURE-----\nU1N*U0lH\n-----END SSH SIGNATURE-----\n",
        b"-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAB==\n-----END SSH SIGNATURE-----\n",
        b"-----BEGIN SSH SIGNATURE-----\nU1N=U0lH\n-----END SSH SIGNATURE-----\n",
        b"-----BEGIN PGP SIGNATURE-----\nU1NIU0lH\n-----END PGP SIGNATURE-----\n",
        b"\xff\xfe",
    ],
)
def test_what_is_no_armor_is_refused(text: bytes) -> None:
    """Markers and base64 must be there, whole and alone."""
    for read in (unarmor, re_armor, parse_signature):
        with pytest.raises(SignatureMalformedError):
            read(text)


def test_giant_armor_is_refused() -> None:
    """More than any key can sign is not even decoded."""
    text = armor(bytes(MAX_ARMOR_BYTES))
    for read in (unarmor, re_armor):
        with pytest.raises(EntryTooLargeError):
            read(text)


@pytest.mark.parametrize("namespace", ["git", "file", "", NAMESPACE + "\0", NAMESPACE.upper(), "handoff-log", "ö"])
def test_signature_for_another_purpose_is_refused(namespace: str) -> None:
    """A signature of a git commit or a file is none of ours, though it may fit."""
    with pytest.raises(SignatureForeignError, match="was made for"):
        parse_signature_blob(build_blob(namespace=namespace.encode()))


def test_login_signature_is_refused() -> None:
    """What a key signs at a login has no frame around it, so it never is an SSHSIG, and never fits one."""
    login = build_string(b"session") + b"\x32" + build_string(b"alice") + build_string(b"ssh-connection")
    with pytest.raises(SignatureMalformedError):
        parse_signature(armor(ALICE.sign_inner(login)))
    framed = parse_signature_blob(build_blob(inner=ALICE.sign_inner(login)))
    for message in (login, MESSAGE):
        with pytest.raises(SignatureInvalidError):
            verify_signature(framed, message)


@pytest.mark.parametrize(
    "blob",
    [
        b"",
        b"SSHSIG",
        b"SSHSIH" + build_blob()[6:],
        build_blob(version=0),
        build_blob(version=2),
        build_blob(reserved=b"x"),
        build_blob(hash_name=b"sha1"),
        build_blob(hash_name=b"sha384"),
        build_blob(hash_name=b"SHA512"),
        build_blob(hash_name=b""),
        build_blob() + b"\0",
        build_blob()[:-1],
        build_blob(inner=b""),
    ],
)
def test_frame_of_another_shape_is_refused(blob: bytes) -> None:
    """Magic, version, reserved field, hash, and not a byte more or less."""
    with pytest.raises(SignatureMalformedError):
        parse_signature_blob(blob)


def test_signature_by_a_key_that_is_not_accepted_is_refused() -> None:
    """The key inside is read as strictly as any other."""
    with pytest.raises(PublicKeyMalformedError):
        parse_signature_blob(build_blob(key=build_string(b"ssh-ed25519-cert-v01@openssh.com")))


def split_inner(kind: KeyType) -> tuple[bytes, bytes, bytes]:
    """Name, value and the rest of a right signature of a type."""
    inner = build_key(kind).sign_inner(build_signed_data(MESSAGE))
    name_end = 4 + int.from_bytes(inner[:4], "big")
    value_end = name_end + 4 + int.from_bytes(inner[name_end : name_end + 4], "big")
    return inner[4:name_end], inner[name_end + 4 : value_end], inner[value_end:]


def list_wrong_inners(kind: KeyType) -> list[bytes]:
    name, value, rest = split_inner(kind)
    others = [other.encode() for other in (*KeyType, "webauthn-sk-ecdsa-sha2-nistp256@openssh.com", "rsa-sha2-384", "")]
    built = [build_string(other) + build_string(value) + rest for other in others if other != name]
    built += [build_string(name) + build_string(value) + rest + b"\0"]
    built += [build_string(name) + build_string(value) + rest[:-1]] if rest else [build_string(name)]
    if kind in {KeyType.ED25519, KeyType.SK_ED25519}:
        built += [build_string(name) + build_string(wrong) + rest for wrong in (value[:-1], value + b"\0", b"")]
    elif kind is not KeyType.RSA:
        wrongs = (b"", value[:-1], value + b"\0", build_string(b"\x80") * 2, build_string(b"") * 2, build_string(b"\1"))
        built += [build_string(name) + build_string(wrong) + rest for wrong in wrongs]
    return built


@pytest.mark.parametrize("kind", KeyType)
def test_inner_signature_of_another_shape_is_refused(kind: KeyType) -> None:
    """Another algorithm's name, WebAuthn, SHA-1 for RSA, wrong lengths, negative numbers, bytes left over."""
    for inner in list_wrong_inners(kind):
        with pytest.raises(SignatureMalformedError):
            parse_signature_blob(build_signature_blob(build_key(kind).public, inner))


def test_rsa_signature_may_use_either_hash_and_never_sha1() -> None:
    """The name in the signature counts: `ssh-rsa` stands for SHA-1 there."""
    key = build_key(KeyType.RSA)
    for name in (b"rsa-sha2-256", b"rsa-sha2-512"):
        inner = key.sign_inner(build_signed_data(MESSAGE), rsa_name=name)
        verify_signature(parse_signature_blob(build_signature_blob(key.public, inner)), MESSAGE)


def test_ecdsa_numbers_may_have_leading_zeros() -> None:
    """OpenSSH overlooks them, so what an agent signs in that way still counts."""
    key = build_key(KeyType.ECDSA_256)
    name, value, _ = split_inner(KeyType.ECDSA_256)
    size = int.from_bytes(value[:4], "big")
    first, second = value[4 : 4 + size], value[8 + size :]
    inner = build_string(name) + build_string(build_string(b"\0" + first) + build_string(b"\0\0" + second))
    verify_signature(parse_signature_blob(build_signature_blob(key.public, inner)), MESSAGE)


@pytest.mark.parametrize("numbers", [(0, 1), (1, 0), (1, 1), (2**256, 2**256), (2**521, 1)])
def test_ecdsa_numbers_out_of_range_are_refused(numbers: tuple[int, int]) -> None:
    """Whether in reading or in checking: they never fit."""
    key = build_key(KeyType.ECDSA_256)
    pair = b"".join(build_string(build_number(number)) for number in numbers)
    blob = build_signature_blob(key.public, build_string(b"ecdsa-sha2-nistp256") + build_string(pair))
    with pytest.raises((SignatureMalformedError, SignatureInvalidError)):
        verify_signature(parse_signature_blob(blob), MESSAGE)


@pytest.mark.parametrize("kind", KeyType)
def test_signature_under_another_key_does_not_fit(kind: KeyType) -> None:
    """Swapping in a key of the same type is noticed."""
    inner = build_key(kind).sign_inner(build_signed_data(MESSAGE))
    verify_signature(parse_signature_blob(build_signature_blob(build_key(kind).public, inner)), MESSAGE)
    swapped = parse_signature_blob(build_signature_blob(build_key(kind, 2).public, inner))
    with pytest.raises(SignatureInvalidError):
        verify_signature(swapped, MESSAGE)


def test_hash_that_was_swapped_does_not_fit() -> None:
    """The hash's name is part of what is signed."""
    inner = ALICE.sign_inner(build_signed_data(MESSAGE, b"sha256"))
    with pytest.raises(SignatureInvalidError):
        verify_signature(parse_signature_blob(build_blob(inner=inner, hash_name=b"sha512")), MESSAGE)


def test_every_cut_is_refused() -> None:
    """A signature that ends anywhere before its end is refused, and breaks nothing."""
    for kind in KeyType:
        blob = unarmor(build_key(kind).sign(MESSAGE))
        for length in range(len(blob)):
            with pytest.raises(LogEntryError):
                parse_signature_blob(blob[:length])


def test_reading_an_ed25519_signature_needs_no_cryptography() -> None:
    """Reading the log alone does not load the package."""
    text = base64.b64encode(ALICE.sign(MESSAGE)).decode()
    code = (
        "import base64, sys; from handoff_tui.log.entries.sshsig import parse_signature; "
        f"parse_signature(base64.b64decode('{text}')); sys.exit('cryptography' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=150).returncode == 0
