from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from handoff_tui.cli.plain import write_pieces, write_plain
from handoff_tui.core.errors import OutputError


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


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_bytes_go_out_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also what is no text, and after text that was written before."""
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    sys.stdout.write("first ")
    write_pieces([b"\xff\x1b[2J", b"\n"])
    assert raw.getvalue() == b"first \xff\x1b[2J\n"


def test_bytes_on_a_terminal_are_shown_and_not_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A character that is cut between two pieces is still one."""
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", Terminal(raw, encoding="utf-8"))
    write_pieces([b"+ \x1b[2J caf\xc3", b"\xa9\t\xe2\x80\xae\xff\n"])
    assert raw.getvalue().decode() == "+ \\x1b[2J café\t\\u202e\\xff\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk here that is always full")
@pytest.mark.parametrize("write", [lambda: write_plain("text\n"), lambda: write_pieces([b"text\n"])])
def test_full_disk_is_told_and_no_fault_of_ours(monkeypatch: pytest.MonkeyPatch, write: Callable[[], None]) -> None:
    """What is left to write is given up, so that nothing complains again at exit."""
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(OutputError, match="no space left"):
            write()
