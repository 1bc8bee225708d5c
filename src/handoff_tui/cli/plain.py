"""Writes finished text and bytes to stdout; imports next to nothing, for calls that must be fast."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from handoff_tui.core.errors import OutputError


def write_plain(text: str) -> None:
    """Writes and flushes, so that a closed pipe is noticed here and not at exit."""
    with explain_failure():
        sys.stdout.write(_fit(text))
        sys.stdout.flush()


def write_pieces(pieces: Iterable[bytes]) -> None:
    """Writes bytes for another program unchanged. On a terminal, control characters are made visible."""
    if sys.stdout.isatty():
        decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        for piece in pieces:
            write_plain(_make_visible(decoder.decode(piece)))
        write_plain(_make_visible(decoder.decode(b"", final=True)))
        return
    with explain_failure():
        sys.stdout.flush()
    for piece in pieces:  # only errors of writing are explained: producing a piece has errors of its own
        with explain_failure():
            sys.stdout.buffer.write(piece)
    with explain_failure():
        sys.stdout.buffer.flush()


def silence_output() -> None:
    """Redirects stdout to nowhere, as Python would otherwise write the rest again, and complain, at exit."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)


@contextmanager
def explain_failure() -> Iterator[None]:
    """Turns errors of writing, such as a full disk, into OutputError. A closed pipe is handled elsewhere."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as refused:
        silence_output()
        reason = (refused.strerror or str(refused)).lower()
        raise OutputError(
            f"the output cannot be written: {reason}",
            "The output is incomplete. Free some space, or write it elsewhere.",
        ) from refused


def _make_visible(text: str) -> str:
    return "".join(one if one in "\n\t" or one.isprintable() else ascii(one)[1:-1] for one in text)


def _fit(text: str) -> str:
    """Replaces characters that the encoding of the terminal lacks by question marks."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding, sys.stdout.errors or "strict")
    except UnicodeEncodeError:
        return text.encode(encoding, "replace").decode(encoding)
    return text
