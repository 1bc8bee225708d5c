from __future__ import annotations

import codecs

import pytest

from handoff_tui.system.files.decoding import decode_text


def test_plain_text_has_no_remarks() -> None:
    """UTF-8 with plain newlines is taken as it is."""
    decoded = decode_text("grün\n☃\n".encode())
    assert (decoded.text, decoded.remarks, decoded.binary) == ("grün\n☃\n", (), False)


def test_empty_content_is_empty_text() -> None:
    """No bytes, no text, nothing to remark."""
    assert decode_text(b"").text == ""
    assert decode_text(b"").remarks == ()


def test_byte_order_mark_is_taken_off_and_reported() -> None:
    """The mark is no part of the text, however often it was put there."""
    decoded = decode_text(codecs.BOM_UTF8 * 2 + b"{}")
    assert decoded.text == "{}"
    assert decoded.remarks == ("starts with a byte order mark",)


@pytest.mark.parametrize("content", [b"a\r\nb\r\n", b"a\rb\r", b"a\r\nb\r"])
def test_line_ends_become_newlines(content: bytes) -> None:
    """CRLF and lone CR end lines as a newline does."""
    assert decode_text(content).text == "a\nb\n"


def test_crlf_is_reported() -> None:
    """CRLF line ends are worth a remark, once."""
    assert decode_text(b"a\r\nb\r\n").remarks == ("has CRLF line ends",)


@pytest.mark.parametrize(
    ("content", "line"), [(b"\xff", 1), (b"a\nb\n\xff\xfe", 3), (b"a\r\nb\r\nc\xff", 3), (b"a\rb\r\xff", 3)]
)
def test_invalid_bytes_are_replaced_and_placed(content: bytes, line: int) -> None:
    """What is not UTF-8 is shown as U+FFFD; the remark names the line as the text counts it."""
    decoded = decode_text(content)
    assert "\ufffd" in decoded.text
    assert f"first on line {line}" in decoded.remarks[0]


@pytest.mark.parametrize("content", [b"a\0b", b"\0", b"\x7fELF\x02\0", codecs.BOM_UTF8 + b"\0", b"\xff\0"])
def test_binary_content_is_no_text(content: bytes) -> None:
    """A NUL makes a file binary; nothing of it is shown."""
    decoded = decode_text(content)
    assert (decoded.text, decoded.remarks, decoded.binary) == ("", ("is a binary file",), True)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_wide_encodings_with_a_mark_are_read(encoding: str) -> None:
    """UTF-16 and UTF-32 are told apart by their marks and named."""
    decoded = decode_text("grün\r\n".encode(encoding))
    assert decoded.text == "grün\n"
    assert decoded.remarks[0] == f"is {encoding.upper()}; read as such"


@pytest.mark.parametrize("mark", [codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE])
def test_wide_encodings_tolerate_half_characters(mark: bytes) -> None:
    """A file that ends in the middle of a character does not raise."""
    assert not decode_text(mark + b"a").binary
    assert decode_text(mark).text == ""
