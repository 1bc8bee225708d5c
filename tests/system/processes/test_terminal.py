from __future__ import annotations

import fcntl
import os
import pty
import struct
import termios
import threading
from collections.abc import Iterator

import pytest

from handoff_tui.system.processes import terminal


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The other end of a terminal: what is asked can be read there, and answers typed."""
    other, own = pty.openpty()
    monkeypatch.setattr(terminal, "_PLACE", os.ttyname(own))
    yield other
    os.close(own)
    os.close(other)


def test_no_terminal_is_said_to_be_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is asked, nothing is answered, nothing is guessed."""
    monkeypatch.setattr(terminal, "_PLACE", "/nonexistent/tty")
    assert not terminal.has_terminal()
    assert terminal.ask("really? ") is None
    assert terminal.read_width() is None


def test_something_that_is_no_terminal_has_no_width_and_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device in its place is not taken for a person."""
    monkeypatch.setattr(terminal, "_PLACE", os.devnull)
    assert terminal.read_width() is None
    assert terminal.ask("really? ", 0) is None


def test_answer_is_one_line_of_what_was_typed(screen: int) -> None:
    """The question stands on the terminal, and the line comes back without its ends."""
    assert terminal.has_terminal()
    answers: list[str | None] = []
    asking = threading.Thread(target=lambda: answers.append(terminal.ask("really? ", 0)))
    asking.start()
    shown = b""
    while b"really? " not in shown:
        shown += os.read(screen, 1024)
    while asking.is_alive():  # typed again while it may have been thrown away
        os.write(screen, b"  approve \n")
        asking.join(0.2)
    assert answers == ["approve"]


def test_end_of_input_is_no_answer(screen: int) -> None:
    """Ctrl-D at the start of a line."""
    answers: list[str | None] = []
    asking = threading.Thread(target=lambda: answers.append(terminal.ask("really? ", 0)))
    asking.start()
    while asking.is_alive():
        os.write(screen, b"\x04")
        asking.join(0.2)
    assert answers == [None]


def test_width_is_that_of_the_terminal(screen: int) -> None:
    """Whatever stdout is."""
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 97, 0, 0))
    assert terminal.read_width() == 97


def test_line_is_written_on_the_terminal_itself(screen: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever stdout is; without a terminal nothing happens."""
    terminal.write_line("the key is asked for")
    assert b"the key is asked for" in os.read(screen, 1024)
    monkeypatch.setattr(terminal, "_PLACE", "/nonexistent/tty")
    terminal.write_line("nobody reads this")
