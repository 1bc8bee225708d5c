"""The terminal itself, whatever stdin and stdout are: a person sits there, and a pipe is never an answer."""

from __future__ import annotations

import os
import select
import termios
import time

_PLACE = "/dev/tty"
_LONGEST_ANSWER = 4096


def has_terminal() -> bool:
    """Whether this process has a terminal that can be asked."""
    try:
        os.close(_open())
    except OSError:
        return False
    return True


def read_width() -> int | None:
    """How many columns the terminal has; None if there is no terminal, or it does not say."""
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
    """Asks on the terminal and returns the line that was typed; None if it ended or there is none.

    What was typed before the question could be read is thrown away: keys meant for something else decide nothing.
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
    except (OSError, termios.error):  # the terminal has gone meanwhile
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
    except OSError:  # the terminal has gone meanwhile
        return
    finally:
        os.close(terminal)


def write_sequence(sequence: str) -> None:
    """Sends the terminal something that is not text; where there is none, nothing happens."""
    try:
        terminal = _open()
    except OSError:
        return
    try:
        _write(terminal, sequence.encode("utf-8", "replace"))
    except OSError:  # it has gone meanwhile
        return
    finally:
        os.close(terminal)


def _open() -> int:
    return os.open(_PLACE, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)


def _write(terminal: int, content: bytes) -> None:
    """All of it: a terminal may take less at once."""
    while content:
        content = content[os.write(terminal, content) :]
