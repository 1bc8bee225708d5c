"""Turns bytes into text: common encodings, and notes on anything odd."""

from __future__ import annotations

import codecs

from handoff_tui.core.classes import NamedTuple

_WIDE_MARKS = (
    # UTF-32 first: its little-endian mark starts with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)
_BYTE_ORDER_MARK = "\ufeff"
_BINARY_REMARKS = ("is a binary file",)


class DecodedText(NamedTuple):
    """Text with plain newlines as line ends, and notes on what the bytes were."""

    text: str
    remarks: tuple[str, ...] = ()
    binary: bool = False


def decode_text(content: bytes) -> DecodedText:
    """Decodes UTF-8, with or without BOM; tolerates UTF-16 and UTF-32 with BOM and invalid bytes, and says so."""
    for mark, encoding, name in _WIDE_MARKS:
        if content.startswith(mark):
            return _normalise(content.decode(encoding, "replace"), [f"is {name}; read as such"])
    remarks: list[str] = []
    if content.startswith(codecs.BOM_UTF8):
        remarks.append("starts with a byte order mark")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as invalid:
        line = _end_lines(content[: invalid.start].decode("utf-8")).count("\n") + 1
        remarks.append(f"has bytes that are not UTF-8 (first on line {line}); shown as U+FFFD")
        text = content.decode("utf-8", "replace")
    return _normalise(text, remarks)


def _normalise(text: str, remarks: list[str]) -> DecodedText:
    if "\0" in text:
        return DecodedText("", _BINARY_REMARKS, binary=True)
    if "\r\n" in text:
        remarks.append("has CRLF line ends")
    return DecodedText(_end_lines(text.lstrip(_BYTE_ORDER_MARK)), tuple(remarks))


def _end_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
