"""Writes finished text to stdout, in one piece and at once."""

from __future__ import annotations

import sys


def write_plain(text: str) -> None:
    """Flushed here, so that a reader that has gone is noticed here and not at exit."""
    sys.stdout.write(_fit(text))
    sys.stdout.flush()


def _fit(text: str) -> str:
    """A glyph that the terminal's encoding does not have is a question mark, not a failure."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding, sys.stdout.errors or "strict")
    except UnicodeEncodeError:
        return text.encode(encoding, "replace").decode(encoding)
    return text
