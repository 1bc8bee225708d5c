from __future__ import annotations

import pytest

from handoff_tui.core.errors import SignatureMalformedError
from handoff_tui.log.entries.public_keys import WireReader, build_string


def read(data: bytes) -> WireReader:
    return WireReader(data, SignatureMalformedError)


def test_reader_takes_one_value_after_the_other() -> None:
    """Strings, integers and numbers come in their order, and then nothing is left."""
    reader = read(build_string(b"abc") + b"\x01\x00\x00\x01\x00" + build_string(b"\x00\xff") + build_string(b""))
    assert reader.take_string() == b"abc"
    assert reader.take_integer(1) == 1
    assert reader.take_integer(4) == 256
    assert reader.take_number(minimal=True) == 255
    assert reader.take_string() == b""
    reader.finish()


@pytest.mark.parametrize("data", [b"", b"\0", b"\0\0\0", b"\0\0\0\x01", b"\xff\xff\xff\xff", b"\0\0\0\x05abcd"])
def test_reader_refuses_a_string_that_is_cut_short(data: bytes) -> None:
    """A length that is missing, torn or too large never gives less than it says."""
    with pytest.raises(SignatureMalformedError, match="cut short"):
        read(data).take_string()


@pytest.mark.parametrize("data", [b"", b"\0\0\0"])
def test_reader_refuses_an_integer_that_is_cut_short(data: bytes) -> None:
    """Three bytes are no four."""
    with pytest.raises(SignatureMalformedError, match="cut short"):
        read(data).take_integer(4)


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


def test_reader_refuses_what_is_left_over() -> None:
    """Every byte has a meaning or is too many."""
    reader = read(build_string(b"a") + b"x")
    reader.take_string()
    with pytest.raises(SignatureMalformedError, match="1 bytes too many"):
        reader.finish()
