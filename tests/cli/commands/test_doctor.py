"""What the terminal says of itself."""

from __future__ import annotations

import io
import sys

import pytest

from handoff_tui.cli.commands.doctor import read_terminal


class Terminal(io.TextIOWrapper):
    """An output that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("encoding", "environment", "colour"),
    [
        ("utf-8", {"TERM": "xterm-256color"}, True),
        ("utf-8", {"TERM": "xterm-256color", "NO_COLOR": "1"}, False),
        ("ascii", {"TERM": "dumb"}, False),
    ],
)
def test_terminal_is_read_from_its_environment(
    monkeypatch: pytest.MonkeyPatch, encoding: str, environment: dict[str, str], *, colour: bool
) -> None:
    """Width, colour and characters; nothing is sent to it."""
    output = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", Terminal(output, encoding=encoding))
    for name, value in {"COLUMNS": "97", **environment}.items():
        monkeypatch.setenv(name, value)
    found = read_terminal()
    assert (found.terminal, found.columns, found.colour) == (True, 97, colour)
    assert found.unicode is (encoding == "utf-8")
    assert output.getvalue() == b""


def test_pipe_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then width and colour are not known."""
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    found = read_terminal()
    assert (found.terminal, found.columns, found.colour) == (False, None, None)
