"""The terminal itself, whatever stdin and stdout are: a person is there, and a pipe never counts as an answer."""

from __future__ import annotations

import os
import select
import termios
import time

_PLACE = "/dev/tty"
_LONGEST_ANSWER = 4096


def has_terminal() -> bool:
    """Tells whether this process has a terminal it can ask on."""
    try:
        os.close(_open())
    except OSError:
        return False
    return True


def read_width() -> int | None:
    """Returns the terminal's width in columns; None if there is no terminal, or it doesn't say."""
    try:
        terminal = _open()
    except OSError:
        return None
    try:
        return os.get_terminal_size(terminal).columns or None
    except OSError:
        return None
    finally:
        os.close(terminal)


def ask(question: str, quiet_seconds: float = 0.3) -> str | None:
    """Asks on the terminal and returns the typed line; None if input ended or there is no terminal.

    Keys typed before the question was visible are discarded: they were meant for something else.
    """
    try:
        terminal = _open()
    except OSError:
        return None
    try:
        _write(terminal, question.encode("utf-8", "replace"))
        deadline = time.monotonic() + quiet_seconds
        while (left := deadline - time.monotonic()) > 0:
            select.select([], [], [], left)
        termios.tcflush(terminal, termios.TCIFLUSH)
        answer = os.read(terminal, _LONGEST_ANSWER)
    except (OSError, termios.error):  # the terminal disappeared in the meantime
        return None
    finally:
        os.close(terminal)
    return answer.decode("utf-8", "replace").strip() if answer else None


def write_line(text: str) -> None:
    """Writes to the terminal itself, if there is one."""
    try:
        terminal = _open()
    except OSError:
        return
    try:
        _write(terminal, f"{text}\r\n".encode("utf-8", "replace"))
    except OSError:  # the terminal disappeared in the meantime
        return
    finally:
        os.close(terminal)


def write_sequence(sequence: str) -> None:
    """Sends the terminal a control sequence; does nothing without a terminal."""
    try:
        terminal = _open()
    except OSError:
        return
    try:
        _write(terminal, sequence.encode("utf-8", "replace"))
    except OSError:  # it disappeared in the meantime
        return
    finally:
        os.close(terminal)


def _open() -> int:
    return os.open(_PLACE, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)


def _write(terminal: int, content: bytes) -> None:
    """Writes all of it: a terminal may accept less at a time."""
    while content:
        content = content[os.write(terminal, content) :]
