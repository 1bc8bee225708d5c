"""Bytes to text: encodings as they occur, and what was odd about them."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class DecodedText:
    """Text with plain newlines as line ends, and remarks on what the bytes were."""

    text: str
    remarks: tuple[str, ...] = ()
    binary: bool = False


def decode_text(content: bytes) -> DecodedText:
    """Decodes UTF-8, with or without BOM; tolerates UTF-16 with BOM and invalid bytes, and says so."""
    if content.startswith(_UTF16_MARKS):
        return _normalise(content.decode("utf-16", "replace"), ["is UTF-16; read as such"])
    remarks: list[str] = []
    if content.startswith(codecs.BOM_UTF8):
        remarks.append("starts with a byte order mark")
        content = content[len(codecs.BOM_UTF8) :]
    if b"\0" in content:
        return DecodedText("", ("is a binary file",), binary=True)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as invalid:
        line = content.count(b"\n", 0, invalid.start) + 1
        remarks.append(f"has bytes that are not UTF-8 (first on line {line}); shown as U+FFFD")
        text = content.decode("utf-8", "replace")
    return _normalise(text, remarks)


def _normalise(text: str, remarks: list[str]) -> DecodedText:
    if "\r" in text:
        if "\r\n" in text:
            remarks.append("has CRLF line ends")
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return DecodedText(text, tuple(remarks))
