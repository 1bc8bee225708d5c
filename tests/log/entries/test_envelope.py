from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from handoff_tui.core.errors import (
    EntryTooLargeError,
    EnvelopeMalformedError,
    KeyIdMismatchError,
    LogEntryError,
    NotCanonicalError,
    SignatureForeignError,
)
from handoff_tui.log.entries import canonical
from handoff_tui.log.entries.envelope import MAX_FILE_BYTES, build_envelope, parse_envelope
from tests.support.log_keys import build_example_key, read_golden

Envelope = dict[str, Any]


def change(edit: Callable[[Envelope], object], name: str = "genesis") -> bytes:
    """A golden file with its envelope edited, canonical again."""
    value = json.loads(read_golden(name))
    edit(value)
    return canonical.encode(value) + b"\n"


@pytest.mark.parametrize(
    "edit",
    [
        lambda value: value.pop("payload"),
        lambda value: value.pop("payloadType"),
        lambda value: value.pop("signatures"),
        lambda value: value.update(note="unsigned"),
        lambda value: value.update(payloadType="application/json"),
        lambda value: value.update(payloadType=1),
        lambda value: value.update(payload=1),
        lambda value: value.update(payload="ö"),
        lambda value: value.update(payload=value["payload"][:-1]),
        lambda value: value.update(payload=value["payload"] + "\n"),
        lambda value: value.update(payload=value["payload"].replace("e", "-", 1)),
        lambda value: value.update(payload="QR=="),
        lambda value: value.update(payload="QQ"),
        lambda value: value.update(payload="QQ==QQ=="),
        lambda value: value.update(signatures={}),
        lambda value: value.update(signatures=[]),
        lambda value: value.update(signatures=["x"]),
        lambda value: value["signatures"].reverse(),
        lambda value: value["signatures"].append(value["signatures"][1]),
        lambda value: value["signatures"].insert(0, value["signatures"][0]),
        lambda value: value["signatures"].extend(value["signatures"] * 8),
        lambda value: value["signatures"][0].pop("sig"),
        lambda value: value["signatures"][0].pop("keyid"),
        lambda value: value["signatures"][0].update(cert="x"),
        lambda value: value["signatures"][0].update(sig=True),
        lambda value: value["signatures"][0].update(sig=value["signatures"][0]["sig"].rstrip("=")),
    ],
)
def test_envelope_of_another_shape_is_refused(edit: Callable[[Envelope], object]) -> None:
    """Missing and extra fields, other types, other base64, signatures out of order, twice, none or too many."""
    with pytest.raises((EnvelopeMalformedError, NotCanonicalError)):
        parse_envelope(change(edit))


@pytest.mark.parametrize(
    "edit",
    [
        lambda value: value["signatures"][0].update(keyid="SHA256:"),
        lambda value: value["signatures"][0].update(keyid=value["signatures"][0]["keyid"] + "="),
        lambda value: value["signatures"][0].update(keyid=value["signatures"][1]["keyid"]),
        lambda value: value["signatures"][0].update(keyid=1),
        lambda value: value["signatures"][0].update(sig=value["signatures"][1]["sig"]),
    ],
)
def test_signature_under_another_name_is_refused(edit: Callable[[Envelope], object]) -> None:
    """The keyid is the fingerprint of the key that is inside, and no claim of its own."""
    with pytest.raises(KeyIdMismatchError):
        parse_envelope(change(edit))


def test_base64_of_json_escapes_is_refused() -> None:
    r"""`\/` is the same text to JSON and other bytes to a hash."""
    content = read_golden("decision").replace(b"application/vnd", rb"application\/vnd")
    with pytest.raises(NotCanonicalError):
        parse_envelope(content)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"{}\n",
        b"[]\n",
        read_golden("decision")[:-1],
        read_golden("decision") + b"\n",
        read_golden("decision")[:-1] + b"\r\n",
        b"\n" + read_golden("decision"),
        b" " + read_golden("decision"),
        read_golden("decision") * 2,
        read_golden("decision").replace(b":", b": ", 1),
    ],
)
def test_file_that_is_not_exactly_one_line_is_refused(content: bytes) -> None:
    """One newline, at the end; no space anywhere else."""
    with pytest.raises((EnvelopeMalformedError, NotCanonicalError)):
        parse_envelope(content)


def test_torn_file_is_refused_wherever_it_ends() -> None:
    """No beginning of an entry is an entry."""
    content = read_golden("decision")
    for length in range(0, len(content), 7):
        with pytest.raises(LogEntryError):
            parse_envelope(content[:length])


def test_size_has_a_limit() -> None:
    """A file of the limit's size is built and read; one byte more is refused in both directions."""
    signature = build_example_key("alice").sign(b"")
    largest = (MAX_FILE_BYTES - len(build_envelope(b"", [signature]))) // 4 * 3
    content = build_envelope(bytes(largest), [signature])
    assert MAX_FILE_BYTES - 4 < len(content) <= MAX_FILE_BYTES
    assert parse_envelope(content).payload == bytes(largest)
    with pytest.raises(EntryTooLargeError):
        build_envelope(bytes(largest + 3), [signature])
    with pytest.raises(EntryTooLargeError):
        parse_envelope(b" " * (MAX_FILE_BYTES + 1))


def test_envelope_is_not_built_from_wrong_signatures() -> None:
    """None, two by one key, more than sixteen, and one for another purpose are refused before anything is written."""
    sign = build_example_key("alice").sign
    for signatures in ([], [sign(b"a"), sign(b"b")], [build_example_key(str(n)).sign(b"") for n in range(17)]):
        with pytest.raises(EnvelopeMalformedError):
            build_envelope(b"{}", signatures)
    assert build_envelope(b"{}", [build_example_key(str(number)).sign(b"") for number in range(16)])
    foreign = base64.b64encode(base64.b64decode(b"".join(sign(b"").split(b"\n")[1:-2])).replace(b"log@", b"lag@"))
    lines = [foreign[start : start + 70] for start in range(0, len(foreign), 70)]
    with pytest.raises(SignatureForeignError):
        build_envelope(b"{}", [b"\n".join([sign(b"").split(b"\n")[0], *lines, b"-----END SSH SIGNATURE-----", b""])])
