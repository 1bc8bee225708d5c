"""Writes finished text to stdout, in one piece and at once."""

from __future__ import annotations

import sys


def write_plain(text: str) -> None:
    """Flushed here, so that a reader that has gone is noticed here and not at exit."""
    sys.stdout.write(_fit(text))
    sys.stdout.flush()


def write_bytes(content: bytes) -> None:
    """Bytes for another program, exactly as they are. On a terminal they are made visible instead of obeyed."""
    if sys.stdout.isatty():
        shown = content.decode("utf-8", "backslashreplace")
        write_plain("".join(one if one in "\n\t" or one.isprintable() else ascii(one)[1:-1] for one in shown))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def _fit(text: str) -> str:
    """A glyph that the terminal's encoding does not have is a question mark, not a failure."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding, sys.stdout.errors or "strict")
    except UnicodeEncodeError:
        return text.encode(encoding, "replace").decode(encoding)
    return text
