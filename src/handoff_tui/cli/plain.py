"""Writes finished text to stdout, in one piece and at once."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from handoff_tui.core.errors import OutputError


def write_plain(text: str) -> None:
    """Flushed here, so that a reader that has gone is noticed here and not at exit."""
    with explain_failure():
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
    with explain_failure():
        sys.stdout.flush()
    for piece in pieces:  # only our writing is explained: what fails while a piece is made has its own words
        with explain_failure():
            sys.stdout.buffer.write(piece)
    with explain_failure():
        sys.stdout.buffer.flush()


def silence_output() -> None:
    """What could not be written is still kept, and Python would try again, and complain, at exit."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)


@contextmanager
def explain_failure() -> Iterator[None]:
    """A full disk is no fault of ours. A reader that has gone is no failure at all: others see to that."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as refused:
        silence_output()
        reason = (refused.strerror or str(refused)).lower()
        raise OutputError(
            f"the output cannot be written: {reason}",
            "What was written so far is not whole. Make room, or send it elsewhere.",
        ) from refused


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
