"""ssh-keygen as the second opinion: what it makes is read here, and what it refuses is refused here."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from handoff_tui.core.errors import LogEntryError, SignatureForeignError, SignatureMalformedError
from handoff_tui.core.namespace import NAMESPACE
from handoff_tui.log.entries.envelope import build_envelope, build_pae
from handoff_tui.log.entries.public_keys import KeyType, build_string, parse_public_key
from handoff_tui.log.entries.sshsig import (
    armor,
    build_signature_blob,
    build_signed_data,
    parse_signature,
    re_armor,
    unarmor,
    verify_signature,
)
from handoff_tui.log.entries.statement import parse_entry, verify_signatures
from tests.support.log_keys import GOLDEN, LogKey, build_example_key, build_key, build_number, read_golden

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")

MESSAGE = b"DSSEv1 a message\n"
MADE_BY_SSH_KEYGEN = [
    ("ed25519", "256"), ("ecdsa", "256"), ("ecdsa", "384"), ("ecdsa", "521"), ("rsa", "2048"), ("rsa", "3072"),
]  # fmt: skip
MUTATIONS = 60


class Keygen:
    """Runs ssh-keygen in a folder of its own, without a terminal, agent or configuration."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(folder)}

    def run(self, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["ssh-keygen", *arguments],
            input=given,
            capture_output=True,
            check=False,
            cwd=self.folder,
            env=self.environment,
            timeout=150,
        )

    def make_key(self, kind: str, bits: str) -> Path:
        path = self.folder / f"{kind}-{bits}"
        if not path.exists():
            made = self.run("-q", "-t", kind, "-b", bits, "-N", "", "-C", "somebody", "-f", str(path))
            assert made.returncode == 0, made.stderr
        return path

    def sign(self, key: Path, message: bytes, namespace: str = NAMESPACE, hash_name: str = "sha512") -> bytes:
        (self.folder / "message").write_bytes(message)
        (self.folder / "message.sig").unlink(missing_ok=True)
        options = ("-O", f"hashalg={hash_name}", "-f", str(key), "-n", namespace)
        made = self.run("-q", "-Y", "sign", *options, "message")
        assert made.returncode == 0, made.stderr
        return (self.folder / "message.sig").read_bytes()

    def accepts(self, signature: bytes, message: bytes) -> bool:
        """Whether the signature fits, trust aside."""
        (self.folder / "check.sig").write_bytes(signature)
        return self.run("-Y", "check-novalidate", "-n", NAMESPACE, "-s", "check.sig", given=message).returncode == 0

    def verifies(self, signature: bytes, message: bytes, key: str) -> bool:
        """The whole question, with the key as the only trusted one."""
        (self.folder / "check.sig").write_bytes(signature)
        (self.folder / "signers").write_text(f'me namespaces="{NAMESPACE}" {key}\n', encoding="utf-8")
        options = ("-f", "signers", "-I", "me", "-n", NAMESPACE, "-s", "check.sig")
        return self.run("-Y", "verify", *options, given=message).returncode == 0


@pytest.fixture(scope="module")
def keygen(tmp_path_factory: pytest.TempPathFactory) -> Keygen:
    return Keygen(tmp_path_factory.mktemp("keygen"))


def accepts(signature: bytes, message: bytes) -> bool:
    """What we say; anything but our own error would be a fault."""
    try:
        verify_signature(parse_signature(signature), message)
    except LogEntryError:
        return False
    return True


@pytest.mark.parametrize(("kind", "bits"), MADE_BY_SSH_KEYGEN)
@pytest.mark.parametrize("hash_name", ["sha512", "sha256"])
def test_signature_by_ssh_keygen_fits(keygen: Keygen, kind: str, bits: str, hash_name: str) -> None:
    """Of every type it can make, with both hashes, in exactly the armor that we expect; fingerprints agree."""
    path = keygen.make_key(kind, bits)
    text = keygen.sign(path, MESSAGE, hash_name=hash_name)
    assert re_armor(text) == text == armor(unarmor(text))
    signature = parse_signature(text)
    verify_signature(signature, MESSAGE)
    assert signature.key == parse_public_key(path.with_suffix(".pub").read_text(encoding="utf-8"))
    assert signature.key.fingerprint in keygen.run("-l", "-f", str(path)).stdout.decode()
    assert not accepts(text, MESSAGE + b" ")
    assert not accepts(keygen.sign(path, MESSAGE, "git"), MESSAGE)


@pytest.mark.parametrize(("kind", "bits"), MADE_BY_SSH_KEYGEN)
def test_entry_signed_by_ssh_keygen_is_an_entry(keygen: Keygen, kind: str, bits: str) -> None:
    """From the payload to a file that is verified."""
    payload = (GOLDEN / "decision.payload").read_bytes()
    content = build_envelope(payload, [keygen.sign(keygen.make_key(kind, bits), build_pae(payload))])
    verify_signatures(parse_entry(content))


@pytest.mark.parametrize("kind", KeyType)
@pytest.mark.parametrize("hash_name", [b"sha512", b"sha256"])
def test_ssh_keygen_takes_what_is_signed_here(keygen: Keygen, kind: KeyType, hash_name: bytes) -> None:
    """Security keys too, touched or not: it looks at neither flag, which is why we do."""
    key = build_key(kind)
    for flags in (0, 1, 5):
        text = key.sign(MESSAGE, hash_name=hash_name, flags=flags)
        assert keygen.verifies(text, MESSAGE, key.public.text)
        assert accepts(text, MESSAGE)


@pytest.mark.parametrize("name", ["genesis", "decision"])
def test_ssh_keygen_takes_the_golden_files(keygen: Keygen, name: str) -> None:
    """Every signature in them, with the key that its keyid names."""
    parsed = parse_entry(read_golden(name))
    keys = {key.fingerprint: key for key in map(build_example_key, ("alice", "bob"))}
    for keyid in parsed.entry.keyids:
        text = keys[keyid].sign(parsed.pae)
        assert keygen.verifies(text, parsed.pae, keys[keyid].public.text)


def test_armor_agrees_at_every_length(keygen: Keygen) -> None:
    """Namespaces of growing length move the end of the last line over all columns, full lines included."""
    path = keygen.make_key("ed25519", "256")
    for length in range(1, 107):
        text = keygen.sign(path, MESSAGE, "n" * length)
        assert armor(unarmor(text)) == text


def list_signatures(keygen: Keygen) -> list[bytes]:
    """A right signature of every type, by ssh-keygen where it can."""
    made = [keygen.sign(keygen.make_key(kind, bits), MESSAGE) for kind, bits in MADE_BY_SSH_KEYGEN]
    return made + [build_key(kind).sign(MESSAGE) for kind in (KeyType.SK_ED25519, KeyType.SK_ECDSA)]


def mutate(blob: bytes, chance: random.Random) -> bytes:
    """The bytes with one small thing wrong."""
    place = chance.randrange(len(blob))
    before, after = blob[:place], blob[place + 1 :]
    return chance.choice(
        [
            before + bytes([blob[place] ^ 1 << chance.randrange(8)]) + after,
            before + bytes([chance.randrange(256)]) + after,
            before + after,
            before + bytes([chance.choice([0, 1, 255])]) + blob[place:],
            before,
            blob + chance.randbytes(chance.randrange(1, 5)),
            before + blob[place : place + 4] + blob[place:],
            before + bytes(4) + blob[place + 4 :],
        ]
    )


@pytest.mark.parametrize("number", range(8))
def test_what_ssh_keygen_refuses_is_refused_here(keygen: Keygen, number: int) -> None:
    """Hundreds of signatures with something wrong in their bytes: it overlooks a few of them, we none."""
    chance = random.Random(number)  # noqa: S311 - the same places in every run
    text = list_signatures(keygen)[number]
    assert keygen.accepts(text, MESSAGE)
    assert accepts(text, MESSAGE)
    blob = unarmor(text)
    wrongs = [armor(wrong) for wrong in (mutate(blob, chance) for _ in range(MUTATIONS)) if wrong != blob]
    opinions = [(accepts(wrong, MESSAGE), keygen.accepts(wrong, MESSAGE)) for wrong in wrongs]
    assert (True, False) not in opinions
    assert (True, True) not in opinions, "no mutation leaves a signature as good as it was"
    assert opinions.count((False, False)) > MUTATIONS * 0.8


def build_framed(signer: LogKey, **changed: bytes) -> bytes:
    """A signature with a field of its frame replaced, and signed as if it were right."""
    fields = {
        "version": b"\0\0\0\1",
        "key": signer.public.blob,
        "namespace": NAMESPACE.encode(),
        "reserved": b"",
        "hash_name": b"sha512",
        "inner": signer.sign_inner(build_signed_data(MESSAGE)),
        **changed,
    }
    names = ("key", "namespace", "reserved", "hash_name", "inner")
    return armor(b"SSHSIG" + fields["version"] + b"".join(build_string(fields[name]) for name in names))


def list_framed() -> dict[str, tuple[bytes, bool]]:
    """Frames by what is wrong with them, and whether ssh-keygen overlooks it."""
    alice = build_example_key("alice")
    inner = alice.sign_inner(build_signed_data(MESSAGE))
    git = MESSAGE_FOR_GIT
    return {
        "nothing": (build_framed(alice), True),
        "version 0": (build_framed(alice, version=bytes(4)), True),
        "version 2": (build_framed(alice, version=b"\0\0\0\2"), False),
        "reserved field used": (build_framed(alice, reserved=b"x"), True),
        "another hash": (build_framed(alice, hash_name=b"sha384"), False),
        "the other hash": (build_framed(alice, hash_name=b"sha256"), False),
        "namespace of git": (build_framed(alice, namespace=b"git", inner=alice.sign_inner(git)), False),
        "signed for git": (build_framed(alice, inner=alice.sign_inner(git)), False),
        "another key": (build_framed(alice, key=build_example_key("bob").public.blob), False),
        "key with a byte more": (build_framed(alice, key=alice.public.blob + b"\0"), False),
        "signature with a byte more": (build_framed(alice, inner=inner + b"\0"), False),
        "signature without value": (build_framed(alice, inner=build_string(b"ssh-ed25519")), False),
        "signature of another type": (
            build_framed(alice, inner=inner.replace(b"ssh-ed25519", b"ssh-ed25518")),
            False,
        ),
    }


MESSAGE_FOR_GIT = b"SSHSIG" + b"".join(
    map(build_string, (b"git", b"", b"sha512", hashlib.sha512(MESSAGE).digest())),
)


@pytest.mark.parametrize("name", list_framed())
def test_frame_is_read_at_least_as_strictly_as_ssh_keygen_does(keygen: Keygen, name: str) -> None:
    """It overlooks a version of 0 and the reserved field; we overlook nothing."""
    text, overlooked = list_framed()[name]
    assert keygen.accepts(text, MESSAGE) is overlooked
    assert accepts(text, MESSAGE) is (name == "nothing")


def list_ecdsa_values(first: int, second: int) -> dict[str, tuple[bytes, bool]]:
    """The numbers of a right signature written in other ways, and whether OpenSSH takes them."""
    right = (build_number(first), build_number(second))
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    pairs = {
        "right": (right, True),
        "leading zeros": ((b"\0\0" + right[0], b"\0" + right[1]), True),
        "many leading zeros": ((bytes(2000) + right[0], right[1]), True),
        "too many leading zeros": ((bytes(2049) + right[0], right[1]), False),
        "negative": ((b"\xff" + right[0], right[1]), False),
        "zero": ((b"", right[1]), False),
        "padded zero": ((right[0], b"\0"), False),
        "plus the order": ((build_number(first + order), right[1]), False),
        "other sign": ((right[0], build_number(order - second)), True),
        "swapped": (right[::-1], False),
    }
    values = {name: (b"".join(map(build_string, pair)), taken) for name, (pair, taken) in pairs.items()}
    whole = values["right"][0]
    return values | {"a byte more": (whole + b"\0", False), "one number": (build_string(right[0]), False)}


@pytest.mark.parametrize("kind", [KeyType.ECDSA_256, KeyType.SK_ECDSA])
def test_numbers_of_ecdsa_are_taken_as_openssh_takes_them(keygen: Keygen, kind: KeyType) -> None:
    """Leading zeros and the other sign are overlooked by both; negative, zero, too large, too many bytes by none."""
    key = build_key(kind)
    name = build_string(kind.encode())
    inner = key.sign_inner(build_signed_data(MESSAGE))[len(name) :]
    end = 4 + int.from_bytes(inner[:4], "big")
    value, rest = inner[4:end], inner[end:]
    size = int.from_bytes(value[:4], "big")
    numbers = int.from_bytes(value[4 : 4 + size], "big"), int.from_bytes(value[8 + size :], "big")
    for what, (wrong, taken) in list_ecdsa_values(*numbers).items():
        text = armor(build_signature_blob(key.public, name + build_string(wrong) + rest))
        assert (keygen.accepts(text, MESSAGE), accepts(text, MESSAGE)) == (taken, taken), what


def test_second_form_of_an_ed25519_signature_is_refused_here_only(keygen: Keygen) -> None:
    """Anybody can make it from the first, by adding the order; it would give the same decision a second id."""
    key = build_example_key("alice")
    inner = key.sign_inner(build_signed_data(MESSAGE))
    other = int.from_bytes(inner[-32:], "little") + 2**252 + 27742317777372353535851937790883648493
    text = armor(build_signature_blob(key.public, inner[:-32] + other.to_bytes(32, "little")))
    assert keygen.accepts(text, MESSAGE)
    assert not accepts(text, MESSAGE)


def test_rsa_is_taken_as_openssh_takes_it(keygen: Keygen) -> None:
    """Both hashes; not SHA-1 under its old name, not a longer value, not another type's name."""
    key = build_key(KeyType.RSA)
    signed = build_signed_data(MESSAGE)
    value = key.sign_inner(signed)[-256:]
    cases = {
        "rsa-sha2-512": (key.sign_inner(signed), True),
        "rsa-sha2-256": (key.sign_inner(signed, rsa_name=b"rsa-sha2-256"), True),
        "wrong name": (build_string(b"rsa-sha2-256") + build_string(value), False),
        "ssh-rsa": (build_string(b"ssh-rsa") + build_string(value), False),
        "longer": (build_string(b"rsa-sha2-512") + build_string(b"\0" + value), False),
        "shorter": (build_string(b"rsa-sha2-512") + build_string(value[:-1]), False),
        "empty": (build_string(b"rsa-sha2-512") + build_string(b""), False),
    }
    for what, (inner, taken) in cases.items():
        text = armor(build_signature_blob(key.public, inner))
        assert (keygen.accepts(text, MESSAGE), accepts(text, MESSAGE)) == (taken, taken), what


def test_rsa_value_without_leading_zeros_is_taken_by_both(keygen: Keygen) -> None:
    """As some agents send it."""
    key = build_key(KeyType.RSA)
    for number in range(5000):
        message = str(number).encode()
        value = key.sign_inner(build_signed_data(message))[-256:]
        if not value[0]:
            break
    inner = build_string(b"rsa-sha2-512") + build_string(value.lstrip(b"\0"))
    text = armor(build_signature_blob(key.public, inner))
    assert len(value.lstrip(b"\0")) < 256
    assert (keygen.accepts(text, message), accepts(text, message)) == (True, True)


def test_small_rsa_key_is_refused_here_only(keygen: Keygen) -> None:
    """ssh-keygen still takes 1024 bits; the log does not."""
    text = keygen.sign(keygen.make_key("rsa", "1024"), MESSAGE)
    assert keygen.accepts(text, MESSAGE)
    assert not accepts(text, MESSAGE)


def test_certificate_is_refused(keygen: Keygen) -> None:
    """A signature that carries a certificate instead of a key."""
    path = keygen.make_key("ed25519", "256")
    user = keygen.make_key("ecdsa", "256")
    made = keygen.run("-q", "-s", str(path), "-I", "somebody", "-n", "me", str(user.with_suffix(".pub")))
    assert made.returncode == 0, made.stderr
    line = (keygen.folder / "ecdsa-256-cert.pub").read_text(encoding="utf-8")
    with pytest.raises(LogEntryError, match="not accepted"):
        parse_public_key(line)
    text = keygen.sign(keygen.folder / "ecdsa-256-cert.pub", MESSAGE)
    assert keygen.accepts(text, MESSAGE)
    assert not accepts(text, MESSAGE)


def test_git_commit_signature_is_not_an_approval(keygen: Keygen) -> None:
    """A signature over the very bytes of an entry, but for git, cannot be put into an envelope."""
    payload = (GOLDEN / "decision.payload").read_bytes()
    text = keygen.sign(keygen.make_key("ed25519", "256"), build_pae(payload), "git")
    with pytest.raises(SignatureForeignError, match="'git'"):
        build_envelope(payload, [text])


def test_public_keys_of_ssh_keygen_are_read(keygen: Keygen) -> None:
    """With their comment; the private half is none."""
    for kind, bits in MADE_BY_SSH_KEYGEN:
        path = keygen.make_key(kind, bits)
        line = path.with_suffix(".pub").read_text(encoding="utf-8")
        assert line == f"{parse_public_key(line).text} somebody\n"
        with pytest.raises(LogEntryError):
            parse_public_key(path.read_text(encoding="utf-8"))


def test_other_armors_that_ssh_keygen_reads_are_refused_in_the_log(keygen: Keygen) -> None:
    """It takes lines of any length; in the log there is one form, and `re_armor` makes it."""
    text = build_example_key("alice").sign(MESSAGE)
    begin, *lines, end, _ = text.split(b"\n")
    other = b"\n".join([begin, b"".join(lines), end, b""])
    assert keygen.accepts(other, MESSAGE)
    with pytest.raises(SignatureMalformedError):
        parse_signature(other)
    assert re_armor(other) == text


def test_entry_can_be_checked_by_hand(keygen: Keygen) -> None:
    """What a person takes out of the file with `jq` and `base64` is what ssh-keygen verifies."""
    value = json.loads(read_golden("decision"))
    payload = base64.b64decode(value["payload"])
    pae = b"DSSEv1 28 application/vnd.in-toto+json %d " % len(payload) + payload
    signature = base64.b64decode(value["signatures"][0]["sig"])
    alice, bob = ((GOLDEN / f"{name}.pub").read_text(encoding="utf-8").strip() for name in ("alice", "bob"))
    assert keygen.verifies(signature, pae, alice)
    assert not keygen.verifies(signature, pae, bob)
    assert not keygen.verifies(signature, pae + b"\n", alice)
