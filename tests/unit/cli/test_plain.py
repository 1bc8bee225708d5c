from __future__ import annotations

import io
import sys

import pytest

from handoff_tui.cli.plain import write_plain


@pytest.mark.parametrize(
    ("encoding", "errors", "text", "written"),
    [
        ("utf-8", "strict", "○ ready", "○ ready".encode()),
        ("latin-1", "strict", "○ é", b"? \xe9"),
        ("ascii", "strict", "✓ · é", b"? ? ?"),
        ("ascii", "backslashreplace", "✓", b"\\u2713"),
        ("utf-8", "strict", "caf\udce9", b"caf?"),
        ("utf-8", "surrogateescape", "caf\udce9", b"caf\xe9"),
    ],
)
def test_text_fits_the_encoding_of_the_terminal(
    monkeypatch: pytest.MonkeyPatch, encoding: str, errors: str, text: str, written: bytes
) -> None:
    """A glyph that it does not have is replaced; a stream that knows better is left to do so."""
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding, errors=errors))
    write_plain(text)
    assert raw.getvalue() == written
