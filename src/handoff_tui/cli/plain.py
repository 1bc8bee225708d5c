"""Writes finished text to stdout, in one piece and at once."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterable


def write_plain(text: str) -> None:
    """Flushed here, so that a reader that has gone is noticed here and not at exit."""
    sys.stdout.write(_fit(text))
    sys.stdout.flush()


def write_pieces(pieces: Iterable[bytes]) -> None:
    """Bytes for another program, exactly as they are. On a terminal they are made visible instead of obeyed."""
    if sys.stdout.isatty():
        decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        for piece in pieces:
            write_plain(_make_visible(decoder.decode(piece)))
        write_plain(_make_visible(decoder.decode(b"", final=True)))
        return
    sys.stdout.flush()
    for piece in pieces:
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()


def _make_visible(text: str) -> str:
    return "".join(one if one in "\n\t" or one.isprintable() else ascii(one)[1:-1] for one in text)


def _fit(text: str) -> str:
    """A glyph that the terminal's encoding does not have is a question mark, not a failure."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding, sys.stdout.errors or "strict")
    except UnicodeEncodeError:
        return text.encode(encoding, "replace").decode(encoding)
    return text
